package control

import (
	"net/url"
	"slices"
	"strings"

	"causeway/adapters/httpapi/apierror"
	"causeway/core"
)

// parameters reads the query: every parameter once, none but those that are known. An empty one counts as absent.
func (c *call) parameters(known []parameter) (map[string]string, error) {
	values, err := url.ParseQuery(c.r.URL.RawQuery)
	if err != nil {
		return nil, apierror.New(apierror.BadRequest, "The query cannot be read; percent-encode what is in it")
	}
	out := map[string]string{}
	var faults []core.FieldError
	for given, all := range values {
		i := slices.IndexFunc(known, func(p parameter) bool { return p.name == given })
		switch {
		case i < 0:
			faults = append(faults, core.FieldError{Field: short(given), Reason: "is no parameter here; accepted: " + listed(known)})
		case len(all) > 1:
			faults = append(faults, core.FieldError{Field: given, Reason: "is given more than once; accepted: once"})
		case all[0] == "":
		case known[i].enum != nil && !slices.Contains(known[i].enum, all[0]):
			faults = append(faults, core.FieldError{Field: given, Reason: core.Quoted(all[0]) + "; accepted: " + strings.Join(known[i].enum, ", ")})
		default:
			out[given] = all[0]
		}
	}
	if len(faults) > 0 {
		slices.SortFunc(faults, func(a, b core.FieldError) int { return strings.Compare(a.Field, b.Field) })
		return nil, core.InvalidFields(faults...)
	}
	return out, nil
}

func listed(known []parameter) string {
	var names []string
	for _, p := range known {
		names = append(names, p.name)
	}
	if len(names) == 0 {
		return "none"
	}
	return strings.Join(names, ", ")
}
