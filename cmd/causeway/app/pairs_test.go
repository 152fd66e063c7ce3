package app

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/shopspring/decimal"

	"causeway/core/pairs"
)

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
		mf := newMarketFixture(t)
		mf.Subscribe(func(s *pairs.Snapshot) {
			for _, q := range s.Quotes {
				if q.Status != pairs.Fresh || q.Reason != "" {
					t.Errorf("%s: %s is %s %q", s.At, q.ID, q.Status, q.Reason)
				}
			}
		})
		mf.run(t, 14*time.Second, pollStep, nil)
		if n := len(mf.Snapshot().Quotes); n != len(mf.catalog.Listings) {
			t.Errorf("%d of %d pairs have prices", n, len(mf.catalog.Listings))
		}
		if got := mf.Stats(); got.Cycles != 0 || got.Refused != 0 {
			t.Errorf("prices were withheld: %+v", got)
		}
	})
}
