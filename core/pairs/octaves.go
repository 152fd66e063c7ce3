package pairs

import (
	"math/big"
	"math/bits"

	"github.com/shopspring/decimal"
)

// octaves is a logarithm to the base 2 in fixed point: 1<<octaveBits is a factor of two. Prices are compared by it where only
// their ratio matters, because subtracting integers is a hundred times cheaper than dividing decimals. It is at most slack
// off the true logarithm (a part in 10^11 of the price); nothing that is shown or paid is ever computed from it.
type octaves int64

const (
	octaveBits = 40
	slack      = octaves(8)

	tenBits = 52
	ten     = 14960634130286307 // log2(10) in 2^-tenBits
)

// octavesOf is the logarithm of a number above zero.
func octavesOf(d decimal.Decimal) octaves {
	var coefficient uint64
	shift := 0
	if d.NumDigits() <= maxDigits {
		coefficient = uint64(d.CoefficientInt64()) //nolint:gosec // above zero
	} else {
		c := d.Coefficient()
		shift = c.BitLen() - 64
		if shift > 0 {
			c = new(big.Int).Rsh(c, uint(shift))
		} else {
			shift = 0
		}
		coefficient = c.Uint64()
	}
	zeros := bits.LeadingZeros64(coefficient)
	mantissa := coefficient << zeros // in 2^-63: 1 to 2
	row := mantissa >> 57 & 63
	x := part(mantissa, reciprocals[row]) - 1<<63
	// ln(1+x) = x - x²/2 + x³/3 - …: the seventh term is below 2^-44.
	p := sixth
	for _, coefficient := range [...]uint64{fifth, fourth, third, second, 1 << 63} {
		p = coefficient - part(x, p)
	}
	sum := octaves(63-zeros+shift)<<octaveBits + logarithms[row] + octaves(part(part(x, p), perLn2)>>(62-octaveBits))
	return sum + octaves(int64(d.Exponent())*ten>>(tenBits-octaveBits))
}

// In 2^-63, but for the last: 1/ln 2 in 2^-62.
const (
	second uint64 = 1 << 62
	third  uint64 = 1<<63/3 + 1
	fourth uint64 = 1 << 61
	fifth  uint64 = 1<<63/5 + 1
	sixth  uint64 = 1<<63/6 + 1
	perLn2 uint64 = 6653256548922161245
)

// part is the product of two numbers in 2^-63.
func part(a, b uint64) uint64 {
	high, low := bits.Mul64(a, b)
	return high<<1 | low>>63
}

// ratio is a limit on the change from one price to another.
type ratio struct{ up, down octaves }

// ratioOf is the limit for a part of one, above zero and below one.
func ratioOf(part decimal.Decimal) ratio {
	one := decimal.New(1, 0)
	return ratio{up: octavesOf(one.Add(part)), down: octavesOf(one.Sub(part))}
}

// exceeded reports whether a price moved by more than the limit.
func (r ratio) exceeded(from, to octaves) bool {
	d := to - from
	return d > r.up+slack || d < r.down-slack
}
