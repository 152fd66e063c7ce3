package app

import (
	"context"
	"net"
	"sync"
	"time"

	"github.com/KimMachineGun/automemlimit/memlimit"
	"github.com/prometheus/client_golang/prometheus"
	"go.uber.org/fx"
	"go.uber.org/zap"

	"causeway/adapters/storage"
	"causeway/cmd/causeway/operator"
	"causeway/cmd/causeway/replicas"
	"causeway/cmd/causeway/server"
	"causeway/config"
	"causeway/core/delivery"
)

// memoryRatio is the part of a control group's memory that Go may use. The rest is for what Go does
// not count: the binary, socket buffers and the page cache of SQLite.
const memoryRatio = 0.8

const (
	startTimeout = 3 * time.Second // for first prices, bank lists and keys

	// restoreTimeout is for the lookups of the last day, without which a caller that the guard has
	// stopped would be admitted. A database that cannot be reached fails sooner.
	restoreTimeout = 30 * time.Second
)

// Serve runs the service until ctx ends, a signal arrives or a listener fails, and then drains it.
// GOMEMLIMIT follows the memory limit of the control group, unless it is set.
//
// It calls serving once both listeners accept connections, with their addresses.
func Serve(
	ctx context.Context, cfg config.Config, version Version, log *zap.Logger, serving func(public, operator net.Addr),
) error {
	if _, err := memlimit.Set(memlimit.WithRatio(memoryRatio)); err != nil {
		log.Debug("the memory limit of the control group is unknown", zap.Error(err))
	}
	return server.Run(ctx, Module(cfg, version, log), process, fx.Supply(serving))
}

// process is the two servers and the background work of an App. They start in the order of fx.Invoke,
// and stop in reverse.
var process = fx.Module("process",
	fx.Provide(server.NewBackground, newCertificate, newProcess),
	fx.Invoke(
		(*server.Process).ServeOperator,
		run[*reloader], warmUp, run[*storage.KeyRing], run[*storage.History], runWorld, run[*replicas.Prices],
		run[*delivery.Service],
		watchCertificate, (*server.Process).ServePublic,
	),
)

// run makes a part of the App work in the background.
func run[T interface{ Run(context.Context) }](work *server.Background, part T) { work.Run(part.Run) }

// runWorld keeps the default world up to date, except for its prices, and ends idle worlds.
func runWorld(work *server.Background, home *defaultWorld, simulated registry) {
	world := home.services.Load()
	work.Run(world.Banks.Run)
	work.Run(world.Deposits.Run)
	work.Run(world.Recipients.Run)
	if simulated.Worlds == nil {
		work.Run(world.Transactions.Run) // simulated worlds read when they are used
		return
	}
	work.Run(simulated.Worlds.Run)
}

// warmUp delays the public listener until there are first prices, bank lists and keys, and until the
// guard remembers earlier lookups, or until these take too long.
func warmUp(
	life fx.Lifecycle, cfg config.Config, home *defaultWorld, prices *replicas.Prices, keys *storage.KeyRing,
	history *storage.History, log *zap.Logger,
) {
	life.Append(fx.StartHook(func(ctx context.Context) {
		restoring, stop := context.WithTimeout(ctx, restoreTimeout)
		defer stop()
		ctx, cancel := context.WithTimeout(ctx, startTimeout)
		defer cancel()
		world := home.services.Load()
		var first sync.WaitGroup
		first.Go(func() { prices.WarmUp(ctx) })
		first.Go(func() { world.Banks.Tick(ctx) })
		first.Go(func() { _ = keys.Refresh(ctx) }) // a failure is logged
		first.Go(func() { history.Sync(ctx) })
		first.Go(func() { world.Recipients.Restore(restoring) })
		first.Wait()
		if home.pairs().Snapshot() == nil {
			log.Warn("no prices yet: no rate source has answered; all other operations are served")
		}
		warnWithoutKeys(cfg, keys, log)
	}))
}

func newCertificate(cfg config.Config, log *zap.Logger, reg prometheus.Registerer) (*server.Certificate, error) {
	ctx, cancel := context.WithTimeout(context.Background(), openTimeout)
	defer cancel()
	return server.LoadCertificate(ctx, cfg.TLS, time.Now, log, reg)
}

// watchCertificate uses new certificates. A stop does not wait for it, because a read may hang.
func watchCertificate(work *server.Background, certificate *server.Certificate) {
	work.Run(func(ctx context.Context) { go certificate.Watch(ctx) })
}

// newProcess connects the App with the two servers.
func newProcess(
	a *App, certificate *server.Certificate, cfg config.Config, serving func(public, operator net.Addr),
	log *zap.Logger, reg prometheus.Registerer,
) *server.Process {
	if cfg.Mode == config.Sandbox {
		log.Warn("sandbox mode: every bank, name and price is simulated", zap.String("seed", cfg.Simulator.Seed))
	}
	proxies, _ := cfg.Proxies() // newAPI returns the error
	public := server.New(server.Config{
		Name: "public", Address: cfg.Listen, Setting: "listen", Variable: config.Variable("listen"),
		TLS:           certificate.Config(),
		MaxPerAddress: cfg.Limits.Share(server.ConnectionLimit()), Trusted: proxies,
	}, a.Handler, log)
	public.HTTP.RegisterOnShutdown(a.CloseStreams)
	desk := server.New(server.Config{
		Name: "operator", Address: cfg.OperatorListen, Setting: "operator_listen",
		Variable: config.Variable("operator_listen"),
	}, operator.Protect(a.Operator, cfg.OperatorListen, cfg.Mode == config.Production), log)
	for _, s := range []*server.Server{public, desk} {
		s.RegisterMetrics(reg)
	}
	return &server.Process{
		Public: public, Operator: desk, Health: a.Operator.Health, Drain: cfg.Drain, Log: log, Serving: serving,
	}
}
