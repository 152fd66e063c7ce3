package app

import (
	"context"
	"fmt"
	"testing"
	"time"

	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"
	"go.uber.org/zap/zaptest/observer"

	"causeway/core"
	"causeway/ports"
)

// slowly is a source that can be asked once in least for each market.
type slowly struct {
	name  string
	least time.Duration
}

func (s slowly) Name() string { return s.name }

func (slowly) Observe(context.Context, []core.Pair) ([]core.Observation, error) { return nil, nil }

func (s slowly) Fits(interval time.Duration, markets int) error {
	if interval < s.least*time.Duration(markets) {
		return fmt.Errorf("%s: too often", s.name)
	}
	return nil
}

// free is a source without limits.
type free struct{ ports.RateSource }

func (free) Name() string { return "free" }

func TestFitLimits(t *testing.T) {
	t.Parallel()
	rows := []core.Source{
		{Name: "free", Interval: time.Second},
		{Name: "fits", Interval: time.Minute},
		{Name: "often", Interval: time.Minute},
		{Name: "absent", Interval: time.Hour},
	}
	markets := []core.Market{{Sources: []string{"often", "fits"}}, {Sources: []string{"often"}}}
	seen, logs := observer.New(zapcore.WarnLevel)
	got := FitLimits(rows, markets, []ports.RateSource{
		free{},
		slowly{"often", 2 * time.Minute},
		slowly{"fits", time.Minute},
	}, zap.New(seen))
	for i, want := range []time.Duration{time.Second, time.Minute, 4 * time.Minute, time.Hour} {
		if interval := got[i].Interval; interval < want || interval > want+want/50 {
			t.Errorf("%s is asked every %s, want %s", got[i].Name, interval, want)
		}
	}
	if rows[2].Interval != time.Minute {
		t.Error("the catalog's own row was changed")
	}
	if logs.Len() != 1 || logs.All()[0].ContextMap()["source"] != "often" {
		t.Errorf("told %v, want one line about the source that is asked less often", logs.All())
	}
}
