package app

import (
	"context"
	"net"
	"net/http"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"go.uber.org/fx"
	"go.uber.org/zap"

	"causeway/adapters/httpapi"
	"causeway/adapters/telemetry"
	"causeway/adapters/upstream"
	"causeway/cmd/causeway/operator"
	"causeway/config"
	"causeway/core"
	"causeway/core/pairs"
	"causeway/core/recipients"
	"causeway/simulator/console"
	"causeway/simulator/control"
	"causeway/simulator/journal"
	"causeway/simulator/middleware"
	"causeway/simulator/world"
)

// worlds provides the default world. A sandbox has other worlds beside it.
func worlds(cfg config.Config) fx.Option {
	if cfg.Mode == config.Sandbox {
		return fx.Module("sandbox", fx.Provide(
			NewWorlds, newCurrentDefault, newDefaultEnvironment, newSandboxShared, newDefaultWorld, newSandbox,
		))
	}
	return fx.Module("production", fx.Provide(
		NewEnvironment, newProductionShared, newDefaultWorld,
		func() *world.Registry { return nil }, func() *sandbox { return nil },
	))
}

// newSandboxShared is Shared of the world "default". A sandbox shares nothing with other processes.
func newSandboxShared(
	events recipients.Events, audit *auditLog, tracing *telemetry.Tracing, log *zap.Logger, reg prometheus.Registerer,
) Shared {
	return Shared{
		Log: log, Metrics: upstream.NewMetrics(reg), Tries: recordTry, Events: journalEvents(events),
		Audit: audit.Record, Tracing: tracing, WrapCache: newCallCache,
	}
}

// sandbox serves the worlds of a simulator. Each world has services of its own, which are built
// when the world is first used and dropped when it ends.
type sandbox struct {
	cfg      config.Config
	api      *httpapi.API
	worlds   *world.Registry
	edge     *middleware.Edge
	current  *currentDefault
	home     *defaultWorld
	shared   Shared // of the world "default", whose metrics and logs are those of the process
	unlogged Shared // of all other worlds
	log      *zap.Logger

	mu       sync.Mutex
	services map[*world.World]*sandboxWorld
}

// sandboxWorld is a world with its services.
type sandboxWorld struct {
	*WorldServices

	world    *world.World
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
	cfg config.Config, api *httpapi.API, worlds *world.Registry, current *currentDefault, home *defaultWorld,
	shared Shared, log *zap.Logger,
) (*sandbox, error) {
	first := home.services.Load()
	shared.Banks, shared.Confirmers = first.Banks, first.Providers.Confirmers
	s := &sandbox{
		cfg: cfg, api: api, worlds: worlds, current: current, home: home, log: log, shared: shared,
		unlogged: Shared{
			Tries: recordTry, Events: journalEvents(recipients.Events{}), Tracing: shared.Tracing,
			Banks: shared.Banks, Confirmers: shared.Confirmers, WrapCache: shared.WrapCache,
		},
		services: map[*world.World]*sandboxWorld{},
	}
	sim, err := worlds.Find(world.Default)
	if err != nil {
		return nil, err
	}
	one := &sandboxWorld{WorldServices: first, world: sim, instance: api.Instance(), ended: make(chan struct{})}
	one.built.Do(func() {})
	s.services[sim] = one
	sim.OnAdvance(one.advance)
	worlds.OnEnd(s.end)
	worlds.Ready, worlds.Changed = s.ready, s.changed
	s.edge = middleware.New(middleware.Config{
		Worlds: worlds, Enter: s.enter, Refuse: api.Refuse, Operation: api.Operation,
		Prepare: func(ctx context.Context, w *world.World) error {
			_, err := s.open(ctx, w)
			return err
		},
		Votes: func(w *world.World, operation string, r *http.Request) []journal.Vote {
			return votesOf(s.pairs(w), operation, r)
		},
	})
	return s, nil
}

// open returns a world with its services, and builds them if the world is new.
func (s *sandbox) open(ctx context.Context, w *world.World) (*sandboxWorld, error) {
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

// build builds the services of a world and computes its first prices. A world "default" that took
// the place of another one becomes that of the process: background work, metrics and reloads go on
// with it.
func (s *sandbox) build(ctx context.Context, one *sandboxWorld) error {
	w := one.world
	if w.ID() != world.Default {
		return s.buildWith(ctx, one, SandboxSettings(s.cfg), s.unlogged)
	}
	s.home.mu.Lock()
	defer s.home.mu.Unlock()
	if now, err := s.worlds.Find(world.Default); err != nil || now != w { // reset once more meanwhile
		return s.buildWith(ctx, one, defaultSettings(s.cfg), s.unlogged)
	}
	if err := s.buildWith(ctx, one, defaultSettings(s.cfg), s.shared); err != nil {
		return err
	}
	s.home.services.Store(one.WorldServices)
	replace(s.home.replaced, struct{}{})
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
	env.SharedCurrencies = w.ID() == world.Default && !w.Options().MagicPairs
	one.instance = s.api.NewInstance(apiServices(services), env)
	return nil
}

// end drops the services of a world that ended. If it was the world "default", another one is in
// its place.
func (s *sandbox) end(w *world.World) {
	s.drop(w)
	if w.ID() != world.Default {
		return
	}
	next, err := s.worlds.Find(world.Default)
	if err != nil {
		return
	}
	s.current.set(next)
	if _, err := s.open(context.Background(), next); err != nil {
		s.log.Error("the world default was reset and cannot be served", zap.Error(err))
	}
}

// drop drops the services of a world and ends its streams.
func (s *sandbox) drop(w *world.World) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if one := s.services[w]; one != nil {
		close(one.ended)
		delete(s.services, w)
	}
}

// pairs returns the prices of a world; nil if it has no services yet.
func (s *sandbox) pairs(w *world.World) *pairs.Service {
	s.mu.Lock()
	defer s.mu.Unlock()
	if one := s.services[w]; one != nil && one.WorldServices != nil {
		return one.Pairs
	}
	return nil
}

// ready builds the services of a world before it is changed by hand, so that the change follows
// first prices.
func (s *sandbox) ready(ctx context.Context, w *world.World) error {
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

// changed makes the next response of a world show what was changed by hand. The prices of the world
// "default" are refreshed at once, because the operator's pages show them without a request.
func (s *sandbox) changed(ctx context.Context, w *world.World) {
	s.mu.Lock()
	one := s.services[w]
	built := one != nil && one.WorldServices != nil
	s.mu.Unlock()
	if !built {
		return
	}
	one.invalidate()
	if w.ID() == world.Default {
		one.refresh(ctx)
	}
}

// enter returns a request that the services of a world answer, with prices as of its present time.
// A stream ends with its world.
func (s *sandbox) enter(r *http.Request, w *world.World) (in *http.Request, leave func()) {
	ctx, cancel := context.WithCancel(r.Context())
	one, err := s.open(ctx, w)
	if err != nil { // it ended after prepare; the default instance answers
		return r, cancel
	}
	one.refresh(world.WithRequest(ctx, nil)) // all requests share prices, so a fault at a source decides no response
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

// registerOperator adds the control API and the console to the operator's handler.
func (s *sandbox) registerOperator(o *operator.Handler, cfg config.Config, version Version) error {
	api, err := control.New(s.worlds, control.Config{
		Version: string(version), Entropy: SystemEntropy, Log: s.log.Named("control"),
	})
	if err != nil {
		return err
	}
	page, err := console.New(s.worlds, console.Config{
		Public: Origin(cfg.Listen), Prices: s.consolePrices, History: s.consoleHistory,
	})
	if err != nil {
		return err
	}
	o.Handle("/_sim/", "/_sim/v1/", api)
	o.Handle(console.Path, console.Path, page)
	o.Handle(console.Path+"/", "", page)
	return nil
}

// consolePrices returns the prices of a world as the console shows them.
func (s *sandbox) consolePrices(ctx context.Context, w *world.World) ([]console.Price, error) {
	one, err := s.open(ctx, w)
	if err != nil {
		return nil, err
	}
	one.refresh(ctx)
	snapshot := one.Pairs.Snapshot()
	if snapshot == nil {
		return nil, nil
	}
	var out []console.Price
	for i := range snapshot.Quotes {
		q := &snapshot.Quotes[i]
		out = append(out, console.Price{
			Pair: q.Pair, Status: string(q.Status), Reason: string(q.Reason), Buy: q.Buy.String(), Sell: q.Sell.String(),
			Mid: q.Mid.Round(q.CounterDecimals).String(), Votes: votesBehind(snapshot, q),
		})
	}
	return out, nil
}

// consoleHistory returns the mid prices of a pair over the last 24 hours of a world.
func (s *sandbox) consoleHistory(ctx context.Context, w *world.World, pair core.Pair) ([]core.PricePoint, error) {
	one, err := s.open(ctx, w)
	if err != nil {
		return nil, err
	}
	return one.Pairs.History(ctx, pair.ID(), "1d")
}

// Origin returns the URL at which a listener is reached from this machine.
func Origin(address string) string {
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		return "http://" + address
	}
	if ip := net.ParseIP(host); host == "" || ip != nil && ip.IsUnspecified() {
		host = "localhost"
	}
	return "http://" + net.JoinHostPort(host, port)
}
