package main

import (
	"context"
	"errors"
	"net/http"
	"os"
	"os/signal"
	"sync"
	"syscall"
	"time"

	"github.com/KimMachineGun/automemlimit/memlimit"
	"github.com/prometheus/client_golang/prometheus"
	"go.uber.org/dig"
	"go.uber.org/fx"
	"go.uber.org/zap"

	"causeway/cmd/causeway/app"
	"causeway/cmd/causeway/operator"
	"causeway/config"
)

const (
	goodbye   = 2 * time.Second // for the operator's listener: whoever reads a profile is cut off
	lastWords = 3 * time.Second // for what is told to others at the end: traces, points of history
)

// serve runs the service. The memory limit of the control group becomes GOMEMLIMIT, unless that is set.
func serve(ctx context.Context, cfg config.Config, log *zap.Logger) error {
	if _, err := memlimit.Set(); err != nil {
		log.Debug("the memory limit of the control group is unknown", zap.Error(err))
	}
	return run(ctx, cfg, log)
}

// failures takes the listeners' reports that serving ended by itself. It holds one report of each.
type failures chan error

// graph is the whole program.
func graph(cfg config.Config, log *zap.Logger, failed failures) fx.Option {
	return fx.Options(
		app.Module(cfg, app.Version(version), log),
		fx.Supply(failed), fx.Provide(newCertificate, newProcess), fx.Invoke(func(*process) {}),
	)
}

// run serves until a signal, a failed listener or the end of ctx, and then drains.
func run(ctx context.Context, cfg config.Config, log *zap.Logger) error {
	failed := make(failures, 2)
	process := fx.New(graph(cfg, log, failed))
	if err := process.Err(); err != nil {
		return dig.RootCause(err)
	}
	signals, forget := signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM)
	if err := process.Start(signals); err != nil {
		told := signals.Err() != nil
		if forget(); told {
			return nil // to end before it had begun
		}
		return err
	}
	var err error
	select {
	case <-signals.Done():
	case err = <-failed:
	}
	forget() // a second signal ends the process at once
	drain, done := context.WithTimeout(context.WithoutCancel(ctx), cfg.Drain.Delay+cfg.Drain.Timeout+goodbye+lastWords)
	defer done()
	stopped := process.Stop(drain)
	if errors.Is(stopped, context.DeadlineExceeded) { // by somebody who does not answer: a collector, a database
		log.Warn("not every part of the process was done in time", zap.Error(stopped))
		stopped = nil
	}
	return errors.Join(err, stopped)
}

// process is everything that runs: two listeners and the app behind them.
type process struct {
	cfg      config.Config
	log      *zap.Logger
	app      *app.App
	tls      *certificate
	public   *listener
	operator *listener

	cancel  context.CancelFunc
	work    sync.WaitGroup
	stopApp func()
}

// newProcess ties the process to the life of the app.
func newProcess(life fx.Lifecycle, failed failures, cfg config.Config, a *app.App, tls *certificate, log *zap.Logger, reg prometheus.Registerer) *process {
	s := &process{cfg: cfg, log: log, app: a, tls: tls}
	s.public = newListener("public", "--listen", cfg.Listen, cfg.Server, farewell(a.Operator.Draining, a.Handler), log)
	s.public.server.TLSConfig = tls.config()
	s.public.server.RegisterOnShutdown(a.CloseStreams) // else the shutdown would wait for streams, which have no end
	s.operator = newListener("operator", "--operator-listen", cfg.OperatorListen, cfg.Server, operator.Protect(a.Operator, cfg.OperatorListen, cfg.Mode == config.Production), log)
	s.operator.server.RegisterOnShutdown(a.Operator.Close)
	registerMetrics(reg, s.public, s.operator)
	life.Append(fx.Hook{
		OnStart: func(ctx context.Context) error { return s.start(ctx, failed) },
		OnStop:  s.stop,
	})
	return s
}

// start asks for first prices and lists, so that the first request is answered, then opens the listeners.
func (s *process) start(ctx context.Context, failed failures) error {
	if s.cfg.Mode == config.Sandbox {
		s.log.Warn("sandbox mode: every bank, name and price is simulated; nothing here is real", zap.String("seed", s.cfg.Simulator.Seed))
	}
	if err := s.operator.start(ctx, failed); err != nil {
		return err
	}
	if !s.operator.loopback() {
		s.log.Warn("the operator listener accepts connections from other machines and requires no key; allow only probes and Prometheus to reach it",
			zap.Stringer("address", s.operator.bound))
	}
	s.stopApp = s.app.Start(ctx)
	work, cancel := context.WithCancel(context.WithoutCancel(ctx))
	s.cancel = cancel
	s.work.Go(func() { s.tls.Run(work) })
	if err := s.public.start(ctx, failed); err != nil {
		cancel()
		s.work.Wait()
		s.stopApp()
		return errors.Join(err, s.operator.stop(context.WithoutCancel(ctx)))
	}
	return nil
}

// stop says that the process is not ready, goes on accepting for the configured delay, so that load balancers
// notice, then finishes what is in flight.
func (s *process) stop(ctx context.Context) error {
	s.app.Operator.Drain()
	s.log.Info("draining", zap.Duration("delay", s.cfg.Drain.Delay), zap.Duration("timeout", s.cfg.Drain.Timeout))
	wait := time.NewTimer(s.cfg.Drain.Delay)
	select {
	case <-wait.C:
	case <-ctx.Done():
	}
	inFlight, done := context.WithTimeout(ctx, s.cfg.Drain.Timeout)
	defer done()
	if err := s.public.stop(inFlight); err != nil { // by the clients' fault or a provider's: the process has done what it could
		s.log.Warn("not everybody was done in time", zap.Error(err))
	}
	s.cancel()
	s.work.Wait()
	s.stopApp()
	s.dismiss(ctx)
	s.log.Info("stopped")
	return nil
}

// dismiss closes the operator's listener. A profile that is cut off is no failure.
func (s *process) dismiss(ctx context.Context) {
	last, done := context.WithTimeout(ctx, goodbye)
	defer done()
	_ = s.operator.stop(last)
}

// farewell asks clients to close their connections once the process is leaving, so that none of them sends its
// next request into a closing one.
func farewell(draining func() bool, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if draining() {
			w.Header().Set("Connection", "close")
		}
		next.ServeHTTP(w, r)
	})
}
