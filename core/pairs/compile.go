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

// compiler turns the configuration's nouns into a book and collects every fault on the way. What is at fault is left out, so that the
// rest can be checked too.
type compiler struct {
	book       *book
	faults     []error
	currencies map[string]core.Currency
	classes    map[string]core.MarketClass
	terms      map[string]*terms // by class
	tariffs    map[string]*tariff
	feeds      map[string]*feed
	markets    map[core.Pair]*market
	pegs       []*market
	neighbours map[string][]string // currencies one market away, sorted
	valuations map[string]*valuation
	sizes      map[sizeKey]*size
}

// sizeKey is what the size of an order depends on.
type sizeKey struct{ class, base string }

func (c *compiler) faultf(format string, args ...any) {
	c.faults = append(c.faults, fmt.Errorf("pairs: "+format, args...))
}

// compile checks what the engine relies on and makes its book and its feeds, by name.
func compile(cfg Config, sources []ports.RateSource, clock core.Clock) (*book, []*feed, error) {
	b := &book{ids: map[string]bool{}, rules: cfg.Rules, currencies: map[string]int{}}
	c := &compiler{
		book: b, currencies: map[string]core.Currency{}, classes: map[string]core.MarketClass{}, terms: map[string]*terms{}, tariffs: map[string]*tariff{},
		feeds: map[string]*feed{}, markets: map[core.Pair]*market{}, neighbours: map[string][]string{},
		valuations: map[string]*valuation{}, sizes: map[sizeKey]*size{},
	}
	c.seams(cfg, clock)
	c.sources(cfg, sources)
	c.priceRules(cfg.Rules)
	c.nouns(cfg)
	for _, m := range cfg.Markets {
		c.market(m)
	}
	for _, m := range cfg.Markets {
		c.bind(m)
	}
	for _, m := range c.markets {
		m.meant = cfg.Meant
	}
	c.schedules()
	for _, list := range c.neighbours {
		slices.Sort(list)
	}
	for _, l := range cfg.Listings {
		c.listing(l)
	}
	if len(c.faults) > 0 {
		return nil, nil, errors.Join(c.faults...)
	}
	slices.SortFunc(b.listings, func(x, y *listing) int { return cmp.Compare(x.id, y.id) })
	b.markets = slices.SortedFunc(maps.Values(c.markets), func(x, y *market) int { return comparePairs(x.Pair, y.Pair) })
	feeds := slices.SortedFunc(maps.Values(c.feeds), func(x, y *feed) int { return cmp.Compare(x.name, y.name) })
	return b, feeds, nil
}

func comparePairs(a, b core.Pair) int {
	return cmp.Or(cmp.Compare(a.Base, b.Base), cmp.Compare(a.Counter, b.Counter))
}

// market adds a market with a slot per source.
func (c *compiler) market(m core.Market) {
	sound := c.pair("market", m.Pair)
	class, known := c.classes[m.Class]
	switch {
	case !known:
		c.faultf("market %s: class %q does not exist", m.Pair, m.Class)
	case m.Fixed.IsZero() && class.MaxAge <= 0:
		c.faultf("market %s: class %q has no max age", m.Pair, m.Class)
	}
	if !c.single(m) {
		return
	}
	priced := c.origin(m)
	compiled := &market{Market: m, class: class, terms: c.terms[m.Class], fixed: !m.Fixed.IsZero()}
	c.slots(compiled)
	if !sound || !known {
		return
	}
	switch {
	case compiled.fixed && priced:
		compiled.fix()
	case priced:
		c.quorum(compiled)
	}
	c.markets[m.Pair] = compiled
	if !m.Peg.IsZero() {
		c.pegs = append(c.pegs, compiled)
	}
	if !m.StandIn {
		c.neighbours[m.Pair.Base] = append(c.neighbours[m.Pair.Base], m.Pair.Counter)
		c.neighbours[m.Pair.Counter] = append(c.neighbours[m.Pair.Counter], m.Pair.Base)
	}
}

// single reports whether a market is the only one of its pair, or the only one that stands in for that.
func (c *compiler) single(m core.Market) bool {
	other := c.markets[m.Pair.Inverse()]
	switch {
	case c.markets[m.Pair] != nil, other != nil && (other.StandIn || !m.StandIn):
		c.faultf("market %s: it is there already, in this orientation or the other", m.Pair)
		return false
	case m.StandIn && other == nil:
		c.faultf("market %s: there is no market %s before it to stand in for", m.Pair, m.Pair.Inverse())
	}
	return true
}

// slots gives a market a slot per source.
func (c *compiler) slots(m *market) {
	n := len(m.Sources)
	side, anchors := make([]slot, n), make([]octaves, n*n) // side by side: a consensus reads them all
	for i, name := range slices.Sorted(slices.Values(m.Sources)) {
		side[i] = slot{market: m, anchors: anchors[i*n : (i+1)*n], anchored: -1}
		c.slot(m, name, &side[i])
	}
	for _, s := range m.slots {
		s.anchors = s.anchors[:len(m.slots)]
	}
}

// number is the place of a currency in the book's graph.
func (c *compiler) number(currency string) int {
	n, known := c.book.currencies[currency]
	if !known {
		n = len(c.book.currencies)
		c.book.currencies[currency] = n
	}
	return n
}

// origin reports whether a market has sources, or else a fixed rate that is a price.
func (c *compiler) origin(m core.Market) bool {
	switch {
	case m.Fixed.IsZero() && len(m.Sources) == 0:
		c.faultf("market %s: it has neither sources nor a fixed rate", m.Pair)
	case m.Fixed.IsZero():
		return true
	case len(m.Sources) > 0:
		c.faultf("market %s: it has a fixed rate and sources as well", m.Pair)
	case !m.Fixed.IsPositive() || !inRange(m.Fixed):
		c.faultf("market %s: the fixed rate %s is no price", m.Pair, m.Fixed)
	default:
		return true
	}
	return false
}

func (c *compiler) slot(m *market, source string, s *slot) {
	f := c.feeds[source]
	switch {
	case f == nil:
		c.faultf("market %s: source %q does not exist", m.Pair, source)
	case f.of.Name == "":
		c.faultf("market %s: nothing is known of source %q: it is not in the table of sources", m.Pair, source)
	case f.slots[m.Pair] != nil:
		c.faultf("market %s: source %q is named twice", m.Pair, source)
	default:
		s.feed = f
		m.slots = append(m.slots, s)
		f.slots[m.Pair] = s
		f.pairs = append(f.pairs, m.Pair)
	}
}

// legs finds the market between two currencies, whichever way round it is, and behind it the one that stands in for it.
func (c *compiler) legs(from, to string) []step {
	pair := core.Pair{Base: from, Counter: to}
	var out []step
	if m := c.markets[pair]; m != nil {
		out = append(out, step{market: m})
	}
	if m := c.markets[pair.Inverse()]; m != nil {
		out = append(out, step{market: m, inverted: true})
	}
	if len(out) > 1 && out[0].market.StandIn {
		slices.Reverse(out)
	}
	return out
}

// listing adds a listing with its route and the size of its orders.
func (c *compiler) listing(l core.Listing) {
	sound := c.pair("listing", l.Pair)
	if c.book.ids[l.Pair.ID()] {
		c.faultf("listing %s: the id %s is taken", l.Pair, l.Pair.ID())
		return
	}
	c.book.ids[l.Pair.ID()] = true
	t := c.tariffs[l.Class]
	if t == nil {
		c.faultf("listing %s: class %q does not exist", l.Pair, l.Class)
	}
	ways := c.routes(l)
	if !sound || t == nil || ways == nil {
		return
	}
	compiled := &listing{
		pair: l.Pair, id: l.Pair.ID(), base: c.currencies[l.Pair.Base], counter: c.currencies[l.Pair.Counter],
		tariff: t, rules: &c.book.rules, routes: ways,
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
	compiled.size = c.size(t, compiled.base)
	compiled.from, compiled.to = c.number(l.Pair.Base), c.number(l.Pair.Counter)
	c.book.listings = append(c.book.listings, compiled)
}
