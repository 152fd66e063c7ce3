package main

import (
	"context"
	"net/http"
	"sync"
	"time"

	"go.uber.org/fx"
	"go.uber.org/zap"

	"causeway/adapters/httpapi"
	"causeway/adapters/telemetry"
	"causeway/config"
	"causeway/core/pairs"
	"causeway/simulator"
	"causeway/simulator/edge"
)

// tenants are the worlds of a sandbox beside that of whoever names none, with their services. Those are made when a world is first asked for
// something, and go with it.
type tenants struct {
	cfg     config.Config
	api     *httpapi.API
	worlds  *simulator.Worlds
	home    cores
	at      *simulator.World // that home serves: a reset of it makes another one
	left    chan struct{}    // closed when at has ended
	tracing *telemetry.Tracing
	defaulted
	log *zap.Logger

	mu sync.Mutex
	of map[*simulator.World]*tenant
}

// tenant is one world with its services.
type tenant struct {
	world *simulator.World
	made  sync.Once
	err   error
	realm *httpapi.Realm
	pairs *pairs.Service
	over  chan struct{} // closed when the world has ended

	mu     sync.Mutex // guards what follows, and orders looks at the prices
	looked time.Time  // by the world's clock, when its prices were made last
	anew   bool       // whatever the time is, all sources are asked before the next answer
}

// lookEvery is how old prices may be that a request finds, by the world's clock; and how often a stream looks for new ones.
const lookEvery = time.Second

// serve returns who serves a world.
func (t *tenants) serve(ctx context.Context, w *simulator.World) (edge.Tenant, error) {
	one := t.tenant(ctx, w)
	return one, one.err
}

// tenant returns a world with its services, making them where it is new. Those of a world that has ended meanwhile are not kept.
func (t *tenants) tenant(ctx context.Context, w *simulator.World) *tenant {
	t.mu.Lock()
	one := t.of[w]
	if one == nil {
		one = &tenant{world: w, over: make(chan struct{})}
		t.of[w] = one
	}
	t.mu.Unlock()
	one.made.Do(func() {
		one.err = t.make(ctx, one)
		if alive, err := t.worlds.Find(w.ID()); err != nil || alive != w { // it ended before it was put here
			t.drop(w)
		}
	})
	return one
}

// pairs are the prices of a world; nil where it has none yet.
func (t *tenants) pairs(w *simulator.World) *pairs.Service {
	if w == t.at {
		return t.home.Pairs
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if one := t.of[w]; one != nil {
		return one.pairs
	}
	return nil
}

// ready makes the services of a world and its first prices, before somebody does something to it. Whoever asks then sees what was done, at whatever
// time of the world: as if nobody had asked its sources yet.
func (t *tenants) ready(ctx context.Context, w *simulator.World) error {
	if w == t.at {
		return nil
	}
	t.mu.Lock()
	there := t.of[w] != nil
	t.mu.Unlock()
	one := t.tenant(ctx, w)
	if !there && one.err == nil {
		t.changed(ctx, w)
	}
	return one.err
}

// changed has the next answer of a world made of what its sources tell then.
func (t *tenants) changed(ctx context.Context, w *simulator.World) {
	if w == t.at {
		t.home.Pairs.Renew()
		t.home.Pairs.Tick(context.WithoutCancel(ctx))
		return
	}
	t.mu.Lock()
	one := t.of[w]
	t.mu.Unlock()
	if one != nil {
		one.mu.Lock()
		defer one.mu.Unlock()
		one.anew = true
		if w.ID() == simulator.DefaultWorld { // the operator's pages show it, too, and ask for nothing
			one.tick(context.WithoutCancel(ctx), w.Now())
		}
	}
}

// drop lets go of the services of a world that is over, and ends its streams.
func (t *tenants) drop(w *simulator.World) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if one := t.of[w]; one != nil {
		close(one.over)
		delete(t.of, w)
	}
}

// end does so once for every world that is over. Where it was the world default another one is in its place.
func (t *tenants) end(w *simulator.World) {
	t.drop(w)
	if w == t.at {
		close(t.left)
	}
	if w.ID() == simulator.DefaultWorld {
		t.rehome()
	}
}

// make builds the services of a world and looks at its prices for the first time.
func (t *tenants) make(ctx context.Context, one *tenant) error {
	if one.world.ID() != simulator.DefaultWorld {
		_, err := t.build(ctx, one, t.home.Catalog, untold())
		return err
	}
	return t.succeed(ctx, one)
}

// build does that with a catalog. The magic pairs are added to it where the world has them.
func (t *tenants) build(ctx context.Context, one *tenant, of config.Catalog, told fx.Option) (c worldCores, err error) {
	w, catalog := one.world, magical(of, one.world)
	c, err = coresOf(t.cfg, surroundingsOf(w, of), catalog, institutions{t.home.Banks, t.home.Confirmers}, t.tracing, t.log, told)
	if err != nil {
		return c, err
	}
	c.Recipients.Survey(t.home.Banks.List().Banks())
	checks, err := addressRules(t.home, w)
	if err != nil {
		return c, err
	}
	t.mu.Lock()
	one.pairs = c.Pairs
	t.mu.Unlock()
	w.OnAdvance(func(ctx context.Context, now time.Time) error {
		one.mu.Lock()
		defer one.mu.Unlock()
		one.tick(ctx, now)
		return nil
	})
	if err := w.Begin(context.WithoutCancel(ctx)); err != nil {
		return c, err
	}
	seams := seamsOf(w)
	seams.Relisted = w.ID() == simulator.DefaultWorld && !w.Options().MagicPairs
	one.realm = t.api.In(httpapi.Services{
		Pairs: c.Pairs, Banks: t.home.Banks, Recipients: c.Recipients, Addresses: checks,
		Currencies: catalog.Currencies, Countries: catalog.Countries,
	}, seams)
	return c, nil
}

// ServeHTTP answers one request about the world, with prices as of now.
func (one *tenant) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	one.look(r.Context())
	if simulator.CallOf(r.Context()).Operation == "stream-pairs" {
		ctx, cancel := context.WithCancel(r.Context())
		var work sync.WaitGroup
		work.Go(func() { one.follow(ctx, cancel) })
		defer work.Wait()
		defer cancel()
		r = r.WithContext(ctx)
	}
	one.realm.ServeHTTP(w, r)
}

// Refuse answers with an error.
func (one *tenant) Refuse(w http.ResponseWriter, r *http.Request, err error) {
	one.realm.Refuse(w, r, err)
}

// look makes the prices of the world's now, unless they are a moment old.
func (one *tenant) look(ctx context.Context) {
	one.mu.Lock()
	defer one.mu.Unlock()
	now := one.world.Now()
	if since := now.Sub(one.looked); !one.anew && since >= 0 && since < lookEvery {
		return
	}
	one.tick(context.WithoutCancel(ctx), now)
}

// tick makes the prices of the world's now. The caller holds the lock.
func (one *tenant) tick(ctx context.Context, now time.Time) {
	if one.anew {
		one.pairs.Renew()
	}
	one.pairs.Tick(ctx)
	one.looked, one.anew = now, false
}

// follow keeps the prices of the world up to date while a stream is open, and ends the stream with the world.
func (one *tenant) follow(ctx context.Context, end func()) {
	wait := time.NewTicker(lookEvery)
	defer wait.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-one.over:
			end()
			return
		case <-wait.C:
			one.look(ctx)
		}
	}
}
