package pairs

import (
	"cmp"
	"math/bits"

	"github.com/shopspring/decimal"
)

// Most prices and amounts fit 64 bits, and what comes of them on the way to another price 128 (long), and a recomputation of a large book is
// hundreds of thousands of sums, products and comparisons. Here they are made in integers where the numbers fit, exactly, and left to the
// decimals where they do not: the results are the same, without the memory that decimals take on the way.

// maxDigits is the number of digits that every int64 can hold.
const maxDigits = 18

// shifted is c × 10^by, where that has no more than maxDigits; by is not below zero.
func shifted(c int64, by int32) (int64, bool) {
	switch {
	case by == 0 || c == 0:
		return c, true
	case by > maxDigits:
		return 0, false
	}
	most := powers[maxDigits-by]
	return c * powers[by], -most < c && c < most
}

// fits reports whether a coefficient has at most maxDigits.
func fits(d decimal.Decimal) bool { return d.NumDigits() <= maxDigits }

// aligned are the coefficients of two numbers at the smaller one of their exponents.
func aligned(a, b decimal.Decimal) (x, y int64, exponent int32, ok bool) {
	if !fits(a) || !fits(b) {
		return 0, 0, 0, false
	}
	exponent = min(a.Exponent(), b.Exponent())
	x, okX := shifted(a.CoefficientInt64(), a.Exponent()-exponent)
	y, okY := shifted(b.CoefficientInt64(), b.Exponent()-exponent)
	return x, y, exponent, okX && okY
}

// compare is below, at or above zero as a is to b.
func compare(a, b decimal.Decimal) int {
	if x, y, _, ok := aligned(a, b); ok {
		return cmp.Compare(x, y)
	}
	return a.Cmp(b)
}

// plus is a+b.
func plus(a, b decimal.Decimal) decimal.Decimal {
	if a.IsZero() {
		return b
	}
	if x, y, exponent, ok := aligned(a, b); ok {
		return decimal.New(x+y, exponent)
	}
	return a.Add(b)
}

// times is a×b.
func times(a, b decimal.Decimal) decimal.Decimal {
	if a.NumDigits()+b.NumDigits() <= maxDigits {
		return decimal.New(a.CoefficientInt64()*b.CoefficientInt64(), a.Exponent()+b.Exponent())
	}
	return a.Mul(b)
}

// ceil is d rounded up to a number of places, floor the same rounded down.
func ceil(d decimal.Decimal, places int32) decimal.Decimal {
	if l, ok := longOf(d); ok {
		if up, ok := l.rounded(places, true); ok {
			return up
		}
	}
	return d.RoundCeil(places)
}

func floor(d decimal.Decimal, places int32) decimal.Decimal {
	if l, ok := longOf(d); ok {
		if down, ok := l.rounded(places, false); ok {
			return down
		}
	}
	return d.RoundFloor(places)
}

// shortQuotient is a/b in whole units of 10^-places, cut off, and whether something was cut off. Both are above zero.
func shortQuotient(a, b decimal.Decimal, places int32) (quotient int64, rest, ok bool) {
	up := a.Exponent() - b.Exponent() + places
	if !fits(a) || !fits(b) || up < 0 || up > maxDigits {
		return 0, false, false
	}
	divisor := uint64(b.CoefficientInt64())                                   //nolint:gosec // above zero
	high, low := bits.Mul64(uint64(a.CoefficientInt64()), uint64(powers[up])) //nolint:gosec // above zero
	if high >= divisor {
		return 0, false, false
	}
	q, r := bits.Div64(high, low, divisor)
	return int64(q), r > 0, q < uint64(powers[maxDigits]) //nolint:gosec // it fits where ok
}

// partsOf is part/whole in so many parts of one, rounded to the nearest, halves away from zero. whole is above zero.
func partsOf(part, whole int64, parts uint64) (int64, bool) {
	sign, size := int64(1), uint64(part) //nolint:gosec // its sign is seen to
	if part < 0 {
		sign, size = -1, -size
	}
	high, low := bits.Mul64(size, parts)
	divisor := uint64(whole) //nolint:gosec // above zero
	if high >= divisor {
		return 0, false
	}
	q, r := bits.Div64(high, low, divisor)
	if r >= divisor-r {
		q++
	}
	return sign * int64(q), q < uint64(powers[maxDigits]) //nolint:gosec // it fits where ok
}
