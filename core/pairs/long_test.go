package pairs_test

import (
	"math/big"
	"testing"

	"github.com/shopspring/decimal"
	"pgregory.net/rapid"

	"causeway/core/pairs"
)

// drawLong draws a number above zero of up to so many digits, and from low to high of them before the point; every third is a power of ten
// or next to one.
func drawLong(t *rapid.T, label string, digits int, low, high int32) decimal.Decimal {
	n := rapid.IntRange(1, digits).Draw(t, label+" digits")
	most := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(n)), nil)
	c := new(big.Int)
	for range 3 {
		c.Or(c.Lsh(c, 64), new(big.Int).SetUint64(rapid.Uint64().Draw(t, label)))
	}
	switch c.Mod(c, most); rapid.IntRange(0, 5).Draw(t, label+" kind") {
	case 0:
		c.Sub(most, big.NewInt(1))
	case 1:
		c.Quo(most, big.NewInt(10))
	}
	if c.Sign() == 0 {
		c.SetInt64(1)
	}
	d := decimal.NewFromBigInt(c, 0)
	return d.Shift(rapid.Int32Range(low, high).Draw(t, label+" magnitude") - magnitudeOf(d))
}

// magnitudeOf is the number of digits before the point.
func magnitudeOf(d decimal.Decimal) int32 { return int32(d.NumDigits()) + d.Exponent() }

// TestPricesAreThoseOfDecimals holds prices and their precision against the decimals', for middle prices of one market and of two, which have
// up to 35 digits.
func TestPricesAreThoseOfDecimals(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		mid, doubt := drawLong(t, "mid", 38, -9, 9), drawLong(t, "doubt", 14, -14, 6)
		bps, one := rapid.Int64Range(0, 9999).Draw(t, "margin"), decimal.New(1, 0)
		own := rapid.Int32Range(0, 4).Draw(t, "own")
		margin := decimal.New(bps, -4)
		high, low := mid.Mul(one.Add(margin)).Add(doubt), mid.Mul(one.Sub(margin)).Sub(doubt)

		shows := func(d decimal.Decimal) int32 { return max(min(6-magnitudeOf(d), 18), own) }
		sofar := max(0, shows(low)+rapid.Int32Range(-2, 2).Draw(t, "so far"))
		places := max(sofar, own)
		if low.IsPositive() {
			if places = shows(low); places < sofar {
				places = min(sofar, shows(low.Mul(decimal.New(5, -1))))
			}
		}
		buy, sell, got := pairs.Arithmetic{}.Ends(sofar, own, mid, bps, doubt)
		if got != places || !buy.Equal(high.RoundCeil(places)) || !sell.Equal(low.RoundFloor(places)) {
			t.Errorf("mid %s, margin %s, confidence %s: got %s and %s with %d places, want %s and %s with %d",
				mid, margin, doubt, buy, sell, got, high.RoundCeil(places), low.RoundFloor(places), places)
		}
	})
}

// TestAmountsAreThoseOfDecimals holds what limits and confidences are rounded to against the decimals'.
func TestAmountsAreThoseOfDecimals(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		var exact pairs.Arithmetic
		notional, worth := drawLong(t, "notional", 6, 1, 6), drawLong(t, "worth", 36, -8, 8)
		decimals := rapid.Int32Range(0, 18).Draw(t, "decimals")
		for _, up := range []bool{true, false} {
			places := min(decimals, 3-(magnitudeOf(notional)-magnitudeOf(worth)))
			want := exact.FloorQuotient(notional, worth, places)
			if up {
				want = exact.CeilQuotient(notional, worth, places)
			}
			if steady := min(decimals, 2-magnitudeOf(want)); up {
				want = want.RoundCeil(steady)
			} else {
				want = want.RoundFloor(steady)
			}
			if got := exact.Steady(notional, worth, decimals, up); !got.Equal(want) {
				t.Errorf("%s USD at %s, up %t, %d decimals: got %s, want %s", notional, worth, up, decimals, got, want)
			}
		}

		a, b := drawLong(t, "a", 36, -9, 9), drawLong(t, "b", 20, -9, 9)
		want := a.Mul(b)
		if want.NumDigits() > 12 {
			want = want.RoundCeil(12 - magnitudeOf(want))
		}
		if got := exact.UpTo12(a, b); !got.Equal(want) {
			t.Errorf("%s × %s to 12 digits: got %s, want %s", a, b, got, want)
		}
		if got, want := exact.Wide(a, b, decimal.New(5, -2)), b.GreaterThan(a.Mul(decimal.New(5, -2))); got != want {
			t.Errorf("a confidence of %s in a price of %s is too wide: got %t, want %t", b, a, got, want)
		}
		other := a.Add(a.Mul(decimal.New(rapid.Int64Range(-12, 12).Draw(t, "change"), -4)))
		if got, want := exact.Differs(a, other), other.Sub(a).Abs().Mul(decimal.New(2000, 0)).GreaterThanOrEqual(a); got != want {
			t.Errorf("from %s to %s is 0.05 %% or more: got %t, want %t", a, other, got, want)
		}
	})
}
