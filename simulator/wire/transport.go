package wire

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"syscall"
)

// RoundTrip asks the provider behind the request's host: see Loopback. It does not find hosts that the world does not have.
func (w *Wire) RoundTrip(r *http.Request) (*http.Response, error) {
	handler := w.handlers[providerAt(strings.ToLower(r.URL.Hostname()))]
	if handler == nil && r.Context().Err() == nil {
		closeBody(r)
		return nil, &net.OpError{Op: "dial", Net: "tcp", Err: &net.DNSError{
			Err: "no such host in the simulated world", Name: r.URL.Hostname(), IsNotFound: true,
		}}
	}
	return Loopback(handler).RoundTrip(r)
}

// Loopback is a network in process, on which every host is one handler. It behaves as a network does: it ends at
// once with the request's context, streams the body without gathering it, reports a body that stops short as
// io.ErrUnexpectedEOF and a broken connection as a reset. A handler that switches protocols (101) and takes the connection over
// has one to the client from then on; it outlives the request's context, and its other end is the response's body.
// Whoever gets a response closes its body, as ever.
func Loopback(handler http.Handler) http.RoundTripper { return loopback{handler} }

type loopback struct{ handler http.Handler }

// RoundTrip lets the handler answer.
func (l loopback) RoundTrip(r *http.Request) (*http.Response, error) {
	if err := r.Context().Err(); err != nil {
		closeBody(r)
		return nil, err
	}
	ctx, cancel := context.WithCancelCause(context.WithoutCancel(r.Context()))
	e := newExchange(r, cancel)
	e.detach = context.AfterFunc(r.Context(), func() { cancel(r.Context().Err()) })
	unwatch := context.AfterFunc(ctx, func() { e.breakOff(context.Cause(ctx)) })
	go e.serve(l.handler, received(ctx, r))
	select {
	case <-e.started:
		if e.failure != nil {
			unwatch()
			cancel(nil)
			return nil, e.failure
		}
		return e.response(r), nil
	case <-r.Context().Done():
		return nil, r.Context().Err()
	}
}

func closeBody(r *http.Request) {
	if r.Body != nil {
		_ = r.Body.Close()
	}
}

// received is the request as a server sees it.
func received(ctx context.Context, r *http.Request) *http.Request {
	in := r.Clone(ctx)
	in.RequestURI = r.URL.RequestURI()
	in.RemoteAddr = "192.0.2.1:1234" // of TEST-NET-1: nobody
	if in.Host == "" {
		in.Host = r.URL.Host
	}
	if in.Body == nil {
		in.Body = http.NoBody
	}
	return in
}

// exchange is one request and its answer: the http.ResponseWriter of the handler and the source of the
// response's body, joined by a pipe that holds nothing back.
type exchange struct {
	cancel context.CancelCauseFunc // ends the handler's context
	detach func() bool             // lets it outlive the client's
	ended  func() error            // why the client's context is over, if it is
	body   *io.PipeReader
	out    *io.PipeWriter
	header http.Header // the handler's

	start   sync.Once
	started chan struct{} // closed when what follows is set

	failure  error // instead of a response
	bodiless bool  // nothing follows the header
	status   int
	sent     http.Header // as it was when the handler began to write
	promised int64       // Content-Length; -1 where the handler told none
	written  int64
	near     net.Conn // the client's end, where protocols were switched
	far      net.Conn // the handler's, until it takes it
}

var (
	errReset       error = &net.OpError{Op: "read", Net: "tcp", Err: syscall.ECONNRESET}
	errNotSwitched       = errors.New("simulator: only who switches protocols may take a connection over, once")
)

func newExchange(r *http.Request, cancel context.CancelCauseFunc) *exchange {
	in, out := io.Pipe()
	return &exchange{
		cancel: cancel, ended: r.Context().Err, body: in, out: out, header: http.Header{},
		bodiless: r.Method == http.MethodHead, started: make(chan struct{}),
	}
}

// serve runs the handler to its end. It is the exchange's only goroutine: the handler leaves when its context
// ends, which closing the response's body, or the client's own context, brings about.
func (e *exchange) serve(handler http.Handler, r *http.Request) {
	defer closeBody(r)
	defer func() {
		switch fault := recover(); fault {
		case nil:
			e.WriteHeader(http.StatusOK) // unless it said something else
			e.breakOff(e.atEnd())
			e.cancel(nil)
			if e.far != nil {
				_ = e.far.Close() // it was not taken over
			}
		case http.ErrAbortHandler:
			e.abort(errReset)
		default:
			e.abort(fmt.Errorf("simulator: a handler panicked: %v", fault))
		}
	}()
	handler.ServeHTTP(e, r)
}

// atEnd is what a reader meets after the last byte that the handler wrote.
func (e *exchange) atEnd() error {
	if e.promised > e.written && !e.bodiless {
		return io.ErrUnexpectedEOF
	}
	return io.EOF
}

// abort fails the exchange, or cuts the body off where the response is on its way already.
func (e *exchange) abort(err error) {
	e.start.Do(func() {
		e.failure = cmp.Or(e.ended(), err)
		close(e.started)
	})
	e.breakOff(io.ErrUnexpectedEOF)
}

// breakOff ends the body: reads end with err, writes fail. Only the first end counts, and a client whose context is over is told that: a handler that
// leaves because of it may well be the first.
func (e *exchange) breakOff(err error) { _ = e.out.CloseWithError(cmp.Or(e.ended(), err)) }

// Header is the handler's to fill until it writes.
func (e *exchange) Header() http.Header { return e.header }

// WriteHeader starts the response. Only the first call counts.
func (e *exchange) WriteHeader(status int) {
	e.start.Do(func() {
		e.status, e.sent, e.promised = status, e.header.Clone(), -1
		if length, err := strconv.ParseInt(e.sent.Get("Content-Length"), 10, 64); err == nil && length >= 0 {
			e.promised = length
		}
		if status == http.StatusNoContent || status == http.StatusNotModified {
			e.bodiless, e.promised = true, 0
		}
		if status == http.StatusSwitchingProtocols {
			e.detach()
			e.bodiless = true
			e.near, e.far = link()
		}
		close(e.started)
	})
}

// Hijack hands the connection over to a handler that switched protocols. From then on it is the handler's to close.
func (e *exchange) Hijack() (net.Conn, *bufio.ReadWriter, error) {
	far := e.far
	if e.far = nil; far == nil {
		return nil, nil, errNotSwitched
	}
	return far, bufio.NewReadWriter(bufio.NewReader(far), bufio.NewWriter(far)), nil
}

// Write hands bytes to whoever reads the body, and waits for them to be read.
func (e *exchange) Write(p []byte) (int, error) {
	e.WriteHeader(http.StatusOK)
	switch {
	case e.bodiless:
		return len(p), nil // dropped
	case e.promised >= 0 && e.written+int64(len(p)) > e.promised:
		return 0, http.ErrContentLength
	}
	n, err := e.out.Write(p)
	e.written += int64(n)
	return n, err
}

func (e *exchange) response(r *http.Request) *http.Response {
	var stream io.ReadCloser = (*body)(e)
	if e.near != nil {
		stream = e.near
	}
	return &http.Response{
		Status: strconv.Itoa(e.status) + " " + http.StatusText(e.status), StatusCode: e.status,
		Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: e.sent, ContentLength: e.promised, Body: stream, Request: r,
	}
}

// body is the client's side of an exchange.
type body exchange

// Read reads what the handler writes.
func (b *body) Read(p []byte) (int, error) {
	if err := b.ended(); err != nil {
		return 0, err
	}
	n, err := b.body.Read(p)
	if err != nil {
		b.cancel(nil) // nothing more will come
	}
	return n, err
}

// Close hangs up: a handler that is still at work finds its context ended.
func (b *body) Close() error {
	b.cancel(nil)
	return b.body.Close()
}
