package server

import (
	"context"
	"errors"
	"net"
	"os"
	"os/signal"
	"syscall"
	"time"

	"go.uber.org/dig"
	"go.uber.org/fx"
	"go.uber.org/zap"

	"causeway/config"
)

// How long Run may take to return beyond the configured drain.
const (
	flushTimeout    = 3 * time.Second // for background work to end: price history and traces are written
	shutdownTimeout = 2 * time.Second // for the operator listener; aborts a profile that is still being recorded
)

// Process is a service with its two servers. ServeOperator and ServePublic make them part of an fx
// application, which Run runs.
type Process struct {
	Public, Operator *Server
	Health           *Health
	Drain            config.Drain
	Log              *zap.Logger
	Serving          func(public, operator net.Addr) // called once both servers accept connections; nil: not called
}

// ServeOperator appends the operator server to the hooks of an application.
func (p *Process) ServeOperator(life fx.Lifecycle, shutdown fx.Shutdowner) {
	life.Append(fx.StartStopHook(func(ctx context.Context) error {
		if err := p.Operator.Start(ctx, shutdown); err != nil {
			return err
		}
		if tcp, ok := p.Operator.Addr().(*net.TCPAddr); ok && !tcp.IP.IsLoopback() {
			p.Log.Warn("the operator listener has no login and accepts connections from other machines; "+
				"allow only probes and Prometheus to reach it", zap.Stringer("address", tcp))
		}
		return nil
	}, func(ctx context.Context) {
		ctx, cancel := context.WithTimeout(ctx, shutdownTimeout)
		defer cancel()
		_ = p.Operator.Shutdown(ctx)
	}))
}

// ServePublic appends the public server to the hooks of an application.
func (p *Process) ServePublic(life fx.Lifecycle, shutdown fx.Shutdowner) {
	p.Public.HTTP.Handler = p.Health.closeWhileDraining(p.Public.HTTP.Handler)
	life.Append(fx.StartStopHook(func(ctx context.Context) error {
		if p.Health.state.Load() == draining {
			return nil // stopped before it served
		}
		if err := p.Public.Start(ctx, shutdown); err != nil {
			return err
		}
		p.Health.state.CompareAndSwap(starting, serving)
		if p.Serving != nil {
			p.Serving(p.Public.Addr(), p.Operator.Addr())
		}
		return nil
	}, p.stopPublic))
}

func (p *Process) stopPublic(ctx context.Context) {
	if p.Public.Addr() == nil {
		return
	}
	if p.failure() == nil {
		p.Log.Info("draining", zap.Duration("delay", p.Drain.Delay), zap.Duration("timeout", p.Drain.Timeout))
		time.Sleep(p.Drain.Delay)
	}
	ctx, cancel := context.WithTimeout(ctx, p.Drain.Timeout)
	defer cancel()
	if err := p.Public.Shutdown(ctx); err != nil {
		p.Log.Warn("shutdown timed out; aborting remaining requests", zap.Error(err))
	}
}

// failure returns why a server stopped that was not shut down.
func (p *Process) failure() error { return errors.Join(p.Public.Err(), p.Operator.Err()) }

// stopTimeout bounds a stop.
func stopTimeout(drain config.Drain) time.Duration {
	return drain.Delay + drain.Timeout + flushTimeout + shutdownTimeout
}

// Run runs the Process of an application until ctx ends, SIGINT or SIGTERM arrives or a server fails.
// The hooks of the application then stop in the reverse order of their start, which is usually:
//
//  1. /readyz answers 503 and responses ask clients to close their connection. The public server
//     continues to accept for Drain.Delay, so that load balancers notice.
//  2. The public server closes its listener and waits up to Drain.Timeout for requests in flight.
//  3. The background work ends, then the operator server.
//
// A second signal ends the process at once. Run returns an error if the application cannot be built
// or started or a server fails, but not if clients do not finish in time.
func Run(ctx context.Context, application ...fx.Option) error {
	var p *Process
	app := fx.New(fx.NopLogger, fx.Options(application...), fx.Populate(&p)) // errors are returned
	if err := app.Err(); err != nil {
		return dig.RootCause(err)
	}
	run, cancel := context.WithCancel(ctx)
	defer cancel()
	shutdown, ended := app.Wait(), make(chan struct{})
	go func() {
		defer close(ended)
		select {
		case <-shutdown:
		case <-run.Done():
		}
		signal.Reset(os.Interrupt, syscall.SIGTERM) // fx listens to signals until it has stopped
		p.Health.state.Store(draining)              // last: a client that reads it can send a second signal
	}()
	// Start and Stop of fx return without waiting for their hooks when the context ends.
	err := app.Start(context.WithoutCancel(ctx))
	if err != nil {
		cancel()
	}
	<-ended
	stopping, cancel := context.WithTimeout(context.WithoutCancel(ctx), stopTimeout(p.Drain))
	defer cancel()
	if err := app.Stop(stopping); err != nil {
		p.Log.Warn("the process did not stop cleanly", zap.Error(err))
	}
	if p.Operator.Addr() != nil {
		p.Log.Info("stopped")
	}
	return errors.Join(err, p.failure())
}
