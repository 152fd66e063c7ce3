package server

import (
	"context"
	"net"
	"os"
	"os/signal"
	"syscall"
	"time"

	"go.uber.org/zap"

	"causeway/config"
)

// How long Run may take to return beyond the configured drain.
const (
	flushTimeout    = 3 * time.Second // for background work to end: price history and traces are written
	shutdownTimeout = 2 * time.Second // for the operator listener; aborts a profile that is still being recorded
)

// Process is a service with its two servers.
type Process struct {
	Public, Operator *Server
	Health           *Health
	Drain            config.Drain
	Log              *zap.Logger

	// Start starts the background work of the service and returns a function that ends it.
	Start func(ctx context.Context) (stop func())
	// Serving, if not nil, is called once both servers accept connections.
	Serving func()
}

// Run serves until ctx ends, SIGINT or SIGTERM arrives or a server fails, and then drains:
//
//  1. /readyz answers 503 and responses ask clients to close their connection. The public server
//     continues to accept for Drain.Delay, so that load balancers notice.
//  2. The public server closes its listener and waits up to Drain.Timeout for requests in flight.
//  3. The background work ends, then the operator server.
//
// A second signal ends the process at once. Run returns an error if a server cannot listen or
// fails, but not if clients do not finish in time.
func (p *Process) Run(ctx context.Context) error {
	ctx, cancel := untilSignal(ctx)
	defer cancel()
	failed := make(chan error, 2) // one of each server
	if err := p.Operator.Start(ctx, failed); err != nil {
		return err
	}
	defer p.stopOperator()
	if tcp, ok := p.Operator.Addr().(*net.TCPAddr); ok && !tcp.IP.IsLoopback() {
		p.Log.Warn("the operator listener has no login and accepts connections from other machines; "+
			"allow only probes and Prometheus to reach it", zap.Stringer("address", tcp))
	}
	stop := p.Start(ctx)
	defer p.stopWork(stop)
	if ctx.Err() != nil {
		return nil // stopped before it served
	}
	p.Public.HTTP.Handler = p.Health.closeWhileDraining(p.Public.HTTP.Handler)
	if err := p.Public.Start(context.WithoutCancel(ctx), failed); err != nil {
		return err
	}
	p.Health.state.Store(serving)
	if p.Serving != nil {
		p.Serving()
	}
	select {
	case <-ctx.Done():
		p.drain()
		return nil
	case err := <-failed:
		p.Health.state.Store(draining)
		p.stopPublic()
		return err
	}
}

// untilSignal returns a context that ends with ctx or at the first signal, when signals have their
// default effect again.
func untilSignal(ctx context.Context) (context.Context, context.CancelFunc) {
	signals, stop := signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM)
	ctx, cancel := context.WithCancel(context.WithoutCancel(ctx))
	context.AfterFunc(signals, func() {
		stop()
		cancel()
	})
	return ctx, stop
}

func (p *Process) drain() {
	p.Health.state.Store(draining)
	p.Log.Info("draining", zap.Duration("delay", p.Drain.Delay), zap.Duration("timeout", p.Drain.Timeout))
	time.Sleep(p.Drain.Delay)
	p.stopPublic()
}

func (p *Process) stopWork(stop func()) {
	done := make(chan struct{})
	go func() {
		stop()
		close(done)
	}()
	select {
	case <-done:
	case <-time.After(flushTimeout):
		p.Log.Warn("background work did not end in time", zap.Duration("timeout", flushTimeout))
	}
}

func (p *Process) stopPublic() {
	ctx, cancel := context.WithTimeout(context.Background(), p.Drain.Timeout)
	defer cancel()
	if err := p.Public.Shutdown(ctx); err != nil {
		p.Log.Warn("shutdown timed out; aborting remaining requests", zap.Error(err))
	}
}

func (p *Process) stopOperator() {
	ctx, cancel := context.WithTimeout(context.Background(), shutdownTimeout)
	defer cancel()
	_ = p.Operator.Shutdown(ctx)
	p.Log.Info("stopped")
}
