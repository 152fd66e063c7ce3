package pairs

import (
	"math/big"

	"github.com/shopspring/decimal"

	"causeway/core"
)

// Arithmetic is what is done in 64 bits where the numbers fit.
type Arithmetic struct{}

// Compare, and the rest, are the package's own.
func (Arithmetic) Compare(a, b decimal.Decimal) int { return compare(a, b) }

// Plus is a+b.
func (Arithmetic) Plus(a, b decimal.Decimal) decimal.Decimal { return plus(a, b) }

// Times is a×b.
func (Arithmetic) Times(a, b decimal.Decimal) decimal.Decimal { return times(a, b) }

// Spread is a×b + c, or a×b - c.
func (Arithmetic) Spread(a, b decimal.Decimal, sign int64, c decimal.Decimal) decimal.Decimal {
	exact, okA := longOf(a)
	other, okC := longOf(c)
	if l, ok := exact.spread(b, int(sign), other); ok && okA && okC {
		return l.decimal()
	}
	if sign < 0 {
		return a.Mul(b).Sub(c)
	}
	return a.Mul(b).Add(c)
}

func (l long) decimal() decimal.Decimal {
	c := new(big.Int).SetUint64(l.high)
	return decimal.NewFromBigInt(c.Or(c.Lsh(c, 64), new(big.Int).SetUint64(l.low)), l.exponent)
}

// Ceil and Floor round to a number of places.
func (Arithmetic) Ceil(d decimal.Decimal, places int32) decimal.Decimal { return ceil(d, places) }

// Floor rounds down.
func (Arithmetic) Floor(d decimal.Decimal, places int32) decimal.Decimal { return floor(d, places) }

// CeilProduct and FloorProduct are a×b, rounded.
func (Arithmetic) CeilProduct(a, b decimal.Decimal, places int32) decimal.Decimal {
	return ceilProduct(a, b, places)
}

// FloorProduct rounds down.
func (Arithmetic) FloorProduct(a, b decimal.Decimal, places int32) decimal.Decimal {
	return floorProduct(a, b, places)
}

// CeilQuotient and FloorQuotient are a/b, rounded.
func (Arithmetic) CeilQuotient(a, b decimal.Decimal, places int32) decimal.Decimal {
	return ceilQuotient(a, b, places)
}

// FloorQuotient rounds down.
func (Arithmetic) FloorQuotient(a, b decimal.Decimal, places int32) decimal.Decimal {
	return floorQuotient(a, b, places)
}

// Percentage is a change in per cent.
func (Arithmetic) Percentage(from, to decimal.Decimal) decimal.Decimal { return percentage(from, to) }

// Ends are the prices of a pair whose counter currency has so many decimals, and which had a precision so far.
func (Arithmetic) Ends(sofar, own int32, mid decimal.Decimal, bps int64, doubt decimal.Decimal) (buy, sell decimal.Decimal, places int32) {
	l := &listing{places: sofar, counter: core.Currency{Decimals: own}}
	return l.ends(mid, marginOf(bps), doubt)
}

// Steady is so much USD in a currency that is worth so much.
func (Arithmetic) Steady(notional, worth decimal.Decimal, decimals int32, up bool) decimal.Decimal {
	s := size{valuation: &valuation{usd: worth, known: true}, decimals: decimals}
	return s.steady(notional, up)
}

// UpTo12 is a×b to 12 digits.
func (Arithmetic) UpTo12(a, b decimal.Decimal) decimal.Decimal { return upTo12(a, b) }

// Wide reports whether a confidence is too large for a price.
func (Arithmetic) Wide(mid, doubt, most decimal.Decimal) bool {
	return wide(&Quote{Mid: mid, Confidence: doubt}, most)
}

// Differs reports whether b is 0.05 % or more away from a.
func (Arithmetic) Differs(a, b decimal.Decimal) bool { return differs(a, b) }
