package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"syscall"
	"time"

	"go.uber.org/zap"
)

// Limits of a connection. A client that is slower than this is cut off while others are served.
const (
	headerTimeout  = 5 * time.Second
	readTimeout    = 15 * time.Second
	writeTimeout   = 30 * time.Second
	idleTimeout    = 2 * time.Minute
	maxHeaderBytes = 32 << 10
)

// listener is one HTTP server on one address.
type listener struct {
	name   string // "public" or "operator", for the log
	flag   string // the flag that moves it elsewhere
	server *http.Server
	log    *zap.Logger

	bound net.Addr // after start
}

func newListener(name, flag, address string, handler http.Handler, log *zap.Logger) *listener {
	return &listener{name: name, flag: flag, log: log, server: &http.Server{
		Addr: address, Handler: handler,
		ReadHeaderTimeout: headerTimeout, ReadTimeout: readTimeout, WriteTimeout: writeTimeout, IdleTimeout: idleTimeout,
		MaxHeaderBytes: maxHeaderBytes, DisableGeneralOptionsHandler: true, // the handler answers OPTIONS itself, in its own form
		ErrorLog: zap.NewStdLog(log.Named("http")),
	}}
}

// start binds the address, so that a taken port fails the start, and serves in the background. failed is told
// when serving ends other than by a shutdown.
func (l *listener) start(ctx context.Context, failed failures) error {
	var lc net.ListenConfig
	ln, err := lc.Listen(ctx, "tcp", l.server.Addr)
	if errors.Is(err, syscall.EADDRINUSE) {
		return fmt.Errorf("cannot listen on %s: another process has that port; stop it or choose another one with %s", l.server.Addr, l.flag)
	}
	if err != nil {
		return fmt.Errorf("cannot listen on %s: %w; choose another address with %s", l.server.Addr, err, l.flag)
	}
	l.bound = ln.Addr()
	l.log.Info("listening", zap.String("listener", l.name), zap.String("address", l.bound.String()))
	go func() {
		if err := l.server.Serve(ln); !errors.Is(err, http.ErrServerClosed) {
			failed <- fmt.Errorf("the %s listener failed: %w", l.name, err)
		}
	}()
	return nil
}

// stop waits for the requests in flight, as long as ctx allows, and then cuts them off.
func (l *listener) stop(ctx context.Context) error {
	if err := l.server.Shutdown(ctx); err != nil {
		_ = l.server.Close()
		return fmt.Errorf("%s listener: requests were cut off: %w", l.name, err)
	}
	return nil
}
