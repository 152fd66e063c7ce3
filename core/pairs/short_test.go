package pairs_test

import (
	"math/big"
	"testing"

	"github.com/shopspring/decimal"
	"pgregory.net/rapid"

	"causeway/core/pairs"
)

// drawNumber draws one of up to 22 digits, so that about a fifth do not fit 64 bits; often it is at the edge of that, round, or small.
func drawNumber(t *rapid.T, label string, positive bool) decimal.Decimal {
	digits := rapid.IntRange(1, 22).Draw(t, label+" digits")
	most := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(digits)), nil)
	c := new(big.Int).SetUint64(rapid.Uint64().Draw(t, label+" low"))
	c.Mul(c, new(big.Int).SetUint64(rapid.Uint64().Draw(t, label+" high"))).Mod(c, most)
	switch rapid.IntRange(0, 4).Draw(t, label+" kind") {
	case 0:
		c.Sub(most, big.NewInt(1))
	case 1:
		c.Quo(most, big.NewInt(10))
	}
	if c.Sign() == 0 {
		c.SetInt64(1)
	}
	if !positive && rapid.Bool().Draw(t, label+" negative") {
		c.Neg(c)
	}
	return decimal.NewFromBigInt(c, rapid.Int32Range(-20, 12).Draw(t, label+" exponent"))
}

// TestShortArithmeticIsThatOfDecimals holds every operation that is done in 64 bits where the numbers fit against the decimals'.
func TestShortArithmeticIsThatOfDecimals(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		a, b, c := drawNumber(t, "a", false), drawNumber(t, "b", false), drawNumber(t, "c", false)
		places := rapid.Int32Range(-4, 18).Draw(t, "places")
		var short pairs.Arithmetic
		if got, want := short.Compare(a, b), a.Cmp(b); got != want {
			t.Errorf("compare %s with %s: got %d, want %d", a, b, got, want)
		}
		for what, pair := range map[string][2]decimal.Decimal{
			"plus":          {short.Plus(a, b), a.Add(b)},
			"times":         {short.Times(a, b), a.Mul(b)},
			"spread up":     {short.Spread(a, b, 1, c), a.Mul(b).Add(c)},
			"spread down":   {short.Spread(a, b, -1, c), a.Mul(b).Sub(c)},
			"ceil":          {short.Ceil(a, places), a.RoundCeil(places)},
			"floor":         {short.Floor(a, places), a.RoundFloor(places)},
			"ceil product":  {short.CeilProduct(a, b, places), a.Mul(b).RoundCeil(places)},
			"floor product": {short.FloorProduct(a, b, places), a.Mul(b).RoundFloor(places)},
		} {
			if !pair[0].Equal(pair[1]) {
				t.Errorf("%s of %s, %s, %s to %d places: got %s, want %s", what, a, b, c, places, pair[0], pair[1])
			}
		}
	})
}

// TestShortQuotientsAreExact holds quotients and changes in per cent against fractions.
func TestShortQuotientsAreExact(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		a, b := drawNumber(t, "a", true), drawNumber(t, "b", true)
		places := rapid.Int32Range(-4, 18).Draw(t, "places")
		var short pairs.Arithmetic
		up, down := short.CeilQuotient(a, b, places), short.FloorQuotient(a, b, places)
		quotient, tick := new(big.Rat).Quo(a.Rat(), b.Rat()), decimal.New(1, -places)
		for what, off := range map[string]*big.Rat{
			"up": new(big.Rat).Sub(up.Rat(), quotient), "down": new(big.Rat).Sub(quotient, down.Rat()),
		} {
			if off.Sign() < 0 || off.Cmp(tick.Rat()) >= 0 {
				t.Errorf("%s/%s %s to %d places: off by %s", a, b, what, places, off.FloatString(24))
			}
		}
		if got, want := short.Percentage(a, b), b.Sub(a).Shift(2).DivRound(a, 2); !got.Equal(want) {
			t.Errorf("from %s to %s: got %s per cent, want %s", a, b, got, want)
		}
	})
}

func TestShortQuotientsAtTheirEdges(t *testing.T) {
	t.Parallel()
	var short pairs.Arithmetic
	for _, c := range []struct {
		what string
		got  decimal.Decimal
		want string
	}{
		{"a rest of one", short.CeilQuotient(dec("10"), dec("3"), 0), "4"},
		{"no rest", short.CeilQuotient(dec("12"), dec("3"), 0), "4"},
		{"a rest of one, down", short.FloorQuotient(dec("10"), dec("3"), 0), "3"},
		{"half a hundredth up", short.Percentage(dec("200"), dec("200.01")), "0.01"},
		{"half a hundredth down", short.Percentage(dec("200"), dec("199.99")), "-0.01"},
		{"below half a hundredth", short.Percentage(dec("200"), dec("200.0099999")), "0"},
		{"nothing", short.Percentage(dec("200"), dec("200.000")), "0"},
		{"from next to nothing", short.Percentage(dec("0.000000000000000001"), dec("999999")), "99999899999999999999999900"},
	} {
		same(t, c.what, c.got, c.want)
	}
}
