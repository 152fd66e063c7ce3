package pairs

import (
	"slices"

	"github.com/shopspring/decimal"
)

// significant is the number of digits that an inverse or a product of two rates keeps: far more
// than any price has, so that only the last rounding, to the precision of the pair, is visible.
const significant = 34

// usualSources is the capacity of temporary slices with a value per source of a market. A constant capacity lets them
// stay on the stack. A market with more sources costs an allocation.
const usualSources = 16

// These are shared, because a decimal.Decimal is never changed.
var (
	one     = decimal.New(1, 0)
	oneHalf = decimal.New(5, -1)
)

// magnitude returns the number of digits before the decimal point: 3 for 123.4, 0 for 0.5, -1 for
// 0.05.
func magnitude(d decimal.Decimal) int32 {
	return int32(d.NumDigits()) + d.Exponent() //nolint:gosec // a number of digits, bounded by admit
}

// inRange rejects numbers that cannot be prices and would be slow to compute with.
func inRange(d decimal.Decimal) bool {
	m := magnitude(d)
	return d.NumDigits() <= 48 && m >= -24 && m <= 24
}

// inverse returns 1/d to the significant digits. d is positive.
func inverse(d decimal.Decimal) decimal.Decimal {
	return one.DivRound(d, significant-(1-magnitude(d))).Normalize()
}

// product returns a×b, exact as long as it fits the significant digits.
func product(a, b decimal.Decimal) decimal.Decimal { return shortened(a.Mul(b)) }

// shortened rounds d to the significant digits.
func shortened(d decimal.Decimal) decimal.Decimal {
	if d.NumDigits() <= significant {
		return d
	}
	return d.Round(significant - magnitude(d))
}

// half returns d/2, exact.
func half(d decimal.Decimal) decimal.Decimal { return d.Mul(oneHalf) }

// aligned returns d with at least 16 decimal places. Numbers with the same places are compared without converting one.
func aligned(d decimal.Decimal) decimal.Decimal { return d.Add(decimal.New(0, -16)) }

// median sorts the numbers and returns the middle one, or the exact mean of the middle two.
func median(of []decimal.Decimal) decimal.Decimal {
	slices.SortFunc(of, decimal.Decimal.Cmp)
	low, high := of[(len(of)-1)/2], of[len(of)/2]
	if low.Equal(high) {
		return low
	}
	return half(low.Add(high))
}

// distance returns |a-b|.
func distance(a, b decimal.Decimal) decimal.Decimal { return a.Sub(b).Abs() }

// moved reports whether to is further from from than a part of it.
func moved(from, to, part decimal.Decimal) bool {
	return distance(from, to).GreaterThan(from.Mul(part))
}

// ratioUp returns a/b to 12 significant digits, rounded up. b is positive, a not negative.
func ratioUp(a, b decimal.Decimal) decimal.Decimal { return upTo12(a.DivRound(b, significant)) }

// upTo12 rounds up to 12 significant digits.
func upTo12(d decimal.Decimal) decimal.Decimal {
	if d.NumDigits() <= 12 {
		return d
	}
	return d.RoundCeil(12 - magnitude(d))
}
