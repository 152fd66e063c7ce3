package wire

import (
	"bytes"
	"context"
	"io"
	"net"
	"net/http"
	"strings"
	"time"
)

// RoundTrip sends a request to the provider behind its host: see Loopback. Hosts that no provider
// has do not exist.
func (w *Wire) RoundTrip(r *http.Request) (*http.Response, error) {
	handler := w.handlers[providerAt(strings.ToLower(r.URL.Hostname()))]
	if handler == nil && r.Context().Err() == nil {
		if r.Body != nil {
			_ = r.Body.Close()
		}
		return nil, &net.OpError{Op: "dial", Net: "tcp", Err: &net.DNSError{
			Err: "no such host in the simulated sim", Name: r.URL.Hostname(), IsNotFound: true,
		}}
	}
	return Loopback(handler).RoundTrip(r)
}

const clientAddress = "192.0.2.1:1234" // in TEST-NET-1

// Loopback returns a network in process on which every host is one handler. Each request has its
// own connection to a server of package net/http, so that cancellation, truncated bodies, resets
// and WebSockets are those of a real network. The handler sees the values of the request's context.
func Loopback(handler http.Handler) http.RoundTripper { return loopback{handler} }

type loopback struct{ handler http.Handler }

// ServeHTTP reads the body first, because the server notices that the client is gone only after the
// body was read.
func (l loopback) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		panic(http.ErrAbortHandler)
	}
	r.Body, r.RemoteAddr = io.NopCloser(bytes.NewReader(body)), clientAddress
	if flusher, ok := w.(http.Flusher); ok && r.Header.Get("Upgrade") == "" {
		w = responseWriter{w, flusher}
	}
	l.handler.ServeHTTP(w, r)
}

// responseWriter has no Hijack: a handler that took the connection over would not notice that the
// client is gone.
type responseWriter struct {
	http.ResponseWriter
	http.Flusher
}

// RoundTrip implements http.RoundTripper.
func (l loopback) RoundTrip(r *http.Request) (*http.Response, error) {
	listener := newListener()
	defer func() { _ = listener.Close() }()
	values := context.WithoutCancel(r.Context())
	server := &http.Server{
		Handler: l, ReadHeaderTimeout: time.Minute,
		BaseContext: func(net.Listener) context.Context { return values },
	}
	go func() { _ = server.Serve(listener) }() // returns when the listener is closed; the connection stays
	dial := func(context.Context, string, string) (net.Conn, error) {
		client, conn := net.Pipe()
		listener.conns <- conn
		return client, nil
	}
	transport := &http.Transport{
		DialContext: dial, DialTLSContext: dial, DisableCompression: true,
		MaxIdleConnsPerHost: -1, // one connection per request, without the header "Connection: close"
	}
	if _, ok := r.Header["User-Agent"]; !ok {
		r = r.Clone(r.Context())
		r.Header.Set("User-Agent", "") // the transport would add its own
	}
	return transport.RoundTrip(r)
}

// listener accepts one connection.
type listener struct {
	conns chan net.Conn
	done  <-chan struct{}
	close context.CancelFunc
}

func newListener() *listener {
	ctx, cancel := context.WithCancel(context.Background())
	return &listener{conns: make(chan net.Conn, 1), done: ctx.Done(), close: cancel}
}

// Accept implements net.Listener.
func (l *listener) Accept() (net.Conn, error) {
	select {
	case conn := <-l.conns:
		return conn, nil
	case <-l.done:
		return nil, net.ErrClosed
	}
}

// Close implements net.Listener.
func (l *listener) Close() error {
	l.close()
	return nil
}

// Addr implements net.Listener.
func (l *listener) Addr() net.Addr { return &net.TCPAddr{IP: net.IPv4(192, 0, 2, 2), Port: 443} }
