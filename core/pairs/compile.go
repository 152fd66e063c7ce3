package pairs

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/shopspring/decimal"

	"causeway/core"
	"causeway/ports"
)

// compiler turns a configuration into a book and collects every fault. It leaves out what is
// faulty, so that the rest can be checked too.
type compiler struct {
	book           *book
	faults         []error
	currencies     map[string]core.Currency
	marketClasses  map[string]core.MarketClass
	listingClasses map[string]core.ListingClass
	feeds          map[string]*feed
	markets        map[core.Pair]*market
	pegs           []*market
	neighbours     map[string][]string // currencies one market away, sorted
	valuations     map[string]*valuation
}

func (c *compiler) faultf(format string, args ...any) {
	c.faults = append(c.faults, fmt.Errorf("pairs: "+format, args...))
}

// compile checks a configuration and returns its book, and its feeds by name.
func compile(cfg Config, sources []ports.RateSource, clock core.Clock) (*book, []*feed, error) {
	b := &book{ids: map[string]bool{}, rules: cfg.Rules, currencies: map[string]int{}}
	c := &compiler{
		book: b, currencies: map[string]core.Currency{}, marketClasses: map[string]core.MarketClass{},
		listingClasses: map[string]core.ListingClass{}, feeds: map[string]*feed{}, markets: map[core.Pair]*market{},
		neighbours: map[string][]string{}, valuations: map[string]*valuation{},
	}
	c.checkDependencies(cfg, clock)
	c.addSources(cfg, sources)
	c.addCurrencies(cfg.Currencies)
	c.addClasses(cfg)
	for _, m := range cfg.Markets {
		c.addMarket(m)
	}
	for _, m := range cfg.Markets {
		c.bind(m)
	}
	c.schedules()
	for _, list := range c.neighbours {
		slices.Sort(list)
	}
	for _, l := range cfg.Listings {
		c.addListing(l)
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

// addSources creates a feed for each source.
func (c *compiler) addSources(cfg Config, sources []ports.RateSource) {
	table := map[string]core.Source{}
	for _, s := range cfg.Sources {
		if _, twice := table[s.Name]; twice {
			c.faultf("source %q: it is there twice", s.Name)
		}
		if s.Family == "" || s.Interval <= 0 || s.Validity < 0 || s.MaxAge < 0 {
			c.faultf("source %q: family %q, interval %s, validity %s: it needs a family and an interval",
				s.Name, s.Family, s.Interval, s.Validity)
		}
		table[s.Name] = s
	}
	if len(sources) == 0 {
		c.faultf("there are no rate sources")
	}
	for _, source := range sources {
		name := source.Name()
		if name == "" || c.feeds[name] != nil {
			c.faultf("source %q: every source needs a name of its own", name)
			continue
		}
		f := &feed{
			source: source, of: table[name], name: name, states: map[core.Pair]*sourceState{}, turn: make(chan struct{}, 1),
		}
		f.state = SourceState{Name: name, Family: f.of.Family, Interval: f.of.Interval, Rejected: map[Reason]uint64{}}
		for _, reason := range rejections() {
			f.state.Rejected[reason] = 0
		}
		c.feeds[name] = f
	}
}

// addMarket adds a market with its sources.
func (c *compiler) addMarket(m core.Market) {
	class, known := c.marketClasses[m.Class]
	if !c.checkMarket(m, class, known) {
		return
	}
	compiled := &market{Market: m, class: class, rules: &c.book.rules, fixed: !m.Fixed.IsZero()}
	families := map[string]bool{}
	for _, name := range slices.Sorted(slices.Values(m.Sources)) {
		if s := c.addSource(compiled, name); s != nil && !s.lastResort() {
			families[s.feed.of.Family] = true
		}
	}
	for _, s := range compiled.sources {
		s.anchors = make([]decimal.Decimal, len(compiled.sources))
	}
	compiled.families, compiled.quorum = len(families), cmp.Or(m.Quorum, class.Quorum)
	if compiled.fixed {
		compiled.quorum = 0
		compiled.fix()
	} else if compiled.quorum < 1 || compiled.quorum > max(compiled.families, 1) {
		c.faultf("market %s: a quorum of %d is not between 1 and its %d families", m.Pair, compiled.quorum, compiled.families)
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

// addSource adds a source to a market.
func (c *compiler) addSource(m *market, name string) *sourceState {
	f := c.feeds[name]
	switch {
	case f == nil:
		c.faultf("market %s: source %q does not exist", m.Pair, name)
	case f.of.Name == "":
		c.faultf("market %s: source %q is not in the table of sources", m.Pair, name)
	case f.states[m.Pair] != nil:
		c.faultf("market %s: source %q is named twice", m.Pair, name)
	default:
		s := &sourceState{feed: f, market: m}
		m.sources = append(m.sources, s)
		f.states[m.Pair] = s
		f.pairs = append(f.pairs, m.Pair)
		return s
	}
	return nil
}

// bind finds the route that bounds a market's rate.
func (c *compiler) bind(m core.Market) {
	bound := c.markets[m.Pair]
	if m.Bound == "" || bound == nil {
		return
	}
	what := "market " + m.Pair.String()
	switch {
	case m.Bound == m.Pair.Base || m.Bound == m.Pair.Counter:
		c.faultf("%s: its bound through %s leads nowhere", what, m.Bound)
	case bound.class.Bound.IsZero():
		c.faultf("%s: it has a bound, and its class %q has no limit for one", what, m.Class)
	default:
		if ways := c.ways(what, []string{m.Pair.Base, m.Bound, m.Pair.Counter}); ways != nil {
			bound.bound = ways[0]
		}
	}
}

// schedules sorts the markets of every feed. Its interval must be short enough to replace an
// observation in time.
func (c *compiler) schedules() {
	for _, name := range slices.Sorted(maps.Keys(c.feeds)) {
		f := c.feeds[name]
		slices.SortFunc(f.pairs, comparePairs)
		for _, pair := range f.pairs {
			if age := f.states[pair].maxAge(); age > 0 && age <= f.state.Interval {
				c.faultf("market %s: polled every %s at %s, its observations would be too old (%s) before the next one",
					pair, f.state.Interval, name, age)
			}
		}
	}
}

// addListing adds a listing with its routes.
func (c *compiler) addListing(l core.Listing) {
	sound := c.checkPair("listing", l.Pair)
	if c.book.ids[l.Pair.ID()] {
		c.faultf("listing %s: the id %s is taken", l.Pair, l.Pair.ID())
		return
	}
	c.book.ids[l.Pair.ID()] = true
	class, known := c.listingClasses[l.Class]
	if !known {
		c.faultf("listing %s: class %q does not exist", l.Pair, l.Class)
	}
	routes := c.routes(l)
	if !sound || !known || routes == nil {
		return
	}
	compiled := &listing{
		pair: l.Pair, id: l.Pair.ID(), base: c.currencies[l.Pair.Base], counter: c.currencies[l.Pair.Counter],
		class: class, tiers: tiersOf(class, l.Margin), rules: &c.book.rules, routes: routes, value: c.valuation(l.Pair.Base),
		from: c.number(l.Pair.Base), to: c.number(l.Pair.Counter),
	}
	c.checkMargins("listing "+l.Pair.String(), compiled.tiers)
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
	c.book.listings = append(c.book.listings, compiled)
}

// tiersOf returns the margins of a listing by size: its own, or those of its class.
func tiersOf(class core.ListingClass, own core.Margin) []core.MarginTier {
	switch {
	case own != core.Margin{}:
		return []core.MarginTier{{Margin: own}}
	case len(class.Tiers) > 0:
		return class.Tiers
	case class.Margin != core.Margin{}:
		return []core.MarginTier{{Margin: class.Margin}}
	default:
		return []core.MarginTier{{Margin: core.Margin{BuyBPS: class.MarginBPS, SellBPS: class.MarginBPS}}}
	}
}

// number returns the place of a currency in the graph of conversions.
func (c *compiler) number(currency string) int {
	n, known := c.book.currencies[currency]
	if !known {
		n = len(c.book.currencies)
		c.book.currencies[currency] = n
	}
	return n
}

// routes returns the routes of a listing by preference; nil if one is faulty.
func (c *compiler) routes(l core.Listing) []route {
	what := "listing " + l.Pair.String()
	direct := []string{l.Pair.Base, l.Pair.Counter}
	if l.Via == "" {
		if l.Direct || l.Else != "" {
			c.faultf("%s: direct and else say something only beside via", what)
		}
		return c.ways(what, direct)
	}
	var stops [][]string
	if l.Direct {
		stops = append(stops, direct)
	}
	for _, middle := range []string{l.Via, l.Else} {
		switch middle {
		case "":
		case core.DirectRoute:
			stops = append(stops, direct)
		case l.Pair.Base, l.Pair.Counter:
			c.faultf("%s: via %s leads nowhere", what, middle)
			return nil
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
	sound := true
	for _, names := range stops {
		ways := []route{{}}
		for i := range names[1:] {
			legs := c.legs(names[i], names[i+1])
			if len(legs) == 0 {
				c.faultf("%s: the leg %s/%s of its route is no market", what, names[i], names[i+1])
				sound = false
				continue
			}
			ways = extended(ways, legs)
		}
		plain, spare = append(plain, ways[0]), append(spare, ways[1:]...)
	}
	if !sound {
		return nil
	}
	return append(plain, spare...)
}

// legs returns the market between two currencies, in either orientation, and then its stand-in.
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

// valuation finds every route of at most two legs from a currency to USD. These routes are found,
// not configured: they only size orders.
func (c *compiler) valuation(code string) *valuation {
	if c.valuations[code] != nil {
		return c.valuations[code]
	}
	v := &valuation{}
	c.valuations[code] = v
	c.book.valuations = append(c.book.valuations, v)
	if code == usd {
		v.routes = []route{{}}
		return v
	}
	for _, direct := range c.legs(code, usd) {
		v.routes = append(v.routes, route{direct})
	}
	for _, middle := range c.neighbours[code] {
		v.routes = append(v.routes, extended(extended([]route{{}}, c.legs(code, middle)), c.legs(middle, usd))...)
	}
	if len(v.routes) == 0 {
		c.faultf("currency %s: no way to %s in at most two legs, to size orders with", code, usd)
	}
	return v
}
