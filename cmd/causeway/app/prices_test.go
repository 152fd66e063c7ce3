package app

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/shopspring/decimal"

	"causeway/core/pairs"
	"causeway/simulator"
)

// along checks that a pair is fresh and priced by a route of so many markets.
func (mf *marketFixture) along(t *testing.T, id string, legs int) *pairs.Quote {
	t.Helper()
	q := mf.want(t, id, pairs.Fresh, "")
	if len(q.Legs) != legs {
		t.Errorf("%s is priced by way of %d markets, want %d", id, len(q.Legs), legs)
	}
	return q
}

// near checks that two prices differ by less than a part of the second.
func near(t *testing.T, id string, a, b decimal.Decimal, part string) {
	t.Helper()
	if a.Sub(b).Abs().GreaterThan(b.Mul(decimal.RequireFromString(part))) {
		t.Errorf("%s: %s and %s", id, a, b)
	}
}

// TestPrices_Sandbox checks that all pairs of a sandbox are fresh without exception.
func TestPrices_Sandbox(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		mf := newMarketFixture(t, "causeway")
		mf.Subscribe(func(s *pairs.Snapshot) {
			for _, q := range s.Quotes {
				if q.Status != pairs.Fresh || q.Reason != "" {
					t.Errorf("%s: %s is %s %q", s.At, q.ID, q.Status, q.Reason)
				}
			}
		})
		mf.run(t, 2*time.Minute, pollStep, nil)
		if n := mf.count()[pairs.Fresh]; n != len(mf.catalog.Listings) {
			t.Errorf("%d of %d pairs are fresh", n, len(mf.catalog.Listings))
		}
		if got := mf.Stats(); got.Kept != 0 || len(got.Refused) != 0 {
			t.Errorf("prices were withheld: %+v", got)
		}
	})
}

// TestPrices_Fallback checks that a pair whose direct market lacks votes is priced by way of another currency.
func TestPrices_Fallback(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]func(*testing.T, *marketFixture){
		"a market loses a dealer": func(t *testing.T, mf *marketFixture) {
			if rate := mf.along(t, "BTCNGN", 1).Legs[0].Rate; len(rate.Used) != 2 || rate.Quorum != 2 || rate.Class != "dealer" {
				t.Errorf("%d votes of a quorum of %d, class %s", len(rate.Used), rate.Quorum, rate.Class)
			}
			mf.set(t, "BTC/NGN", venuesWith(simulator.VenueSetting{State: simulator.VenueAbsent}, "quidax"))
			mf.run(t, 130*time.Second, pollStep, nil) // the last vote counts for two minutes
			cross := mf.along(t, "BTCNGN", 2)
			near(t, "BTCNGN", cross.Mid, mf.Snapshot().Quote("BTCUSDT").Mid.Mul(mf.Snapshot().Quote("USDTNGN").Mid), "0.000001")
			mf.lift(t, "BTC/NGN")
			mf.run(t, 10*time.Second, pollStep, nil)
			near(t, "BTCNGN", mf.along(t, "BTCNGN", 1).Mid, cross.Mid, "0.01")
		},
		"dollar markets lose a venue": func(t *testing.T, mf *marketFixture) {
			mf.along(t, "BTCUSD", 1)
			mf.along(t, "SOLUSD", 1)
			mf.addFault(t, "coinbase", simulator.Effect{Kind: simulator.FaultRefuse})
			mf.run(t, 130*time.Second, pollStep, nil)
			for id, legs := range map[string]int{
				"BTCUSD": 2, "ETHUSD": 2, "SOLUSD": 2, "ADAUSD": 2, "BTCGBP": 2, "BTCKES": 2, "DAIUSD": 2, "USDCUSD": 1, "USDTEUR": 1,
			} {
				mf.along(t, id, legs)
			}
			near(t, "BTCGBP", mf.Snapshot().Quote("BTCGBP").Mid, mf.Snapshot().Quote("BTCUSD").Mid.Div(mf.Snapshot().Quote("GBPUSD").Mid), "0.02")
			mf.want(t, "GBPNGN", pairs.Halted, pairs.NoQuorum) // no third family and no other route
		},
		"the only venue is wrong": func(t *testing.T, mf *marketFixture) {
			before := mf.along(t, "EURUSD", 1)
			mf.set(t, "EUR/USD", venuesWith(simulator.VenueSetting{OffsetBPS: 500}, "kraken")) // less than a jump
			mf.run(t, time.Minute, pollStep, nil)
			near(t, "EURUSD", mf.along(t, "EURUSD", 2).Mid, before.Mid, "0.005")
			if leg := mf.along(t, "EURKES", 2).Legs[0].Rate; leg.Pair.String() != "USD/EUR" || leg.Class != "official" {
				t.Errorf("EURKES is priced by way of %s of class %s", leg.Pair, leg.Class)
			}
			mf.along(t, "GBPUSD", 1)
			mf.along(t, "BTCEUR", 1)
			if got := mf.Stats(); got.Kept != 0 {
				t.Errorf("%d snapshots were withheld", got.Kept)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				mf := newMarketFixture(t, "causeway")
				mf.run(t, 20*time.Second, pollStep, nil)
				test(t, mf)
			})
		})
	}
}
