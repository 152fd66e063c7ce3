package app

import (
	"testing"
	"time"

	"github.com/shopspring/decimal"

	"causeway/config"
	"causeway/core"
	"causeway/simulator"
)

// Every listed pair of a new sandbox has prices of a day and a month ago.
func TestSimulatedPast(t *testing.T) {
	t.Parallel()
	catalog, err := config.LoadCatalog()
	if err != nil {
		t.Fatal(err)
	}
	now := time.Date(2026, 11, 16, 12, 0, 0, 0, time.UTC)
	world, err := simulator.New(simulator.Config{Seed: "past"}, func() time.Time { return now }, nil)
	if err != nil {
		t.Fatal(err)
	}
	past := simulatedPast(world, catalog)
	for _, l := range catalog.Listings {
		today, known := past(l.Pair, now)
		if !known {
			t.Errorf("%s has no price now", l.Pair)
			continue
		}
		for _, age := range []time.Duration{24 * time.Hour, 30 * 24 * time.Hour} {
			before, known := past(l.Pair, now.Add(-age))
			if !known || before.Div(today).Sub(decimal.New(1, 0)).Abs().GreaterThan(decimal.New(5, -1)) {
				t.Errorf("%s was %s %s ago, and is %s", l.Pair, before, age, today)
			}
		}
		if _, known := past(l.Pair, now.Add(time.Second)); known {
			t.Errorf("%s: the future is known", l.Pair)
		}
	}
	direct, _ := past(core.Pair{Base: "EUR", Counter: "XOF"}, now)
	if !direct.Equal(decimal.RequireFromString("655.957")) {
		t.Errorf("a treaty's rate was %s", direct)
	}
	if _, known := past(core.Pair{Base: "XOF", Counter: "BTC"}, now); known {
		t.Error("a pair that is not on offer has a past")
	}
}
