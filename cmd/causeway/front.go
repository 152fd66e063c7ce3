package main

import (
	"context"
	"net/http"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"go.uber.org/dig"
	"go.uber.org/fx"
	"go.uber.org/zap"

	"causeway/adapters/history"
	"causeway/adapters/httpapi"
	"causeway/adapters/telemetry"
	"causeway/config"
	"causeway/core/addresses"
	"causeway/core/pairs"
	"causeway/core/recipients"
	"causeway/ports"
	"causeway/simulator"
	"causeway/simulator/edge"
	"causeway/simulator/journal"
)

// front is what the public listener serves: the API, and in a sandbox the door to all worlds before it.
type front struct {
	http.Handler

	door   *edge.Edge        // nil in production
	worlds *simulator.Worlds // nil in production
	others *tenants          // nil in production
}

// newFront puts the door of a sandbox before the API.
func newFront(cfg config.Config, api *httpapi.API, c cores, worlds *simulator.Worlds, d defaulted, t *telemetry.Tracing, log *zap.Logger) (front, error) {
	if worlds == nil {
		return front{Handler: t.Handler(api.Handler())}, nil
	}
	home, err := worlds.Find(simulator.DefaultWorld)
	if err != nil {
		return front{}, err
	}
	home.OnAdvance(func(ctx context.Context, _ time.Time) error { c.Pairs.Tick(ctx); return nil })
	others := &tenants{
		cfg: cfg, api: api, worlds: worlds, home: c, at: home, left: make(chan struct{}), defaulted: d, tracing: t, log: log, of: map[*simulator.World]*tenant{},
	}
	worlds.OnEnd(others.end)
	worlds.Attend(simulator.Desk{Ready: others.ready, Changed: others.changed})
	door, err := edge.New(edge.Config{
		Worlds: worlds, Home: firstTenant{api.Home(), others.left}, Operation: api.Operation, Tenant: others.serve,
		Votes: func(w *simulator.World, operation string, r *http.Request) []journal.Vote {
			return votesOf(others.pairs(w), operation, r)
		},
	})
	return front{Handler: t.Handler(door), door: door, worlds: worlds, others: others}, err
}

// worldCores are the services that every world has for itself.
type worldCores struct {
	fx.In

	Recipients *recipients.Service
	Pairs      *pairs.Service
}

// coresOf builds the services of a world out of its surroundings, with the constructors of the whole program. The institutions and the rules of
// addresses are those of the first world: no world changes them. Told says who is told how they do: untold or toldFor.
func coresOf(
	cfg config.Config, s surroundings, catalog config.Catalog, home institutions, t *telemetry.Tracing, log *zap.Logger, told fx.Option,
) (out worldCores, err error) {
	app := fx.New(
		fx.NopLogger,
		fx.Supply(cfg, s, catalog, log, home, t),
		fx.Provide(newSeams, newPeople, func() ports.RateHistory { return history.New(s.Past) }),
		adapters(cfg), simulatedAccounts(), told,
		fx.Invoke(func(c worldCores) { out = c }),
	)
	if app.Err() != nil {
		return out, dig.RootCause(app.Err())
	}
	return out, nil
}

// untold are the services of a world about which nobody is told: the metrics and the log of the process are those of the world of whoever names none.
func untold() fx.Option {
	return fx.Provide(newWorldPairs, func() prometheus.Registerer { return prometheus.NewRegistry() }, func() recipients.Events { return recipients.Events{} })
}

// newWorldPairs makes the price engine of a world.
func newWorldPairs(
	catalog config.Catalog, p providers, past ports.RateHistory, s surroundings, log *zap.Logger,
) (*pairs.Service, error) {
	engine := priceConfig(catalog, p, past, s.Entropy, log)
	engine.Meant = s.Meant
	return pairs.New(engine, p.Sources, s.Clock)
}

// newPeople makes the resolution of accounts at institutions that somebody else keeps.
func newPeople(
	catalog config.Catalog, s surroundings, p providers, settings recipients.Settings, cache ports.NameCache, home institutions, told recipients.Events,
) (*recipients.Service, error) {
	return recipients.New(recipients.Config{
		Countries: catalog.Countries, Registry: recipients.Registry{Find: home.registry.Find, Awaits: home.registry.Awaits},
		Resolvers: p.Resolvers, Confirmers: home.informed(p.Confirmers), Settings: settings, Cache: cache,
		Clock: s.Clock, Stopwatch: time.Now, Entropy: s.Entropy, Events: noted(told),
	})
}

// addressRules are those of a world: the sandbox's, which all share, or those of production, where it asks for that.
func addressRules(home cores, w *simulator.World) (*addresses.Service, error) {
	if !w.Options().MainnetOnly {
		return home.Addresses, nil
	}
	return addresses.New(home.Catalog.Currencies, addresses.Policy{})
}
