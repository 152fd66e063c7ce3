package upstream_test

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jarcoal/httpmock"
	"github.com/prometheus/client_golang/prometheus"
	"go.opentelemetry.io/otel/codes"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"
	"go.uber.org/goleak"
	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"
	"go.uber.org/zap/zaptest/observer"

	"causeway/adapters/upstream"
	"causeway/core"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const base = "https://provider.test/v1"

var noon = time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)

// world is a factory over a fake transport, with everything that tests look at.
type world struct {
	transport *httpmock.MockTransport
	now       atomic.Int64 // nanoseconds since 1970
	entropy   uint64
	trying    sync.Mutex
	tries     []upstream.Attempt
	registry  *prometheus.Registry
	logs      *observer.ObservedLogs
	spans     *tracetest.SpanRecorder
	factory   *upstream.Factory
	client    *upstream.Client // of the provider "bank"
}

func open(t *testing.T, limits ...upstream.Limit) *world {
	t.Helper()
	logged, logs := observer.New(zapcore.DebugLevel)
	w := &world{
		transport: httpmock.NewMockTransport(), registry: prometheus.NewRegistry(), logs: logs,
		spans: tracetest.NewSpanRecorder(),
	}
	w.now.Store(noon.UnixNano())
	w.transport.RegisterNoResponder(httpmock.NewNotFoundResponder(t.Error))
	var err error
	w.factory, err = upstream.New(upstream.Default(), upstream.Options{
		Transport: w.transport,
		Clock:     func() time.Time { return time.Unix(0, w.now.Load()).UTC() },
		Entropy:   func() uint64 { return w.entropy },
		OnAttempt: func(_ context.Context, t upstream.Attempt) {
			w.trying.Lock()
			defer w.trying.Unlock()
			w.tries = append(w.tries, t)
		},
		Tracing: sdktrace.NewTracerProvider(sdktrace.WithSpanProcessor(w.spans)),
	}, zap.New(logged), upstream.NewMetrics(w.registry))
	if err != nil {
		t.Fatal(err)
	}
	w.client = w.newClient(t, upstream.Provider{
		Name: "bank", BaseURL: base, Header: http.Header{"Authorization": {"Bearer key"}}, Limits: limits,
	})
	return w
}

func (w *world) newClient(t *testing.T, p upstream.Provider) *upstream.Client {
	t.Helper()
	client, err := w.factory.Client(p)
	if err != nil {
		t.Fatal(err)
	}
	return client
}

func (w *world) advance(d time.Duration) { w.now.Add(int64(d)) }

// respond makes the provider send the responses, one per call, and then the last one again.
func (w *world) respond(responses ...httpmock.Responder) {
	var n atomic.Int64
	respond := func(r *http.Request) (*http.Response, error) {
		return responses[min(int(n.Add(1)), len(responses))-1](r)
	}
	w.transport.RegisterResponder(http.MethodGet, "=~^"+base, respond)
	w.transport.RegisterResponder(http.MethodPost, "=~^"+base, respond)
}

func (w *world) calls() int { return w.transport.GetTotalCallCount() }

// get sends a request for a JSON object.
func (w *world) get(ctx context.Context) error {
	return w.client.Get(ctx, "look", "/thing", nil, readObject)
}

func readObject(a upstream.Response) error {
	if err := a.Err(); err != nil {
		return err
	}
	var object struct {
		Name string `json:"name"`
	}
	return a.JSON(&object)
}

// metric returns the sum of a metric over all series that have the labels, such as "outcome=ok".
func (w *world) metric(t *testing.T, name string, labels ...string) (sum float64) {
	t.Helper()
	families, err := w.registry.Gather()
	if err != nil {
		t.Fatal(err)
	}
	for _, family := range families {
		if family.GetName() != "causeway_upstream_"+name {
			continue
		}
		for _, m := range family.GetMetric() {
			has := ","
			for _, l := range m.GetLabel() {
				has += l.GetName() + "=" + l.GetValue() + ","
			}
			all := true
			for _, label := range labels {
				all = all && strings.Contains(has, ","+label+",")
			}
			if all {
				sum += m.GetCounter().GetValue() + m.GetGauge().GetValue() + float64(m.GetHistogram().GetSampleCount())
			}
		}
	}
	return sum
}

// wantOutcome checks that exactly one call had this outcome.
func (w *world) wantOutcome(t *testing.T, want upstream.Outcome) {
	t.Helper()
	if got := w.metric(t, "requests_total", "outcome="+string(want)); got != 1 {
		t.Errorf("got %v calls with outcome %s of %v", got, want, w.metric(t, "requests_total"))
	}
}

// unavailable checks that err is Unavailable, with a message that says nothing about the provider,
// and returns its RetryAfter.
func unavailable(t *testing.T, err error) time.Duration {
	t.Helper()
	e, ok := errors.AsType[*core.Error](err)
	if !ok || e.Code != core.Unavailable || e.Message != "Temporarily unavailable. Retry later." {
		t.Fatalf("got %v, want an unavailable error", err)
	}
	return e.RetryAfter
}

// status returns a response without a body.
func status(code int, header ...string) httpmock.Responder { return text(code, "", header...) }

func text(code int, body string, header ...string) httpmock.Responder {
	h := http.Header{}
	for i := 0; i+1 < len(header); i += 2 {
		h.Set(header[i], header[i+1])
	}
	return httpmock.NewStringResponder(code, body).HeaderSet(h)
}

func TestNew_MissingDependency(t *testing.T) {
	t.Parallel()
	if _, err := upstream.New(upstream.Default(), upstream.Options{}, zap.NewNop(), nil); err == nil {
		t.Error("got no error")
	}
}

func TestFactory_InvalidProvider(t *testing.T) {
	t.Parallel()
	w := open(t)
	for name, p := range map[string]upstream.Provider{
		"no URL":            {Name: "bank"},
		"relative URL":      {Name: "bank", BaseURL: "/v1"},
		"another scheme":    {Name: "bank", BaseURL: "ftp://provider.test"},
		"user in URL":       {Name: "bank", BaseURL: "https://sk_live_1:x@provider.test"},
		"key in query":      {Name: "bank", BaseURL: "https://provider.test?key=sk_live_1"},
		"key as URL":        {Name: "bank", BaseURL: "sk_live_1"},
		"line break in key": {Name: "bank", BaseURL: base, Header: http.Header{"Authorization": {"Bearer sk_live_1\n"}}},
	} {
		if _, err := w.factory.Client(p); err == nil || strings.Contains(err.Error(), "sk_live_1") {
			t.Errorf("%s: got %v", name, err)
		}
	}
}

func TestClient_Spans(t *testing.T) {
	t.Parallel()
	w := open(t)
	type span struct {
		outcome, breaker string
		status           codes.Code
	}
	want := []span{{"ok", "closed", codes.Unset}, {"not_found", "closed", codes.Unset}}
	for range 10 {
		want = append(want, span{"unavailable", "closed", codes.Error})
	}
	want = append(want, span{"open", "open", codes.Error})
	w.respond(text(200, `{}`), status(404), status(500))
	for range want {
		_ = w.client.Get(t.Context(), "resolve", "/x", nil, func(a upstream.Response) error {
			if a.Status == http.StatusNotFound {
				return core.Errorf(core.NotFound, "no such account")
			}
			return a.Err()
		})
	}
	ended := w.spans.Ended()
	if len(ended) != len(want) {
		t.Fatalf("got %d spans, want %d", len(ended), len(want))
	}
	for i, x := range want {
		attrs := map[string]string{}
		for _, a := range ended[i].Attributes() {
			attrs[string(a.Key)] = a.Value.AsString()
		}
		if ended[i].Name() != "bank resolve" || ended[i].Status().Code != x.status ||
			attrs["causeway.provider"] != "bank" || attrs["causeway.op"] != "resolve" ||
			attrs["causeway.outcome"] != x.outcome || attrs["causeway.breaker"] != x.breaker {
			t.Errorf("span %d: got %s %v %v, want %+v", i, ended[i].Name(), ended[i].Status(), attrs, x)
		}
	}
}
