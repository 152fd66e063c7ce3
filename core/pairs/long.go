package pairs

import (
	"math/bits"

	"github.com/shopspring/decimal"
)

// long is a number of up to 128 bits that is not below zero: what comes of products and sums on the way to a price, without the memory that decimals
// take for each. All of it is exact; where something does not fit, the decimals do it.
type long struct {
	high, low uint64 // in units of 10^exponent
	exponent  int32
}

// longOf is a decimal as a long.
func longOf(d decimal.Decimal) (long, bool) {
	if fits(d) {
		c := d.CoefficientInt64()
		return long{low: uint64(c), exponent: d.Exponent()}, c >= 0 //nolint:gosec // where it is below zero nobody reads it
	}
	words := d.Coefficient().Bits()
	if bits.UintSize != 64 || len(words) > 2 || d.IsNegative() {
		return long{}, false
	}
	l := long{low: uint64(words[0]), exponent: d.Exponent()}
	if len(words) > 1 {
		l.high = uint64(words[1])
	}
	return l, true
}

// times is the product with n units of 10^exponent.
func (l long) times(n uint64, exponent int32) (long, bool) {
	carry, low := bits.Mul64(l.low, n)
	over, high := bits.Mul64(l.high, n)
	high, more := bits.Add64(high, carry, 0)
	return long{high, low, l.exponent + exponent}, over|more == 0
}

// by is the product with a decimal of at most maxDigits.
func (l long) by(d decimal.Decimal) (long, bool) {
	c := d.CoefficientInt64()
	if !fits(d) || c < 0 {
		return long{}, false
	}
	return l.times(uint64(c), d.Exponent())
}

// productOf is a×b, of which one has at most maxDigits.
func productOf(a, b decimal.Decimal) (long, bool) {
	if !fits(b) {
		a, b = b, a
	}
	l, ok := longOf(a)
	if !ok {
		return long{}, false
	}
	return l.by(b)
}

// in is the same number in units of 10^exponent, which is not above its own.
func (l long) in(exponent int32) (long, bool) {
	ok := true
	for ok && l.exponent > exponent {
		step := min(l.exponent-exponent, maxDigits)
		l, ok = l.times(tens(step), -step)
	}
	return l, ok
}

// tens is 10^n; n is at most maxDigits.
func tens(n int32) uint64 { return uint64(powers[n]) } //nolint:gosec // above zero

// level are two numbers in the smaller one of their units.
func level(a, b long) (x, y long, ok bool) {
	exponent := min(a.exponent, b.exponent)
	x, okX := a.in(exponent)
	y, okY := b.in(exponent)
	return x, y, okX && okY
}

// spread is l×b + c, or l×b - c where sign is below zero. Not ok: it does not fit, or is below zero.
func (l long) spread(b decimal.Decimal, sign int, c long) (long, bool) {
	p, okP := l.by(b)
	x, y, ok := level(p, c)
	add := bits.Add64
	if sign < 0 {
		add = bits.Sub64
	}
	low, carry := add(x.low, y.low, 0)
	high, carry := add(x.high, y.high, carry)
	return long{high, low, x.exponent}, okP && ok && carry == 0
}

// above reports whether l is more than m, in the same units.
func (l long) above(m long) bool { return l.high > m.high || l.high == m.high && l.low > m.low }

// over is l/n, cut off, and what is left.
func (l long) over(n uint64) (quotient long, rest uint64) {
	if l.high == 0 {
		return long{0, l.low / n, l.exponent}, l.low % n
	}
	low, rest := bits.Div64(l.high%n, l.low, n)
	return long{l.high / n, low, l.exponent}, rest
}

func (l long) zero() bool { return l.high|l.low == 0 }

// single reports whether the number has at most maxDigits.
func (l long) single() bool { return l.high == 0 && l.low < tens(maxDigits) }

// magnitude is the number of digits before the point, as that of decimals, and that of half the number. It is above zero.
func (l long) magnitude() (whole, half int32) {
	whole = l.exponent + 1
	for !l.single() {
		l, _ = l.over(tens(maxDigits))
		whole += maxDigits
	}
	digits := int32(0)
	for digits < maxDigits-1 && l.low >= tens(digits+1) {
		digits++
	}
	if whole += digits; l.low < 2*tens(digits) {
		return whole, whole - 1
	}
	return whole, whole
}

// rounded is the number with so many places, rounded up or down. Not ok: it has too many digits then.
func (l long) rounded(places int32, up bool) (decimal.Decimal, bool) {
	lost := uint64(0)
	for drop := -places - l.exponent; drop > 0; {
		step, rest := min(drop, maxDigits), uint64(0)
		l, rest = l.over(tens(step))
		lost |= rest
		drop, l.exponent = drop-step, l.exponent+step
	}
	l, ok := l.in(-places)
	if !ok || !l.single() {
		return decimal.Decimal{}, false
	}
	if up && lost != 0 {
		l.low++
	}
	return decimal.New(int64(l.low), -places), true //nolint:gosec // it has at most maxDigits
}
