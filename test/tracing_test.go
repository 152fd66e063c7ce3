package test_test

import (
	"net/http"
	"strings"
	"testing"

	"causeway/adapters/telemetry/telemetrytest"
	"causeway/test/driver"
)

// TestTracing follows a resolution from the request to the providers.
func TestTracing(t *testing.T) {
	t.Parallel()
	const trace, caller = "0af7651916cd43dd8448eb211c80319c", "b7ad6b7169203331"
	collector := telemetrytest.New(t)
	c := driver.Start(t, binary,
		"OTEL_EXPORTER_OTLP_ENDPOINT="+collector.URL, "OTEL_EXPORTER_OTLP_HEADERS=x-team=planted-team")
	body := `{"currency_id":"NGN","country_id":"NG","channel":"bank_transfer","bank_code":"001",` +
		`"account_number":"3141592500"}`
	r := driver.Do(t, http.MethodPost, c.API+resolvePath, body, "Traceparent", "00-"+trace+"-"+caller+"-01")
	if r.Status != http.StatusOK || r.Header.Get("Traceparent") != "" {
		t.Fatalf("%d %v %s", r.Status, r.Header, r.Body)
	}
	if err := c.Stop(); err != nil { // exports what is left
		t.Error(err)
	}

	byID := map[string]telemetrytest.Span{}
	var requests, polls, attempts int
	var outcomes []string
	for _, s := range collector.Spans() {
		byID[s.ID] = s
		if op := s.Attrs["causeway.op"]; op != "" && op != "resolve" {
			polls++
		}
	}
	for _, s := range collector.Spans() {
		if s.Trace != trace {
			continue
		}
		switch parent := byID[s.Parent]; {
		case s.Name == "POST "+resolvePath:
			requests++
			if s.Parent != caller || s.Attrs["causeway.operation"] != "resolve-account" {
				t.Errorf("request: %v", s)
			}
		case s.Attrs["causeway.op"] == "resolve":
			outcomes = append(outcomes, s.Name+" "+s.Attrs["causeway.outcome"]+" "+s.Attrs["causeway.breaker"])
			if parent.Name != "POST "+resolvePath {
				t.Errorf("call %v is a child of %v", s, parent)
			}
		case parent.Attrs["causeway.op"] == "resolve": // an HTTP request of a call
			attempts++
		}
	}
	// The first provider fails for account numbers that end in 500.
	want := "paystack resolve unavailable closed, flutterwave resolve ok closed"
	if got := strings.Join(outcomes, ", "); got != want {
		t.Errorf("providers: got %s, want %s", got, want)
	}
	if requests != 1 || polls == 0 || attempts < 2 {
		t.Errorf("%d requests, %d polls, %d attempts", requests, polls, attempts)
	}
	if r := collector.Resource(); r["service.name"] != "causeway" || r["deployment.environment.name"] != "sandbox" {
		t.Errorf("resource: %v", r)
	}
	if got := collector.Requests()[0].Header.Get("X-Team"); got != "planted-team" {
		t.Errorf("header: %q", got)
	}
	if log := c.Log(); !strings.Contains(log, `"trace_id":"`+trace+`"`) || strings.Contains(log, "planted-team") {
		t.Errorf("log: %s", log)
	}
}

// TestTracing_CollectorDown checks that requests succeed and that the failure is logged once.
func TestTracing_CollectorDown(t *testing.T) {
	t.Parallel()
	c := driver.Start(t, binary, "OTEL_EXPORTER_OTLP_ENDPOINT="+nowhere, "OTEL_BSP_MAX_QUEUE_SIZE=64")
	for range 300 {
		if r := driver.Get(t, c.API+"/v1/pairs/BTCNGN"); r.Status != http.StatusOK {
			t.Fatalf("%d %s", r.Status, r.Body)
		}
	}
	if err := c.Stop(); err != nil {
		t.Error(err)
	}
	if n := strings.Count(c.Log(), "trace export failed"); n != 1 {
		t.Errorf("%d log lines about the collector: %s", n, c.Log())
	}
}
