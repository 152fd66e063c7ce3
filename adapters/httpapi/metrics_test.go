package httpapi_test

import (
	"net/http/httptest"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus/promhttp"
)

var countLine = regexp.MustCompile(`(?m)^causeway_http_requests_total\{operation="([^"]*)",status="([^"]*)"\} (\S+)$`)

// scrape is what Prometheus reads.
func scrape(t *testing.T, w *world) string {
	t.Helper()
	rec := httptest.NewRecorder()
	promhttp.HandlerFor(w.registry, promhttp.HandlerOpts{}).ServeHTTP(rec, httptest.NewRequestWithContext(t.Context(), "GET", "/metrics", nil))
	return rec.Body.String()
}

// exports checks that Prometheus reads these lines.
func exports(t *testing.T, w *world, lines ...string) {
	t.Helper()
	text := scrape(t, w)
	for _, line := range lines {
		if !strings.Contains(text, "\n"+line+"\n") {
			t.Errorf("no %s in\n%s", line, text)
		}
	}
}

// counts returns the counters of requests by "operation status".
func counts(t *testing.T, w *world) map[string]int {
	t.Helper()
	out := map[string]int{}
	for _, m := range countLine.FindAllStringSubmatch(scrape(t, w), -1) {
		n, err := strconv.Atoi(m[3])
		if err != nil {
			t.Fatal(err)
		}
		out[m[1]+" "+m[2]] = n
	}
	return out
}

func TestMetrics_Durations(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.get("/v1/pairs")
	exports(t, w,
		`causeway_http_request_duration_seconds_bucket{operation="list-pairs",le="0.001"} 1`,
		`causeway_http_request_duration_seconds_count{operation="list-pairs"} 1`,
		`causeway_http_requests_in_flight 0`)
	families, err := w.registry.Gather()
	if err != nil {
		t.Fatal(err)
	}
	native := false
	for _, f := range families {
		if f.GetName() == "causeway_http_request_duration_seconds" {
			native = f.GetMetric()[0].GetHistogram().Schema != nil
		}
	}
	if !native {
		t.Error("no native buckets")
	}
}
