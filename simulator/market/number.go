package market

import (
	"fmt"
	"math/bits"
	"strconv"
	"strings"

	"github.com/shopspring/decimal"
)

// number is coef × 10^exp with 18 significant digits: 1e17 ≤ coef < 1e18. It is never zero. Results are
// truncated.
type number struct {
	coef uint64
	exp  int
}

const (
	e17 = 100_000_000_000_000_000
	e18 = 10 * e17
	e9  = 1_000_000_000
)

var one = number{coef: e17, exp: -17}

// parseNumber parses a positive decimal of at most 18 digits.
func parseNumber(text string) (number, error) {
	whole, fraction, _ := strings.Cut(text, ".")
	coef, err := strconv.ParseUint(whole+fraction, 10, 64)
	if err != nil || coef == 0 || coef >= e18 {
		return number{}, fmt.Errorf("%q is not a positive decimal of at most 18 digits", text)
	}
	return normal(coef, -len(fraction)), nil
}

func normal(coef uint64, exp int) number {
	for coef < e17 {
		coef *= 10
		exp--
	}
	for coef >= e18 {
		coef /= 10
		exp++
	}
	return number{coef: coef, exp: exp}
}

func (n number) times(m number) number {
	hi, lo := bits.Mul64(n.coef, m.coef)
	coef, _ := bits.Div64(hi, lo, e17)
	return normal(coef, n.exp+m.exp+17)
}

func (n number) over(m number) number {
	hi, lo := bits.Mul64(n.coef, e18)
	coef, _ := bits.Div64(hi, lo, m.coef)
	return normal(coef, n.exp-m.exp-18)
}

func (n number) less(m number) bool {
	if n.exp != m.exp {
		return n.exp < m.exp
	}
	return n.coef < m.coef
}

// shifted moves the number by parts per billion, which are far below a billion.
func (n number) shifted(ppb int64) number {
	hi, lo := bits.Mul64(n.coef, uint64(e9+ppb)) //nolint:gosec // positive
	coef, _ := bits.Div64(hi, lo, e9)
	return normal(coef, n.exp)
}

// grown multiplies by e^x, x in 2^-noiseBits.
func (n number) grown(x int64) number {
	const step = 1 << noiseBits
	for ; x > step; x -= step {
		n = n.grown(step)
	}
	for ; x < -step; x += step {
		n = n.grown(-step)
	}
	hi, lo := bits.Mul64(n.coef, exponential(x))
	return normal(hi<<4|lo>>60, n.exp)
}

// magnitude is the exponent of the first digit: 0 for 1 to 9.99.
func (n number) magnitude() int { return n.exp + 17 }

// units counts multiples of 10^-places in the number, rounded down, or up if up is set.
func (n number) units(places int, up bool) uint64 {
	coef, exp := n.coef, n.exp+places
	for ; exp > 0; exp-- {
		coef *= 10
	}
	cut := uint64(1)
	for ; exp < 0 && cut <= coef; exp++ {
		cut *= 10
	}
	if up && coef%cut != 0 {
		return coef/cut + 1
	}
	return coef / cut
}

// amount returns the number to so many significant digits, truncated.
func (n number) amount(digits int) decimal.Decimal {
	places := max(0, digits-1-n.magnitude())
	return exact(n.units(places, false), places)
}

// exponential returns e^x in 2^-60, for x in 2^-noiseBits and |x| < 2.
func exponential(x int64) uint64 {
	const ln2 = 799_144_290_325_165_979 // in 2^-60
	x <<= 60 - noiseBits
	twos := x / ln2
	if x%ln2 < 0 {
		twos--
	}
	r := uint64(x - twos*ln2) //nolint:gosec // 0 ≤ r < ln 2
	sum := uint64(1) << 60
	for k := uint64(17); k > 0; k-- { // 1 + r/1 (1 + r/2 (1 + …)); the error after 17 terms is below 2^-60
		hi, lo := bits.Mul64(sum, r)
		sum = 1<<60 + (hi<<4|lo>>60)/k
	}
	if twos < 0 {
		return sum >> -twos
	}
	return sum << twos
}

// exact returns units × 10^-places.
func exact(units uint64, places int) decimal.Decimal {
	return decimal.NewFromUint64(units).Shift(-int32(places)) //nolint:gosec // few places
}

// Padded returns a number with its own decimal places, or with zeros up to the given ones.
func Padded(d decimal.Decimal, places int32) string { return d.StringFixed(max(places, -d.Exponent())) }
