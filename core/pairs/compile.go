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

// compiler turns a catalog into a book. It relies on the rows of the catalog to fit together, and
// collects the faults of markets that do not fit the sources.
type compiler struct {
	*book

	faults     []error
	currencies map[string]*core.Currency
	near       map[string][]string // the currencies that share a market with a currency, sorted
	sources    map[string]*feed
	worths     map[string][]route // of worth
}

func (c *compiler) faultf(format string, args ...any) {
	c.faults = append(c.faults, fmt.Errorf("pairs: "+format, args...))
}

// by indexes items by name.
func by[T any](items []T, name func(*T) string) map[string]*T {
	out := make(map[string]*T, len(items))
	for _, item := range items {
		out[name(&item)] = &item
	}
	return out
}

// compile turns a catalog into a book.
func compile(catalog core.PriceCatalog, sources []ports.RateSource) (*book, error) {
	c := &compiler{
		book:       &book{rules: catalog.Rules, quoted: map[core.Pair]*market{}, offered: map[string]*listing{}},
		currencies: by(catalog.Currencies, func(x *core.Currency) string { return x.Code }),
		sources:    map[string]*feed{},
		worths:     map[string][]route{},
		near:       map[string][]string{},
	}
	rows := by(catalog.Sources, func(x *core.Source) string { return x.Name })
	for _, source := range sources {
		if row := rows[source.Name()]; row != nil {
			c.sources[row.Name] = newFeed(source, *row)
		}
	}
	classes := by(catalog.MarketClasses, func(x *core.MarketClass) string { return x.Name })
	for _, m := range catalog.Markets {
		c.addMarket(m, classes[m.Class])
	}
	for _, side := range c.near {
		slices.Sort(side)
	}
	for _, m := range c.quoted {
		if m.Bound != "" {
			m.bound = c.routes([]string{m.Pair.Base, m.Bound, m.Pair.Counter})[0]
		}
		for _, coin := range c.quoted {
			if base := coin.Pair.Base; !coin.Peg.IsZero() && (base == m.Pair.Base || base == m.Pair.Counter) {
				m.coins = append(m.coins, coin)
			}
		}
	}
	c.feeds = slices.SortedFunc(maps.Values(c.sources), func(x, y *feed) int { return cmp.Compare(x.Name, y.Name) })
	c.markets = slices.SortedFunc(maps.Values(c.quoted), func(x, y *market) int { return comparePairs(x.Pair, y.Pair) })
	c.feeds = slices.DeleteFunc(c.feeds, func(f *feed) bool { return len(f.pairs) == 0 })
	for _, f := range c.feeds {
		c.checkSchedule(f)
	}
	terms := by(catalog.ListingClasses, func(x *core.ListingClass) string { return x.Name })
	for _, l := range catalog.Listings {
		c.addListing(l, terms[l.Class])
	}
	c.addWitnesses()
	slices.SortFunc(c.listings, func(x, y *listing) int { return cmp.Compare(x.id, y.id) })
	return c.book, errors.Join(c.faults...)
}

func comparePairs(a, b core.Pair) int {
	return cmp.Or(cmp.Compare(a.Base, b.Base), cmp.Compare(a.Counter, b.Counter))
}

// addMarket adds a market with its sources.
func (c *compiler) addMarket(m core.Market, class *core.MarketClass) {
	compiled := &market{Market: m, class: class, rules: &c.rules, fixed: !m.Fixed.IsZero()}
	families := map[string]bool{}
	for _, name := range slices.Sorted(slices.Values(m.Sources)) {
		f := c.sources[name]
		if f == nil {
			c.faultf("market %s: source %q does not exist", m.Pair, name)
			continue
		}
		s := &sourceState{feed: f, market: compiled}
		compiled.sources = append(compiled.sources, s)
		f.states[m.Pair] = s
		f.pairs = append(f.pairs, m.Pair)
		if !s.lastResort() {
			families[f.Family] = true
		}
	}
	compiled.exclusions = make([]Reason, len(compiled.sources))
	compiled.families, compiled.quorum = len(families), cmp.Or(m.Quorum, class.Quorum)
	if compiled.fixed {
		compiled.quorum = 0
		compiled.Rate = &Rate{Pair: m.Pair, Mid: m.Fixed}
	}
	if m.Known.IsPositive() {
		compiled.Anchor, compiled.known = m.Known, m.KnownOn
	}
	if len(c.legs(m.Pair.Base, m.Pair.Counter)) == 0 {
		c.near[m.Pair.Base] = append(c.near[m.Pair.Base], m.Pair.Counter)
		c.near[m.Pair.Counter] = append(c.near[m.Pair.Counter], m.Pair.Base)
	}
	c.quoted[m.Pair] = compiled
}

// checkSchedule sorts the markets of a feed, and checks that its interval is short enough to replace
// an observation in time.
func (c *compiler) checkSchedule(f *feed) {
	slices.SortFunc(f.pairs, comparePairs)
	for _, pair := range f.pairs {
		if age := f.states[pair].maxAge(); age <= f.Interval || f.Interval <= 0 {
			c.faultf("market %s: polled every %s at %s, its observations would be too old (%s) before the next one",
				pair, f.Interval, f.Name, age)
		}
	}
}

// addListing adds a listing with its routes.
func (c *compiler) addListing(l core.Listing, class *core.ListingClass) {
	compiled := &listing{
		pair: l.Pair, id: l.Pair.ID(), base: c.currencies[l.Pair.Base], counter: c.currencies[l.Pair.Counter],
		class: class, tiers: class.Tiers, rules: &c.rules, routes: c.routes(l.Routes()...), worth: c.worth(l.Pair.Base),
	}
	if l.Margin != (core.Margin{}) || len(class.Tiers) == 0 {
		byClass := core.Margin{BuyBPS: class.MarginBPS, SellBPS: class.MarginBPS}
		compiled.tiers = []core.MarginTier{{Margin: cmp.Or(l.Margin, byClass)}}
	}
	if m := c.quoted[l.Pair]; m != nil && !m.Peg.IsZero() {
		compiled.promise = m
	}
	c.listings, c.offered[compiled.id] = append(c.listings, compiled), compiled
}

// routes turns lists of currencies into routes. Those with a stand-in market come last.
func (c *compiler) routes(stops ...[]string) []route {
	var plain, spare []route
	for _, names := range stops {
		ways := []route{{}}
		for i, from := range names[:len(names)-1] {
			ways = extended(ways, c.legs(from, names[i+1]))
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

// addWitnesses finds the witnesses of every market among the markets that pairs are priced by. Others
// only bound rates from afar.
func (c *compiler) addWitnesses() {
	priced := map[*market]bool{}
	for _, l := range c.listings {
		for _, s := range slices.Concat(l.routes...) {
			priced[s.market] = true
		}
	}
	for _, m := range c.markets {
		if m.fixed || !priced[m] {
			continue
		}
		base, counter := m.Pair.Base, m.Pair.Counter
		for _, way := range c.shortest(base, counter) {
			if way.has(m) || slices.ContainsFunc(way, func(s step) bool { return !priced[s.market] }) {
				continue
			}
			stepped := slices.ContainsFunc(way, func(s step) bool { return s.market.class.MaxAge >= stepping })
			m.witnesses = append(m.witnesses, witness{way, tolerance(route{{market: m}}, way), !stepped})
		}
		slices.SortStableFunc(m.witnesses, func(x, y witness) int { return x.tolerance.Cmp(y.tolerance) })
	}
}

// worth finds every route of at most two legs from a currency to USD. These routes are found, not
// configured: they only size orders. Listings with the same base share them.
func (c *compiler) worth(code string) []route {
	if code == usd {
		return []route{{}}
	}
	if _, known := c.worths[code]; !known {
		c.worths[code] = c.shortest(code, usd)
	}
	return c.worths[code]
}

// shortest returns every route of at most two legs between two currencies.
func (c *compiler) shortest(from, to string) []route {
	out := extended([]route{{}}, c.legs(from, to))
	for _, middle := range c.near[from] {
		first := extended([]route{{}}, c.legs(from, middle))
		out = append(out, extended(first, c.legs(middle, to))...)
	}
	return out
}
