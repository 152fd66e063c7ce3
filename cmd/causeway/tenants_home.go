package main

import (
	"context"
	"errors"
	"net/http"

	"github.com/prometheus/client_golang/prometheus"
	"go.uber.org/fx"
	"go.uber.org/zap"

	"causeway/adapters/httpapi"
	"causeway/config"
	"causeway/simulator"
)

// The world `default` does not end: a reset puts another one in its place. What the operator has of it goes on with that one: its prices are kept without anybody
// asking, the metrics, the pages of the operator's listener and the audit tell of it, his word counts there, and a reload reaches it.

// defaulted are those parts of the process that belong to the world `default`, whichever that is.
type defaulted struct {
	fx.In

	Registry *prometheus.Registry
	Book     *replica
	Reload   *reloader
}

// rehome makes the services of the world `default` as it is now.
func (t *tenants) rehome() {
	w, err := t.worlds.Find(simulator.DefaultWorld)
	if err != nil || w == t.at {
		return
	}
	if one := t.tenant(context.Background(), w); one.err != nil {
		t.log.Error("the world default was reset, and cannot be served", zap.Error(one.err))
	}
}

// succeed makes the services of a world that took the place of another `default`, with the catalog in use, and hands the operator's side over to them. One whose place
// was taken meanwhile gets nothing of that.
func (t *tenants) succeed(ctx context.Context, one *tenant) error {
	return t.Reload.holding(func(catalog config.Catalog) error {
		if w, err := t.worlds.Find(simulator.DefaultWorld); err != nil || w != one.world {
			_, err := t.build(ctx, one, catalog, untold())
			return err
		}
		c, err := t.build(ctx, one, catalog, toldFor(t.Registry))
		if err == nil {
			t.Reload.whole = func(catalog config.Catalog) config.Catalog { return magical(catalog, one.world) }
			t.Book.move(c.Pairs)
		}
		return err
	})
}

// toldFor are the services of the world `default`: the process's metrics, log and audit are theirs from then on.
func toldFor(reg *prometheus.Registry) fx.Option {
	return fx.Options(quietBreakers(), fx.Provide(newPairs, resolutionEvents, func() prometheus.Registerer { return replacing{reg} }))
}

// replacing registers a collector in the place of one that tells of the same: its counters begin anew, as they do after a start.
type replacing struct{ *prometheus.Registry }

// Register is prometheus.Registerer's.
func (r replacing) Register(c prometheus.Collector) error {
	err := r.Registry.Register(c)
	if before, there := errors.AsType[prometheus.AlreadyRegisteredError](err); there {
		r.Unregister(before.ExistingCollector)
		return r.Registry.Register(c)
	}
	return err
}

// MustRegister is prometheus.Registerer's, which panics.
func (r replacing) MustRegister(all ...prometheus.Collector) {
	for _, c := range all {
		if err := r.Register(c); err != nil {
			panic(err)
		}
	}
}

// firstTenant serves the world `default` as it was at the start. A reset ends its streams.
type firstTenant struct {
	*httpapi.Realm

	left <-chan struct{}
}

// ServeHTTP answers one request.
func (f firstTenant) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.URL.Path != streamPath {
		f.Realm.ServeHTTP(w, r)
		return
	}
	ctx, cancel := context.WithCancel(r.Context())
	defer cancel()
	go func() {
		select {
		case <-f.left:
			cancel()
		case <-ctx.Done():
		}
	}()
	f.Realm.ServeHTTP(w, r.WithContext(ctx))
}

// streamPath is where prices are followed.
const streamPath = "/v1/pairs/stream"
