package telemetry

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/go-logr/logr"
	"github.com/prometheus/client_golang/prometheus"
	"go.opentelemetry.io/contrib/instrumentation/net/http/otelhttp"
	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracehttp"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/sdk/resource"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	semconv "go.opentelemetry.io/otel/semconv/v1.43.0"
	"go.opentelemetry.io/otel/trace"
	"go.opentelemetry.io/otel/trace/noop"
	"go.uber.org/zap"
)

// flushTimeout bounds how long Shutdown waits for the collector.
const flushTimeout = 2 * time.Second

// Tracing records and exports the traces of a process. The zero value records nothing.
type Tracing struct {
	provider *sdktrace.TracerProvider // nil: no endpoint is configured
	exporter *exporter
	logger   *zap.Logger
}

// NewTracing reads the OTEL_* environment variables. It makes no connection, so a collector that
// is down does not delay the start. mode is recorded as the deployment environment.
//
// If traces are exported, NewTracing also sets the process-wide error handler and logger of the
// OpenTelemetry SDK.
func NewTracing(
	ctx context.Context, version, mode string, logger *zap.Logger, reg prometheus.Registerer,
) (*Tracing, error) {
	logger = logger.Named("telemetry")
	spans := newSpanCounter(reg)
	endpoint, err := collector()
	if err != nil {
		return nil, err
	}
	if endpoint == "" {
		return &Tracing{logger: logger}, nil
	}
	// The SDK's own log quotes malformed variables, whose values may be credentials.
	otel.SetLogger(logr.Discard())
	otel.SetErrorHandler(otel.ErrorHandlerFunc(func(err error) {
		logger.Warn("tracing error", zap.Error(err))
	}))

	client, err := otlptracehttp.New(ctx)
	if err != nil {
		return nil, fmt.Errorf("telemetry: %w", err)
	}
	attributes, err := resource.New(ctx,
		resource.WithTelemetrySDK(),
		resource.WithService(),
		resource.WithAttributes(
			semconv.ServiceName("causeway"),
			semconv.ServiceVersion(version),
			semconv.DeploymentEnvironmentNameKey.String(mode),
		),
		resource.WithFromEnv(), // last, so that the environment takes precedence
	)
	if err != nil {
		return nil, fmt.Errorf("telemetry: %w", err)
	}
	t := &Tracing{exporter: &exporter{SpanExporter: client, logger: logger, spans: spans}, logger: logger}
	t.provider = sdktrace.NewTracerProvider(sdktrace.WithBatcher(t.exporter), sdktrace.WithResource(attributes))
	return t, nil
}

// collector returns the endpoint that the environment names, or nothing if traces are not exported.
func collector() (string, error) {
	disabled, _ := strconv.ParseBool(os.Getenv("OTEL_SDK_DISABLED"))
	if disabled || os.Getenv("OTEL_TRACES_EXPORTER") == "none" {
		return "", nil
	}
	const general, traces = "OTEL_EXPORTER_OTLP_ENDPOINT", "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT"
	name := traces
	if os.Getenv(traces) == "" {
		name = general
	}
	value := os.Getenv(name)
	if value == "" {
		return "", nil
	}
	u, err := url.Parse(value)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "" {
		return "", errors.New(name + " is not a URL; set it to one such as http://127.0.0.1:4318")
	}
	protocol := cmp.Or(os.Getenv("OTEL_EXPORTER_OTLP_TRACES_PROTOCOL"), os.Getenv("OTEL_EXPORTER_OTLP_PROTOCOL"))
	if protocol == "grpc" {
		return "", errors.New("OTEL_EXPORTER_OTLP_PROTOCOL is grpc, which is not supported; " +
			"use http/protobuf and the HTTP port of the collector, usually 4318")
	}
	return value, nil
}

// Handler wraps the public API. It reads the W3C traceparent of a request into the context and, if
// traces are exported, records a span. The handler names the span after the operation with
// [trace.Span.SetName]; until then the name is the method.
func (t *Tracing) Handler(next http.Handler) http.Handler {
	propagator := propagation.TraceContext{}
	if t.provider == nil {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.Header.Get("Traceparent") != "" {
				r = r.WithContext(propagator.Extract(r.Context(), propagation.HeaderCarrier(r.Header)))
			}
			next.ServeHTTP(w, r)
		})
	}
	return otelhttp.NewHandler(next, "",
		otelhttp.WithTracerProvider(t.provider),
		otelhttp.WithPropagators(propagator),
		otelhttp.WithSpanNameFormatter(spanName),
	)
}

// Transport records a span for each HTTP request to a provider. It sends no traceparent: the trace
// ID comes from the client and does not concern the provider. WebSocket connections, which last
// for hours, have no span.
func (t *Tracing) Transport(next http.RoundTripper) http.RoundTripper {
	if t.provider == nil {
		return next
	}
	return otelhttp.NewTransport(next,
		otelhttp.WithTracerProvider(t.provider),
		otelhttp.WithPropagators(propagation.NewCompositeTextMapPropagator()),
		otelhttp.WithFilter(func(r *http.Request) bool { return r.Header.Get("Upgrade") == "" }),
		otelhttp.WithSpanNameFormatter(spanName),
	)
}

// spanName returns the method and, once the request is routed, the route. It leaves out methods
// that are not standard and paths, because clients choose both.
func spanName(_ string, r *http.Request) string {
	name := "HTTP"
	switch r.Method {
	case http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete,
		http.MethodOptions:
		name = r.Method
	}
	if _, route, ok := strings.Cut(r.Pattern, " "); ok {
		name += " " + route
	}
	return name
}

// Provider returns the source of tracers, which record nothing if traces are not exported.
func (t *Tracing) Provider() trace.TracerProvider {
	if t.provider == nil {
		return noop.NewTracerProvider()
	}
	return t.provider
}

// Shutdown exports the remaining spans. It returns after flushTimeout at the latest.
func (t *Tracing) Shutdown(ctx context.Context) {
	if t.provider == nil {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, flushTimeout)
	defer cancel()
	if err := t.provider.Shutdown(ctx); err != nil {
		t.logger.Warn("remaining traces were not exported", zap.Error(err))
		_ = t.exporter.Shutdown(ctx) // interrupts an export that is still running
	}
}
