package recipients

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"causeway/core"
	"causeway/ports"
)

// place is a channel of a country: what a route is for.
type place struct {
	country string
	channel core.Channel
}

// provider is somebody who can be asked about accounts: a resolver or a confirmer.
type provider struct {
	name string
	can  func(country string, channel core.Channel, bank core.Bank) bool
	ask  func(ctx context.Context, query core.AccountQuery, claimed core.Private) (answer, error)
}

// answer is what a provider says of an account that exists.
type answer struct {
	holder core.Private   // of a resolver
	match  core.NameMatch // of a confirmer
}

func resolverOf(r ports.AccountResolver) provider {
	return provider{name: r.Name(), can: r.Resolves, ask: func(ctx context.Context, query core.AccountQuery, _ core.Private) (answer, error) {
		holder, err := r.Resolve(ctx, query)
		if err == nil && !named(holder) {
			return answer{}, core.Errorf(core.Unavailable, "The provider gave no name")
		}
		return answer{holder: holder}, err
	}}
}

func confirmerOf(c ports.AccountConfirmer) provider {
	return provider{name: c.Name(), can: c.Confirms, ask: func(ctx context.Context, query core.AccountQuery, claimed core.Private) (answer, error) {
		match, err := c.Confirm(ctx, query, claimed)
		if err == nil && match != core.Match && match != core.CloseMatch && match != core.NoMatch {
			return answer{}, core.Errorf(core.Unavailable, "The provider gave no verdict")
		}
		return answer{match: match}, err
	}}
}

// route is whom to ask at a place, in the order to ask.
type route struct {
	resolvers  []provider
	confirmers []provider
	hedge      bool // ask the second one too when the first one is slow
}

// Order is whom to ask about accounts of a country on a channel, in order: as an operator set it, else as it is built in. Who has no credentials
// is in it too.
func (s Settings) Order(country string, channel core.Channel) []string {
	at := place{country, channel}
	for spelled, order := range s.Routes {
		if tidy(spelled) == at.spelled() {
			return slices.Clone(order)
		}
	}
	return slices.Clone(s.Preferred[at.spelled()])
}

// routesOf makes the routes of all places, and returns what is wrong with those that an operator set.
func routesOf(s Settings, countries []core.Country, resolvers, confirmers []provider) (map[place]*route, []error) {
	routes, places := make(map[place]*route), make(map[string]*route)
	for _, country := range countries {
		for _, channel := range allChannels {
			at := place{country.Code, channel}
			order := s.Preferred[at.spelled()]
			if len(order) == 0 {
				order = s.Providers
			}
			routes[at] = &route{resolvers: arranged(resolvers, order, false), confirmers: arranged(confirmers, order, false)}
			if _, ok := country.Channel(channel); ok {
				places[at.spelled()] = routes[at]
			}
		}
	}
	known := slices.Clone(s.Providers)
	for _, p := range slices.Concat(resolvers, confirmers) {
		known = append(known, p.name)
	}
	slices.Sort(known)
	known = slices.Compact(known)

	var faults []error
	for _, spelled := range slices.Sorted(maps.Keys(s.Routes)) {
		order, bad := orderOf(spelled, s.Routes[spelled], known)
		faults = append(faults, bad...)
		if r := places[tidy(spelled)]; r != nil {
			r.resolvers, r.confirmers = arranged(resolvers, order, true), arranged(confirmers, order, true)
		} else {
			faults = append(faults, fmt.Errorf("resolution.routes has %q; accepted: %s", spelled, joined(slices.Sorted(maps.Keys(places)))))
		}
	}
	return routes, append(faults, hedge(s.Hedge, places)...)
}

// hedge marks the routes that are hedged.
func hedge(spellings []string, places map[string]*route) []error {
	var faults []error
	for _, spelled := range spellings {
		if r := places[tidy(spelled)]; r != nil {
			r.hedge = true
			continue
		}
		if tidy(spelled) != everywhere {
			faults = append(faults, fmt.Errorf("resolution.hedge has %q; accepted: %s, %s", spelled, everywhere, joined(slices.Sorted(maps.Keys(places)))))
			continue
		}
		for _, r := range places {
			r.hedge = true
		}
	}
	return faults
}

// everywhere stands for all places in Settings.Hedge.
const everywhere = "all"

// spelled is a place as the configuration spells it: ng_bank_transfer.
func (p place) spelled() string { return tidy(p.country + "_" + string(p.channel)) }

func tidy(word string) string { return strings.ToLower(strings.TrimSpace(word)) }

// orderOf reads the names of a route that an operator set. A provider that has an adapter but no credentials is no fault: it is
// absent.
func orderOf(spelled string, names, known []string) ([]string, []error) {
	var order []string
	var faults []error
	for _, name := range names {
		name = tidy(name)
		switch {
		case !slices.Contains(known, name):
			faults = append(faults, fmt.Errorf("resolution.routes.%s names %q, which is no provider; accepted: %s", spelled, name, joined(known)))
		case slices.Contains(order, name):
			faults = append(faults, fmt.Errorf("resolution.routes.%s names %q twice", spelled, name))
		default:
			order = append(order, name)
		}
	}
	return order, faults
}

// arranged brings providers into an order. Those that the order does not name come last, by name, or not at all.
func arranged(providers []provider, order []string, only bool) []provider {
	var out, rest []provider
	for _, p := range providers {
		if !slices.Contains(order, p.name) {
			rest = append(rest, p)
		}
	}
	for _, name := range order {
		for _, p := range providers {
			if p.name == name {
				out = append(out, p)
			}
		}
	}
	if only {
		return out
	}
	slices.SortFunc(rest, func(a, b provider) int { return strings.Compare(a.name, b.name) })
	return append(out, rest...)
}
