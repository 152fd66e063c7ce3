package app

import (
	"context"
	"net/http"
	"sync"
	"time"

	"go.uber.org/zap"

	"causeway/adapters/gcra"
	"causeway/adapters/httpapi"
	"causeway/config"
	"causeway/core/pairs"
	"causeway/simulator"
	"causeway/simulator/edge"
	"causeway/simulator/journal"
)

// sandbox serves the worlds of a simulator. Each world has services of its own, which are built when the world is
// first used and dropped when it ends.
type sandbox struct {
	cfg      config.Config
	api      *httpapi.API
	worlds   *simulator.Worlds
	edge     *edge.Edge
	current  *currentDefault
	home     *defaultWorld
	shared   Shared // of the world "default", whose metrics and logs are those of the process
	unlogged Shared // of all other worlds
	log      *zap.Logger

	mu       sync.Mutex
	services map[*simulator.World]*sandboxWorld
}

// sandboxWorld is a world with its services.
type sandboxWorld struct {
	*WorldServices

	world    *simulator.World
	instance *httpapi.Instance
	built    sync.Once
	err      error
	ended    chan struct{} // closed when the world ends

	mu        sync.Mutex // serializes refreshes
	refreshed time.Time  // by the clock of the world
	changed   bool       // the next refresh polls every source
}

// refreshInterval is the age of prices, by the clock of the world, after which a request refreshes them.
const refreshInterval = time.Second

// newSandbox serves the worlds, of which the world "default" has its services already.
func newSandbox(
	cfg config.Config, api *httpapi.API, worlds *simulator.Worlds, current *currentDefault, home *defaultWorld, shared Shared, log *zap.Logger,
) (*sandbox, error) {
	first := home.services.Load()
	shared.Banks, shared.Confirmers = first.Banks, first.Providers.Confirmers
	s := &sandbox{
		cfg: cfg, api: api, worlds: worlds, current: current, home: home, log: log, shared: shared,
		unlogged: Shared{Banks: shared.Banks, Confirmers: shared.Confirmers, Events: journalEvents(noEvents), Tracing: shared.Tracing},
		services: map[*simulator.World]*sandboxWorld{},
	}
	world, err := worlds.Find(simulator.DefaultWorld)
	if err != nil {
		return nil, err
	}
	one := &sandboxWorld{WorldServices: first, world: world, instance: api.Instance(), ended: make(chan struct{})}
	one.built.Do(func() {})
	s.services[world] = one
	world.OnAdvance(one.advance)
	worlds.OnEnd(s.end)
	worlds.Attend(simulator.Desk{Ready: s.ready, Changed: s.changed})
	s.edge = edge.New(edge.Config{
		Worlds: worlds, Prepare: s.prepare, Enter: s.enter, Refuse: httpapi.WriteError, Operation: api.Operation,
		Votes: func(w *simulator.World, operation string, r *http.Request) []journal.Vote {
			return votesOf(s.pairs(w), operation, r)
		},
	})
	return s, nil
}

// open returns a world with its services, and builds them if the world is new.
func (s *sandbox) open(ctx context.Context, w *simulator.World) (*sandboxWorld, error) {
	s.mu.Lock()
	one := s.services[w]
	if one == nil {
		one = &sandboxWorld{world: w, ended: make(chan struct{})}
		s.services[w] = one
	}
	s.mu.Unlock()
	one.built.Do(func() {
		one.err = s.build(ctx, one)
		if alive, err := s.worlds.Find(w.ID()); err != nil || alive != w { // it ended before it was in the map
			s.drop(w)
		}
	})
	return one, one.err
}

// build builds the services of a world and computes its first prices. A world "default" that took the place of
// another one becomes that of the process: background work, metrics and reloads go on with it.
func (s *sandbox) build(ctx context.Context, one *sandboxWorld) error {
	w := one.world
	if w.ID() != simulator.DefaultWorld {
		return s.buildWith(ctx, one, SandboxSettings(s.cfg), s.unlogged)
	}
	s.home.mu.Lock()
	defer s.home.mu.Unlock()
	if now, err := s.worlds.Find(simulator.DefaultWorld); err != nil || now != w { // reset once more meanwhile
		return s.buildWith(ctx, one, defaultSettings(s.cfg), s.unlogged)
	}
	if err := s.buildWith(ctx, one, defaultSettings(s.cfg), s.shared); err != nil {
		return err
	}
	s.home.replace(one.WorldServices)
	return nil
}

func (s *sandbox) buildWith(ctx context.Context, one *sandboxWorld, cfg config.Config, shared Shared) error {
	w, catalog := one.world, *s.home.catalog.Load()
	services, err := NewWorldServices(cfg, catalog, worldEnvironment(w, catalog), shared)
	if err != nil {
		return err
	}
	s.mu.Lock()
	one.WorldServices = services
	s.mu.Unlock()
	w.OnAdvance(one.advance)
	if err := w.Begin(context.WithoutCancel(ctx)); err != nil {
		return err
	}
	env := apiEnvironment(w)
	env.SharedCurrencies = w.ID() == simulator.DefaultWorld && !w.Options().MagicPairs
	one.instance = s.api.NewInstance(httpapi.Services{
		Pairs: services.Pairs, Banks: services.Banks, Recipients: services.Recipients, Addresses: services.Addresses,
		Currencies: services.Catalog.Currencies, Countries: services.Catalog.Countries,
	}, env)
	return nil
}

// end drops the services of a world that ended. If it was the world "default", another one is in its place.
func (s *sandbox) end(w *simulator.World) {
	s.drop(w)
	if w.ID() != simulator.DefaultWorld {
		return
	}
	next, err := s.worlds.Find(simulator.DefaultWorld)
	if err != nil {
		return
	}
	s.current.set(next)
	if _, err := s.open(context.Background(), next); err != nil {
		s.log.Error("the world default was reset and cannot be served", zap.Error(err))
	}
}

// drop drops the services of a world and ends its streams.
func (s *sandbox) drop(w *simulator.World) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if one := s.services[w]; one != nil {
		close(one.ended)
		delete(s.services, w)
	}
}

// pairs returns the prices of a world; nil if it has no services yet.
func (s *sandbox) pairs(w *simulator.World) *pairs.Service {
	s.mu.Lock()
	defer s.mu.Unlock()
	if one := s.services[w]; one != nil && one.WorldServices != nil {
		return one.Pairs
	}
	return nil
}

// ready builds the services of a world before it is changed by hand, so that the change follows first prices.
func (s *sandbox) ready(ctx context.Context, w *simulator.World) error {
	s.mu.Lock()
	known := s.services[w] != nil
	s.mu.Unlock()
	one, err := s.open(ctx, w)
	if err != nil || known {
		return err
	}
	one.invalidate()
	return nil
}

// changed makes the next response of a world show what was changed by hand. The prices of the world "default" are
// refreshed at once, because the operator's pages show them without a request.
func (s *sandbox) changed(ctx context.Context, w *simulator.World) {
	s.mu.Lock()
	one := s.services[w]
	built := one != nil && one.WorldServices != nil
	s.mu.Unlock()
	if !built {
		return
	}
	one.invalidate()
	if w.ID() == simulator.DefaultWorld {
		one.refresh(ctx)
	}
}

// prepare builds the services of a world if it is new.
func (s *sandbox) prepare(ctx context.Context, w *simulator.World) error {
	_, err := s.open(ctx, w)
	return err
}

// enter returns a request that the services of a world answer, with prices as of its present time. A stream ends with its world.
func (s *sandbox) enter(r *http.Request, w *simulator.World) (in *http.Request, leave func()) {
	ctx, cancel := context.WithCancel(r.Context())
	one, err := s.open(ctx, w)
	if err != nil { // it ended after prepare; the default instance answers
		return r, cancel
	}
	one.refresh(ctx)
	var work sync.WaitGroup
	if r.URL.Path == "/v1/pairs/stream" {
		work.Go(func() { one.follow(ctx, cancel) })
	}
	return r.WithContext(httpapi.WithInstance(ctx, one.instance)), func() {
		cancel()
		work.Wait()
	}
}

// refresh recomputes prices that are older than refreshInterval, by the clock of the world.
func (one *sandboxWorld) refresh(ctx context.Context) {
	one.mu.Lock()
	defer one.mu.Unlock()
	now := one.world.Now()
	if age := now.Sub(one.refreshed); one.changed || age < 0 || age >= refreshInterval {
		one.tick(context.WithoutCancel(ctx), now)
	}
}

// advance recomputes prices while the clock is moved by hand.
func (one *sandboxWorld) advance(ctx context.Context, now time.Time) error {
	one.mu.Lock()
	defer one.mu.Unlock()
	one.tick(ctx, now)
	return nil
}

// invalidate makes the next refresh poll every source, even if the clock stands still.
func (one *sandboxWorld) invalidate() {
	one.mu.Lock()
	defer one.mu.Unlock()
	one.changed = true
}

// tick recomputes prices. The caller holds the lock.
func (one *sandboxWorld) tick(ctx context.Context, now time.Time) {
	if one.changed {
		one.Pairs.Renew()
	}
	one.Pairs.Tick(ctx)
	one.refreshed, one.changed = now, false
}

// follow refreshes prices while a stream is open, and ends the stream with the world.
func (one *sandboxWorld) follow(ctx context.Context, end func()) {
	ticker := time.NewTicker(refreshInterval)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-one.ended:
			end()
			return
		case <-ticker.C:
			one.refresh(ctx)
		}
	}
}

// apiEnvironment returns what the API takes from a world.
func apiEnvironment(w *simulator.World) httpapi.Environment {
	env := httpapi.Environment{
		Clock: w.Now, Entropy: w.Entropy,
		Isolation: func(r *http.Request) string { return simulator.CallOf(r.Context()).Apart() },
		Enforced:  func() bool { return w.Options().EnforceLimits },
	}
	if w.Options().EnforceLimits {
		env.Limiter = gcra.New(w.Now)
	}
	return env
}

// requestedError returns the error that a request's scenario or a fault calls for, or nil.
func requestedError(r *http.Request) error {
	outcome, requested := simulator.CallOf(r.Context()).Fail()
	if !requested {
		return nil
	}
	e, known := httpapi.NewError(outcome.Error, "The sandbox returned this error on request: "+outcome.Name)
	if !known {
		return nil
	}
	if e.RetryAfter = outcome.RetryAfter; e.RetryAfter == 0 && (outcome.Status == http.StatusTooManyRequests || outcome.Status == http.StatusServiceUnavailable) {
		e.RetryAfter = 5 * time.Second
	}
	return e
}
