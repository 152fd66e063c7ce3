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
	"causeway/core/recipients"
	"causeway/simulator/console"
	"causeway/simulator/control"
	"causeway/simulator/edge"
	"causeway/simulator/world"
)

// worlds provides the default world. A sandbox also has other worlds.
func worlds(mode config.Mode) fx.Option {
	if mode == config.Sandbox {
		return fx.Module("sandbox", fx.Invoke((*sandbox).registerOperator, registerWorlds), fx.Provide(
			NewWorlds, newDefaultEnvironment, newSandboxShared, newDefaultWorld, newSandbox,
		))
	}
	return fx.Module("production", fx.Provide(NewEnvironment, newProductionShared, newDefaultWorld))
}

// simulated is what only a sandbox has.
type simulated struct {
	fx.In

	Sandbox *sandbox `optional:"true"`
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
// when the world is first used and dropped when it ends. Its prices are computed when a request shows them.
type sandbox struct {
	cfg      config.Config
	settings config.Config // of the worlds
	api      *httpapi.API
	worlds   *world.Registry
	edge     *edge.Handler
	home     *defaultWorld
	shared   Shared // of the world "default", whose metrics and logs the process shows
	unlogged Shared // of all other worlds
	log      *zap.Logger
}

// sandboxWorld is a world with its services.
type sandboxWorld struct {
	*WorldServices

	world    *world.World
	instance *httpapi.Instance
	built    sync.Once
	err      error // of built
	begun    sync.Once
	beginErr error

	reading  sync.Mutex // one reads the blockchains at a time
	webhooks worldWebhooks

	mu        sync.Mutex // serializes refreshes
	refreshed time.Time  // by the clock of the world
	changed   bool       // the next refresh polls every source
}

// refreshInterval is the age of prices, by the clock of the world, after which a request refreshes them.
const refreshInterval = time.Second

// newSandbox serves the worlds. The world "default" has its services already.
func newSandbox(
	cfg config.Config, api *httpapi.API, worlds *world.Registry, home *defaultWorld, shared Shared, log *zap.Logger,
) (*sandbox, error) {
	first := home.services.Load()
	shared.Banks, shared.Confirmers = first.Banks, first.Providers.Confirmers
	s := &sandbox{
		cfg: cfg, settings: SandboxSettings(cfg), api: api, worlds: worlds, home: home, log: log, shared: shared,
		unlogged: Shared{
			Tries: recordTry, Events: journalEvents(recipients.Events{}), Tracing: shared.Tracing,
			Banks: shared.Banks, Confirmers: shared.Confirmers, WrapCache: shared.WrapCache,
		},
	}
	sim, err := worlds.Find(world.Default)
	if err != nil {
		return nil, err
	}
	one := s.of(sim)
	one.built.Do(func() { one.WorldServices, one.instance = first, api.Instance() })
	one.begun.Do(func() {}) // its background work does
	sim.OnAdvance(one.advance)
	worlds.Subscribe(s)
	s.edge = edge.New(edge.Config{
		Worlds: worlds, Enter: s.enter, Refuse: api.Refuse, Operation: api.Operation, Votes: s.votes,
	})
	return s, nil
}

// of returns a world with its services, which may not be built yet.
func (s *sandbox) of(w *world.World) *sandboxWorld {
	return world.Attach(w, func() *sandboxWorld {
		return &sandboxWorld{world: w, webhooks: worldWebhooks{
			kick: make(chan struct{}, 1), listeners: OwnListeners(s.cfg),
		}}
	})
}

// open returns a world with its services, and builds them if the world is new.
func (s *sandbox) open(ctx context.Context, w *world.World) (*sandboxWorld, error) {
	one := s.of(w)
	one.built.Do(func() { one.err = s.build(ctx, one) })
	return one, one.err
}

// build builds the services of a world. A world "default" that took the place of another one becomes the home of the
// process: background work, metrics and reloads go on with it.
func (s *sandbox) build(ctx context.Context, one *sandboxWorld) error {
	w, cfg, shared := one.world, s.settings, s.unlogged
	current := false
	if w.ID() == world.Default {
		cfg = defaultSettings(s.cfg)
		s.home.mu.Lock()
		defer s.home.mu.Unlock()
		now, err := s.worlds.Find(world.Default)
		if current = err == nil && now == w; current { // otherwise it was reset once more meanwhile
			shared = s.shared
		}
	}
	catalog := *s.home.catalog.Load()
	services, err := NewWorldServices(cfg, catalog, worldEnvironment(w, catalog), shared)
	if err != nil {
		return err
	}
	one.WorldServices = services
	w.OnAdvance(one.advance)
	if w.ID() == world.Default || w.Options().MagicPairs { // Begin moves the clock of magic pairs, unseen by requests
		if _, err := one.begin(ctx); err != nil {
			return err
		}
	}
	env := instanceConfig(w)
	env.SharedCurrencies = w.ID() == world.Default && !w.Options().MagicPairs
	env.SameCurrencies = !w.Options().MagicPairs && !w.Options().MainnetOnly
	one.instance = s.api.NewInstance(apiServices(services), env)
	if current {
		s.home.services.Store(services)
		select {
		case s.home.replaced <- struct{}{}:
		default: // the reset before is not noticed yet
		}
	}
	return nil
}

// Ended builds the services of the world "default" that takes the place of one that was reset.
func (s *sandbox) Ended(w *world.World) {
	if w.ID() != world.Default {
		return
	}
	next, err := s.worlds.Find(world.Default)
	if err == nil {
		_, err = s.open(context.Background(), next)
	}
	if err != nil {
		s.log.Error("the world default was reset and cannot be served", zap.Error(err))
	}
}

// begin does the first work of a world, such as its first prices, and reports whether it did so now.
func (one *sandboxWorld) begin(ctx context.Context) (first bool, err error) {
	one.begun.Do(func() { first, one.beginErr = true, one.world.Begin(context.WithoutCancel(ctx)) })
	return first, one.beginErr
}

// Ready builds the services of a world before it is changed by hand, so that the change follows
// first prices.
func (s *sandbox) Ready(ctx context.Context, w *world.World) error {
	one, err := s.open(ctx, w)
	if err != nil {
		return err
	}
	first, err := one.begin(ctx)
	if first {
		one.invalidate()
	}
	return err
}

// Changed makes the next response of a world show what was changed by hand. The prices of the world
// "default" are refreshed at once, because the operator's pages show them without a request.
func (s *sandbox) Changed(ctx context.Context, w *world.World) {
	s.of(w).invalidate()
	if w.ID() != world.Default {
		return
	}
	if one, err := s.open(ctx, w); err == nil {
		_ = one.refresh(ctx) // it began when it was opened
	}
}

// enter returns a request that the services of a world answer, with prices as of its present time if the operation
// shows prices. A stream ends with its world.
func (s *sandbox) enter(r *http.Request, w *world.World) (in *http.Request, leave func(), err error) {
	one, err := s.open(r.Context(), w)
	if err != nil {
		return nil, nil, err
	}
	ctx := httpapi.WithInstance(r.Context(), one.instance)
	op, _ := core.FindOperation(world.RequestFrom(ctx).Operation)
	group := op.Group()
	if group == "pairs" || group == "balances" { // a balance has a value in a fiat currency
		if err := one.refresh(ctx); err != nil {
			return nil, nil, err
		}
	}
	switch group {
	case "transactions", "balances", "events":
		one.readChains(ctx)
		one.kickWebhooks()
	}
	if !op.Stream {
		return r.WithContext(ctx), func() {}, nil
	}
	ctx, cancel := context.WithCancel(ctx)
	var work sync.WaitGroup
	work.Go(func() { one.follow(ctx, cancel) })
	return r.WithContext(ctx), func() {
		cancel()
		work.Wait()
	}, nil
}

// refresh recomputes prices that are older than refreshInterval, by the clock of the world.
func (one *sandboxWorld) refresh(ctx context.Context) error {
	if _, err := one.begin(ctx); err != nil {
		return err
	}
	one.mu.Lock()
	defer one.mu.Unlock()
	now := one.world.Now()
	if age := now.Sub(one.refreshed); one.changed || age < 0 || age >= refreshInterval {
		one.tick(context.WithoutCancel(ctx), now)
	}
	return nil
}

// advance recomputes prices and reads new blocks while the clock is moved by hand.
func (one *sandboxWorld) advance(ctx context.Context, now time.Time) error {
	one.mu.Lock()
	one.tick(ctx, now)
	one.mu.Unlock()
	one.readChains(ctx)
	return one.planWebhooks(ctx)
}

// invalidate makes the next refresh poll every source, even if the clock stands still.
func (one *sandboxWorld) invalidate() {
	one.mu.Lock()
	defer one.mu.Unlock()
	one.changed = true
}

// tick recomputes prices. All requests share them, so a fault at a source decides no response. The caller holds the
// lock.
func (one *sandboxWorld) tick(ctx context.Context, now time.Time) {
	if one.changed {
		one.Pairs.Renew()
	}
	one.Pairs.Tick(world.WithRequest(ctx, nil))
	one.refreshed, one.changed = now, false
}

// follow refreshes prices while a stream is open, and ends the stream with the world.
func (one *sandboxWorld) follow(ctx context.Context, end func()) {
	defer context.AfterFunc(one.world.Alive(), end)()
	core.Repeat(ctx, func() time.Duration {
		_ = one.refresh(ctx) // it began when the stream did
		return refreshInterval
	})
}

// registerOperator adds the control API and the console to the operator's handler.
func (s *sandbox) registerOperator(o *operator.Handler, cfg config.Config, version Version) {
	api := control.New(s.worlds, control.Config{
		Version: string(version), Entropy: SystemEntropy, Log: s.log.Named("control"),
		CORSOrigins: cfg.Simulator.CORSOrigins, DepositAddress: s.depositAddress, Synced: s.synced,
		Webhooks: worldReceivers{s},
	})
	page := console.New(s.worlds, console.Config{
		Public: Origin(cfg.Listen), Prices: s.consolePrices, History: s.consoleHistory, Received: s.received,
		Code: s.scanCode,
	})
	o.Handle("/_sim/", api)
	o.Handle(console.Path, page)
	o.Handle(console.Path+"/", page)
}

// consolePrices returns the prices of a world as the console shows them.
func (s *sandbox) consolePrices(ctx context.Context, w *world.World) ([]console.Price, error) {
	one, err := s.open(ctx, w)
	if err != nil {
		return nil, err
	}
	if err := one.refresh(ctx); err != nil {
		return nil, err
	}
	snapshot := one.Pairs.Snapshot()
	if snapshot == nil {
		return nil, nil
	}
	var out []console.Price
	for i := range snapshot.Quotes {
		q := &snapshot.Quotes[i]
		out = append(out, console.Price{
			Pair: q.Pair, Status: string(q.Status), Reason: string(q.Reason), Buy: q.Buy, Sell: q.Sell,
			Mid: q.Mid.Round(q.CounterDecimals), Change: q.Change24h, Votes: votesBehind(snapshot, q),
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
