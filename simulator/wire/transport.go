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
			Err: "no such host in the simulated world", Name: r.URL.Hostname(), IsNotFound: true,
		}}
	}
	return Loopback(handler).RoundTrip(r)
}

const clientAddress = "192.0.2.1:1234" // in TEST-NET-1

// Loopback returns a network in process on which every host is one handler. Each request has its
// own connection to a server of package net/http, so that cancellation, truncated bodies, resets
// and WebSockets behave as on a real network. The handler sees the values of the request's context.
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
	l.handler.ServeHTTP(w, r)
}

// RoundTrip implements http.RoundTripper.
func (l loopback) RoundTrip(r *http.Request) (*http.Response, error) {
	values := context.WithoutCancel(r.Context())
	server := &http.Server{
		Handler: l, ReadHeaderTimeout: time.Minute,
		BaseContext: func(net.Listener) context.Context { return values },
	}
	dial := func(context.Context, string, string) (net.Conn, error) {
		client, conn := net.Pipe()
		_ = server.Serve(&listener{conn}) // returns at once and serves the connection in the background
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
type listener struct{ conn net.Conn }

// Accept implements net.Listener.
func (l *listener) Accept() (net.Conn, error) {
	if l.conn == nil {
		return nil, net.ErrClosed
	}
	conn := l.conn
	l.conn = nil
	return conn, nil
}

// Close implements net.Listener.
func (l *listener) Close() error { return nil }

// Addr implements net.Listener.
func (l *listener) Addr() net.Addr { return &net.TCPAddr{IP: net.IPv4(192, 0, 2, 2), Port: 443} }
