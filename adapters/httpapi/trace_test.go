package httpapi_test

import (
	"net/http/httptest"
	"testing"

	"go.opentelemetry.io/otel/attribute"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"
)

func TestRequestSpan(t *testing.T) {
	t.Parallel()
	spans := tracetest.NewSpanRecorder()
	tracer := sdktrace.NewTracerProvider(sdktrace.WithSpanProcessor(spans)).Tracer("test")
	w := newWorld(t)
	for _, c := range []struct{ method, target, name, operation, route string }{
		{"GET", "/v1/pairs/BTCNGN?who=planted", "GET /v1/pairs/{id}", "get-pair", "/v1/pairs/{id}"},
		{"HEAD", "/v1/currencies/BTC", "HEAD /v1/currencies/{code}", "get-currency", "/v1/currencies/{code}"},
		{"GET", "/nothing/0123456789", "GET", "unknown", ""},
	} {
		ctx, span := tracer.Start(t.Context(), c.method)
		w.handler.ServeHTTP(httptest.NewRecorder(), httptest.NewRequestWithContext(ctx, c.method, c.target, nil))
		span.End()
		ended := spans.Ended()[len(spans.Ended())-1]
		attrs := attribute.NewSet(ended.Attributes()...)
		operation, _ := attrs.Value("causeway.operation")
		route, _ := attrs.Value("http.route")
		if ended.Name() != c.name || operation.AsString() != c.operation || route.AsString() != c.route {
			t.Errorf("%s: got %s %v", c.target, ended.Name(), ended.Attributes())
		}
		lines := w.logs.FilterMessage("request").All()
		if id := lines[len(lines)-1].ContextMap()["trace_id"]; id != span.SpanContext().TraceID().String() {
			t.Errorf("%s: logged trace_id %v", c.target, id)
		}
	}
}
