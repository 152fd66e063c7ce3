package market_test

import (
	"math"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"causeway/simulator/market"
)

func TestExponential(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		x := rapid.Int64Range(-2<<40+1, 2<<40-1).Draw(t, "x")
		got := float64(market.Exponential(x)) / (1 << 60)
		want := math.Exp(float64(x) / (1 << 40))
		if math.Abs(got/want-1) > 1e-12 {
			t.Fatalf("e^(%d/2^40) = %.15g, want %.15g", x, got, want)
		}
	})
}

func TestAmount_String(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		amount                  market.Amount
		text, padded8, stripped string
	}{
		{market.Amount{Units: 679891, Places: 1}, "67989.1", "67989.10000000", "67989.1"},
		{market.Amount{Units: 631, Places: 8}, "0.00000631", "0.00000631", "0.00000631"},
		{market.Amount{Units: 0, Places: 2}, "0.00", "0.00000000", "0"},
		{market.Amount{Units: 12, Places: 0}, "12", "12.00000000", "12"},
		{market.Amount{Units: 1200, Places: 2}, "12.00", "12.00000000", "12"},
		{market.Amount{Units: 5, Places: 1}, "0.5", "0.50000000", "0.5"},
	} {
		if got := c.amount.String(); got != c.text {
			t.Errorf("%+v.String() = %q, want %q", c.amount, got, c.text)
		}
		if got := c.amount.Padded(8); got != c.padded8 {
			t.Errorf("%+v.Padded(8) = %q, want %q", c.amount, got, c.padded8)
		}
		if got := c.amount.Trimmed(); got != c.stripped {
			t.Errorf("%+v.Trimmed() = %q, want %q", c.amount, got, c.stripped)
		}
	}
}

func TestAmount_Value(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		a := market.Amount{
			Units:  rapid.Uint64().Draw(t, "units"),
			Places: rapid.IntRange(0, 20).Draw(t, "places"),
		}
		digits := strings.TrimLeft(strings.ReplaceAll(a.String(), ".", ""), "0")
		if want := strings.TrimLeft(market.Amount{Units: a.Units}.String(), "0"); digits != want {
			t.Fatalf("%+v is written %s: digits %q, want %q", a, a, digits, want)
		}
		if _, fraction, _ := strings.Cut(a.String(), "."); len(fraction) != a.Places {
			t.Fatalf("%+v is written %s", a, a)
		}
		if strings.HasSuffix(a.Trimmed(), ".") || strings.Contains(a.Trimmed(), ".") && strings.HasSuffix(a.Trimmed(), "0") {
			t.Fatalf("%+v trimmed is %s", a, a.Trimmed())
		}
	})
}
