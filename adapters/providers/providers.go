package providers

import (
	"cmp"
	"slices"
	"strings"

	"causeway/adapters/providers/provider"
)

// AccountProviders returns the names of the providers that name account holders or confirm their
// names.
func AccountProviders() []string {
	var names []string
	for _, d := range Descriptors {
		if len(d.Accounts) > 0 {
			names = append(names, d.Name)
		}
	}
	return names
}

// Routes returns the built-in order of the account providers by country and channel, spelled as in
// the setting recipients.routes: ng_bank_transfer.
func Routes() map[string][]string {
	type entry struct {
		rank int
		name string
	}
	byRoute := map[string][]entry{}
	for _, d := range Descriptors {
		for _, c := range d.Accounts {
			for _, channel := range c.Channels {
				route := strings.ToLower(c.Country + "_" + string(channel))
				byRoute[route] = append(byRoute[route], entry{c.Rank, d.Name})
			}
		}
	}
	routes := make(map[string][]string, len(byRoute))
	for route, entries := range byRoute {
		slices.SortStableFunc(entries, func(a, b entry) int { return cmp.Compare(a.rank, b.rank) })
		for _, e := range entries {
			routes[route] = append(routes[route], e.name)
		}
	}
	return routes
}

// Find returns the provider with a name.
func Find(name string) (provider.Descriptor, bool) {
	i := slices.IndexFunc(Descriptors, func(d provider.Descriptor) bool { return d.Name == name })
	if i < 0 {
		return provider.Descriptor{}, false
	}
	return Descriptors[i], true
}
