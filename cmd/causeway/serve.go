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
	"go.uber.org/dig"
	"go.uber.org/fx"
	"go.uber.org/zap"

	"causeway/config"
)

const (
	firstRound = 3 * time.Second // how long the start waits for first prices and bank lists
	goodbye    = 2 * time.Second // for the operator's listener: whoever reads a profile is cut off
	lastWords  = 3 * time.Second // for what is told to others at the end: traces, points of history
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

// run serves until a signal, a failed listener or the end of ctx, and then drains.
func run(ctx context.Context, cfg config.Config, log *zap.Logger) error {
	failed := make(failures, 2)
	app := fx.New(graph(cfg, log, failed))
	if err := app.Err(); err != nil {
		return dig.RootCause(err)
	}
	signals, forget := signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM)
	if err := app.Start(signals); err != nil {
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
	stopped := app.Stop(drain)
	if errors.Is(stopped, context.DeadlineExceeded) { // by somebody who does not answer: a collector, a database
		log.Warn("not every part of the process was done in time", zap.Error(stopped))
		stopped = nil
	}
	return errors.Join(err, stopped)
}

// process is everything that runs: two listeners and the work behind them.
type process struct {
	parts    parts
	health   *health
	public   *listener
	operator *listener

	cancel  context.CancelFunc
	work    sync.WaitGroup
	unshare func()
}

// newProcess ties the process to the life of the app.
func newProcess(life fx.Lifecycle, failed failures, p parts) (*process, error) {
	sim, err := newSimDesk(p)
	if err != nil {
		return nil, err
	}
	h := &health{priced: func() bool { return p.Pairs.Snapshot() != nil }}
	s := &process{parts: p, health: h}
	s.public = newListener("public", "--listen", p.Config.Listen, p.Config.Server, farewell(h, p.Front), p.Log)
	s.public.server.TLSConfig = p.Certificate.config()
	s.public.server.RegisterOnShutdown(p.API.Close) // else the shutdown would wait for streams, which have no end
	if p.Front.door != nil {
		s.public.server.RegisterOnShutdown(p.Front.door.Close) // and for what a fault holds up
	}
	desk := operatorHandler(h, p.Registry, p.Prices, newAcknowledging(p.Book, p.Log), p.BankDesk, sim)
	s.operator = newListener("operator", "--operator-listen", p.Config.OperatorListen, p.Config.Server, operatorDoor(desk, p.Config.OperatorListen, p.Config.Mode == config.Production), p.Log)
	s.operator.server.RegisterOnShutdown(sim.close)
	registerMetrics(p.Registry, s.public, s.operator)
	life.Append(fx.Hook{
		OnStart: func(ctx context.Context) error { return s.start(ctx, failed) },
		OnStop:  s.stop,
	})
	return s, nil
}

// start asks for first prices and lists, so that the first request is answered, then opens the listeners.
func (s *process) start(ctx context.Context, failed failures) error {
	if s.parts.Config.Mode == config.Sandbox {
		s.parts.Log.Warn("sandbox mode: every bank, name and price is simulated; nothing here is real",
			zap.String("seed", s.parts.Config.Simulator.Seed))
	}
	if err := s.operator.start(ctx, failed); err != nil {
		return err
	}
	if !s.operator.loopback() {
		s.parts.Log.Warn("the operator listener accepts connections from other machines and requires no key; allow only probes and Prometheus to reach it",
			zap.Stringer("address", s.operator.bound))
	}
	work, cancel := context.WithCancel(context.WithoutCancel(ctx))
	s.cancel, s.unshare = cancel, s.parts.Shared.begin(context.WithoutCancel(ctx))
	s.work.Go(func() { s.parts.Reload.Run(work) })
	first, done := context.WithTimeout(work, firstRound)
	var round sync.WaitGroup
	round.Go(func() {
		if !s.parts.Book.join(work) {
			s.parts.Pairs.Tick(first)
		}
	})
	round.Go(func() { s.parts.Banks.Tick(first) })
	round.Go(func() { s.parts.Keys.Join(first) })
	round.Wait()
	done()
	if s.parts.Pairs.Snapshot() == nil {
		s.parts.Log.Warn("there are no prices yet: no rate source answered; everything else is served")
	}

	warnOfKeys(s.parts.Config, s.parts.Keys.Len(), s.parts.Log)
	s.work.Go(func() { s.parts.Book.Run(work) })
	s.work.Go(func() { s.parts.Keys.Run(work) })
	s.work.Go(func() { s.parts.Certificate.Run(work) })
	s.work.Go(func() { s.parts.History(work) })
	s.work.Go(func() { s.parts.Banks.Run(work) })
	if worlds := s.parts.Front.worlds; worlds != nil {
		s.work.Go(func() { worlds.Run(work) })
	}
	if err := s.public.start(ctx, failed); err != nil {
		cancel()
		s.work.Wait()
		s.unshare()
		return errors.Join(err, s.operator.stop(context.WithoutCancel(ctx)))
	}
	return nil
}

// stop says that the process is not ready, goes on accepting for the configured delay, so that load balancers
// notice, then finishes what is in flight.
func (s *process) stop(ctx context.Context) error {
	s.health.draining.Store(true)
	s.parts.Log.Info("draining", zap.Duration("delay", s.parts.Config.Drain.Delay), zap.Duration("timeout", s.parts.Config.Drain.Timeout))
	wait := time.NewTimer(s.parts.Config.Drain.Delay)
	select {
	case <-wait.C:
	case <-ctx.Done():
	}
	inFlight, done := context.WithTimeout(ctx, s.parts.Config.Drain.Timeout)
	defer done()
	if err := s.public.stop(inFlight); err != nil { // by the clients' fault or a provider's: the process has done what it could
		s.parts.Log.Warn("not everybody was done in time", zap.Error(err))
	}
	s.cancel()
	s.work.Wait()
	s.unshare() // after who leads has said that it does not any more
	s.dismiss(ctx)
	s.parts.Log.Info("stopped")
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
func farewell(h *health, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if h.draining.Load() {
			w.Header().Set("Connection", "close")
		}
		next.ServeHTTP(w, r)
	})
}
