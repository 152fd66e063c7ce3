package pairs

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"

	"causeway/core"
	"causeway/ports"
)

// compiler turns a configuration into a book and collects every fault. It leaves out what is
// faulty, so that the rest can be checked too.
type compiler struct {
	*book

	faults         []error
	currencies     map[string]core.Currency
	marketClasses  map[string]core.MarketClass
	listingClasses map[string]core.ListingClass
	sources        map[string]*feed
	pegs           []*market
	neighbours     map[string][]string // currencies one market away, sorted
	worth          map[string][]route  // see listing.worth
}

func (c *compiler) faultf(format string, args ...any) {
	c.faults = append(c.faults, fmt.Errorf("pairs: "+format, args...))
}

// by indexes items by name.
func by[T any](items []T, name func(T) string) map[string]T {
	out := make(map[string]T, len(items))
	for _, item := range items {
		out[name(item)] = item
	}
	return out
}

// compile turns a configuration into a book.
func compile(cfg Config, sources []ports.RateSource) (*book, error) {
	c := &compiler{
		book:           &book{rules: cfg.Rules, quoted: map[core.Pair]*market{}, offered: map[string]*listing{}},
		currencies:     by(cfg.Currencies, func(x core.Currency) string { return x.Code }),
		marketClasses:  by(cfg.MarketClasses, func(x core.MarketClass) string { return x.Name }),
		listingClasses: by(cfg.ListingClasses, func(x core.ListingClass) string { return x.Name }),
		sources:        map[string]*feed{}, neighbours: map[string][]string{},
		worth: map[string][]route{},
	}
	if cfg.Entropy == nil || len(sources) == 0 || len(cfg.Listings) == 0 {
		c.faultf("entropy, rate sources and listings are required")
	}
	table := by(cfg.Sources, func(x core.Source) string { return x.Name })
	for _, source := range sources {
		c.sources[source.Name()] = newFeed(source, table[source.Name()])
	}
	for _, m := range cfg.Markets {
		c.addMarket(m)
	}
	for _, m := range cfg.Markets {
		if bound := c.quoted[m.Pair]; bound != nil && m.Bound != "" {
			if ways := c.ways("market "+m.Pair.String(), []string{m.Pair.Base, m.Bound, m.Pair.Counter}); ways != nil {
				bound.bound = ways[0]
			}
		}
	}
	c.feeds = slices.SortedFunc(maps.Values(c.sources), func(x, y *feed) int { return cmp.Compare(x.name, y.name) })
	c.markets = slices.SortedFunc(maps.Values(c.quoted), func(x, y *market) int { return comparePairs(x.Pair, y.Pair) })
	for _, f := range c.feeds {
		c.checkSchedule(f)
	}
	for _, list := range c.neighbours {
		slices.Sort(list)
	}
	for _, l := range cfg.Listings {
		c.addListing(l)
	}
	slices.SortFunc(c.listings, func(x, y *listing) int { return cmp.Compare(x.id, y.id) })
	return c.book, errors.Join(c.faults...)
}

func comparePairs(a, b core.Pair) int {
	return cmp.Or(cmp.Compare(a.Base, b.Base), cmp.Compare(a.Counter, b.Counter))
}

// addMarket adds a market with its sources.
func (c *compiler) addMarket(m core.Market) {
	class, known := c.marketClasses[m.Class]
	if !known {
		c.faultf("market %s: class %q does not exist", m.Pair, m.Class)
		return
	}
	compiled := &market{Market: m, class: class, rules: &c.rules, fixed: !m.Fixed.IsZero()}
	families := map[string]bool{}
	for _, name := range slices.Sorted(slices.Values(m.Sources)) {
		f := c.sources[name]
		if f == nil || f.of.Name == "" {
			c.faultf("market %s: source %q does not exist", m.Pair, name)
			continue
		}
		s := &sourceState{feed: f, market: compiled}
		compiled.sources = append(compiled.sources, s)
		f.states[m.Pair] = s
		f.pairs = append(f.pairs, m.Pair)
		if !s.lastResort() {
			families[f.of.Family] = true
		}
	}
	compiled.families, compiled.quorum = len(families), cmp.Or(m.Quorum, class.Quorum)
	if compiled.fixed {
		compiled.quorum = 0
		compiled.Rate = &Rate{Pair: m.Pair, Mid: m.Fixed}
	}
	c.quoted[m.Pair] = compiled
	if !m.Peg.IsZero() {
		c.pegs = append(c.pegs, compiled)
	}
	if !m.StandIn {
		c.neighbours[m.Pair.Base] = append(c.neighbours[m.Pair.Base], m.Pair.Counter)
		c.neighbours[m.Pair.Counter] = append(c.neighbours[m.Pair.Counter], m.Pair.Base)
	}
}

// checkSchedule sorts the markets of a feed, and checks that its interval is short enough to replace
// an observation in time.
func (c *compiler) checkSchedule(f *feed) {
	slices.SortFunc(f.pairs, comparePairs)
	for _, pair := range f.pairs {
		if age := f.states[pair].maxAge(); age <= f.of.Interval || f.of.Interval <= 0 {
			c.faultf("market %s: polled every %s at %s, its observations would be too old (%s) before the next one",
				pair, f.of.Interval, f.name, age)
		}
	}
}

// tiersOf returns the margins of a listing by size: its own, or those of its class.
func tiersOf(class core.ListingClass, own core.Margin) []core.MarginTier {
	byClass := core.Margin{BuyBPS: class.MarginBPS, SellBPS: class.MarginBPS}
	if own == (core.Margin{}) && len(class.Tiers) > 0 {
		return class.Tiers
	}
	return []core.MarginTier{{Margin: cmp.Or(own, class.Margin, byClass)}}
}

// addListing adds a listing with its routes.
func (c *compiler) addListing(l core.Listing) {
	what := "listing " + l.Pair.String()
	base, knowsBase := c.currencies[l.Pair.Base]
	counter, knowsCounter := c.currencies[l.Pair.Counter]
	class, known := c.listingClasses[l.Class]
	if !knowsBase || !knowsCounter || !known {
		c.faultf("%s: a currency or its class %q does not exist", what, l.Class)
		return
	}
	routes := c.routes(what, l)
	if routes == nil {
		return
	}
	compiled := &listing{
		pair: l.Pair, id: l.Pair.ID(), base: base, counter: counter, class: class, tiers: tiersOf(class, l.Margin),
		rules: &c.rules, routes: routes, worth: c.worthOf(l.Pair.Base),
	}
	for _, m := range c.pegs {
		switch m.Pair.Base {
		case l.Pair.Base, l.Pair.Counter:
			compiled.pegs = append(compiled.pegs, m)
		case l.Via, l.Else:
			compiled.middle = append(compiled.middle, m)
		}
		if m.Pair == l.Pair {
			compiled.promise = m
		}
	}
	c.listings, c.offered[compiled.id] = append(c.listings, compiled), compiled
}

// routes returns the routes of a listing by preference; nil if one is faulty.
func (c *compiler) routes(what string, l core.Listing) []route {
	direct := []string{l.Pair.Base, l.Pair.Counter}
	var stops [][]string
	if l.Direct || l.Via == "" {
		stops = append(stops, direct)
	}
	for _, middle := range []string{l.Via, l.Else} {
		switch middle {
		case "":
		case core.DirectRoute:
			stops = append(stops, direct)
		default:
			stops = append(stops, []string{l.Pair.Base, middle, l.Pair.Counter})
		}
	}
	return c.ways(what, stops...)
}

// ways turns lists of currencies into routes; nil if a leg is no market. Those with a stand-in
// market come last.
func (c *compiler) ways(what string, stops ...[]string) []route {
	var plain, spare []route
	for _, names := range stops {
		ways := []route{{}}
		for i := range names[1:] {
			legs := c.legs(names[i], names[i+1])
			if len(legs) == 0 {
				c.faultf("%s: the leg %s/%s of its route is no market", what, names[i], names[i+1])
				return nil
			}
			ways = extended(ways, legs)
		}
		plain, spare = append(plain, ways[0]), append(spare, ways[1:]...)
	}
	return append(plain, spare...)
}

// legs returns the market between two currencies, in either orientation, and then its stand-in.
func (c *compiler) legs(from, to string) []step {
	pair := core.Pair{Base: from, Counter: to}
	var out []step
	if m := c.quoted[pair]; m != nil {
		out = append(out, step{market: m})
	}
	if m := c.quoted[pair.Inverse()]; m != nil {
		out = append(out, step{market: m, inverted: true})
	}
	if len(out) > 1 && out[0].market.StandIn {
		slices.Reverse(out)
	}
	return out
}

// extended returns every route with each of the steps appended.
func extended(ways []route, by []step) []route {
	out := make([]route, 0, len(ways)*len(by))
	for _, s := range by {
		for _, way := range ways {
			out = append(out, append(slices.Clone(way), s))
		}
	}
	return out
}

// worthOf finds every route of at most two legs from a currency to USD. These routes are found, not
// configured: they only size orders.
func (c *compiler) worthOf(code string) []route {
	if c.worth[code] != nil {
		return c.worth[code]
	}
	if code == usd {
		return []route{{}}
	}
	out := extended([]route{{}}, c.legs(code, usd))
	for _, middle := range c.neighbours[code] {
		out = append(out, extended(extended([]route{{}}, c.legs(code, middle)), c.legs(middle, usd))...)
	}
	if len(out) == 0 {
		c.faultf("currency %s: no way to %s in at most two legs, to size orders with", code, usd)
	}
	c.worth[code] = out
	return out
}
