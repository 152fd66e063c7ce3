package telemetry_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/trace"
	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"
	"go.uber.org/zap/zaptest/observer"

	"causeway/adapters/telemetry"
	"causeway/adapters/telemetry/telemetrytest"
)

const (
	callerTrace = "0af7651916cd43dd8448eb211c80319c"
	callerSpan  = "b7ad6b7169203331"
	traceparent = "00-" + callerTrace + "-" + callerSpan + "-01"
)

// setup is a Tracing with its log and metrics.
type setup struct {
	*telemetry.Tracing

	log *observer.ObservedLogs
	reg *prometheus.Registry
}

func newSetup(t *testing.T) setup {
	t.Helper()
	core, log := observer.New(zapcore.DebugLevel)
	reg := telemetry.NewRegistry("1.2.3")
	tracing, err := telemetry.NewTracing(t.Context(), "1.2.3", "sandbox", zap.New(core), reg)
	if err != nil {
		t.Fatal(err)
	}
	return setup{tracing, log, reg}
}

// spans asserts the metric of exported and failed spans.
func (s setup) spans(t *testing.T, outcome string, want float64) {
	t.Helper()
	families, err := s.reg.Gather()
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range families {
		for _, m := range f.GetMetric() {
			if f.GetName() == "causeway_tracing_spans_total" && m.GetLabel()[0].GetValue() == outcome {
				if got := m.GetCounter().GetValue(); got != want {
					t.Errorf("%s spans: got %v, want %v", outcome, got, want)
				}
				return
			}
		}
	}
	t.Errorf("no metric of %s spans", outcome)
}

// record starts and ends one span.
func (s setup) record(t *testing.T) {
	t.Helper()
	_, span := s.Provider().Tracer("test").Start(t.Context(), "work")
	span.End()
}

// transport answers a provider request, or fails like a dial that quotes its URL.
type transport struct {
	err error
	got http.Header
}

func (p *transport) RoundTrip(r *http.Request) (*http.Response, error) {
	p.got = r.Header
	if p.err != nil {
		return nil, p.err
	}
	return &http.Response{StatusCode: http.StatusOK, Body: io.NopCloser(strings.NewReader("planted-body"))}, nil
}

// call sends a provider request with planted values.
func call(ctx context.Context, t *testing.T, through http.RoundTripper) {
	t.Helper()
	const target = "https://provider.test/planted-path?number=planted-number"
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, target, nil)
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Authorization", "Bearer planted-key")
	response, err := through.RoundTrip(request)
	if err == nil {
		_ = response.Body.Close()
	}
}

func TestTracing(t *testing.T) {
	collector := telemetrytest.New(t)
	t.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", collector.URL)
	t.Setenv("OTEL_EXPORTER_OTLP_HEADERS", "x-team=planted-team")
	s := newSetup(t)
	good, bad := &transport{}, &transport{err: errors.New("dial planted-error")}
	handler := s.Handler(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		span := trace.SpanFromContext(r.Context())
		span.SetName("POST /v1/resolve")
		span.SetAttributes(attribute.String("causeway.operation", "resolve"), attribute.String("note", "planted-note"))
		span.RecordError(errors.New("planted-event"))
		call(r.Context(), t, s.Transport(good))
		call(r.Context(), t, s.Transport(bad))
		w.WriteHeader(http.StatusBadGateway)
	}))
	request := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/planted-path?q=planted-query",
		strings.NewReader("planted-body"))
	request.RemoteAddr, request.Host = "203.0.113.7:1", "planted-host"
	for name, value := range map[string]string{
		"Traceparent": traceparent, "Tracestate": "vendor=planted-state", "Baggage": "k=planted-baggage",
		"User-Agent": "planted-agent", "X-Forwarded-For": "203.0.113.8", "Authorization": "Bearer planted-key",
	} {
		request.Header.Set(name, value)
	}
	handler.ServeHTTP(httptest.NewRecorder(), request)
	s.Shutdown(t.Context())

	spans := collector.Spans()
	if len(spans) != 3 {
		t.Fatalf("got %d spans: %v", len(spans), spans)
	}
	server := spans[2]
	if server.Name != "POST /v1/resolve" || server.Trace != callerTrace || server.Parent != callerSpan ||
		server.Attrs["causeway.operation"] != "resolve" || server.Attrs["http.request.method"] != "POST" ||
		server.Status.Code != 2 {
		t.Errorf("server span: %v", server)
	}
	for _, client := range spans[:2] {
		if client.Name != "GET" || client.Trace != callerTrace || client.Parent != server.ID || client.Kind != 3 {
			t.Errorf("client span: %v", client)
		}
	}
	if good.got.Get("Traceparent") != "" || good.got.Get("Tracestate") != "" {
		t.Errorf("the provider received trace headers: %v", good.got)
	}
	for _, private := range []string{"planted", "203.0.113", "provider.test"} {
		if strings.Contains(string(collector.Raw()), private) {
			t.Errorf("the collector received %q", private)
		}
	}
	if r := collector.Resource(); r["service.name"] != "causeway" || r["service.version"] != "1.2.3" ||
		r["deployment.environment.name"] != "sandbox" || r["service.instance.id"] == "" {
		t.Errorf("resource: %v", r)
	}
	if sent := collector.Requests()[0]; sent.URL.Path != "/v1/traces" || sent.Header.Get("X-Team") != "planted-team" {
		t.Errorf("export request: %s %v", sent.URL, sent.Header)
	}
	s.spans(t, "exported", 3)
	s.spans(t, "failed", 0)
	if s.log.Len() != 0 {
		t.Errorf("log: %v", s.log.All())
	}
}

func TestTracing_StandardVariables(t *testing.T) {
	for _, c := range []struct {
		name string
		env  map[string]string
		want int // spans
	}{
		{"sampled always", nil, 1},
		{"sampled never", map[string]string{"OTEL_TRACES_SAMPLER": "always_off"}, 0},
		{"ratio of zero", map[string]string{"OTEL_TRACES_SAMPLER": "traceidratio", "OTEL_TRACES_SAMPLER_ARG": "0"}, 0},
		{"disabled", map[string]string{"OTEL_SDK_DISABLED": "true"}, 0},
		{"no exporter", map[string]string{"OTEL_TRACES_EXPORTER": "none"}, 0},
		{"service name", map[string]string{"OTEL_SERVICE_NAME": "payments", "OTEL_RESOURCE_ATTRIBUTES": "region=eu"}, 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			collector := telemetrytest.New(t)
			t.Setenv("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", collector.URL+"/custom")
			t.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", "http://127.0.0.1:1")
			for name, value := range c.env {
				t.Setenv(name, value)
			}
			s := newSetup(t)
			s.record(t)
			s.Shutdown(t.Context())
			if got := len(collector.Spans()); got != c.want {
				t.Fatalf("got %d spans, want %d", got, c.want)
			}
			if c.want > 0 && collector.Requests()[0].URL.Path != "/custom" {
				t.Errorf("path: %s", collector.Requests()[0].URL.Path)
			}
			if name := c.env["OTEL_SERVICE_NAME"]; name != "" {
				if r := collector.Resource(); r["service.name"] != name || r["region"] != "eu" {
					t.Errorf("resource: %v", r)
				}
			}
		})
	}
}

func TestTracing_Off(t *testing.T) {
	s := newSetup(t)
	through := &transport{}
	if s.Transport(through) != http.RoundTripper(through) {
		t.Error("the transport is wrapped")
	}
	var got trace.SpanContext
	handler := s.Handler(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		got = trace.SpanContextFromContext(r.Context())
	}))
	request := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/", nil)
	handler.ServeHTTP(httptest.NewRecorder(), request)
	if got.IsValid() {
		t.Errorf("a trace without a traceparent: %v", got)
	}
	request.Header.Set("Traceparent", traceparent)
	handler.ServeHTTP(httptest.NewRecorder(), request)
	if got.TraceID().String() != callerTrace {
		t.Errorf("trace ID: %s", got.TraceID())
	}
	s.record(t)
	s.Shutdown(t.Context())
	s.spans(t, "exported", 0)
}

func TestTracing_InvalidEnvironment(t *testing.T) {
	for _, c := range []struct{ name, value, want string }{
		{"OTEL_EXPORTER_OTLP_ENDPOINT", "collector:4318", "OTEL_EXPORTER_OTLP_ENDPOINT is not a URL"},
		{"OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "http://us:planted@ x/", "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT is not a URL"},
		{"OTEL_EXPORTER_OTLP_PROTOCOL", "grpc", "http/protobuf"},
	} {
		t.Run(c.value, func(t *testing.T) {
			t.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", "http://127.0.0.1:1")
			t.Setenv(c.name, c.value)
			_, err := telemetry.NewTracing(t.Context(), "", "", zap.NewNop(), prometheus.NewRegistry())
			if err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "planted") {
				t.Errorf("got %v, want %q", err, c.want)
			}
		})
	}
}

func TestTracing_CollectorDown(t *testing.T) {
	t.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", "http://127.0.0.1:1")
	t.Setenv("OTEL_BSP_MAX_EXPORT_BATCH_SIZE", "1")
	t.Setenv("OTEL_EXPORTER_OTLP_HEADERS", "authorization=planted-secret")
	s := newSetup(t)
	for range 3 {
		s.record(t)
	}
	s.Shutdown(t.Context())
	s.spans(t, "failed", 3)
	if lines := s.log.All(); len(lines) != 1 || strings.Contains(lines[0].ContextMap()["error"].(string), "planted") {
		t.Errorf("log: %v", lines)
	}
}

func TestTracing_CollectorStalls(t *testing.T) {
	stalled := make(chan struct{})
	collector := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { <-stalled }))
	defer collector.Close()
	defer close(stalled)
	t.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", collector.URL)
	t.Setenv("OTEL_BSP_MAX_QUEUE_SIZE", "4")
	s := newSetup(t)
	for range 10_000 { // more than the queue holds: a full queue drops spans and does not block
		s.record(t)
	}
	start := time.Now()
	s.Shutdown(t.Context())
	if took := time.Since(start); took > time.Minute { // flushes for 2 s; the default export timeout is 30 s
		t.Errorf("shutdown took %s", took)
	}
	if s.log.FilterMessage("remaining traces were not exported").Len() != 1 {
		t.Errorf("log: %v", s.log.All())
	}
}

func TestNewRegistry(t *testing.T) {
	reg := telemetry.NewRegistry("1.2.3")
	for _, name := range []string{"causeway_build_info", "go_goroutines", "process_start_time_seconds"} {
		if n, err := testutil.GatherAndCount(reg, name); err != nil || n != 1 {
			t.Errorf("%s: %d, %v", name, n, err)
		}
	}
}
