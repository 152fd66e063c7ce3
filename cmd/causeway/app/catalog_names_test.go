package app

import (
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"

	"causeway/adapters/web/apierror"
	"causeway/core"
	"causeway/core/addresses"
	"causeway/simulator/catalog"
)

// TestCatalog_Names compares the rows of the catalog, which TestCatalog_Entries tries, with the names of
// errors and verdicts that the API has a page for. A new name without a row fails.
func TestCatalog_Names(t *testing.T) {
	t.Parallel()
	c, s := catalog.New(), newSandboxEnv(t)
	var errors, verdicts []string
	for _, e := range c.Errors {
		errors = append(errors, e.Name)
		if page := s.ask(http.MethodGet, "/errors/"+e.Name, ""); page.Code != http.StatusOK ||
			!strings.Contains(page.Body.String(), "HTTP status "+strconv.Itoa(e.Status)) {
			t.Errorf("the page of %s: %d, want one that says %d", e.Name, page.Code, e.Status)
		}
	}
	for _, a := range c.Addresses {
		verdicts = append(verdicts, a.Code)
	}
	slices.Sort(errors)
	slices.Sort(verdicts)
	var documented []string
	for _, name := range apierror.Names() {
		documented = append(documented, string(name))
	}
	slices.Sort(documented)
	if len(documented) < 13 || !slices.Equal(errors, documented) {
		t.Errorf("the catalog has the errors\n%v, and the API\n%v", errors, documented)
	}
	if all := slices.Sorted(maps.Keys(addresses.Codes())); !slices.Equal(slices.Compact(verdicts), all) {
		t.Errorf("the catalog has the verdicts\n%v, and the API\n%v", verdicts, all)
	}
	for _, operation := range core.OperationIDs() {
		for _, name := range errors {
			if !slices.ContainsFunc(c.Outcomes, func(e catalog.OutcomeEntry) bool {
				return e.Name == "error:"+name && slices.Contains(e.Operations, operation)
			}) {
				t.Errorf("%s cannot be asked to answer %s", operation, name)
			}
		}
	}
}
