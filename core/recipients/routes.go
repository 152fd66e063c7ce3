package recipients

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"causeway/core"
	"causeway/ports"
)

// place is a channel of a country.
type place struct {
	country string
	channel core.Channel
}

// String returns the spelling of settings: ng_bank_transfer.
func (p place) String() string { return lower(p.country + "_" + string(p.channel)) }

// route lists the providers of a place in the order to call them.
type route struct {
	resolvers  []provider
	confirmers []provider
}

// provider is a resolver or a confirmer.
type provider struct {
	name    string
	accepts func(country string, channel core.Channel, bank core.Bank) bool
	call    func(ctx context.Context, query core.AccountQuery, claim core.HolderClaim) reply
}

func newResolver(r ports.AccountResolver) provider {
	return provider{r.Name(), r.Resolves, func(ctx context.Context, query core.AccountQuery, _ core.HolderClaim) reply {
		holder, err := r.Resolve(ctx, query)
		if err == nil && !isName(holder) {
			err = core.Errorf(core.Unavailable, "empty name")
		}
		return reply{holder: holder, err: err}
	}}
}

func newConfirmer(c ports.AccountConfirmer) provider {
	call := func(ctx context.Context, query core.AccountQuery, claim core.HolderClaim) reply {
		match, err := c.Confirm(ctx, query, claim)
		if err == nil && match != core.Match && match != core.NoMatch {
			err = core.Errorf(core.Unavailable, "no result")
		}
		return reply{match: match, err: err}
	}
	return provider{c.Name(), c.Confirms, call}
}

// newRoutes returns the routes of all places and the names of all providers.
func newRoutes(cfg Config) (map[place]*route, []string, error) {
	var resolvers, confirmers []provider
	for _, r := range cfg.Resolvers {
		resolvers = append(resolvers, newResolver(r))
	}
	for _, c := range cfg.Confirmers {
		confirmers = append(confirmers, newConfirmer(c))
	}
	errs := []error{checkUnique("resolvers", resolvers), checkUnique("confirmers", confirmers)}

	s := cfg.Settings
	routes, names := make(map[place]*route), make(map[string]*route)
	for _, country := range cfg.Countries {
		for _, channel := range allChannels {
			at := place{country.Code, channel}
			order := s.Preferred[at.String()]
			if len(order) == 0 {
				order = s.Providers
			}
			r := &route{resolvers: arrange(resolvers, order, true), confirmers: arrange(confirmers, order, true)}
			routes[at] = r
			if _, ok := country.Channel(channel); ok {
				names[at.String()] = r
			}
		}
	}
	for spelling, order := range s.Routes {
		if r := names[lower(spelling)]; r != nil {
			r.resolvers, r.confirmers = arrange(resolvers, order, false), arrange(confirmers, order, false)
		} else {
			errs = append(errs, fmt.Errorf("recipients.routes has %q; accepted: %s", spelling, placesOf(names)))
		}
	}
	var all []string
	for _, p := range slices.Concat(resolvers, confirmers) {
		all = append(all, p.name)
	}
	slices.Sort(all)
	return routes, slices.Compact(all), errors.Join(errs...)
}

func placesOf(routes map[string]*route) string { return list(slices.Sorted(maps.Keys(routes))) }

func checkUnique(kind string, providers []provider) error {
	seen := make(map[string]bool)
	for _, p := range providers {
		if seen[p.name] {
			return fmt.Errorf("recipients: two %s have the name %q", kind, p.name)
		}
		seen[p.name] = true
	}
	return nil
}

// arrange returns providers in an order. Others follow by name, or are left out.
func arrange(providers []provider, order []string, rest bool) []provider {
	rank := func(p provider) int {
		if i := slices.IndexFunc(order, func(name string) bool { return lower(name) == p.name }); i >= 0 {
			return i
		}
		return len(order)
	}
	out := slices.Clone(providers)
	if !rest {
		out = slices.DeleteFunc(out, func(p provider) bool { return rank(p) == len(order) })
	}
	slices.SortStableFunc(out, func(a, b provider) int {
		if d := rank(a) - rank(b); d != 0 {
			return d
		}
		return strings.Compare(a.name, b.name)
	})
	return out
}

// route returns the route of a place, which is empty if the catalog lacks it.
func (s *Service) route(at place) route {
	if r := s.routes[at]; r != nil {
		return *r
	}
	return route{}
}

// capable returns the providers that accept a bank, without providers that do not list it.
func capable(providers []provider, at place, bank core.Bank) []provider {
	var out []provider
	for _, p := range providers {
		if !bank.UnlistedBy(p.name) && p.accepts(at.country, at.channel, bank) {
			out = append(out, p)
		}
	}
	return out
}

// mayList reports whether a provider would accept a bank if its list had a code for it.
func (r route) mayList(name string, at place, bank core.Bank) bool {
	if bank.Code == "" {
		return false
	}
	codes := make(map[string]string, len(bank.Codes)+1)
	maps.Copy(codes, bank.Codes)
	codes[name] = bank.Code
	bank.Codes = codes
	return slices.ContainsFunc(slices.Concat(r.resolvers, r.confirmers), func(p provider) bool {
		return p.name == name && p.accepts(at.country, at.channel, bank)
	})
}

// awaited returns the providers whose bank list of a country has not arrived.
func (s *Service) awaited(country string) []string {
	return slices.DeleteFunc(slices.Clone(s.providers), func(name string) bool {
		return !s.cfg.Registry.Awaits(name, country)
	})
}

// Resolvable reports whether a provider can resolve or confirm accounts at a bank on any channel.
func (s *Service) Resolvable(bank core.Bank) bool {
	return slices.ContainsFunc(channelsOf(bank), func(c core.Channel) bool {
		return s.coverage(place{bank.Country, c}, bank) > 0
	})
}

// coverage is what the providers can do about accounts.
type coverage int

const (
	confirmable coverage = iota + 1 // they confirm a document of the holder
	nameable                        // they name the holder
)

// coverage returns what the providers can do about accounts at a bank, or 0.
func (s *Service) coverage(at place, bank core.Bank) coverage {
	r := s.route(at)
	switch {
	case len(capable(r.resolvers, at, bank)) > 0:
		return nameable
	case len(capable(r.confirmers, at, bank)) > 0:
		return confirmable
	default:
		return 0
	}
}

// Survey finds the places with accounts that can be resolved. Call it with all institutions
// whenever the list changes.
func (s *Service) Survey(banks []core.Bank) {
	covered := make(map[place]coverage)
	for _, country := range s.cfg.Countries {
		for _, rule := range country.Channels {
			if at := (place{country.Code, rule.Channel}); !rule.NeedsBankCode {
				covered[at] = s.coverage(at, core.Bank{})
			}
		}
	}
	for _, bank := range banks {
		for _, channel := range channelsOf(bank) {
			if at := (place{bank.Country, channel}); covered[at] < nameable {
				covered[at] = max(covered[at], s.coverage(at, bank))
			}
		}
	}
	s.covered.Store(&covered)
}

// Covers reports whether some account of a country can be resolved on a channel, by the last
// Survey.
func (s *Service) Covers(country string, channel core.Channel) bool {
	return (*s.covered.Load())[place{country, channel}] > 0
}

// NeedsDocument reports whether accounts of a country and channel are only confirmed, by a document of
// the holder, by the last Survey.
func (s *Service) NeedsDocument(country string, channel core.Channel) bool {
	return (*s.covered.Load())[place{country, channel}] == confirmable
}

// unsupported returns the error of a valid request that no provider supports, on the field that
// causes it.
func (s *Service) unsupported(q core.AccountQuery) error {
	var countries []string
	var channels []core.Channel
	for _, c := range s.cfg.Countries {
		missing := func(channel core.Channel) bool { return !s.Covers(c.Code, channel) }
		covered := slices.DeleteFunc(slices.Clone(allChannels), missing)
		if len(covered) > 0 {
			countries = append(countries, c.Code)
		}
		if c.Code == q.Country {
			channels = covered
		}
	}
	const where = "See `resolvable` in GET /v1/banks"
	switch {
	case len(channels) == 0:
		return core.InvalidField(countryField, "accounts of %s cannot be looked up yet, only accounts of %s. %s",
			q.Country, list(countries), where)
	case !slices.Contains(channels, q.Channel), q.Bank.Code == "":
		const text = "accounts of %s cannot be looked up by %s yet, only by %s. %s?country=%s"
		return core.InvalidField(channelField, text, q.Country, q.Channel, list(channels), where, q.Country)
	default:
		const text = "accounts at %s (%s) cannot be looked up by %s yet. %s?country=%s for those that can"
		return core.InvalidField(bankField, text, core.Quoted(q.Bank.Code), q.Bank.Name, q.Channel, where, q.Country)
	}
}
