package history_test

import (
	"testing"
	"time"

	"github.com/shopspring/decimal"

	"causeway/adapters/history"
	"causeway/core"
	"causeway/ports"
	"causeway/ports/porttest"
)

func TestMemory(t *testing.T) {
	t.Parallel()
	porttest.RateHistory(t, porttest.History{Open: func(*testing.T) ports.RateHistory { return history.New(nil) }})
}

func TestABackfillAnswersForWhatWasNeverRecorded(t *testing.T) {
	t.Parallel()
	midnight := time.Date(2026, 11, 16, 0, 0, 0, 0, time.UTC)
	btc, unknown := core.Pair{Base: "BTC", Counter: "USD"}, core.Pair{Base: "X", Counter: "USD"}
	m := history.New(func(p core.Pair, at time.Time) (decimal.Decimal, bool) {
		return decimal.New(int64(at.Sub(midnight)/time.Minute), 0), p == btc
	})
	if err := m.Record(t.Context(), midnight.Add(7*time.Minute), []core.PairMid{{Pair: btc, Mid: decimal.New(99, 0)}}); err != nil {
		t.Fatal(err)
	}
	got, err := m.Read(t.Context(), btc, midnight, 5*time.Minute, 3)
	if err != nil || len(got) != 3 {
		t.Fatalf("got %v, %v", got, err)
	}
	for i, want := range []int64{0, 99, 10} { // what was recorded comes before what was made up
		if !got[i].Mid.Equal(decimal.New(want, 0)) {
			t.Errorf("point %d is %s, want %d", i, got[i].Mid, want)
		}
	}
	if got, err := m.Read(t.Context(), unknown, midnight, 5*time.Minute, 3); err != nil || len(got) != 0 {
		t.Errorf("got %v, %v for what it does not know", got, err)
	}
}
