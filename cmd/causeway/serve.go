package main

import (
	"context"
	"errors"
	"net/http"
	"os"
	"os/signal"
	"runtime/debug"
	"sync"
	"syscall"
	"time"

	"github.com/spf13/cobra"
	"go.uber.org/dig"
	"go.uber.org/fx"
	"go.uber.org/zap"

	"causeway/config"
)

const (
	firstRound   = 3 * time.Second // how long the start waits for first prices and bank lists
	refreshBanks = time.Hour
)

func serveCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "serve",
		Short: "Serve the API: a sandbox by default",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			cfg, err := load(cmd.Flags())
			if err != nil {
				return err
			}
			log, stop, err := newLogger(cfg.Log)
			if err != nil {
				return err
			}
			defer stop()
			return run(cmd.Context(), cfg, log)
		},
	}
	settingFlags(cmd.Flags())
	return cmd
}

// run serves until a signal, a failed listener or the end of ctx, and then drains.
func run(ctx context.Context, cfg config.Config, log *zap.Logger) error {
	app := fx.New(graph(cfg, log), fx.StopTimeout(cfg.Drain.Delay+cfg.Drain.Timeout+5*time.Second))
	if err := app.Err(); err != nil {
		return dig.RootCause(err)
	}
	if err := app.Start(ctx); err != nil {
		return err
	}
	signals, forget := signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM)
	code := 0
	select {
	case <-signals.Done():
	case s := <-app.Wait():
		code = s.ExitCode
	}
	forget() // a second signal ends the process at once
	if err := app.Stop(context.WithoutCancel(ctx)); err != nil {
		return err
	}
	if code != 0 {
		return errors.New("a listener failed; see the log")
	}
	return nil
}

// process is everything that runs: two listeners and the work behind them.
type process struct {
	parts    parts
	health   *health
	public   *listener
	operator *listener

	cancel context.CancelFunc
	work   sync.WaitGroup
}

// newProcess ties the process to the life of the app.
func newProcess(life fx.Lifecycle, down fx.Shutdowner, p parts) *process {
	h := &health{priced: func() bool { return p.Pairs.Snapshot() != nil }}
	s := &process{parts: p, health: h}
	s.public = newListener("public", "--listen", p.Config.Listen, farewell(h, p.API.Handler()), p.Log)
	s.operator = newListener("operator", "--operator-listen", p.Config.OperatorListen, operatorHandler(h, p.Registry), p.Log)
	failed := func() { _ = down.Shutdown(fx.ExitCode(1)) }
	life.Append(fx.Hook{
		OnStart: func(ctx context.Context) error { return s.start(ctx, failed) },
		OnStop:  s.stop,
	})
	return s
}

// start asks for first prices and lists, so that the first request is answered, then opens the listeners.
func (s *process) start(ctx context.Context, failed func()) error {
	if s.parts.Config.Mode == config.Sandbox {
		s.parts.Log.Warn("sandbox mode: every bank, name and price is simulated; nothing here is real",
			zap.String("seed", s.parts.Config.Simulator.Seed))
	}
	if err := s.operator.start(ctx, failed); err != nil {
		return err
	}
	work, cancel := context.WithCancel(context.WithoutCancel(ctx))
	s.cancel = cancel
	first, done := context.WithTimeout(work, firstRound)
	var round sync.WaitGroup
	round.Go(func() { s.parts.Pairs.Tick(first) })
	round.Go(func() { s.refresh(first) })
	round.Wait()
	done()

	s.work.Go(func() { s.parts.Pairs.Run(work) })
	s.work.Go(func() { s.refreshHourly(work) })
	if err := s.public.start(ctx, failed); err != nil {
		cancel()
		s.work.Wait()
		return errors.Join(err, s.operator.stop(ctx))
	}
	s.work.Go(debug.FreeOSMemory) // what reading the catalog and the documentation took is not needed again
	return nil
}

func (s *process) refresh(ctx context.Context) {
	if err := s.parts.Banks.Refresh(ctx); err != nil && ctx.Err() == nil {
		s.parts.Log.Warn("a bank list could not be refreshed; the last good one stays", zap.Error(err))
	}
}

func (s *process) refreshHourly(ctx context.Context) {
	tick := time.NewTicker(refreshBanks)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			s.refresh(ctx)
		}
	}
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
	err := s.public.stop(inFlight)
	s.cancel()
	s.work.Wait()
	err = errors.Join(err, s.operator.stop(ctx))
	s.parts.Log.Info("stopped")
	return err
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
