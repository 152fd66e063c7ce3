package app

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/shopspring/decimal"
	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"
	"go.uber.org/zap/zaptest/observer"

	"causeway/config"
	"causeway/core"
	"causeway/ports"
	"causeway/simulator"
)

// TestNewHistory_PostgreSQLDown: old prices for charts are no reason to keep banks, accounts and prices from anybody.
func TestNewHistory_PostgreSQLDown(t *testing.T) {
	t.Parallel()
	env := []string{"CAUSEWAY_MODE=production", "CAUSEWAY_OPEN_EXCHANGE_RATES__APP_ID=x", "CAUSEWAY_PAYSTACK__KEYS__NG=x", "CAUSEWAY_AUTH__RESOLUTION=open"}
	reg := prometheus.NewRegistry()
	logs, seen := observer.New(zapcore.ErrorLevel)
	kept, run, err := newHistory(settings(t, append(env, "CAUSEWAY_STORAGE__URL=postgres://u:planted@127.0.0.1:1/x")...), zap.New(logs), reg)
	if err != nil || kept == nil || run == nil {
		t.Fatalf("got %v, %v", kept, err)
	}
	if lines := seen.All(); reading(t, reg, "causeway_history_failures_total", "") != 1 || len(lines) != 1 || strings.Contains(fmt.Sprint(lines[0].ContextMap()), "planted") {
		t.Errorf("told %v", lines)
	}
	over, end := context.WithCancel(t.Context())
	end()
	run(over) // closes what is open
	if _, _, err := newHistory(settings(t, append(env, "CAUSEWAY_STORAGE__URL=mysql://u:planted@127.0.0.1/x")...), zap.NewNop(), prometheus.NewRegistry()); err == nil {
		t.Error("an address that is none is taken")
	}
}

// TestSimulatedPast checks that every pair on offer has a price of a day, and of a month, before the first second, near that of now.
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

// A production process finds what an earlier one recorded in state.dir; a sandbox keeps nothing there.
func TestHistorySurvivesInTheStateDirectory(t *testing.T) {
	t.Parallel()
	cfg := config.Default()
	cfg.Mode, cfg.State.Dir = config.Production, t.TempDir()
	pair, at := core.Pair{Base: "BTC", Counter: "USD"}, time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
	open := func(cfg config.Config) (ports.RateHistory, func()) {
		past, keep, err := newHistory(cfg, zap.NewNop(), nil)
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan struct{})
		go func() { defer close(done); keep(ctx) }()
		return past, func() { cancel(); <-done }
	}
	first, end := open(cfg)
	if err := first.Record(t.Context(), at, []core.PairMid{{Pair: pair, Mid: decimal.New(50_000, 0)}}); err != nil {
		t.Fatal(err)
	}
	end()
	second, end := open(cfg)
	defer end()
	if got, err := second.Read(t.Context(), pair, at, ports.FineStep, 1); err != nil || len(got) != 1 || !got[0].Mid.Equal(decimal.New(50_000, 0)) {
		t.Errorf("after a restart: %v, %v", got, err)
	}
	cfg.Mode = config.Sandbox
	sandbox, end := open(cfg)
	defer end()
	if got, err := sandbox.Read(t.Context(), pair, at, ports.FineStep, 1); err != nil || len(got) != 0 {
		t.Errorf("a sandbox knows %v, %v", got, err)
	}
}
