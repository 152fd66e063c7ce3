package httpapi

import (
	"net/http"
	"net/netip"
	"strconv"
	"time"

	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"
)

// exchange is one request and its answer. It is the ResponseWriter that everything behind it sees, and remembers what the
// log and the metrics say at the end. Exchanges are pooled: nothing may keep one after its request.
type exchange struct {
	api    *API
	in     *Realm
	w      http.ResponseWriter
	r      *http.Request
	op     *operation
	start  time.Time
	id     string
	caller caller // see who
	trace  string // see requestTraceID
	status int    // 0 until the header is out
	sent   int64  // bytes of the body

	from    netip.Addr // see origin
	placed  bool       // it is counted by the crowd
	crowded bool       // there was no place for it
	pending bool       // the request has a body that was not received whole

	line [8]zap.Field
}

// Header returns the header of the answer.
func (x *exchange) Header() http.Header { return x.w.Header() }

// WriteHeader sends the header, once.
func (x *exchange) WriteHeader(status int) {
	if x.status != 0 {
		return
	}
	if status >= http.StatusOK {
		x.status = status
		x.step() // the answer is there: how long the client takes for it costs nobody else his place
		if x.pending {
			x.hangUp()
		}
		if h := x.w.Header(); status != http.StatusNotModified { // which has nothing to be careful with, and is answered faster with few headers
			h[headerSniff], h[headerReferrer] = nosniff, noReferrer
		}
	}
	x.w.WriteHeader(status)
}

// Write sends a part of the body; to HEAD it sends nothing.
func (x *exchange) Write(b []byte) (int, error) {
	if x.status == 0 {
		x.WriteHeader(http.StatusOK)
	}
	if x.r.Method == http.MethodHead {
		return len(b), nil
	}
	n, err := x.w.Write(b) //nolint:gosec // JSON and our own pages, with their type and nosniff
	x.sent += int64(n)
	return n, err
}

// Flush sends what is written so far, where the connection can.
func (x *exchange) Flush() { _ = http.NewResponseController(x.w).Flush() }

// Unwrap lets http.ResponseController and the stream writers reach the connection.
func (x *exchange) Unwrap() http.ResponseWriter { return x.w }

// ServeHTTP answers one request about the world that the API was made with.
func (a *API) ServeHTTP(w http.ResponseWriter, r *http.Request) { a.serve(a.home, w, r) } //nolint:contextcheck // the context is that of the request in the exchange

// serve answers one request: it gives it an id, routes it, turns whatever goes wrong into an error in the envelope, and
// writes one line to the log.
func (a *API) serve(in *Realm, w http.ResponseWriter, r *http.Request) {
	x := a.begin(in, w, r)
	defer x.end()
	if err := x.enter(); err != nil {
		x.op = a.crowded
		a.problem(x, err)
		return
	}
	a.route(x)
}

// begin opens an exchange; whoever does ends it.
func (a *API) begin(in *Realm, w http.ResponseWriter, r *http.Request) *exchange {
	x, _ := a.exchanges.Get().(*exchange)
	x.api, x.in, x.w, x.r, x.op, x.status, x.sent = a, in, w, r, a.unknown, 0, 0
	x.caller, x.placed, x.crowded, x.from = caller{}, false, false, a.origin(r)
	x.start = a.stopwatch()
	x.await()
	x.id = requestID(r.Header[headerRequestID], in.entropy)
	x.trace = requestTraceID(r)
	h := w.Header()
	h[headerRequestID] = []string{x.id}
	if a.config.Strict {
		h[headerStrict] = strictYear
	}
	if len(r.TransferEncoding) > 0 || !r.ProtoAtLeast(1, 1) {
		h[headerConnection] = closes // a proxy in front may have gone by a length or, in HTTP/1.0, by chunks that net/http ignores: nothing behind such a body is believed
	}
	return x
}

// end closes the exchange, also after a panic.
func (x *exchange) end() {
	if p := recover(); p != nil {
		defer x.release()
		x.panicked(p)
		return
	}
	x.release()
}

// panicked answers for a handler that could not, or cuts the connection off where half an answer is out.
func (x *exchange) panicked(p any) {
	if p == http.ErrAbortHandler { //nolint:errorlint // net/http compares it this way: a sentinel, never wrapped
		panic(p)
	}
	x.api.log.Error("panic", x.withTrace([]zap.Field{zap.String("operation", x.op.id), zap.String("request_id", x.id), zap.Any("panic", p), zap.Stack("stack")})...)
	if x.status != 0 {
		panic(http.ErrAbortHandler)
	}
	x.api.problem(x, fail(internalServerError, "Internal error"))
}

// release counts and logs the request, and gives the exchange back.
func (x *exchange) release() {
	a, end := x.api, x.api.stopwatch()
	took := end.Sub(x.start)
	x.step()
	x.op.count(x.status, took)
	x.nameSpan()
	entry := zapcore.Entry{Level: zap.InfoLevel, Time: end, LoggerName: a.log.Name(), Message: "request"} // log.Check would ask for the time again
	if entry := x.op.access.Check(entry, nil); entry != nil {
		line := append(x.line[:0],
			zap.String("method", methodLabel(x.r.Method)),
			zap.Int("status", x.status),
			zap.Duration("duration", took),
			zap.Int64("bytes", x.sent),
			zap.String("request_id", x.id))
		if x.turnedAway() {
			line = append(line, x.attributed())
		}
		entry.Write(x.withTrace(line)...)
	}
	x.in, x.w, x.r = nil, nil, nil
	a.exchanges.Put(x)
}

// methodLabel keeps methods that nobody uses out of the log.
func methodLabel(method string) string {
	switch method {
	case http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete, http.MethodOptions:
		return method
	}
	return "other"
}

// statusLabel is a status as a metric label.
func statusLabel(status int) string { return strconv.Itoa(status) }
