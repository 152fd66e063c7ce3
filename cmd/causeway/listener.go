package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	stdlog "log"
	"net"
	"net/http"
	"runtime/debug"
	"sync"
	"syscall"

	"github.com/prometheus/client_golang/prometheus"
	"go.uber.org/zap"
	"golang.org/x/net/netutil"

	"causeway/config"
)

// memoryPerConnection is how much of the memory limit one connection may need: request headers of 12 KiB (8 KiB and what
// net/http reads ahead) take up to 270 KiB of heap when they consist of the shortest possible lines, and the heap may grow
// to twice what is in use before a collection.
const memoryPerConnection = 1 << 20

// Limits of the number of connections that are derived from the memory limit.
const (
	minConnections = 64
	maxConnections = 10_000
)

// listener is one HTTP server on one address.
type listener struct {
	name   string // "public" or "operator", for the log
	flag   string // the flag that sets the address
	server *http.Server
	limit  int // connections at once
	log    *zap.Logger

	mu   sync.Mutex
	open int // connections

	bound   net.Addr // after start
	stopped bool
}

func newListener(name, flag, address string, limits config.Server, handler http.Handler, log *zap.Logger) *listener {
	l := &listener{name: name, flag: flag, limit: connectionLimit(limits.MaxConnections), log: log, server: &http.Server{
		Addr: address, Handler: handler,
		ReadHeaderTimeout: limits.HeaderTimeout, ReadTimeout: limits.HeaderTimeout + limits.BodyTimeout,
		WriteTimeout: limits.WriteTimeout, IdleTimeout: limits.IdleTimeout,
		MaxHeaderBytes: limits.MaxHeaderBytes, DisableGeneralOptionsHandler: true, // the handler answers OPTIONS itself, in its own form
	}}
	l.server.ConnState = l.count
	l.server.ErrorLog = stdlog.New(&complaints{log.Named("http")}, "", 0)
	return l
}

// count counts connections. At the limit it closes idle ones and ends the others after their request, so that clients that
// keep a connection do not lock out new ones.
func (l *listener) count(_ net.Conn, state http.ConnState) {
	switch state {
	case http.StateNew:
		l.add(1)
	case http.StateClosed, http.StateHijacked:
		l.add(-1)
	case http.StateActive, http.StateIdle:
	}
}

func (l *listener) add(n int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.open += n
	l.server.SetKeepAlivesEnabled(l.open < l.limit) // false closes idle connections, too
}

// connections returns the number of open connections.
func (l *listener) connections() float64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	return float64(l.open)
}

// registerMetrics exports the number of connections of the listeners.
func registerMetrics(reg prometheus.Registerer, listeners ...*listener) {
	for _, l := range listeners {
		labels := prometheus.Labels{"listener": l.name}
		reg.MustRegister(prometheus.NewGaugeFunc(prometheus.GaugeOpts{
			Name: "causeway_http_connections", Help: "Open connections by listener.", ConstLabels: labels,
		}, l.connections), prometheus.NewGaugeFunc(prometheus.GaugeOpts{
			Name: "causeway_http_connections_limit", Help: "Largest number of open connections by listener.", ConstLabels: labels,
		}, func() float64 { return float64(l.limit) }))
	}
}

// connectionLimit returns the configured number of connections or, if that is 0, what the memory limit has room for.
func connectionLimit(configured int) int {
	if configured > 0 {
		return configured
	}
	return int(min(max(debug.SetMemoryLimit(-1)/memoryPerConnection, minConnections), maxConnections))
}

// complaints sorts what net/http says by itself: what a stranger can cause by a bad handshake is not to fill the log.
type complaints struct{ log *zap.Logger }

// Write takes one line.
func (c *complaints) Write(line []byte) (int, error) {
	text := string(bytes.TrimSpace(line))
	if bytes.HasPrefix(line, []byte("http: TLS handshake error")) {
		c.log.Debug(text)
	} else {
		c.log.Warn(text)
	}
	return len(line), nil
}

// start binds the address, so that a port in use fails the start, and serves in the background. It sends an error to
// failed if serving ends other than by stop.
func (l *listener) start(ctx context.Context, failed failures) error {
	var lc net.ListenConfig
	socket, err := lc.Listen(ctx, "tcp", l.server.Addr)
	if errors.Is(err, syscall.EADDRINUSE) {
		return fmt.Errorf("cannot listen on %s: another process uses this port; stop it, or choose another address with %s", l.server.Addr, l.flag)
	}
	if err != nil {
		return fmt.Errorf("cannot listen on %s: %w; choose another address with %s", l.server.Addr, err, l.flag)
	}
	l.bound = socket.Addr()
	l.log.Info("listening", zap.String("listener", l.name), zap.String("address", l.bound.String()), zap.Bool("tls", l.server.TLSConfig != nil))
	go func() {
		if err := l.serve(netutil.LimitListener(socket, l.limit)); !errors.Is(err, http.ErrServerClosed) {
			failed <- fmt.Errorf("the %s listener failed: %w", l.name, err)
		}
	}()
	return nil
}

func (l *listener) serve(socket net.Listener) error {
	if l.server.TLSConfig != nil {
		return l.server.ServeTLS(socket, "", "") // the configuration has the certificate
	}
	return l.server.Serve(socket)
}

// loopback reports whether the listener is reached from its own machine alone.
func (l *listener) loopback() bool {
	tcp, ok := l.bound.(*net.TCPAddr)
	return ok && tcp.IP.IsLoopback()
}

// stop waits for the requests in flight, as long as ctx allows, and then cuts them off.
func (l *listener) stop(ctx context.Context) error {
	if l.stopped {
		return nil
	}
	l.stopped = true
	if err := l.server.Shutdown(ctx); err != nil {
		_ = l.server.Close()
		return fmt.Errorf("%s listener: requests were cut off: %w", l.name, err)
	}
	return nil
}
