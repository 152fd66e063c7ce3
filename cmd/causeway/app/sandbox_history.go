package app

import (
	"time"

	"github.com/shopspring/decimal"

	"causeway/adapters/storage"
	"causeway/config"
	"causeway/core"
	"causeway/simulator"
)

// inverseDigits is the number of decimals of an inverted rate: more than a history stores.
const inverseDigits = 30

// simulatedHistory computes past prices of a simulated world: along the routes of the catalog, from
// the reference prices and official rates of the time.
type simulatedHistory struct {
	market   *simulator.Market
	routes   map[core.Pair][]string // the currencies from base to counter
	markets  map[core.Pair]core.Market
	official map[string]bool // by source: whether its rates are official
}

// simulatedPast returns the past prices of a world. It knows no future prices.
func simulatedPast(world *simulator.World, catalog config.Catalog) storage.Backfill {
	h := &simulatedHistory{
		market: world.Market(), routes: map[core.Pair][]string{},
		markets: map[core.Pair]core.Market{}, official: map[string]bool{},
	}
	for _, s := range catalog.Sources {
		h.official[s.Name] = s.Kind == core.OfficialSource
	}
	for _, m := range catalog.Markets {
		if !m.StandIn {
			h.markets[m.Pair] = m
		}
	}
	for _, l := range catalog.Listings {
		route := []string{l.Pair.Base, l.Pair.Counter}
		if l.Via != "" {
			route = []string{l.Pair.Base, l.Via, l.Pair.Counter}
		}
		h.routes[l.Pair] = route
	}
	return func(pair core.Pair, at time.Time) (decimal.Decimal, bool) {
		if at.After(world.Now()) {
			return decimal.Zero, false
		}
		return h.mid(pair, at)
	}
}

// mid returns the price of a listed pair at an instant.
func (h *simulatedHistory) mid(pair core.Pair, at time.Time) (decimal.Decimal, bool) {
	route, known := h.routes[pair]
	price := decimal.New(1, 0)
	for i := 0; known && i < len(route)-1; i++ {
		var rate decimal.Decimal
		rate, known = h.leg(core.Pair{Base: route[i], Counter: route[i+1]}, at)
		price = price.Mul(rate)
	}
	return price, known
}

// leg returns the rate of a pair at an instant, from its market or that of the inverse pair.
func (h *simulatedHistory) leg(pair core.Pair, at time.Time) (decimal.Decimal, bool) {
	if m, found := h.markets[pair]; found {
		return h.rate(m, at)
	}
	m, found := h.markets[pair.Inverse()]
	rate, known := h.rate(m, at)
	if !found || !known {
		return decimal.Zero, false
	}
	return decimal.New(1, 0).DivRound(rate, inverseDigits), true
}

// rate returns the rate of a market at an instant.
func (h *simulatedHistory) rate(m core.Market, at time.Time) (decimal.Decimal, bool) {
	if !m.Fixed.IsZero() {
		return m.Fixed, true
	}
	price, known := h.market.Reference(m.Pair, at)
	if len(m.Sources) > 0 && h.official[m.Sources[0]] {
		price, known = h.market.Fixing(m.Pair, at.Truncate(time.Hour))
	}
	if !known {
		return decimal.Zero, false
	}
	rate, err := decimal.NewFromString(price.String())
	return rate, err == nil && rate.IsPositive()
}
