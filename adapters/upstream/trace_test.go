package upstream_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jarcoal/httpmock"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"
	"go.uber.org/zap"

	"causeway/adapters/tracing"
	"causeway/adapters/tracing/tracingtest"
	"causeway/adapters/upstream"
	"causeway/core"
	"causeway/ports"
)

// traced makes a world whose questions go to a collector. end sends what is left.
func traced(t *testing.T, c *tracingtest.Collector, change func(*tracing.Config)) (w *world, tracer *tracing.Tracer, end func()) {
	t.Helper()
	cfg := tracing.Default()
	cfg.URL, cfg.Ratio = "http://collector.test", 1
	change(&cfg)
	var drawn atomic.Uint64
	entropy := func() uint64 { return drawn.Add(1) * 0x9e3779b97f4a7c15 }
	tracer, err := tracing.New(cfg, tracing.Outside{Transport: c, Clock: time.Now, Entropy: entropy}, "", "", zap.NewNop(), nil)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() {
		defer close(done)
		tracer.Run(ctx)
	}()
	end = func() {
		cancel()
		<-done
	}
	t.Cleanup(end)
	w = open(t)
	w.registry = prometheus.NewRegistry() // the factory of open has the other one
	settings := upstream.Default()
	settings.Retries, settings.Breaker.MinCalls = 0, 4
	w.factory, err = upstream.New(settings, upstream.Outside{
		Transport: w.transport, Clock: func() time.Time { return time.Unix(0, w.now.Load()).UTC() }, Entropy: entropy, Tracer: tracer,
	}, zap.NewNop(), w.registry)
	if err != nil {
		t.Fatal(err)
	}
	return w, tracer, end
}

func TestQuestionsAreSpans(t *testing.T) {
	t.Parallel()
	c := &tracingtest.Collector{}
	w, tracer, end := traced(t, c, func(*tracing.Config) {})
	w.follows(
		httpmock.NewStringResponder(200, `{}`), httpmock.NewStringResponder(404, `planted-body`), httpmock.NewStringResponder(401, ``),
		httpmock.NewStringResponder(500, ``), httpmock.NewStringResponder(500, ``), httpmock.NewStringResponder(500, ``),
	)
	client := w.client(t, false)
	ctx, request := tracer.Join(t.Context(), ports.ServerSpan, "")
	for range 6 {
		_ = client.Do(ctx, upstream.Question{Op: "resolve", Path: "/planted-path", Query: map[string][]string{"account": {"planted-account"}}}, func(a upstream.Answer) error {
			if a.Status == http.StatusNotFound {
				return core.Errorf(core.NotFound, "planted-message")
			}
			return a.Fault()
		})
	}
	_ = client.Get(ctx, "resolve", "/x", nil, upstream.Answer.Fault) // the breaker is open
	request.End("POST /x", false)
	end()
	spans := c.Spans()
	want := []struct {
		outcome, breaker, status string
		failed                   bool
	}{
		{"ok", "closed", "", false},
		{"not_found", "closed", "", false},
		{"refused", "closed", "401", true},
		{"unavailable", "closed", "500", true},
		{"unavailable", "closed", "500", true},
		{"unavailable", "closed", "500", true},
		{"open", "open", "", true},
	}
	if len(spans) != len(want)+1 {
		t.Fatalf("%+v", spans)
	}
	for i, x := range want {
		s := spans[i]
		if s.Name != "bank resolve" || s.Kind != 3 || s.Failed != x.failed || s.Trace != request.TraceID() || s.Parent != spans[len(want)].ID ||
			s.Attributes["causeway.provider"] != "bank" || s.Attributes["causeway.op"] != "resolve" || s.Attributes["causeway.outcome"] != x.outcome ||
			s.Attributes["causeway.breaker"] != x.breaker || s.Attributes["http.response.status_code"] != x.status {
			t.Errorf("%d: got %+v, want %+v", i, s, x)
		}
	}
	for _, private := range []string{"planted", "Bearer", "provider.test"} {
		if strings.Contains(string(c.Raw()), private) {
			t.Errorf("the collector was sent %q", private)
		}
	}
	rec := httptest.NewRecorder()
	scrape := httptest.NewRequestWithContext(t.Context(), "GET", "/metrics", nil)
	scrape.Header.Set("Accept", "application/openmetrics-text; version=1.0.0")
	promhttp.HandlerFor(w.registry, promhttp.HandlerOpts{EnableOpenMetrics: true}).ServeHTTP(rec, scrape)
	if !strings.Contains(rec.Body.String(), `# {trace_id="`+request.TraceID()+`"}`) {
		t.Errorf("no example of a duration in\n%s", rec.Body)
	}
}

func TestProvidersAreToldTheTraceOnlyWhereThatIsConfigured(t *testing.T) {
	t.Parallel()
	for name, propagate := range map[string]bool{"told": true, "not told": false} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w, tracer, _ := traced(t, &tracingtest.Collector{}, func(c *tracing.Config) { c.Propagate = propagate })
			var told string
			w.transport.RegisterResponder(http.MethodGet, "=~^"+base, func(r *http.Request) (*http.Response, error) {
				told = r.Header.Get("Traceparent")
				return httpmock.NewStringResponse(200, `{}`), nil
			})
			ctx, request := tracer.Join(t.Context(), ports.ServerSpan, "")
			if err := w.client(t, false).Get(ctx, "op", "/x", nil, upstream.Answer.Fault); err != nil {
				t.Fatal(err)
			}
			want := "00-" + request.TraceID() + "-"
			if propagate != strings.HasPrefix(told, want) || !propagate && told != "" {
				t.Errorf("told %q", told)
			}
		})
	}
}
