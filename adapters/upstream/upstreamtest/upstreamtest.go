// Package upstreamtest helps to test adapters: it provides a client factory over a fake transport,
// with a fixed clock and no randomness, and access to its logs and metrics.
package upstreamtest

import (
	"bytes"
	"fmt"
	"net/http"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jarcoal/httpmock"
	"github.com/prometheus/client_golang/prometheus"
	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"

	"causeway/adapters/upstream"
)

// World is a factory with its logs and metrics.
type World struct {
	Factory  *upstream.Factory
	Registry *prometheus.Registry
	log      *bytes.Buffer
}

// Noon returns the time of a world of Open.
func Noon() time.Time { return time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC) }

// Open returns a world with the default configuration and a fixed clock.
func Open(t testing.TB, transport http.RoundTripper) *World {
	t.Helper()
	return OpenAt(t, transport, Noon)
}

// OpenAt returns a world with a given clock, with requests in order, and without rate limits,
// because the clock may be frozen.
func OpenAt(t testing.TB, transport http.RoundTripper, clock func() time.Time) *World {
	t.Helper()
	return open(t, upstream.Options{Transport: transport, Clock: clock, Unlimited: true})
}

// OpenLimited returns a world with rate limits and a running clock.
func OpenLimited(t testing.TB, transport http.RoundTripper, clock func() time.Time) *World {
	t.Helper()
	return open(t, upstream.Options{Transport: transport, Clock: clock})
}

func open(t testing.TB, env upstream.Options) *World {
	t.Helper()
	env.Entropy = func() uint64 { return 0 }
	w := &World{Registry: prometheus.NewRegistry(), log: &bytes.Buffer{}}
	encoder := zapcore.NewJSONEncoder(zap.NewProductionEncoderConfig())
	log := zap.New(zapcore.NewCore(encoder, zapcore.Lock(zapcore.AddSync(w.log)), zapcore.DebugLevel))
	var err error
	cfg := upstream.Default()
	if inRealTime := time.Now().Year() > 2000; inRealTime { // a synctest bubble begins in 2000
		cfg.Timeout = 25 * time.Second // the default is too short on a busy machine; a Retry-After of 30 s is longer
	}
	cfg.Serial = env.Unlimited
	w.Factory, err = upstream.New(cfg, env, log, upstream.NewMetrics(w.Registry))
	if err != nil {
		t.Fatal(err)
	}
	return w
}

// Outcomes returns the finished calls, as "op outcome" or "op outcome ×3", sorted.
func (w *World) Outcomes(t testing.TB) []string {
	t.Helper()
	var out []string
	families, err := w.Registry.Gather()
	if err != nil {
		t.Fatal(err)
	}
	for _, family := range families {
		if family.GetName() != "causeway_upstream_requests_total" {
			continue
		}
		for _, m := range family.GetMetric() {
			labels := map[string]string{}
			for _, l := range m.GetLabel() {
				labels[l.GetName()] = l.GetValue()
			}
			line := labels["op"] + " " + labels["outcome"]
			if n := m.GetCounter().GetValue(); n != 1 {
				line += fmt.Sprintf(" ×%v", n)
			}
			out = append(out, line)
		}
	}
	slices.Sort(out)
	return out
}

// Printed returns the logs and metrics. No call may be in progress.
func (w *World) Printed(t testing.TB) string {
	t.Helper()
	var out strings.Builder
	out.Write(w.log.Bytes())
	families, err := w.Registry.Gather()
	if err != nil {
		t.Fatal(err)
	}
	for _, family := range families {
		out.WriteString(family.String() + "\n")
	}
	return out.String()
}

// Saying returns a provider that sends the same response to every GET below a URL, and fails the test
// on any other request.
func Saying(t testing.TB, base string, response httpmock.Responder) *httpmock.MockTransport {
	t.Helper()
	mock := httpmock.NewMockTransport()
	mock.RegisterNoResponder(httpmock.NewNotFoundResponder(t.Error))
	mock.RegisterResponder(http.MethodGet, "=~^"+regexp.QuoteMeta(base), response)
	return mock
}

// Text returns a response.
func Text(status int, body string, header ...string) httpmock.Responder {
	h := http.Header{}
	for i := 0; i+1 < len(header); i += 2 {
		h.Set(header[i], header[i+1])
	}
	return httpmock.NewStringResponder(status, body).HeaderSet(h)
}

// File returns a recorded response of testdata, with status 200.
func File(t testing.TB, name string) httpmock.Responder {
	t.Helper()
	return Text(http.StatusOK, Read(t, name))
}

// Read returns a file of testdata.
func Read(t testing.TB, name string) string {
	t.Helper()
	body, err := os.ReadFile("testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	return string(body)
}
