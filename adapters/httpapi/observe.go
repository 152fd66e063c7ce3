package httpapi

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"
	"go.opentelemetry.io/otel/attribute"
	semconv "go.opentelemetry.io/otel/semconv/v1.43.0"
	"go.opentelemetry.io/otel/trace"
	"go.uber.org/zap"

	"causeway/adapters/web/apierror"
	"causeway/adapters/web/middleware"
	"causeway/core"
)

// unknownOperation is the operation of requests that no operation serves, in the log, in metrics
// and in rate limits.
const unknownOperation = "unknown"

// request is what the parts of one request share. It is in the request's context, and it is the
// ResponseWriter that remembers the status and the size of the response.
type request struct {
	http.ResponseWriter

	api        *API
	operation  *operation
	query      url.Values
	unreadable map[string]string // query parameters, and what is wrong with them
	trace      string            // ID of the trace; "" without one
	rejected   bool              // a limit of this process refused it
	caller     caller            // see callerOf

	head   bool
	status int   // 0 until the header is sent
	bytes  int64 // of the body
}

type requestKey struct{}

func requestFrom(ctx context.Context) *request {
	q, ok := ctx.Value(requestKey{}).(*request)
	if !ok {
		panic("httpapi: the request did not come through API.Handler")
	}
	return q
}

// WriteHeader sends the header.
func (q *request) WriteHeader(status int) {
	if q.status == 0 && status >= http.StatusOK {
		q.status = status
	}
	q.ResponseWriter.WriteHeader(status)
}

// Write sends a part of the body, which net/http drops in the response to HEAD.
func (q *request) Write(b []byte) (int, error) {
	if q.status == 0 {
		q.WriteHeader(http.StatusOK)
	}
	n, err := q.ResponseWriter.Write(b)
	if !q.head {
		q.bytes += int64(n)
	}
	return n, err
}

// Unwrap lets http.ResponseController reach the connection.
func (q *request) Unwrap() http.ResponseWriter { return q.ResponseWriter }

// reject counts a request that a limit of this process refused.
func (q *request) reject(reason string) {
	q.rejected = true
	q.api.metrics.rejected.WithLabelValues(reason).Inc()
}

// observe is the outermost middleware: it writes the access log and the metrics.
func (a *API) observe(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		q := &request{
			ResponseWriter: w, api: a, operation: a.unknown, head: r.Method == http.MethodHead,
		}
		if span := trace.SpanContextFromContext(r.Context()); span.IsValid() {
			q.trace = span.TraceID().String()
		}
		r = r.WithContext(context.WithValue(r.Context(), requestKey{}, q))
		start := a.config.Now()
		defer func() {
			took := a.config.Now().Sub(start)
			q.nameSpan(r)
			a.metrics.requests.WithLabelValues(q.operation.id, strconv.Itoa(q.status)).Inc()
			q.operation.durations.Observe(took.Seconds())
			if entry := a.log.Check(zap.InfoLevel, "request"); entry != nil {
				entry.Write(q.fields(zap.String("method", methodLabel(r.Method)), zap.Int("status", q.status),
					zap.Duration("duration", took), zap.Int64("bytes", q.bytes), q.refusedCaller(r))...)
			}
		}()
		next.ServeHTTP(q, r)
	})
}

// fields returns log fields after the fields that identify the request.
func (q *request) fields(more ...zap.Field) []zap.Field {
	trace := zap.Skip()
	if q.trace != "" {
		trace = zap.String("trace_id", q.trace)
	}
	return slices.Concat([]zap.Field{
		zap.String("operation", q.operation.id), zap.String("request_id", q.Header().Get(apierror.RequestIDHeader)), trace,
	}, more)
}

// refusedCaller identifies a caller that was refused, without disclosing who it is: by the ID of a
// key, or by the hash that the audit log has.
func (q *request) refusedCaller(r *http.Request) zap.Field {
	switch {
	case !q.rejected && q.status != http.StatusUnauthorized && q.status != http.StatusForbidden &&
		q.status != http.StatusTooManyRequests:
		return zap.Skip()
	case q.callerOf(r).key != nil:
		return zap.String("key", q.caller.key.ID)
	}
	return zap.String("caller", q.api.instance.services.Recipients.CallerHash(q.caller.id))
}

// methodLabel keeps arbitrary methods out of the log.
func methodLabel(method string) string {
	switch method {
	case http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete,
		http.MethodOptions:
		return method
	}
	return "other"
}

// recover turns a panic into an internal error, or cuts the connection if a part of the response is
// out.
func (a *API) recover(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		defer func() {
			p := recover()
			if p == nil {
				return
			}
			if err, ok := p.(error); ok && errors.Is(err, http.ErrAbortHandler) {
				panic(p)
			}
			q := requestFrom(r.Context())
			a.log.Error("panic", q.fields(zap.String("panic", fmt.Sprint(p)), zap.Stack("stack"))...)
			if q.status != 0 {
				panic(http.ErrAbortHandler)
			}
			apierror.New(apierror.InternalServerError, "Internal error").Write(w, r)
		}()
		next.ServeHTTP(w, r)
	})
}

// logCause logs the cause of an error that is not the client's fault.
func (q *request) logCause(e *apierror.Error) {
	cause := e.Unwrap()
	if cause == nil || errors.Is(cause, context.Canceled) || e.GetStatus() < http.StatusInternalServerError {
		return
	}
	fields := q.fields(zap.Error(cause))
	if e.GetStatus() == http.StatusInternalServerError {
		q.api.log.Error("request failed", fields...)
	} else if e, ok := errors.AsType[*core.Error](cause); ok && e.Unwrap() != nil {
		q.api.log.Warn("request failed upstream", fields...)
	}
}

// nameSpan names the request's span after its operation and route. It never uses the path, which
// may contain an account number.
func (q *request) nameSpan(r *http.Request) {
	span := trace.SpanFromContext(r.Context())
	if !span.IsRecording() {
		return
	}
	span.SetAttributes(attribute.String("causeway.operation", q.operation.id))
	if route := q.operation.route; route != "" {
		span.SetName(methodLabel(r.Method) + " " + route)
		span.SetAttributes(semconv.HTTPRoute(route))
	}
}

// metrics count requests. Labels are operations and statuses, never paths.
type metrics struct {
	requests     *prometheus.CounterVec
	durations    *prometheus.HistogramVec
	limited      *prometheus.CounterVec
	rejected     *prometheus.CounterVec
	streamsEnded *prometheus.CounterVec
}

func newMetrics(reg prometheus.Registerer, a *API) *metrics {
	factory := promauto.With(reg)
	counter := func(name, help string, labels ...string) *prometheus.CounterVec {
		return factory.NewCounterVec(prometheus.CounterOpts{Name: name, Help: help}, labels)
	}
	gauge := func(name, help string, of *middleware.Limiter) {
		factory.NewGaugeFunc(prometheus.GaugeOpts{Name: name, Help: help}, func() float64 { return float64(of.Held()) })
	}
	gauge("causeway_http_requests_in_flight",
		"HTTP requests in progress, without streams.", a.requests)
	gauge("causeway_http_streams", "Open price streams.", a.streams)
	gauge("causeway_http_body_bytes", "Memory reserved for request bodies over 4 KiB, in bytes.", a.bodies)
	m := &metrics{
		requests: counter("causeway_http_requests_total", "HTTP requests by operation and status.", "operation",
			"status"),
		limited: counter("causeway_http_requests_rate_limited_total",
			"HTTP requests rejected by a rate limit or the share of one address, by operation.", "operation"),
		rejected: counter("causeway_http_requests_rejected_total",
			"HTTP requests rejected at a limit of the process: concurrent requests, streams or memory for bodies.",
			"reason"),
		streamsEnded: counter("causeway_http_streams_ended_total", "Price streams that ended, by reason.", "reason"),
		durations: factory.NewHistogramVec(prometheus.HistogramOpts{
			Name: "causeway_http_request_duration_seconds",
			Help: "Duration of HTTP requests by operation.",
			Buckets: []float64{
				.00005, .0001, .00025, .0005, .001, .0025, .005, .01, .025,
				.05, .1, .25, .5, 1, 2.5, 5, 10,
			},
			NativeHistogramBucketFactor:     1.1,
			NativeHistogramMaxBucketNumber:  100,
			NativeHistogramMinResetDuration: time.Hour,
		}, []string{"operation"}),
	}
	for _, reason := range []string{"requests", "streams", "body"} {
		m.rejected.WithLabelValues(reason)
	}
	for _, reason := range []string{endClient, endSlow, endShutdown} {
		m.streamsEnded.WithLabelValues(reason)
	}
	return m
}
