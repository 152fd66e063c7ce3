package httpapi

import (
	"net/http"
	"strings"

	"go.opentelemetry.io/otel/attribute"
	semconv "go.opentelemetry.io/otel/semconv/v1.43.0"
	"go.opentelemetry.io/otel/trace"
	"go.uber.org/zap"
)

// requestTraceID returns the trace ID that is logged: that of the request's span or, if tracing is
// off, that of its traceparent. It is empty if there is neither.
func requestTraceID(r *http.Request) string {
	if span := trace.SpanContextFromContext(r.Context()); span.IsValid() {
		return span.TraceID().String()
	}
	return traceID(r.Header[headerTraceparent])
}

// nameSpan names the request's span after its operation and route. It never uses the path, which
// may contain an account number.
func (x *exchange) nameSpan() {
	span := trace.SpanFromContext(x.r.Context())
	if !span.IsRecording() {
		return
	}
	span.SetAttributes(attribute.String("causeway.operation", x.op.id))
	if _, route, ok := strings.Cut(x.r.Pattern, " "); ok {
		span.SetName(methodLabel(x.r.Method) + " " + route)
		span.SetAttributes(semconv.HTTPRoute(route))
	}
}

// withTrace adds the trace ID to the fields of a log message, if there is one.
func (x *exchange) withTrace(fields []zap.Field) []zap.Field {
	if x.trace == "" {
		return fields
	}
	return append(fields, zap.String("trace_id", x.trace))
}
