package pairs

import (
	"math/big"
	"slices"
)

// The book never gives money away: converting round any cycle of currencies at the published prices returns no more than was put in.
// Giving one base for the counter yields Sell; giving one counter for the base yields 1/Buy. What is halted is no conversion.
//
// That is Bellman and Ford's question on the logarithms of the conversions: is there a cycle whose sum is above zero? It is asked
// twice. First in octaves, each rounded up, which takes microseconds and whose "no" is certain. Only where that finds a cycle it is
// asked in exact fractions, whose answer decides.

// trade is one conversion on offer.
type trade struct {
	from, to int
	quote    *Quote
	sells    bool    // base for counter
	gain     octaves // of the conversion, no less than the true one
}

// mostExact is the largest number of currencies for which the question is asked in fractions; in a larger book a cycle that only
// fractions could clear counts as one.
const mostExact = 250

// exchange is the graph of all conversions. It keeps its slices from one question to the next.
type exchange struct {
	trades  []trade
	reached []octaves // the most that a path of conversions makes of anything, by currency
	last    []int     // the trade that it ends with; below zero: none
	seen    []int
}

// free returns a cycle of conversions that returns more than was put in, or nil.
func (b *book) free(quotes []Quote) []trade {
	x := &b.exchange
	x.open(b, quotes)
	n := len(b.currencies)
	x.reached = slices.Grow(x.reached[:0], n)[:n]
	clear(x.reached)
	cycle := x.search(n, func(_ int, t *trade) bool {
		if sum := x.reached[t.from] + t.gain; sum > x.reached[t.to] {
			x.reached[t.to] = sum
			return true
		}
		return false
	})
	if cycle == nil || profitable(cycle) {
		return cycle
	}
	if n > mostExact {
		return cycle
	}
	return x.exactly(n)
}

// open lists the conversions of the quotes.
func (x *exchange) open(b *book, quotes []Quote) {
	x.trades = x.trades[:0]
	b.each(quotes, func(l *listing, q *Quote) {
		if q.SellSupported {
			x.trades = append(x.trades, trade{from: l.from, to: l.to, quote: q, sells: true, gain: octavesOf(q.Sell) + slack})
		}
		if q.BuySupported {
			x.trades = append(x.trades, trade{from: l.to, to: l.from, quote: q, gain: slack - octavesOf(q.Buy)})
		}
	})
}

// search takes every conversion that improves what is reached, round after round, until none does, or until the conversions that
// did close a cycle: every such cycle gains.
func (x *exchange) search(n int, improves func(i int, t *trade) bool) []trade {
	x.last = slices.Grow(x.last[:0], n)[:n]
	for i := range x.last {
		x.last[i] = -1
	}
	for {
		again := false
		for i := range x.trades {
			if t := &x.trades[i]; improves(i, t) {
				x.last[t.to] = i
				again = true
			}
		}
		if !again {
			return nil
		}
		if cycle := x.closed(n); cycle != nil {
			return cycle
		}
	}
}

// closed returns a cycle among the last trades, in the order in which they are made, or nil.
func (x *exchange) closed(n int) []trade {
	x.seen = slices.Grow(x.seen[:0], n)[:n]
	clear(x.seen)
	for start := range n {
		at := start
		for x.seen[at] == 0 && x.last[at] >= 0 {
			x.seen[at] = start + 1
			at = x.trades[x.last[at]].from
		}
		if x.seen[at] != start+1 || x.last[at] < 0 {
			if x.seen[at] == 0 {
				x.seen[at] = start + 1
			}
			continue
		}
		var cycle []trade
		for first := at; ; {
			t := x.trades[x.last[at]]
			cycle = append(cycle, t)
			if at = t.from; at == first {
				slices.Reverse(cycle)
				return cycle
			}
		}
	}
	return nil
}

// profitable reports whether a cycle returns more than was put in, exactly.
func profitable(cycle []trade) bool {
	product := big.NewRat(1, 1)
	for i := range cycle {
		product.Mul(product, cycle[i].rate())
	}
	return product.Cmp(big.NewRat(1, 1)) > 0
}

// rate is what one unit becomes.
func (t *trade) rate() *big.Rat {
	if t.sells {
		return t.quote.Sell.Rat()
	}
	r := t.quote.Buy.Rat()
	return r.Inv(r)
}

// exactly asks the question in fractions.
func (x *exchange) exactly(n int) []trade {
	rates, reached := make([]*big.Rat, len(x.trades)), make([]*big.Rat, n)
	for i := range x.trades {
		rates[i] = x.trades[i].rate()
	}
	for i := range reached {
		reached[i] = big.NewRat(1, 1)
	}
	return x.search(n, func(i int, t *trade) bool {
		if product := new(big.Rat).Mul(reached[t.from], rates[i]); product.Cmp(reached[t.to]) > 0 {
			reached[t.to] = product
			return true
		}
		return false
	})
}
