package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"os"
	"os/signal"
	"slices"
	"sync"
	"syscall"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"
	"go.uber.org/fx"
	"go.uber.org/zap"

	"causeway/adapters/httpapi"
	"causeway/adapters/keyring"
	"causeway/config"
	"causeway/core/addresses"
	"causeway/core/banks"
)

// reloader takes over another configuration while the process runs: keys, margins, catalog and log level. All of it is read and checked
// first, and then taken, so that something wrong anywhere leaves everything as it was.
type reloader struct {
	parts reloadParts
	told  *prometheus.CounterVec

	mu      sync.Mutex // one at a time
	cfg     config.Config
	catalog config.Catalog
	whole   func(config.Catalog) config.Catalog // adds what the prices have beside the catalog; nil: nothing
}

// reloadParts are those that take something.
type reloadParts struct {
	fx.In

	Config       config.Config
	Catalog      config.Catalog
	Providers    providers
	Surroundings surroundings
	Shared       shared
	Book         *replica
	Banks        *banks.Service
	Addresses    *addresses.Service
	API          *httpapi.API
	Keys         *keyring.Ring
	Log          *zap.Logger
	Registerer   prometheus.Registerer
}

// What becomes of a reload.
const (
	reloadTaken   = "taken"
	reloadRefused = "refused"
)

func newReloader(p reloadParts) *reloader {
	r := &reloader{parts: p, cfg: p.Config, catalog: p.Catalog}
	r.told = promauto.With(p.Registerer).NewCounterVec(prometheus.CounterOpts{
		Name: "causeway_reloads_total", Help: "Configurations that were read again (SIGHUP), by outcome: taken, or refused because something in them is wrong.",
	}, []string{"outcome"})
	return r
}

// Run takes over the configuration with every SIGHUP until ctx is done. It hears the signal as soon as it is called.
func (r *reloader) Run(ctx context.Context) {
	hangups := make(chan os.Signal, 1)
	signal.Notify(hangups, syscall.SIGHUP)
	defer signal.Stop(hangups)
	for {
		select {
		case <-ctx.Done():
			return
		case <-hangups:
			_ = r.reload(ctx) // it is in the log
		}
	}
}

// reload reads the configuration once more, and takes it, or says why not.
func (r *reloader) reload(ctx context.Context) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	log := r.parts.Log.Named("reload")
	next, take, err := r.plan(ctx)
	if err != nil {
		r.told.WithLabelValues(reloadRefused).Inc()
		log.Error("the new configuration is not taken, and everything stays as it was", zap.Error(err))
		return err
	}
	taken, restart := r.cfg.Changed(next)
	catalog := take(ctx)
	r.cfg = r.cfg.Taking(next)
	warnOfKeys(r.cfg, r.parts.Keys.Len(), log)
	r.told.WithLabelValues(reloadTaken).Inc()
	log.Info("the configuration was read again, and is in use", zap.Strings("changed", taken), zap.Bool("catalog_changed", catalog))
	if len(restart) > 0 {
		log.Warn("some of what changed needs a restart, and is not in use", zap.Strings("keys", restart))
	}
	return nil
}

// holding calls f with the catalog in use, which stays that until f is done. f may set whole.
func (r *reloader) holding(f func(config.Catalog) error) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	return f(r.catalog)
}

// plan reads and checks everything, and returns what takes it, and says whether the catalog is another one.
func (r *reloader) plan(ctx context.Context) (next config.Config, take func(context.Context) bool, err error) {
	if next, err = r.cfg.Again(); err != nil {
		return next, nil, err
	}
	catalog, err := next.LoadCatalog()
	if err != nil {
		return next, nil, err
	}
	p := r.parts
	keys, keyFault := p.Keys.Plan(ctx, next.Auth.Keys)
	faults := []error{keyFault}
	if !alike(catalog.Countries, r.catalog.Countries) {
		faults = append(faults, errors.New("countries.yaml is another one than at the start: a change of countries needs a restart"))
	}
	priced := catalog
	if r.whole != nil {
		priced = r.whole(catalog)
	}
	prices, fault := p.Book.now.Load().Plan(priceConfig(priced, p.Providers, nil, p.Surroundings.Entropy, p.Log))
	faults = append(faults, fault)
	institutions, fault := p.Banks.Plan(slices.Concat(catalog.Banks, p.Surroundings.Banks))
	faults = append(faults, fault)
	currencies, fault := p.Addresses.Plan(catalog.Currencies)
	faults = append(faults, fault)
	book, fault := p.Shared.book(catalog)
	if err := errors.Join(append(faults, fault)...); err != nil {
		return next, nil, err
	}
	return next, func(ctx context.Context) bool {
		_ = setLevel(p.Log, next.Log.Level) // checked when it was read
		keys()
		if alike(catalog, r.catalog) {
			return false // prices and lists go on undisturbed
		}
		institutions()
		currencies()
		p.API.Relist(catalog.Currencies)
		p.Book.change(ctx, prices, book)
		r.catalog = catalog
		return true
	}, nil
}

// alike reports whether two tables say the same.
func alike(a, b any) bool {
	x, err := json.Marshal(a)
	y, fault := json.Marshal(b)
	return err == nil && fault == nil && bytes.Equal(x, y)
}
