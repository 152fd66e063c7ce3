package pairs

import (
	"slices"

	"causeway/core"
)

// routes are the ways that a listing's price may be made, in the order of preference; nil where one is at fault.
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
		case l.Pair.Base, l.Pair.Counter:
			c.faultf("%s: via %s leads nowhere", what, middle)
			return nil
		default:
			stops = append(stops, []string{l.Pair.Base, middle, l.Pair.Counter})
		}
	}
	return c.ways(what, stops...)
}

// ways turns stops into routes, nil where a leg is no market. Those with a market that stands in for another one come after all others.
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

// extended is every route with each of the steps behind it.
func extended(ways []route, by []step) []route {
	out := make([]route, 0, len(ways)*len(by))
	for _, s := range by {
		for _, way := range ways {
			out = append(out, append(slices.Clone(way), s))
		}
	}
	return out
}

// bind finds the route that a market's rate is held against, once all markets are there.
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

// quorum takes the market's quorum, its own or its class's, which its families must be able to reach. The last resort never counts: it is
// not used beside others.
func (c *compiler) quorum(m *market) {
	families := map[string]bool{}
	for _, s := range m.slots {
		if !s.lastResort() {
			families[s.feed.of.Family] = true
		}
	}
	m.families, m.mixed = len(families), len(families) < len(m.slots)
	m.quorum = m.class.Quorum
	if m.Quorum != 0 {
		m.quorum = m.Quorum
	}
	if m.quorum < 1 || m.quorum > max(m.families, 1) {
		c.faultf("market %s: a quorum of %d is not between 1 and its %d families", m.Pair, m.quorum, m.families)
	}
	if !m.Peg.IsZero() && (!m.Peg.IsPositive() || !inRange(m.Peg) || m.class.Depeg.IsZero()) {
		c.faultf("market %s: the peg %s is no price, or its class %q has no limit for one", m.Pair, m.Peg, m.Class)
	}
}

// size is shared by the listings of a class and a base.
func (c *compiler) size(t *tariff, base core.Currency) *size {
	key := sizeKey{class: t.Name, base: base.Code}
	if c.sizes[key] == nil {
		c.sizes[key] = &size{valuation: c.valuation(base.Code), tariff: t, decimals: base.Decimals}
		c.book.sizes = append(c.book.sizes, c.sizes[key])
	}
	return c.sizes[key]
}

// valuation finds every route of at most two legs from a currency to USD. This one is found, not configured: it sizes orders only.
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
