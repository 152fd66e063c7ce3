package httpapi

import (
	"net/http"
	"strings"

	"go.uber.org/zap"

	"causeway/ports"
)

// join makes the request a part of its caller's trace, or of one that begins here.
func (x *exchange) join(t ports.Tracer, r *http.Request) {
	parent := ""
	if x.trace != "" {
		parent = r.Header[headerTraceparent][0]
	}
	ctx, span := t.Join(r.Context(), ports.ServerSpan, parent)
	x.r, x.span, x.trace = r.WithContext(ctx), span, span.TraceID()
}

// endSpan tells what the request was and what it got. The path is not told: an operation is, and its pattern.
func (x *exchange) endSpan() {
	method := methodLabel(x.r.Method)
	name, route := method, ""
	if _, path, ok := strings.Cut(x.r.Pattern, " "); ok {
		name, route = method+" "+path, path
	}
	attributes := []ports.Attribute{
		{Key: "http.request.method", Text: method}, {Key: "http.response.status_code", Number: int64(x.status)}, {Key: "causeway.operation", Text: x.op.id},
	}
	if route != "" {
		attributes = append(attributes, ports.Attribute{Key: "http.route", Text: route})
	}
	x.span.End(name, x.status == 0 || x.status >= http.StatusInternalServerError, attributes...)
}

// recorded is the id of the request's trace, where somebody records it: this process, or by his own word the caller. It is "" otherwise.
func (x *exchange) recorded() string {
	switch {
	case x.span != nil && x.span.Recorded():
		return x.trace
	case x.span == nil && x.trace != "" && isSampled(x.r.Header[headerTraceparent][0]):
		return x.trace
	}
	return ""
}

// withTrace adds the id of the trace to a line of the log, where there is one.
func (x *exchange) withTrace(fields []zap.Field) []zap.Field {
	if x.trace == "" {
		return fields
	}
	return append(fields, zap.String("trace_id", x.trace))
}
