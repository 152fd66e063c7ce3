package config

import (
	"cmp"
	"fmt"
	"strings"

	"causeway/core"
)

// Families describes the routes of a listing in the order of preference, each leg with its number of
// independent families of sources and the quorum that it needs: "BTC/USD 4 of 2, USD/GHS 1 of 1".
// Families of mid prices, which are a last resort, do not count.
func (c *Catalog) Families(l core.Listing) []string {
	var out []string
	for _, route := range l.Routes() {
		var legs []string
		for i, from := range route[:len(route)-1] {
			legs = append(legs, c.leg(from, route[i+1]))
		}
		out = append(out, strings.Join(legs, ", "))
	}
	return out
}

// leg describes the market between two currencies. Its stand-in, if there is one, is not counted.
func (c *Catalog) leg(from, to string) string {
	pair := core.Pair{Base: from, Counter: to}
	for _, m := range c.Markets {
		if m.StandIn || m.Pair != pair && m.Pair != pair.Inverse() {
			continue
		}
		if !m.Fixed.IsZero() {
			return m.Pair.String() + " fixed"
		}
		quorum := cmp.Or(m.Quorum, c.MarketClasses[c.marketClass(m.Class)].Quorum)
		return fmt.Sprintf("%s %d of %d", m.Pair, c.families(m), quorum)
	}
	return pair.String() + " missing"
}

// families returns the number of independent families of a market's sources.
func (c *Catalog) families(m core.Market) int {
	families := map[string]bool{}
	for _, name := range m.Sources {
		if i := c.source(name); i >= 0 && c.Sources[i].Kind != core.MidSource {
			families[c.Sources[i].Family] = true
		}
	}
	return len(families)
}
