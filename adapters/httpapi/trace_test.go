package httpapi_test

import (
	"context"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus/promhttp"
	"go.uber.org/zap"

	"causeway/adapters/httpapi"
	"causeway/adapters/tracing"
	"causeway/adapters/tracing/tracingtest"
	"causeway/core"
)

const (
	traceID     = "0af7651916cd43dd8448eb211c80319c"
	recordedBy  = "00-" + traceID + "-b7ad6b7169203331-01"
	unwantedBy  = "00-" + traceID + "-b7ad6b7169203331-00"
	openMetrics = "application/openmetrics-text; version=1.0.0"
)

// tracer makes a tracer for a world, and returns what ends it: all that was recorded is at the collector then.
func tracer(t *testing.T, c *tracingtest.Collector, ratio float64) (*tracing.Tracer, func()) {
	t.Helper()
	cfg := tracing.Default()
	cfg.URL, cfg.Ratio = "http://collector.test", ratio
	var drawn atomic.Uint64
	entropy := func() uint64 { return drawn.Add(1) * 0x9e3779b97f4a7c15 }
	out, err := tracing.New(cfg, tracing.Outside{Transport: c, Clock: time.Now, Entropy: entropy}, "", "", zap.NewNop(), nil)
	if err != nil {
		t.Fatal(err)
	}
	ctx, end := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() {
		defer close(done)
		out.Run(ctx)
	}()
	t.Cleanup(end)
	return out, func() {
		end()
		<-done
	}
}

func tracedBy(t *tracing.Tracer) func(*httpapi.Config, *httpapi.Services) {
	return func(c *httpapi.Config, _ *httpapi.Services) { c.Tracer = t }
}

func TestARequestIsASpan(t *testing.T) {
	t.Parallel()
	c := &tracingtest.Collector{}
	traces, end := tracer(t, c, 1)
	w := newWorld(t, resolving(core.Errorf(core.Unavailable, "Not now").With(errDial)), tracedBy(traces))
	w.get("/v1/pairs/BTCNGN?who=planted", "Traceparent: "+recordedBy)
	w.post(resolvePath, goodQuestion)
	w.get("/nothing/0123456789")
	w.get("/v1/banks", "Traceparent: "+unwantedBy)
	w.ask("HEAD", "/v1/currencies/BTC", "")
	end()
	spans := c.Spans()
	if len(spans) != 4 {
		t.Fatalf("%+v", spans)
	}
	for i, want := range []struct {
		name, operation, status, route string
		failed                         bool
	}{
		{"GET /v1/pairs/{id}", "get-pair", "200", "/v1/pairs/{id}", false},
		{"POST " + resolvePath, "resolve-account", "503", resolvePath, true},
		{"GET", "unknown", "404", "", false},
		{"HEAD /v1/currencies/{code}", "get-currency", "200", "/v1/currencies/{code}", false},
	} {
		got := spans[i]
		if got.Name != want.name || got.Kind != 2 || got.Failed != want.failed || got.Attributes["causeway.operation"] != want.operation ||
			got.Attributes["http.response.status_code"] != want.status || got.Attributes["http.route"] != want.route {
			t.Errorf("got %+v, want %+v", got, want)
		}
	}
	if spans[0].Trace != traceID || spans[0].Parent != "b7ad6b7169203331" || spans[1].Parent != "" {
		t.Errorf("%+v", spans[:2])
	}
	for _, private := range []string{"planted", "0123456789"} {
		if strings.Contains(string(c.Raw()), private) {
			t.Errorf("the collector was sent %q", private)
		}
	}
	ids := map[string]bool{}
	for _, line := range w.logs.FilterMessage("request").All() {
		ids[line.ContextMap()["trace_id"].(string)] = true
	}
	if len(ids) != 4 || !ids[traceID] || !ids[spans[1].Trace] {
		t.Errorf("the access log has %v", ids)
	}
	if lines := w.logs.FilterMessage("request not answered").All(); len(lines) != 1 || lines[0].ContextMap()["trace_id"] != spans[1].Trace {
		t.Errorf("the failure: %v", lines)
	}
}

func TestAPanicIsLoggedWithItsTrace(t *testing.T) {
	t.Parallel()
	w := newWorld(t, panicking("oops"))
	w.post(resolvePath, goodQuestion, "Traceparent: "+unwantedBy)
	if lines := w.logs.FilterMessage("panic").All(); len(lines) != 1 || lines[0].ContextMap()["trace_id"] != traceID {
		t.Errorf("%v", lines)
	}
}

// TestDurationsHaveExamples scrapes as a Prometheus does that stores exemplars.
func TestDurationsHaveExamples(t *testing.T) {
	t.Parallel()
	traces, _ := tracer(t, &tracingtest.Collector{}, 0)
	for name, c := range map[string]struct {
		change func(*httpapi.Config, *httpapi.Services)
		parent string
		want   bool
	}{
		"recorded here":                     {tracedBy(traces), recordedBy, true},
		"not recorded here":                 {tracedBy(traces), unwantedBy, false},
		"recorded by the caller":            {nil, recordedBy, true},
		"not recorded by the caller either": {nil, unwantedBy, false},
		"without a trace":                   {tracedBy(traces), "none", false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			if c.change != nil {
				w = newWorld(t, c.change)
			}
			w.get("/v1/pairs", "Traceparent: "+c.parent)
			rec := httptest.NewRecorder()
			scrape := httptest.NewRequestWithContext(t.Context(), "GET", "/metrics", nil)
			scrape.Header.Set("Accept", openMetrics)
			promhttp.HandlerFor(w.registry, promhttp.HandlerOpts{EnableOpenMetrics: true}).ServeHTTP(rec, scrape)
			found := false
			for line := range strings.Lines(rec.Body.String()) {
				found = found || strings.HasPrefix(line, `causeway_http_request_duration_seconds_bucket{operation="list-pairs"`) && strings.Contains(line, `# {trace_id="`+traceID+`"}`)
			}
			if !strings.HasPrefix(rec.Header().Get("Content-Type"), "application/openmetrics-text") || found != c.want {
				t.Errorf("an example: %v, in %s\n%s", found, rec.Header().Get("Content-Type"), rec.Body)
			}
		})
	}
}
