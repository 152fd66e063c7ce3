package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	stdlog "log"
	"net"
	"net/http"
	"net/netip"
	"os"
	"slices"
	"sync/atomic"
	"syscall"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"
	"go.uber.org/zap"

	"causeway/config"
)

// spareFiles are the files and connections that a process needs beside those of its callers: providers, databases, its own.
const spareFiles = 256

// listener is one HTTP server on one address.
type listener struct {
	name   string // "public" or "operator", for the log
	flag   string // the flag that moves it elsewhere
	server *http.Server
	limits config.Server
	shed   prometheus.Counter // counts the connections that were closed to make room
	log    *zap.Logger

	joins   bool                        // it may listen beside another process
	system  fs.FS                       // where the kernel says who listens
	before  []string                    // the sockets that listened here before this one
	socket  net.Listener                // after start
	bound   net.Addr                    // after start
	at      atomic.Pointer[net.TCPAddr] // the same, for whoever asks meanwhile
	stopped bool
}

func newListener(name, flag, address string, limits config.Server, handler http.Handler, log *zap.Logger) *listener {
	l := &listener{name: name, flag: flag, limits: limits, log: log, system: os.DirFS("/"), server: &http.Server{
		Addr: address, Handler: handler,
		ReadHeaderTimeout: limits.HeaderTimeout, ReadTimeout: limits.HeaderTimeout + limits.BodyTimeout,
		WriteTimeout: limits.WriteTimeout, IdleTimeout: limits.IdleTimeout,
		MaxHeaderBytes: limits.MaxHeaderBytes, DisableGeneralOptionsHandler: true, // the handler answers OPTIONS itself, in its own form
		ConnState: note,
	}}
	l.shed = prometheus.NewCounter(prometheus.CounterOpts{Name: "unread_total", Help: "Of a listener that nobody measures."})
	l.server.ErrorLog = stdlog.New(&complaints{log.Named("http")}, "", 0)
	return l
}

// measureListeners counts what becomes of connections, and the processes that share the public address.
func measureListeners(reg prometheus.Registerer, public, operator *listener) {
	auto := promauto.With(reg)
	shed := auto.NewCounterVec(prometheus.CounterOpts{
		Name: "causeway_http_connections_shed_total", Help: "Connections that were closed to make room for others, by listener.",
	}, []string{"listener"})
	public.shed, operator.shed = shed.WithLabelValues(public.name), shed.WithLabelValues(operator.name)
	auto.NewGaugeFunc(prometheus.GaugeOpts{
		Name: "causeway_http_listening_processes",
		Help: "Processes that listen on the public address: 1; 2 while one takes over from another; 0 where the system does not tell. To be alerted on where it stays above 1.",
	}, func() float64 { return float64(len(public.others())) })
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

// start binds the address, so that a taken port fails the start, and serves in the background. failed is told
// when serving ends other than by a shutdown.
func (l *listener) start(ctx context.Context, failed failures) error {
	l.before = l.others()
	if len(l.before) > 0 && !l.joins {
		return l.taken()
	}
	var lc net.ListenConfig
	if l.limits.ReusePort {
		lc.Control = reuse
		lc.SetMultipathTCP(false) // whose sockets Linux does not steer among
	}
	socket, err := lc.Listen(ctx, "tcp", l.server.Addr)
	if errors.Is(err, syscall.EADDRINUSE) {
		return l.taken()
	}
	if err != nil {
		return fmt.Errorf("cannot listen on %s: %w; choose another address with %s", l.server.Addr, err, l.flag)
	}
	l.socket, l.bound = socket, socket.Addr()
	if tcp, ok := l.bound.(*net.TCPAddr); ok {
		l.at.Store(tcp)
	}
	if len(l.before) > 0 {
		l.takeOver()
	}
	l.log.Info("listening", zap.String("listener", l.name), zap.String("address", l.bound.String()), zap.Bool("tls", l.server.TLSConfig != nil))
	go func() {
		if err := l.serve(socket); !errors.Is(err, http.ErrServerClosed) {
			failed <- fmt.Errorf("the %s listener failed: %w", l.name, err)
		}
	}()
	return nil
}

func (l *listener) serve(socket net.Listener) error {
	socket = holding(socket, l.mostConnections(), l.shed)
	if l.server.TLSConfig != nil {
		return l.server.ServeTLS(socket, "", "") // the configuration has the certificate
	}
	return l.server.Serve(socket)
}

// mostConnections is the limit of connections: the configured one, or what the system has room for.
func (l *listener) mostConnections() int {
	most := l.limits.MaxConnections
	files, err := openFiles()
	if err != nil || most <= 0 || files >= uint64(most)+spareFiles {
		return most
	}
	most = max(1, int(files)-spareFiles) //nolint:gosec // less than most
	l.log.Warn("the system lets this process have fewer files than server.max_connections asks for; raise the limit (ulimit -n, LimitNOFILE)",
		zap.Uint64("files", files), zap.Int("connections", most))
	return most
}

func (l *listener) taken() error {
	return fmt.Errorf("cannot listen on %s: another process has that port; stop it or choose another one with %s", l.server.Addr, l.flag)
}

// others are the sockets that listen on the address, this one among them once it does.
func (l *listener) others() []string {
	tcp := l.at.Load()
	if tcp == nil {
		resolved, err := net.ResolveTCPAddr("tcp", l.server.Addr)
		if err != nil || resolved.Port == 0 {
			return nil
		}
		tcp = resolved
	}
	at := tcp.AddrPort()
	if !at.Addr().IsValid() {
		at = netip.AddrPortFrom(netip.IPv6Unspecified(), at.Port())
	}
	return listening(l.system, netip.AddrPortFrom(at.Addr().Unmap(), at.Port()))
}

// loopback reports whether the listener is reached from its own machine alone.
func (l *listener) loopback() bool {
	tcp, ok := l.bound.(*net.TCPAddr)
	return ok && tcp.IP.IsLoopback()
}

// shared reports whether other processes listen on the address as well.
func (l *listener) shared() bool { return len(l.others()) > 1 }

// takeOver has new connections come here and not to the processes that were here before, so that none is waiting for one of those when it
// closes: what waits in the queue of a socket ends with it.
func (l *listener) takeOver() {
	l.log.Warn("another process listens on this address, too; new connections come to this one from now on. Stop the other one (SIGTERM) if this is to replace it, and this one if it is here by accident",
		zap.String("listener", l.name), zap.String("address", l.bound.String()), zap.Int("others", len(l.before)))
	l.steer(len(l.before))
}

func (l *listener) steer(nth int) {
	conn, ok := l.socket.(syscall.Conn)
	if !ok {
		return
	}
	if err := steer(conn, nth); err != nil {
		l.log.Debug("the kernel does not steer connections", zap.Error(err))
	}
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

// yield has new connections go to another process that listens on the address, where there is one. One that came later has taken them over already.
func (l *listener) yield() {
	now := l.others()
	if slices.ContainsFunc(l.before, func(s string) bool { return slices.Contains(now, s) }) {
		l.steer(0) // the oldest
	}
}
