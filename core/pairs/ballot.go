package pairs

import (
	"slices"

	"github.com/shopspring/decimal"
)

// ballot counts the votes of a market. It keeps its slices from one count to the next, so one goroutine at a time has it.
//
// Counting is most of what a recomputation does, and prices are short: where the votes fit, it is done in 64-bit integers of a
// common tick, else in decimals. Both are exact and give the same rate.
type ballot struct {
	votes, bids, asks, spreads []int64
	live                       []*Vote
}

// maxTicks is the number of digits that a price may have in ticks: a hundred of the largest still fit an int64.
const maxTicks = 16

// ticks is a vote in whole multiples of a power of ten.
type ticks struct {
	bid, mid, ask int64
	exponent      int32
	magnitude     int32 // of ask
}

// ticksOf says how a vote is counted in integers. One of more than maxTicks digits never is, and has none.
func ticksOf(bid, mid, ask decimal.Decimal) ticks {
	exponent := min(bid.Normalize().Exponent(), mid.Normalize().Exponent(), ask.Normalize().Exponent())
	t := ticks{exponent: exponent, magnitude: magnitude(ask)}
	if t.magnitude-exponent <= maxTicks {
		t.bid, t.mid, t.ask = bid.Shift(-exponent).IntPart(), mid.Shift(-exponent).IntPart(), ask.Shift(-exponent).IntPart()
	}
	return t
}

// count fills in the numbers of a rate from the votes it uses, of which there is one at least.
func (b *ballot) count(r *Rate) {
	exponent, largest := r.Used[0].ticks.exponent, r.Used[0].ticks.magnitude
	for _, v := range r.Used {
		exponent, largest = min(exponent, v.ticks.exponent), max(largest, v.ticks.magnitude)
	}
	if largest-exponent <= maxTicks {
		b.countTicks(r, exponent)
		return
	}
	countDecimals(r)
}

// countTicks counts in ticks of 10^exponent.
func (b *ballot) countTicks(r *Rate, exponent int32) {
	b.votes, b.bids, b.asks, b.spreads = b.votes[:0], b.bids[:0], b.asks[:0], b.spreads[:0]
	for _, v := range r.Used {
		unit := int64(1)
		for range v.ticks.exponent - exponent {
			unit *= 10
		}
		bid, mid, ask := v.ticks.bid*unit, v.ticks.mid*unit, v.ticks.ask*unit
		b.votes = append(b.votes, bid, mid, ask)
		b.bids, b.asks, b.spreads = append(b.bids, bid), append(b.asks, ask), append(b.spreads, ask-bid)
	}
	mid, bid, ask, spread := twiceMedian(b.votes), twiceMedian(b.bids), twiceMedian(b.asks), twiceMedian(b.spreads)
	quarter := len(b.votes) / 4
	low, high := 2*b.votes[quarter], 2*b.votes[len(b.votes)-1-quarter]
	r.Mid, r.Bid, r.Ask = short(5*mid, exponent-1), short(5*bid, exponent-1), short(5*ask, exponent-1)
	r.Confidence = short(25*max(2*(mid-low), 2*(high-mid), spread), exponent-2)
}

// twiceMedian sorts and returns twice the middle one, or the sum of the middle two.
func twiceMedian(of []int64) int64 {
	slices.Sort(of)
	return of[(len(of)-1)/2] + of[len(of)/2]
}

// countDecimals counts what does not fit.
func countDecimals(r *Rate) {
	var votes, bids, asks, spreads []decimal.Decimal
	for _, v := range r.Used {
		votes = append(votes, v.Bid, v.Mid, v.Ask)
		bids, asks, spreads = append(bids, v.Bid), append(asks, v.Ask), append(spreads, v.Ask.Sub(v.Bid))
	}
	r.Mid, r.Bid, r.Ask = median(votes), median(bids), median(asks)
	quarter := len(votes) / 4
	low, high := votes[quarter], votes[len(votes)-1-quarter]
	r.Confidence = decimal.Max(r.Mid.Sub(low), high.Sub(r.Mid), half(median(spreads)))
}

// median sorts and returns the middle one, or the exact mean of the middle two.
func median(of []decimal.Decimal) decimal.Decimal {
	slices.SortFunc(of, decimal.Decimal.Cmp)
	return half(of[(len(of)-1)/2].Add(of[len(of)/2]))
}
