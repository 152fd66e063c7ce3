package wire

import (
	"bytes"
	"context"
	"crypto/tls"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"
)

// RoundTrip sends a request to the provider behind its host: see Loopback. Hosts that no provider
// has do not exist.
func (w *Wire) RoundTrip(r *http.Request) (*http.Response, error) {
	if w.at(r.URL) == nil && r.Context().Err() == nil {
		if r.Body != nil {
			_ = r.Body.Close()
		}
		return nil, &net.OpError{Op: "dial", Net: "tcp", Err: &net.DNSError{
			Err: "no such host in the simulated world", Name: r.URL.Hostname(), IsNotFound: true,
		}}
	}
	return w.network.RoundTrip(r)
}

// at returns the handler of the provider behind the host of a URL, or nil.
func (w *Wire) at(u *url.URL) http.Handler {
	return w.handlers[providerAt(strings.ToLower(u.Hostname()))]
}

const clientAddress = "192.0.2.1:1234" // in TEST-NET-1

// Loopback returns a network in process on which every host is one handler. Each request has its
// own connection to a server of package net/http, so that cancellation, truncated bodies, resets
// and WebSockets behave as on a real network. The handler sees the values of the request's context.
func Loopback(handler http.Handler) http.RoundTripper {
	server := &http.Server{
		Handler: buffered(handler), ReadHeaderTimeout: time.Minute,
		BaseContext:  func(l net.Listener) context.Context { return l.(*listener).values },
		TLSNextProto: map[string]func(*http.Server, *tls.Conn, http.Handler){}, // HTTP/1.1 only
	}
	dial := func(ctx context.Context, _, _ string) (net.Conn, error) {
		client, conn := net.Pipe()
		// Serve returns at once and serves the connection in the background.
		_ = server.Serve(&listener{context.WithoutCancel(ctx), conn})
		return client, nil
	}
	return loopback{&http.Transport{
		DialContext: dial, DialTLSContext: dial, DisableCompression: true,
		MaxIdleConnsPerHost: -1, // one connection per request, without the header "Connection: close"
	}}
}

// buffered reads the body first, because the server notices that the client is gone only after the
// body was read.
func buffered(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			panic(http.ErrAbortHandler)
		}
		r.Body, r.RemoteAddr = io.NopCloser(bytes.NewReader(body)), clientAddress
		next.ServeHTTP(w, r)
	})
}

type loopback struct{ transport *http.Transport }

// RoundTrip implements http.RoundTripper.
func (l loopback) RoundTrip(r *http.Request) (*http.Response, error) {
	if _, ok := r.Header["User-Agent"]; !ok {
		r = r.Clone(r.Context())
		r.Header.Set("User-Agent", "") // the transport would add its own
	}
	return l.transport.RoundTrip(r)
}

// listener accepts one connection.
type listener struct {
	values context.Context //nolint:containedctx // of the request that opens the connection
	conn   net.Conn
}

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
