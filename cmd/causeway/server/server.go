// Package server runs the HTTP servers of a process: the public API and the operator listener.
//
// The servers are servers of net/http. Timeouts, a small header limit and a connection limit bound
// what clients can take of the process; the API limits bodies and concurrent requests itself.
package server

import (
	"bytes"
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"log"
	"net"
	"net/http"
	"net/netip"
	"runtime/debug"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"go.uber.org/fx"
	"go.uber.org/zap"
	"golang.org/x/net/netutil"

	"causeway/adapters/web/middleware"
)

// What one client can take. An unfinished HTTP/1 header of 12 KiB (maxHeaderBytes and the 4 KiB
// that net/http adds) occupies up to 270 KiB of heap if it consists of the shortest possible lines,
// measured with Go 1.26. The heap may grow to twice of what is in use before a collection, and the
// service needs half of the memory limit for itself: hence memoryPerConnection.
const (
	maxHeaderBytes      = 8 << 10
	memoryPerConnection = 3 << 19 // 1.5 MiB

	headerTimeout    = 5 * time.Second  // for a header or a TLS handshake
	readTimeout      = 15 * time.Second // for a header and its body
	writeTimeout     = 30 * time.Second // for a whole response; streams extend it with every message
	idleTimeout      = 2 * time.Minute  // longer than the 60 s of usual load balancers
	streamBuffer     = 64 << 10         // body bytes that an HTTP/2 client may send ahead, per request
	connectionBuffer = 256 << 10        // the same, per connection
)

// Bounds of the connection limit that follows from the memory limit.
const (
	minConnections = 64
	maxConnections = 10_000
)

// Config configures a Server.
type Config struct {
	Name    string      // "public" or "operator", in logs, errors and metrics
	Address string      // to listen on
	Setting string      // the setting that holds Address, such as "operator_listen", for errors
	TLS     *tls.Config // nil: plain HTTP

	Variable string // environment variable of the setting, for errors; empty: none

	MaxConnections int            // 0: ConnectionLimit
	MaxPerAddress  int            // connections of one address; 0: unlimited
	Trusted        []netip.Prefix // proxies, which may open more
}

// Server is an HTTP server on one address.
type Server struct {
	HTTP *http.Server

	cfg   Config
	limit int // of open connections
	log   *zap.Logger
	addr  net.Addr // after Start

	shares   *middleware.Shares
	refused  atomic.Int64 // connections beyond the share of their address
	warnOnce sync.Once

	mu      sync.Mutex
	open    int   // connections
	failure error // see Err
}

// New returns a server that is not started.
func New(cfg Config, handler http.Handler, logger *zap.Logger) *Server {
	s := &Server{
		cfg: cfg, limit: cmp.Or(cfg.MaxConnections, ConnectionLimit()), log: logger,
		shares: middleware.NewShares(cfg.MaxPerAddress, cfg.Trusted),
	}
	s.HTTP = &http.Server{
		Addr: cfg.Address, Handler: handler, TLSConfig: cfg.TLS,
		ReadHeaderTimeout: headerTimeout, ReadTimeout: readTimeout, WriteTimeout: writeTimeout, IdleTimeout: idleTimeout,
		MaxHeaderBytes: maxHeaderBytes,
		HTTP2: &http.HTTP2Config{
			MaxReceiveBufferPerStream: streamBuffer, MaxReceiveBufferPerConnection: connectionBuffer,
		},
		DisableGeneralOptionsHandler: true, // the API answers OPTIONS * itself: 204 with Allow
		ConnState:                    s.track,
		ErrorLog:                     log.New(errorLog{logger.Named("http")}, "", 0),
	}
	return s
}

// ConnectionLimit returns how many connections the memory limit has room for: 680 per GiB.
func ConnectionLimit() int {
	return int(min(max(debug.SetMemoryLimit(-1)/memoryPerConnection, minConnections), maxConnections))
}

// InFlightLimit returns how many requests may be in progress at once. A connection of HTTP/2 carries
// several.
func InFlightLimit() int { return 4 * ConnectionLimit() }

// StreamLimit returns how many price streams may be open at once. A quarter of the connections is for
// requests, because streams hold theirs for hours.
func StreamLimit() int { return ConnectionLimit() * 3 / 4 }

// BodyBudget returns how many bytes of large request bodies may be in memory at once. Buffers and
// the heap each grow to twice of what they hold, and rejected bodies are garbage: a 24th of the
// memory limit keeps bodies within a third of it.
func BodyBudget() int64 {
	return min(max(debug.SetMemoryLimit(-1)/24, 8<<20), 64<<20)
}

// track counts connections. While the limit is reached, keep-alives are off: idle connections are
// closed, and the others end with their request. Otherwise clients that keep idle connections open
// would lock out new ones.
func (s *Server) track(_ net.Conn, state http.ConnState) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch state {
	case http.StateNew:
		s.open++
	case http.StateClosed, http.StateHijacked:
		s.open--
	case http.StateActive, http.StateIdle:
		return
	}
	s.HTTP.SetKeepAlivesEnabled(s.open < s.limit)
}

// RegisterMetrics exports the number of connections and its limit.
func (s *Server) RegisterMetrics(reg prometheus.Registerer) {
	labels := prometheus.Labels{"listener": s.cfg.Name}
	reg.MustRegister(prometheus.NewGaugeFunc(prometheus.GaugeOpts{
		Name: "causeway_http_connections", Help: "Open connections by listener.", ConstLabels: labels,
	}, func() float64 {
		s.mu.Lock()
		defer s.mu.Unlock()
		return float64(s.open)
	}), prometheus.NewGaugeFunc(prometheus.GaugeOpts{
		Name: "causeway_http_connections_limit",
		Help: "Largest number of open connections by listener.", ConstLabels: labels,
	}, func() float64 { return float64(s.limit) }), prometheus.NewCounterFunc(prometheus.CounterOpts{
		Name: "causeway_http_connections_refused_total",
		Help: "Connections closed at once because their address had too many, by listener.", ConstLabels: labels,
	}, func() float64 { return float64(s.refused.Load()) }))
}

// Start listens and serves in the background. It shuts the application down if the server stops for
// any other reason than Shutdown.
func (s *Server) Start(ctx context.Context, shutdown fx.Shutdowner) error {
	var lc net.ListenConfig
	listener, err := lc.Listen(ctx, "tcp", s.cfg.Address)
	if err != nil {
		return s.listenError(err)
	}
	s.addr = listener.Addr()
	s.log.Info("listening",
		zap.String("listener", s.cfg.Name), zap.Stringer("address", s.addr), zap.Bool("tls", s.cfg.TLS != nil))
	go func() {
		err := s.serve(netutil.LimitListener(sharedListener{listener, s}, s.limit))
		if errors.Is(err, http.ErrServerClosed) {
			return
		}
		s.mu.Lock()
		s.failure = fmt.Errorf("the %s listener failed: %w", s.cfg.Name, err)
		s.mu.Unlock()
		_ = shutdown.Shutdown()
	}()
	return nil
}

// Err returns why the server stopped, unless it was shut down.
func (s *Server) Err() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.failure
}

func (s *Server) serve(listener net.Listener) error {
	if s.cfg.TLS != nil {
		return s.HTTP.ServeTLS(listener, "", "") // TLSConfig has the certificate
	}
	return s.HTTP.Serve(listener)
}

// listenError says which port cannot be used, what may use it, and which setting changes it.
func (s *Server) listenError(err error) error {
	host, port, _ := net.SplitHostPort(s.cfg.Address)
	number, _ := strconv.Atoi(port)
	next := net.JoinHostPort(host, strconv.Itoa(number+1))
	remedy := fmt.Sprintf("choose another address: --%s %s", strings.ReplaceAll(s.cfg.Setting, "_", "-"), next)
	if s.cfg.Variable != "" {
		remedy += fmt.Sprintf(", or %s=%s in the environment", s.cfg.Variable, next)
	}
	if errors.Is(err, syscall.EADDRINUSE) {
		return fmt.Errorf("cannot listen on %s (setting %s): another process uses port %s, perhaps another Causeway; "+
			"lsof -i :%[3]s names it. Stop it, or %s", s.cfg.Address, s.cfg.Setting, port, remedy)
	}
	return fmt.Errorf("cannot listen on %s (setting %s): %w. To continue, %s", s.cfg.Address, s.cfg.Setting, err, remedy)
}

// Addr returns the address that the server listens on. It is nil before Start.
func (s *Server) Addr() net.Addr { return s.addr }

// Shutdown stops listening and waits for requests in flight until ctx ends, when it aborts them and
// returns an error.
func (s *Server) Shutdown(ctx context.Context) error {
	if err := s.HTTP.Shutdown(ctx); err != nil {
		_ = s.HTTP.Close()
		return fmt.Errorf("%s listener: %w", s.cfg.Name, err)
	}
	return nil
}

// errorLog logs the errors of net/http. Failed TLS handshakes are logged at debug level, because
// any stranger can cause them.
type errorLog struct{ log *zap.Logger }

func (l errorLog) Write(line []byte) (int, error) {
	text := string(bytes.TrimSpace(line))
	if strings.HasPrefix(text, "http: TLS handshake error") {
		l.log.Debug(text)
	} else {
		l.log.Warn(text)
	}
	return len(line), nil
}
