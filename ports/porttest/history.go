package porttest

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/shopspring/decimal"

	"causeway/core"
	"causeway/ports"
)

// History holds the inputs of the suite of ports.RateHistory.
type History struct {
	// Open opens an empty history.
	Open func(t *testing.T) ports.RateHistory
}

// historyTest is a history under test.
type historyTest struct {
	ports.RateHistory
	t *testing.T
}

func historyPair() core.Pair { return core.Pair{Base: "BTC", Counter: "NGN"} }
func monday() time.Time      { return time.Date(2026, 11, 16, 0, 0, 0, 0, time.UTC) }

// record adds a price at a time after midnight on Monday.
func (h historyTest) record(after time.Duration, mid string) {
	h.t.Helper()
	mids := []core.PairMid{{Pair: historyPair(), Mid: decimal.RequireFromString(mid)}}
	if err := h.Record(h.t.Context(), monday().Add(after), mids); err != nil {
		h.t.Fatal(err)
	}
}

// want checks the prices of intervals from a time after midnight on Monday; "" means no price.
func (h historyTest) want(after, every time.Duration, mids ...string) {
	h.t.Helper()
	got, err := h.Read(h.t.Context(), historyPair(), monday().Add(after), every, len(mids))
	if err != nil {
		h.t.Fatal(err)
	}
	var want []core.PricePoint
	for i, mid := range mids {
		if mid != "" {
			want = append(want, core.PricePoint{
				At:  monday().Add(after + time.Duration(i)*every),
				Mid: decimal.RequireFromString(mid),
			})
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		h.t.Errorf("from %s every %s (-want +got):\n%s", after, every, diff)
	}
}

const day = 24 * time.Hour

// historyChecks are the subtests of the suite.
var historyChecks = map[string]func(historyTest){
	"first price of an interval": func(h historyTest) {
		h.record(7*time.Minute, "1")
		h.record(9*time.Minute, "2")
		h.record(10*time.Minute, "3")
		h.want(0, 5*time.Minute, "", "1", "3", "")
	},
	"intervals without a price": func(h historyTest) {
		h.record(0, "1")
		h.record(20*time.Minute, "2")
		h.want(0, 5*time.Minute, "1", "", "", "", "2")
		h.want(5*time.Minute, 5*time.Minute, "", "")
	},
	"multiples of the fine step": func(h historyTest) {
		for i := range 13 {
			h.record(time.Duration(i)*5*time.Minute, decimal.New(int64(i+1), 0).String())
		}
		h.want(0, 15*time.Minute, "1", "4", "7", "10", "13")
	},
	"fine span": func(h historyTest) {
		h.record(5*time.Minute, "1")
		h.record(5*time.Minute+day+50*time.Minute, "2")
		h.want(5*time.Minute, day+50*time.Minute, "1", "2")
	},
	"coarse span": func(h historyTest) {
		h.record(time.Hour, "1")
		h.record(3*time.Hour, "2")
		h.record(30*day, "3")
		h.want(0, 2*time.Hour, "1", "2", "")
		h.want(0, 30*day, "1", "3")
	},
	"before the coarse span": func(h historyTest) {
		h.record(0, "1")
		h.record(40*day, "2")
		h.want(40*day-5*time.Minute, 5*time.Minute, "", "2")
		h.want(9*day, 5*time.Minute, "")
	},
	"clock that was ahead": func(h historyTest) {
		h.record(0, "1")
		h.record(400*day, "9")
		h.record(5*time.Minute, "2")
		h.want(0, 5*time.Minute, "1", "2", "")
	},
	"17 significant digits": func(h historyTest) {
		h.record(0, "0.00012345678901234567")
		h.record(5*time.Minute, "12345678901234567000")
		h.want(0, 5*time.Minute, "0.00012345678901234567", "12345678901234567000")
		h.record(10*time.Minute, "0.3333333333333333333333333333333333")
		got, err := h.Read(h.t.Context(), historyPair(), monday().Add(10*time.Minute), 5*time.Minute, 1)
		third := decimal.RequireFromString("0.33333333333333333")
		if err != nil || len(got) != 1 || got[0].Mid.Sub(third).Abs().GreaterThan(decimal.New(1, -17)) {
			h.t.Errorf("got %v, %v", got, err)
		}
	},
	"unknown pair": func(h historyTest) { h.want(0, 5*time.Minute, "", "", "") },
	"concurrent use": func(h historyTest) {
		concurrently(func() {
			h.record(0, "1")
			h.want(0, 5*time.Minute, "1", "")
		})
	},
	"canceled context": func(h historyTest) {
		ctx := canceled(h.t)
		if got, err := h.Read(ctx, historyPair(), monday(), 5*time.Minute, 3); err != nil &&
			core.CodeOf(err) != core.Unavailable {
			h.t.Errorf("got %v, %v", got, err)
		}
	},
}

// RateHistory checks the contract of ports.RateHistory.
func RateHistory(t *testing.T, h History) {
	t.Helper()
	require(t, h.Open != nil, "Open")
	for name, check := range historyChecks {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			check(historyTest{h.Open(t), t})
		})
	}
}
