package cli

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"sync"

	"causeway/cmd/causeway/app"
	"causeway/cmd/causeway/operator"
	"causeway/config"
	"causeway/core"
	"causeway/core/banks"
	"causeway/ports"
)

// institution is an institution that needs attention.
type institution struct {
	Country  string `json:"country"`
	Provider string `json:"provider,omitempty"` // that lists it
	Result   string `json:"result"`             // unresolvable, new, or the reason why a row was left out
	Code     string `json:"code"`
	Name     string `json:"name"`
}

// bankList is a directory with the lists that it has sent.
type bankList struct {
	ports.BankDirectory

	mu    sync.Mutex
	banks map[string][]core.Bank
}

func (l *bankList) store(country string, banks []core.Bank) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.banks[country] = banks
}

// Banks returns a list that was stored. A list that did not arrive is empty, which is a failure.
func (l *bankList) Banks(_ context.Context, country string) ([]core.Bank, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.banks[country], nil
}

// judgeCoverage joins the bank lists to the catalog as a process does. It reports how many institutions of
// each country can be resolved, and the institutions that a provider should list and does not.
func (d *doctor) judgeCoverage(
	ctx context.Context, world *app.WorldServices, catalog config.Catalog, lists []*bankList,
) ([]result, error) {
	directories := make([]ports.BankDirectory, len(lists))
	for i, list := range lists {
		directories[i] = list
	}
	service, err := banks.New(banks.Config{
		Countries: catalog.Countries, Catalog: catalog.Banks, Excluded: catalog.ExcludedBanks, Directories: directories,
		Resolvable: world.Recipients.Resolvable, Clock: d.env.Clock, Entropy: d.env.Entropy,
	})
	if err != nil {
		return nil, err
	}
	service.Tick(ctx)
	var out []result
	for _, c := range operator.CountCountries(service.List()) {
		if c.Resolvable > 0 {
			found := fmt.Sprintf("%d of %d institutions can be resolved", c.Resolvable, c.Institutions)
			out = append(out, pass(found).of("banks "+c.Country))
		}
		for _, i := range c.Unresolvable {
			d.institutions = append(d.institutions, institution{c.Country, "", "unresolvable", i.Code, i.Name})
		}
	}
	for _, s := range service.States() {
		for _, i := range s.New {
			d.institutions = append(d.institutions, institution{s.Country, s.Directory, "new", i.Code, i.Name})
		}
		for _, i := range s.LeftOut {
			row := institution{s.Country, s.Directory, "left out: " + string(i.Reason), i.Code, i.Name}
			d.institutions = append(d.institutions, row)
		}
	}
	return append(out, missing(service)...), nil
}

// missing returns a warning for each institution that a provider does not list, or lists by another code,
// although the catalog expects it.
func missing(service *banks.Service) []result {
	arrived := map[[2]string]bool{} // directory and country
	for _, s := range service.States() {
		arrived[[2]string{s.Directory, s.Country}] = !s.LastSuccess.IsZero()
	}
	var out []result
	for _, b := range service.List().Banks() {
		for _, provider := range slices.Sorted(maps.Keys(b.Expected)) {
			if !arrived[[2]string{provider, b.Country}] {
				continue
			}
			found, expected := "", b.Expected[provider]
			switch {
			case b.UnlistedBy(provider):
				found = fmt.Sprintf("%s (%s) is expected as %s and missing in the list of %s", b.Name, b.Code, expected, provider)
			case b.Codes[provider] != expected:
				found = fmt.Sprintf("%s (%s) is expected as %s and listed as %s by %s",
					b.Name, b.Code, expected, b.Codes[provider], provider)
			default:
				continue
			}
			const do = "see the rows that were left out; if the provider is right, report the change of its list"
			out = append(out, warn(found, do).of("banks "+b.Country))
		}
	}
	return out
}
