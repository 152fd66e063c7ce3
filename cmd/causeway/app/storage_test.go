package app

import (
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/shopspring/decimal"
	"go.uber.org/fx"
	"go.uber.org/fx/fxtest"
	"go.uber.org/zap"
	"go.uber.org/zap/zaptest/observer"

	"causeway/adapters/storage"
	"causeway/config"
	"causeway/core"
	"causeway/ports"
)

func production(t *testing.T, env ...string) config.Config {
	t.Helper()
	return settings(t, append(env, "CAUSEWAY_MODE=production", "CAUSEWAY_PAYSTACK__KEYS__NG=k",
		"CAUSEWAY_OPEN_EXCHANGE_RATES__APP_ID=k")...)
}

func TestStores_History(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	pair, at := core.Pair{Base: "BTC", Counter: "USD"}, time.Now().Truncate(ports.FineStep)
	for _, test := range []struct {
		mode   config.Mode
		record bool
		want   int
	}{{config.Production, true, 1}, {config.Production, false, 1}, {config.Sandbox, false, 0}} {
		cfg := config.Default()
		cfg.Mode, cfg.State.Dir = test.mode, dir
		var history *storage.History
		app := fxtest.New(t, fx.NopLogger, fx.Supply(cfg, zap.NewNop()), stores(cfg), fx.Populate(&history),
			fx.Provide(func() prometheus.Registerer { return prometheus.NewRegistry() })).RequireStart()
		if test.record {
			if err := history.Record(t.Context(), at, []core.PairMid{{Pair: pair, Mid: decimal.New(50_000, 0)}}); err != nil {
				t.Fatal(err)
			}
		}
		history.Sync(t.Context())
		if got, err := history.Read(t.Context(), pair, at, ports.FineStep, 1); err != nil || len(got) != test.want {
			t.Errorf("%+v: got %v, %v", test, got, err)
		}
		app.RequireStop()
	}
}

func TestWarnWithoutKeys(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		cfg  config.Config
		want int
	}{
		"empty database":      {production(t, "CAUSEWAY_STATE__DIR=/nowhere"), 1},
		"static key":          {production(t, "CAUSEWAY_AUTH__KEYS=0123456789abcdef"), 0},
		"resolution is open":  {production(t, "CAUSEWAY_AUTH__RECIPIENTS=open"), 0},
		"sandbox with no key": {settings(t), 0},
	} {
		observed, logs := observer.New(zap.WarnLevel)
		warnWithoutKeys(test.cfg, storage.NewKeyRing(nil, nil, nil, nil), zap.New(observed))
		if logs.Len() != test.want {
			t.Errorf("%s: got %v", name, logs.All())
		}
	}
}
