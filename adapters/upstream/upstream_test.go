package upstream_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jarcoal/httpmock"
	"github.com/prometheus/client_golang/prometheus"
	"go.uber.org/goleak"
	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"
	"go.uber.org/zap/zaptest/observer"

	"causeway/adapters/upstream"
	"causeway/core"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const base = "https://provider.test/v1"

// world is a factory with everything around it that a test looks at.
type world struct {
	transport *httpmock.MockTransport
	now       atomic.Int64 // nanoseconds since 1970
	entropy   uint64
	trying    sync.Mutex
	tries     []upstream.Try
	registry  *prometheus.Registry
	logs      *observer.ObservedLogs
	factory   *upstream.Factory
}

var noon = time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)

// open makes a world; settings change the default configuration.
func open(t *testing.T, settings ...func(*upstream.Config)) *world {
	t.Helper()
	cfg := upstream.Default()
	for _, set := range settings {
		set(&cfg)
	}
	logged, logs := observer.New(zapcore.DebugLevel)
	w := &world{
		transport: httpmock.NewMockTransport(), registry: prometheus.NewRegistry(), logs: logs,
	}
	w.now.Store(noon.UnixNano())
	w.transport.RegisterNoResponder(httpmock.NewNotFoundResponder(t.Error))
	factory, err := upstream.New(cfg, upstream.Outside{
		Transport: w.transport,
		Clock:     func() time.Time { return time.Unix(0, w.now.Load()).UTC() },
		Entropy:   func() uint64 { return w.entropy },
		Tried: func(_ context.Context, t upstream.Try) {
			w.trying.Lock()
			defer w.trying.Unlock()
			w.tries = append(w.tries, t)
		},
	}, zap.New(logged), upstream.NewMetrics(w.registry))
	if err != nil {
		t.Fatal(err)
	}
	w.factory = factory
	return w
}

func (w *world) advance(d time.Duration) { w.now.Add(int64(d)) }

// client makes a client of the provider "bank".
func (w *world) client(t *testing.T, patient bool) *upstream.Client {
	t.Helper()
	c, err := w.factory.Client(upstream.Provider{
		Name: "bank", BaseURL: base, Patient: patient, Header: http.Header{"Authorization": {"Bearer key"}},
	})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// says makes the provider answer everything alike.
func (w *world) says(status int, body string, header ...string) {
	r := httpmock.NewStringResponder(status, body)
	for i := 0; i+1 < len(header); i += 2 {
		r = r.HeaderSet(http.Header{header[i]: {header[i+1]}})
	}
	w.transport.RegisterResponder(http.MethodGet, "=~^"+base, r)
}

// follows makes the provider go through the answers, one a call, and stay with the last.
func (w *world) follows(answers ...httpmock.Responder) {
	var n atomic.Int64
	w.transport.RegisterResponder(http.MethodGet, "=~^"+base, func(r *http.Request) (*http.Response, error) {
		return answers[min(int(n.Add(1)), len(answers))-1](r)
	})
}

// asked checks how often the provider was asked so far.
func (w *world) asked(t *testing.T, want int) {
	t.Helper()
	if got := w.calls(); got != want {
		t.Fatalf("asked %d times, want %d", got, want)
	}
}

func (w *world) calls() int { return w.transport.GetTotalCallCount() }

// metric returns the value of a counter or gauge whose labels have the given values.
func (w *world) metric(t *testing.T, name string, labels ...string) float64 {
	t.Helper()
	families, err := w.registry.Gather()
	if err != nil {
		t.Fatal(err)
	}
	var sum float64
	for _, family := range families {
		if family.GetName() != name {
			continue
		}
	series:
		for _, m := range family.GetMetric() {
			var values []string
			for _, l := range m.GetLabel() {
				values = append(values, l.GetName()+"="+l.GetValue())
			}
			all := strings.Join(values, ",") + ","
			for _, want := range labels {
				if !strings.Contains(all, want+",") {
					continue series
				}
			}
			sum += m.GetCounter().GetValue() + m.GetGauge().GetValue() + float64(m.GetHistogram().GetSampleCount())
		}
	}
	return sum
}

// outcome checks that exactly one question ended so.
func (w *world) outcome(t *testing.T, want upstream.Outcome) {
	t.Helper()
	if got := w.metric(t, "causeway_upstream_requests_total", "outcome="+string(want)); got != 1 {
		t.Errorf("requests with outcome %s: got %v, want 1; in all %v", want, got, w.metric(t, "causeway_upstream_requests_total"))
	}
}

// unavailable checks that err is Unavailable, with a message that says nothing about the provider, and returns when to come
// back.
func unavailable(t *testing.T, err error) time.Duration {
	t.Helper()
	e, ok := errors.AsType[*core.Error](err)
	if !ok || e.Code != core.Unavailable {
		t.Fatalf("got %v, want an unavailable error", err)
	}
	if e.Message != "Temporarily unavailable. Retry later." {
		t.Errorf("got message %q", e.Message)
	}
	return e.RetryAfter
}

func failing(err error) httpmock.Responder { return httpmock.NewErrorResponder(err) }

// brokenBody is an answer whose connection ends after a part of the body.
func brokenBody(part string) httpmock.Responder {
	return func(*http.Request) (*http.Response, error) {
		r := httpmock.NewStringResponse(http.StatusOK, "")
		r.Body = io.NopCloser(io.MultiReader(strings.NewReader(part), errReader{}))
		return r, nil
	}
}

type errReader struct{}

func (errReader) Read([]byte) (int, error) { return 0, io.ErrUnexpectedEOF }

func TestNew(t *testing.T) {
	t.Parallel()
	outside := upstream.Outside{Transport: httpmock.NewMockTransport(), Clock: time.Now, Entropy: func() uint64 { return 0 }}

	t.Run("reports every fault of the configuration with its key", func(t *testing.T) {
		t.Parallel()
		_, err := upstream.New(upstream.Config{Retries: -1, Breaker: upstream.BreakerConfig{FailurePercent: 101}}, outside, zap.NewNop(), nil)
		if err == nil {
			t.Fatal("got no error")
		}
		for _, key := range []string{
			"timeout", "max_body", "retries is -1", "retry_delay", "max_retry_after", "max_concurrent",
			"breaker.window", "breaker.min_calls", "breaker.failure_percent is 101", "breaker.open_for", "breaker.probes",
		} {
			if !strings.Contains(err.Error(), "upstream."+key) {
				t.Errorf("%q is not in: %v", key, err)
			}
		}
	})
	t.Run("accepts the default configuration", func(t *testing.T) {
		t.Parallel()
		if err := upstream.Default().Check(); err != nil {
			t.Error(err)
		}
	})
	t.Run("refuses a world without a transport, clock or entropy", func(t *testing.T) {
		t.Parallel()
		if _, err := upstream.New(upstream.Default(), upstream.Outside{}, zap.NewNop(), nil); err == nil {
			t.Error("got no error")
		}
	})
	t.Run("makes several worlds in one process", func(t *testing.T) {
		t.Parallel()
		for range 2 {
			if _, err := upstream.New(upstream.Default(), outside, zap.NewNop(), nil); err != nil {
				t.Error(err)
			}
		}
	})
}

func TestClientIsRefused(t *testing.T) {
	t.Parallel()
	w := open(t)
	for name, p := range map[string]upstream.Provider{
		"no URL":              {Name: "bank"},
		"a relative URL":      {Name: "bank", BaseURL: "/v1"},
		"another scheme":      {Name: "bank", BaseURL: "ftp://provider.test"},
		"a user in the URL":   {Name: "bank", BaseURL: "https://sk_live_1:x@provider.test"},
		"a key in the query":  {Name: "bank", BaseURL: "https://provider.test?key=sk_live_1"},
		"a key as the URL":    {Name: "bank", BaseURL: "sk_live_1"},
		"a line break in key": {Name: "bank", BaseURL: base, Header: http.Header{"Authorization": {"Bearer sk_live_1\n"}}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := w.factory.Client(p)
			if err == nil {
				t.Fatal("got no error")
			}
			if strings.Contains(err.Error(), "sk_live_1") {
				t.Errorf("the key is in the error: %v", err)
			}
		})
	}
}
