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
	*priced

	from, to string
	gain     float64
}

// haltCycles halts the least certain pair of each profitable cycle until none is left, and returns
// their number.
func haltCycles(all []*priced) (cycles uint64) {
	for {
		cycle := profitableCycle(conversions(all))
		if cycle == nil {
			return cycles
		}
		cycles++
		least := slices.MaxFunc(cycle, func(x, y conversion) int {
			return cmp.Or(x.uncertainty().Cmp(y.uncertainty()), cmp.Compare(x.id, y.id))
		})
		least.in.arbitrage = true
		least.decide()
	}
}

// conversions returns what the quotes allow.
func conversions(all []*priced) (out []conversion) {
	for _, p := range all {
		if p.quote.Status == Halted {
			continue
		}
		//nolint:forbidigo // gains are no amounts, and are compared with a slack of roundingError
		sell, buy := math.Log(p.quote.Sell.InexactFloat64()), math.Log(p.quote.Buy.InexactFloat64())
		pair := p.quote.Pair
		out = append(out,
			conversion{p, pair.Base, pair.Counter, roundingError + sell},
			conversion{p, pair.Counter, pair.Base, roundingError - buy})
	}
	return out
}

// profitableCycle returns a cycle with a positive gain, in the order of conversion, or nil. A path
// that still improves after as many rounds as there are currencies contains such a cycle.
func profitableCycle(all []conversion) (cycle []conversion) {
	best := map[string]float64{}    // the largest gain of a path that ends at a currency
	last := map[string]conversion{} // of that path
	for round := 0; ; round++ {
		improved := ""
		for _, c := range all {
			if gain := best[c.from] + c.gain; gain > best[c.to] {
				best[c.to], last[c.to], improved = gain, c, c.to
			}
		}
		switch {
		case improved == "":
			return nil
		case round <= len(best):
			continue
		}
		at := improved
		for range last {
			at = last[at].from // back into the cycle
		}
		for first := at; len(cycle) == 0 || at != first; at = last[at].from {
			cycle = append(cycle, last[at])
		}
		slices.Reverse(cycle)
		return cycle
	}
}
