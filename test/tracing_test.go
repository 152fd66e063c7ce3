package test_test

import (
	"net/http"
	"strings"
	"testing"

	"causeway/adapters/tracing/tracingtest"
	"causeway/test/driver"
)

// TestARequestIsFollowedToTheProviders runs the sandbox beside a collector and looks at the traces of a resolution and of prices.
func TestARequestIsFollowedToTheProviders(t *testing.T) {
	t.Parallel()
	const trace, caller = "0af7651916cd43dd8448eb211c80319c", "b7ad6b7169203331"
	collector := &tracingtest.Collector{}
	c := driver.Start(t, binary, "CAUSEWAY_TRACING__URL="+collector.Listen(t), "CAUSEWAY_TRACING__RATIO=1", "CAUSEWAY_TRACING__HEADERS__X_TEAM=planted-team")
	for range 2 { // the second one is remembered
		r := driver.Do(t, http.MethodPost, c.API+resolvePath, `{"currency_id":"NGN","country_id":"NG","channel":"bank_transfer","bank_code":"001","account_number":"3141592500"}`,
			"Traceparent", "00-"+trace+"-"+caller+"-01")
		if r.Status != http.StatusOK || r.Header.Get("Traceparent") != "" {
			t.Fatalf("%d %s", r.Status, r.Body)
		}
	}
	driver.Get(t, c.API+"/v1/banks") // a trace of its own
	of := func(spans []tracingtest.Span, name string) (out []tracingtest.Span) {
		for _, s := range spans {
			if s.Name == name {
				out = append(out, s)
			}
		}
		return out
	}
	const request = "POST " + resolvePath
	spans := collector.Await(t, func(spans []tracingtest.Span) bool {
		return len(of(spans, request)) == 2 && len(of(spans, "GET /v1/banks")) == 1 && len(of(spans, "prices publish")) > 0 && len(of(spans, "prices recompute")) > 0
	})

	asked, cached := of(spans, request), of(spans, "resolution cache")
	if len(cached) != 2 || cached[0].Parent != asked[0].ID || cached[0].Attributes["causeway.cache"] != "miss" || cached[1].Attributes["causeway.cache"] != "hit" {
		t.Errorf("the cache: %+v below %+v", cached, asked)
	}
	var outcomes []string
	for _, s := range spans {
		if s.Kind == 3 && s.Trace == trace {
			if s.Parent != asked[0].ID {
				t.Errorf("a question is no part of the request: %+v", s)
			}
			outcomes = append(outcomes, s.Name+" "+s.Attributes["causeway.outcome"]+" "+s.Attributes["causeway.breaker"])
		}
	}
	if got := strings.Join(outcomes, ", "); got != "paystack resolve unavailable closed, flutterwave resolve ok closed" { // 500: the first one fails
		t.Errorf("the providers: %s", got)
	}
	if asked[0].Trace != trace || asked[0].Parent != caller || asked[0].Resource["deployment.environment.name"] != "sandbox" {
		t.Errorf("the request: %+v", asked[0])
	}
	published := of(spans, "prices publish")[0]
	for _, s := range of(spans, "prices recompute") {
		if s.ID == published.Parent && s.Parent == "" && s.Attributes["causeway.pairs"] != "0" {
			published.Parent = "found"
		}
	}
	if published.Parent != "found" || len(of(spans, "prices poll")) == 0 {
		t.Errorf("the prices: %+v, %d polls", published, len(of(spans, "prices poll")))
	}

	metrics := string(driver.Get(t, c.Operator+"/metrics", "Accept", "application/openmetrics-text; version=1.0.0").Body)
	for _, name := range []string{"causeway_http_request_duration_seconds", "causeway_upstream_request_duration_seconds", "causeway_resolution_attempt_seconds"} {
		found := false
		for line := range strings.Lines(metrics) {
			found = found || strings.HasPrefix(line, name+"_bucket{") && strings.Contains(line, `# {trace_id="`+trace+`"}`)
		}
		if !found {
			t.Errorf("%s has no example of the trace", name)
		}
	}
	if !strings.Contains(metrics, `causeway_tracing_spans_total{outcome="lost"} 0`) {
		t.Errorf("no metric of spans")
	}
	if err := c.Stop(); err != nil {
		t.Error(err)
	}
	if log := c.Log(); strings.Count(log, `"trace_id":"`+trace+`"`) < 2 || strings.Contains(log, "planted-team") {
		t.Errorf("the log: %s", log)
	}
	if got := collector.Requests()[0].Header.Get("X-Team"); got != "planted-team" {
		t.Errorf("the collector's header: %q", got)
	}
}

// TestACollectorThatIsAwayHurtsNobody runs the sandbox with a collector that nobody listens for.
func TestACollectorThatIsAwayHurtsNobody(t *testing.T) {
	t.Parallel()
	c := driver.Start(t, binary, "CAUSEWAY_TRACING__URL="+nowhere, "CAUSEWAY_TRACING__RATIO=1", "CAUSEWAY_TRACING__QUEUE=64")
	for range 300 {
		if r := driver.Get(t, c.API+"/v1/pairs/BTCNGN"); r.Status != http.StatusOK {
			t.Fatalf("%d %s", r.Status, r.Body)
		}
	}
	if err := c.Stop(); err != nil {
		t.Error(err)
	}
	if n := strings.Count(c.Log(), "the collector does not take traces"); n != 1 {
		t.Errorf("%d lines about the collector: %s", n, c.Log())
	}
}
