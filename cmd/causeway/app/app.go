// Package app assembles the service from its parts: the services of the domains, the adapters, the
// public API and the operator's handler. Serve runs it with listeners and background work, as hooks of fx.
//
// Each area has an fx module in a file of its own. The services of a world are built by
// NewWorldServices, a plain function: production calls it once, a sandbox once per world.
package app

import (
	"context"
	"net/http"

	"github.com/prometheus/client_golang/prometheus"
	"go.uber.org/dig"
	"go.uber.org/fx"
	"go.uber.org/zap"

	"causeway/adapters/httpapi"
	"causeway/adapters/telemetry"
	"causeway/cmd/causeway/operator"
	"causeway/cmd/causeway/replicas"
	"causeway/config"
	"causeway/simulator/world"
)

// Version is the version of the build.
type Version string

// App is the whole service without listeners and background work.
type App struct {
	Handler  http.Handler      // the public API
	Operator *operator.Handler // health, metrics and debug pages
	Worlds   *world.Registry   // nil in production

	api     *httpapi.API
	home    *defaultWorld
	sandbox *sandbox // nil in production
}

// Module provides an App and everything that it is made of.
func Module(cfg config.Config, version Version, log *zap.Logger) fx.Option {
	return fx.Options(
		fx.NopLogger, // errors are returned
		fx.Supply(cfg, version, log),
		observability, stores(cfg), depositAddresses, incomingDeposits, eventDeliveries, recipientReports, pairPrices,
		bankLists, worlds(cfg.Mode), public,
		fx.Provide(config.Config.LoadCatalog, newReloader, newOperator, newApp),
	)
}

func newApp(
	api *httpapi.API, home *defaultWorld, parts simulated, tracing *telemetry.Tracing, operator *operator.Handler,
) *App {
	a := &App{Operator: operator, api: api, home: home, sandbox: parts.Sandbox}
	if a.sandbox == nil {
		a.Handler = tracing.Handler(api.Handler())
	} else {
		a.Handler, a.Worlds = tracing.Handler(api.Handler(a.sandbox.edge.Middleware)), a.sandbox.worlds
	}
	return a
}

// CloseStreams ends the streams and delayed responses, so that a shutdown does not wait for them.
func (a *App) CloseStreams() {
	a.api.Close()
	if a.sandbox != nil {
		a.sandbox.edge.Close()
	}
}

// newOperator makes the operator's handler.
func newOperator(
	home *defaultWorld, prices *replicas.Prices, reg *prometheus.Registry, log *zap.Logger,
) *operator.Handler {
	world := home.services.Load()
	return operator.New(operator.Config{
		Registry: reg, Pairs: home.pairs, Families: home.families, Acknowledger: prices, Banks: world.Banks,
		Clock: world.Environment.Clock, Log: log,
	})
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
func (a *App) RefreshBanks(ctx context.Context) { a.home.services.Load().Banks.Tick(ctx) }
