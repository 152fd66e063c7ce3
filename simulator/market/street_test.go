package market_test

import (
	"math"
	"testing"
	"time"

	"causeway/simulator/market"
)

// TestMarket_StreetVenues: whatever each takes for itself, both are around the same price.
func TestMarket_StreetVenues(t *testing.T) {
	t.Parallel()
	m := newMarket(t, "street")
	for hour := range 24 * 30 {
		at := noon.Add(time.Duration(hour) * 61 * time.Minute)
		for venue, c := range map[string]struct {
			pair      string
			low, high float64 // of the spread, in per cent
		}{
			market.Quidax: {"USDT/NGN", 0.1, 0.3},
			market.Busha:  {"USDT/NGN", 1.1, 1.3},
		} {
			b, ok := m.Book(venue, pairOf(c.pair), at)
			if !ok {
				t.Fatalf("%s has no book of %s", venue, c.pair)
			}
			mid := (float(t, b.Bid) + float(t, b.Ask)) / 2
			if spread := 100 * (float(t, b.Ask) - float(t, b.Bid)) / mid; spread < c.low || spread > c.high {
				t.Errorf("%s at %s: the spread is %.3f %%", venue, at, spread)
			}
			if off := math.Abs(mid/reference(t, m, pairOf(c.pair), at) - 1); off > 0.002 {
				t.Errorf("%s at %s: %.3f %% off the reference", venue, at, 100*off)
			}
		}
	}
}

// TestMarket_Aggregate: its naira differs from the naira of the street.
func TestMarket_Aggregate(t *testing.T) {
	t.Parallel()
	m := newMarket(t, "causeway")
	dollars, _ := m.Aggregate(pairOf("USDT/USD"), noon)
	if off := float(t, dollars)/reference(t, m, pairOf("USDT/USD"), noon) - 1; math.Abs(off) > 1e-9 {
		t.Errorf("USDT/USD is %.9f off", off)
	}
	naira, _ := m.Aggregate(pairOf("USDT/NGN"), noon)
	if off := float(t, naira)/(float(t, dollars)*official(t, m, "USD/NGN", noon)) - 1; math.Abs(off) > 1e-8 {
		t.Errorf("USDT/NGN is %.9f off the official rate", off)
	}
	if premium := reference(t, m, pairOf("USDT/NGN"), noon)/float(t, naira) - 1; premium < 0.005 || premium > 0.015 {
		t.Errorf("the street is %.3f %% above it, want 0.5 to 1.5", 100*premium)
	}
	bitcoins, _ := m.Aggregate(pairOf("ETH/BTC"), noon)
	if off := float(t, bitcoins)/reference(t, m, pairOf("ETH/BTC"), noon) - 1; math.Abs(off) > 1e-9 {
		t.Errorf("ETH/BTC is %.9f off", off)
	}
	for _, pair := range []string{"USD/NGN", "NOPE/USD", "BTC/NOPE", "EUR/USD"} {
		if price, ok := m.Aggregate(pairOf(pair), noon); ok {
			t.Errorf("%s has the price %s", pair, price)
		}
	}
}
