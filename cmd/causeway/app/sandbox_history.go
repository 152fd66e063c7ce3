package app

import (
	"time"

	"github.com/shopspring/decimal"

	"causeway/adapters/history"
	"causeway/config"
	"causeway/core"
	"causeway/simulator"
)

// inverseDigits is how many places after the point an inverted rate of the past has: more than a history keeps.
const inverseDigits = 30

// past tells what pairs were worth in the simulated world before the process was there: along the routes of the catalog, from the true prices and
// the official rates of the time.
type past struct {
	market  *simulator.Market
	routes  map[core.Pair][]string // the currencies along the way
	markets map[core.Pair]core.Market
	steps   map[string]bool // sources whose rates are official
}

// simulatedPast is the history of the world before now; nothing is known of its future.
func simulatedPast(world *simulator.World, catalog config.Catalog) history.Backfill {
	p := &past{market: world.Market(), routes: map[core.Pair][]string{}, markets: map[core.Pair]core.Market{}, steps: map[string]bool{}}
	for _, s := range catalog.Sources {
		p.steps[s.Name] = s.Kind == core.OfficialSource
	}
	for _, m := range catalog.Markets {
		if !m.StandIn {
			p.markets[m.Pair] = m
		}
	}
	for _, l := range catalog.Listings {
		way := []string{l.Pair.Base, l.Pair.Counter}
		if l.Via != "" {
			way = []string{l.Pair.Base, l.Via, l.Pair.Counter}
		}
		p.routes[l.Pair] = way
	}
	return func(pair core.Pair, at time.Time) (decimal.Decimal, bool) {
		if at.After(world.Now()) {
			return decimal.Zero, false
		}
		return p.mid(pair, at)
	}
}

// mid is the price of a listing at an instant.
func (p *past) mid(pair core.Pair, at time.Time) (decimal.Decimal, bool) {
	way, known := p.routes[pair]
	price := decimal.New(1, 0)
	for i := 0; known && i < len(way)-1; i++ {
		var rate decimal.Decimal
		rate, known = p.leg(core.Pair{Base: way[i], Counter: way[i+1]}, at)
		price = price.Mul(rate)
	}
	return price, known
}

// leg is the rate of a market at an instant, whichever way round it is.
func (p *past) leg(pair core.Pair, at time.Time) (decimal.Decimal, bool) {
	if m, there := p.markets[pair]; there {
		return p.rate(m, at)
	}
	m, there := p.markets[pair.Inverse()]
	rate, known := p.rate(m, at)
	if !there || !known {
		return decimal.Zero, false
	}
	return decimal.New(1, 0).DivRound(rate, inverseDigits), true
}

func (p *past) rate(m core.Market, at time.Time) (decimal.Decimal, bool) {
	if !m.Fixed.IsZero() {
		return m.Fixed, true
	}
	price, known := p.market.Reference(m.Pair, at)
	if len(m.Sources) > 0 && p.steps[m.Sources[0]] {
		price, known = p.market.Fixing(m.Pair, at.Truncate(time.Hour))
	}
	if !known {
		return decimal.Zero, false
	}
	rate, err := decimal.NewFromString(price.String())
	return rate, err == nil && rate.IsPositive()
}
