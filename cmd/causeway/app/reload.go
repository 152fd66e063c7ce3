package app

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"os"
	"os/signal"
	"slices"
	"syscall"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"
	"go.uber.org/zap"

	"causeway/adapters/httpapi"
	"causeway/adapters/storage"
	"causeway/cmd/causeway/replicas"
	"causeway/config"
)

// reloader reads the configuration again while the process runs: keys, margins, catalog and log
// level. It checks all of it first and then applies all of it, so that a fault anywhere leaves
// everything as it was.
type reloader struct {
	home    *defaultWorld
	api     *httpapi.API
	keys    *storage.KeyRing
	prices  *replicas.Prices
	log     *zap.Logger
	reloads *prometheus.CounterVec

	cfg config.Config // in use; guarded by home.mu
}

// Outcomes of a reload.
const (
	reloadApplied  = "applied"
	reloadRejected = "rejected"
)

func newReloader(
	cfg config.Config, home *defaultWorld, api *httpapi.API, keys *storage.KeyRing, prices *replicas.Prices,
	log *zap.Logger, reg prometheus.Registerer,
) *reloader {
	return &reloader{
		home: home, api: api, keys: keys, prices: prices, log: log, cfg: cfg,
		reloads: promauto.With(reg).NewCounterVec(prometheus.CounterOpts{
			Name: "causeway_config_reloads_total",
			Help: "Reloads of the configuration (SIGHUP) by outcome: applied or rejected.",
		}, []string{"outcome"}),
	}
}

// Run reloads the configuration at every SIGHUP until ctx is done.
func (r *reloader) Run(ctx context.Context) {
	hangups := make(chan os.Signal, 1)
	signal.Notify(hangups, syscall.SIGHUP)
	defer signal.Stop(hangups)
	for {
		select {
		case <-ctx.Done():
			return
		case <-hangups:
			_ = r.reload(ctx) // the error is logged
		}
	}
}

// reload reads the configuration again and applies it.
func (r *reloader) reload(ctx context.Context) error {
	r.home.mu.Lock()
	defer r.home.mu.Unlock()
	log := r.log.Named("reload")
	next, apply, err := r.plan()
	if err != nil {
		r.reloads.WithLabelValues(reloadRejected).Inc()
		log.Error("configuration not reloaded; the one before stays in use", zap.Error(err))
		return err
	}
	changed, restart := r.cfg.Changed(next)
	catalogChanged := apply(ctx)
	r.cfg = r.cfg.Taking(next)
	warnWithoutKeys(r.cfg, r.keys, log)
	r.reloads.WithLabelValues(reloadApplied).Inc()
	log.Info("configuration reloaded", zap.Strings("changed", changed), zap.Bool("catalog_changed", catalogChanged))
	if len(restart) > 0 {
		log.Warn("changed settings that need a restart are not in use", zap.Strings("keys", restart))
	}
	return nil
}

// plan reads and checks everything. It returns a function that applies it and reports whether the
// catalog changed.
func (r *reloader) plan() (next config.Config, apply func(context.Context) bool, err error) {
	if next, err = r.cfg.Again(); err != nil {
		return next, nil, err
	}
	catalog, err := next.LoadCatalog()
	if err != nil {
		return next, nil, err
	}
	world, before := r.home.services.Load(), r.home.catalog.Load()
	var faults []error
	if !alike(catalog.Countries, before.Countries) {
		faults = append(faults, errors.New("countries.yaml changed: restart the process to use it"))
	}
	listed := catalog.With(world.Environment.Listings)
	prices, fault := world.Pairs.Plan(FitLimits(listed, world.Providers.Sources, r.log.Named("rates")))
	faults = append(faults, fault)
	institutions, fault := world.Banks.Plan(slices.Concat(catalog.Banks, world.Environment.Banks), catalog.ExcludedBanks)
	faults = append(faults, fault)
	currencies, fault := world.Addresses.Plan(catalog.Currencies)
	faults = append(faults, fault)
	if err := errors.Join(append(faults, fault)...); err != nil {
		return next, nil, err
	}
	return next, func(ctx context.Context) bool {
		_ = setLevel(r.log, next.Log.Level) // checked when it was read
		r.keys.SetStatic(next.Auth.Keys)
		if alike(catalog, *before) {
			return false
		}
		institutions()
		currencies()
		r.api.Instance().SetCurrencies(catalog.Currencies)
		world.Deposits.SetCurrencies(catalog.Currencies)
		r.prices.Apply(ctx, prices)
		r.home.catalog.Store(&catalog)
		return true
	}, nil
}

// alike reports whether two tables have the same content.
func alike(a, b any) bool {
	x, err := json.Marshal(a)
	y, fault := json.Marshal(b)
	return err == nil && fault == nil && bytes.Equal(x, y)
}
