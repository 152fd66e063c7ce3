// Package app assembles the service from its parts: the services of the domains, the adapters, the
// public API and the operator's handler. It opens no listener; package server does.
//
// Each area has an fx module in a file of its own. The services of a world are built by
// NewWorldServices, a plain function: production calls it once, a sandbox once per world.
package app

import (
	"context"
	"net/http"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"go.uber.org/dig"
	"go.uber.org/fx"
	"go.uber.org/zap"

	"causeway/adapters/httpapi"
	"causeway/adapters/redis"
	"causeway/adapters/storage"
	"causeway/adapters/telemetry"
	"causeway/cmd/causeway/operator"
	"causeway/cmd/causeway/replicas"
	"causeway/config"
	"causeway/core/banks"
	"causeway/simulator/world"
)

// Version is the version of the build.
type Version string

// startTimeout bounds the wait for first prices and bank lists.
const startTimeout = 3 * time.Second

// App is the whole service without listeners.
type App struct {
	Handler  http.Handler      // the public API
	Operator *operator.Handler // health, metrics and debug pages
	Worlds   *world.Registry   // nil in production

	cfg     config.Config
	log     *zap.Logger
	api     *httpapi.API
	home    *defaultWorld
	sandbox *sandbox // nil in production
	prices  *replicas.Prices
	redis   *redis.Client // nil: not configured
	keys    *storage.KeyRing
	reload  *reloader
	history *storage.History
	banks   *banks.Service
}

// Module provides an App and everything that it is made of.
func Module(cfg config.Config, version Version, log *zap.Logger) fx.Option {
	return fx.Options(
		fx.NopLogger, // errors are returned
		fx.Supply(cfg, version, log),
		observability, stores, depositAddresses, recipientReports, pairPrices, bankLists, worlds(cfg), public,
		fx.Provide(config.Config.LoadCatalog, newReloader, newOperator, newApp),
	)
}

func newApp(
	cfg config.Config, log *zap.Logger, api *httpapi.API, home *defaultWorld, sandbox *sandbox, prices *replicas.Prices,
	redis *redis.Client, keys *storage.KeyRing, reload *reloader, history *storage.History,
	tracing *telemetry.Tracing, operator *operator.Handler,
) *App {
	a := &App{
		Operator: operator, cfg: cfg, log: log, api: api, home: home, sandbox: sandbox, prices: prices, redis: redis,
		keys: keys, reload: reload, history: history, banks: home.services.Load().Banks,
	}
	if sandbox == nil {
		a.Handler = tracing.Handler(api.Handler())
	} else {
		a.Handler, a.Worlds = tracing.Handler(api.Handler(sandbox.edge.Middleware)), sandbox.worlds
	}
	return a
}

// Start waits for first prices, bank lists and keys, for at most startTimeout, and starts the
// background work. It returns a function that ends the work and waits for it.
func (a *App) Start(ctx context.Context) (stop func()) {
	disconnect := func() {}
	if a.redis != nil {
		disconnect = Background(context.WithoutCancel(ctx), a.redis.Run)
	}
	ctx, cancel := context.WithCancel(context.WithoutCancel(ctx))
	var work sync.WaitGroup
	work.Go(func() { a.reload.Run(ctx) })
	a.warmUp(ctx)
	for _, run := range []func(context.Context){
		a.prices.Run, a.keys.Run, a.history.Run, a.banks.Run, a.runDeposits, a.runRecipients,
	} {
		work.Go(func() { run(ctx) })
	}
	if a.Worlds != nil {
		work.Go(func() { a.Worlds.Run(ctx) })
	}
	return func() {
		cancel()
		work.Wait()
		_ = a.home.services.Load().Providers.Close()
		disconnect() // last: the price leader resigns through Redis
	}
}

func (a *App) warmUp(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, startTimeout)
	defer cancel()
	var first sync.WaitGroup
	first.Go(func() { a.prices.WarmUp(ctx) })
	first.Go(func() { a.banks.Tick(ctx) })
	first.Go(func() { _ = a.keys.Refresh(ctx) }) // a failure is logged
	first.Go(func() { a.history.Sync(ctx) })
	first.Go(func() { a.home.services.Load().Recipients.Restore(ctx) })
	first.Wait()
	if a.home.pairs().Snapshot() == nil {
		a.log.Warn("no prices yet: no rate source has answered; all other operations are served")
	}
	warnWithoutKeys(a.cfg, a.keys, a.log)
}

// Background runs f until ctx ends or the returned function is called, which waits for it.
func Background(ctx context.Context, f func(context.Context)) (stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	var work sync.WaitGroup
	work.Go(func() { f(ctx) })
	return func() {
		cancel()
		work.Wait()
	}
}

// CloseStreams ends the streams and delayed responses, so that a shutdown does not wait for them.
func (a *App) CloseStreams() {
	a.api.Close()
	if a.sandbox != nil {
		a.sandbox.edge.Close()
	}
}

// newOperator makes the operator's handler. A sandbox adds its control API and its console.
func newOperator(
	home *defaultWorld, prices *replicas.Prices, sandbox *sandbox, reg *prometheus.Registry, cfg config.Config,
	version Version, log *zap.Logger,
) *operator.Handler {
	world := home.services.Load()
	o := operator.New(operator.Config{
		Registry: reg, Pairs: home.pairs, Families: home.families, Acknowledger: prices, Banks: world.Banks,
		Clock: world.Environment.Clock, Log: log,
	})
	if sandbox != nil {
		sandbox.registerOperator(o, cfg, version)
	}
	return o
}

// New builds an App that is used in process, without listeners and background work.
func New(cfg config.Config, version Version, log *zap.Logger) (*App, error) {
	var a *App
	err := fx.New(Module(cfg, version, log), fx.Populate(&a)).Err()
	return a, dig.RootCause(err)
}

// RefreshPrices polls the rate sources that are due, and publishes prices.
func (a *App) RefreshPrices(ctx context.Context) { a.home.pairs().Tick(ctx) }

// RefreshBanks fetches the bank lists that are due.
func (a *App) RefreshBanks(ctx context.Context) { a.banks.Tick(ctx) }
