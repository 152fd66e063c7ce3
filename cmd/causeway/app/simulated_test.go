package app

import (
	"testing"
	"time"

	"causeway/core"
	"causeway/simulator/world"
)

// TestSimulatedPast checks that every listed pair of a new sandbox has prices of a day and a month
// ago, and none of the future.
func TestSimulatedPast(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 16, 12, 0, 0, 0, time.UTC)
	w, err := world.New(world.RegistryConfig{Clock: func() time.Time { return now }, Default: world.Options{Seed: "past"}})
	if err != nil {
		t.Fatal(err)
	}
	past := simulatedPast(w)
	for _, l := range loadCatalog(t).Listings {
		today, known := past(l.Pair, now)
		if !known {
			t.Errorf("%s has no price now", l.Pair)
			continue
		}
		for _, age := range []time.Duration{24 * time.Hour, 30 * 24 * time.Hour} {
			before, known := past(l.Pair, now.Add(-age))
			if !known || before.Div(today).Sub(dec("1")).Abs().GreaterThan(dec("0.5")) {
				t.Errorf("%s was %s %s ago, and is %s", l.Pair, before, age, today)
			}
		}
		if _, known := past(l.Pair, now.Add(time.Second)); known {
			t.Errorf("%s: the future is known", l.Pair)
		}
	}
	if rate, _ := past(core.Pair{Base: "EUR", Counter: "XOF"}, now); !rate.Round(3).Equal(dec("655.957")) {
		t.Errorf("a treaty's rate was %s", rate)
	}
}
