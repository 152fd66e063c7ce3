package pairs

import (
	"cmp"
	"math"
	"slices"
)

// Converting around any cycle of currencies at the published prices must not return more than the
// starting amount. Selling one base yields Sell of the counter, buying yields 1/Buy of the base;
// halted pairs convert nothing. Bellman and Ford's algorithm finds a profitable cycle: one whose
// logarithms have a positive sum.

// roundingError exceeds the error of a logarithm in floating point. It is added to every
// conversion, so that no profitable cycle is missed; a cycle that returns exactly the starting
// amount counts as profitable.
const roundingError = 1e-12

// conversion is an edge of the graph of currencies.
type conversion struct {
	from, to int
	quote    *Quote
	sells    bool // base for counter
	gain     float64
}

// haltCycles halts the least certain pair of each profitable cycle until none is left, and returns
// the cycles.
func (b *book) haltCycles(priced []*listing, quotes []*Quote) (cycles [][]conversion) {
	for {
		cycle := profitableCycle(len(b.currencies), conversions(priced, quotes))
		if cycle == nil {
			return cycles
		}
		cycles = append(cycles, cycle)
		i := slices.Index(quotes, leastCertain(cycle).quote)
		priced[i].in.arbitrage = true
		quotes[i] = priced[i].decide(quotes[i])
	}
}

// leastCertain returns the conversion of the pair with the largest relative confidence.
func leastCertain(cycle []conversion) conversion {
	return slices.MaxFunc(cycle, func(x, y conversion) int {
		return cmp.Or(x.quote.uncertainty().Cmp(y.quote.uncertainty()), cmp.Compare(x.quote.ID, y.quote.ID))
	})
}

// conversions returns what the quotes allow.
func conversions(priced []*listing, quotes []*Quote) (all []conversion) {
	for i, q := range quotes {
		l := priced[i]
		if q.SellSupported {
			all = append(all, conversion{l.from, l.to, q, true, math.Log(q.Sell.InexactFloat64()) + roundingError}) //nolint:forbidigo // compared with slack
		}
		if q.BuySupported {
			all = append(all, conversion{l.to, l.from, q, false, roundingError - math.Log(q.Buy.InexactFloat64())}) //nolint:forbidigo // compared with slack
		}
	}
	return all
}

// profitableCycle returns a cycle with a positive gain, or nil.
func profitableCycle(currencies int, all []conversion) []conversion {
	best := make([]float64, currencies) // the largest gain of a path that ends at a currency
	last := make([]int, currencies)     // its last conversion
	for i := range last {
		last[i] = -1
	}
	for range currencies + 1 {
		improved := false
		for i, c := range all {
			if gain := best[c.from] + c.gain; gain > best[c.to] {
				best[c.to], last[c.to], improved = gain, i, true
			}
		}
		if !improved {
			return nil
		}
		if cycle := closedBy(all, last); cycle != nil {
			return cycle
		}
	}
	return nil
}

// closedBy returns a cycle among the last conversions of the paths, in the order of conversion, or
// nil.
func closedBy(all []conversion, last []int) []conversion {
	seen := make([]int, len(last)) // the start whose walk came by, plus one
	for start := range last {
		at := start
		for seen[at] == 0 && last[at] >= 0 {
			seen[at] = start + 1
			at = all[last[at]].from
		}
		if last[at] < 0 || seen[at] != start+1 {
			continue
		}
		var cycle []conversion
		for first := at; ; {
			c := all[last[at]]
			cycle = append(cycle, c)
			if at = c.from; at == first {
				slices.Reverse(cycle)
				return cycle
			}
		}
	}
	return nil
}
