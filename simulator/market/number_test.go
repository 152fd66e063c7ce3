package market_test

import (
	"math"
	"testing"

	"github.com/shopspring/decimal"
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

func TestPadded(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{"67989.1": "67989.10", "0.00000631": "0.00000631", "0": "0.00", "12": "12.00"} {
		if got := market.Padded(decimal.RequireFromString(text), 2); got != want {
			t.Errorf("%s: got %s, want %s", text, got, want)
		}
	}
}
