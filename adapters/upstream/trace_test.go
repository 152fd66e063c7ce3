package upstream_test

import (
	"net/http"
	"testing"
	"time"

	"github.com/jarcoal/httpmock"
	"go.opentelemetry.io/otel/codes"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"
	"go.uber.org/zap"

	"causeway/adapters/upstream"
	"causeway/core"
)

func TestClient_Spans(t *testing.T) {
	t.Parallel()
	w := open(t)
	w.follows(
		httpmock.NewStringResponder(200, `{}`), httpmock.NewStringResponder(404, ``),
		httpmock.NewStringResponder(500, ``), httpmock.NewStringResponder(500, ``),
	)
	settings := upstream.Default()
	settings.Retries, settings.Breaker.MinCalls = 0, 4
	spans := tracetest.NewSpanRecorder()
	factory, err := upstream.New(settings, upstream.Outside{
		Transport: w.transport, Clock: func() time.Time { return noon }, Entropy: func() uint64 { return 0 },
		Tracing: sdktrace.NewTracerProvider(sdktrace.WithSpanProcessor(spans)),
	}, zap.NewNop(), nil)
	if err != nil {
		t.Fatal(err)
	}
	client, err := factory.Client(upstream.Provider{Name: "bank", BaseURL: base})
	if err != nil {
		t.Fatal(err)
	}
	want := []struct {
		outcome, breaker string
		status           codes.Code
	}{
		{"ok", "closed", codes.Unset},
		{"not_found", "closed", codes.Unset},
		{"unavailable", "closed", codes.Error},
		{"unavailable", "closed", codes.Error},
		{"open", "open", codes.Error},
	}
	for range want {
		_ = client.Get(t.Context(), "resolve", "/x", nil, func(a upstream.Answer) error {
			if a.Status == http.StatusNotFound {
				return core.Errorf(core.NotFound, "no such account")
			}
			return a.Fault()
		})
	}
	ended := spans.Ended()
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
