package app

import (
	"context"
	"slices"
	"testing"
	"time"

	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"
	"go.uber.org/zap/zaptest/observer"

	"causeway/adapters/providers/coingecko"
	"causeway/config"
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

func (s slowly) MinInterval(markets int) time.Duration { return s.least * time.Duration(markets) }

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
	catalog := FitLimits(core.PriceCatalog{Sources: rows, Markets: markets}, []ports.RateSource{
		free{},
		slowly{"often", 2 * time.Minute},
		slowly{"fits", time.Minute},
	}, zap.New(seen))
	for i, want := range []time.Duration{time.Second, time.Minute, 4 * time.Minute, time.Hour} {
		if interval := catalog.Sources[i].Interval; interval != want {
			t.Errorf("%s is polled every %s, want %s", rows[i].Name, interval, want)
		}
	}
	if rows[2].Interval != time.Minute {
		t.Error("the catalog's own row was changed")
	}
	if logs.Len() != 1 || logs.All()[0].ContextMap()["source"] != "often" {
		t.Errorf("told %v, want one line about the source that is asked less often", logs.All())
	}
}

// TestFitLimits_CoinGecko checks that prices of CoinGecko, which are up to a minute old, may be used until the next poll,
// with the demo plan and without a key.
func TestFitLimits_CoinGecko(t *testing.T) {
	t.Parallel()
	const update, latency = time.Minute, 10 * time.Second
	catalog, err := config.Default().LoadCatalog()
	if err != nil {
		t.Fatal(err)
	}
	for key, want := range map[string]time.Duration{"": time.Minute, "CG-demo": 324 * time.Second} {
		cfg := settings(t, productionEnv("CAUSEWAY_COINGECKO__API_KEY="+key)...)
		w, err := NewWorldServices(cfg, catalog, NewEnvironment(nil), Shared{}) // fails if prices could not be used in time
		if err != nil {
			t.Fatalf("key %t: %v", key != "", err)
		}
		rows := FitLimits(catalog.PriceCatalog, w.Providers.Sources, zap.NewNop()).Sources
		row := rows[slices.IndexFunc(rows, func(s core.Source) bool { return s.Name == coingecko.Name })]
		if row.Interval < want || row.Interval > want+want/20 || row.MaxAge < row.Interval+update+latency {
			t.Errorf("key %t: polled every %s for prices of up to %s, want every %s", key != "", row.Interval, row.MaxAge, want)
		}
	}
}
