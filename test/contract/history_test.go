package contract_test

import (
	"testing"
	"time"

	"github.com/shopspring/decimal"
)

type history struct {
	ID, Period string
	Points     []struct {
		At    time.Time
		Price string
	}
}

// TestHistory_AtStart checks that a sandbox that has just been started has a past.
func TestHistory_AtStart(t *testing.T) {
	t.Parallel()
	for period, back := range map[string]time.Duration{"1d": 24 * time.Hour, "7d": 7 * 24 * time.Hour, "30d": 30 * 24 * time.Hour} {
		for _, id := range []string{"BTCNGN", "usdtngn", "BTCUSD"} {
			h := data[history](t, get(t, "/v1/pairs/"+id+"/history?period="+period))
			n := len(h.Points)
			if h.Period != period || n < 80 || n > 300 {
				t.Fatalf("%s over %s: %d points of %s", id, h.Period, n, h.ID)
			}
			first, last, every := h.Points[0].At, h.Points[n-1].At, h.Points[1].At.Sub(h.Points[0].At)
			for i, p := range h.Points {
				if !p.At.Equal(first.Add(time.Duration(i) * every)) {
					t.Errorf("%s over %s: point %d is at %s, not evenly spaced", id, period, i, p.At)
				}
				if !number(t, id, p.Price, "40").IsPositive() {
					t.Errorf("%s over %s: point %d is %s", id, period, i, p.Price)
				}
			}
			if age := time.Since(last); age < 0 || age > every+time.Minute || last.Sub(first)+every != back {
				t.Errorf("%s over %s: from %s to %s", id, period, first, last)
			}
			if _, now := explained(t, h.ID); !within(number(t, id, h.Points[n-1].Price, "40"), decimal.RequireFromString(now.Mid), 10) {
				t.Errorf("%s over %s: ends at %s, and the price is %s", id, period, h.Points[n-1].Price, now.Mid)
			}
		}
	}
	if h := data[history](t, get(t, "/v1/pairs/BTCNGN/history")); h.Period != "1d" {
		t.Errorf("without a period: %s", h.Period)
	}
}

// within reports whether two prices differ by at most so many per cent.
func within(a, b decimal.Decimal, percent int64) bool {
	return a.Sub(b).Abs().Shift(2).LessThanOrEqual(b.Mul(decimal.NewFromInt(percent)))
}
