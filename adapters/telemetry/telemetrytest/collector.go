// Package telemetrytest provides an OTLP collector for tests.
package telemetrytest

import (
	"bytes"
	"encoding/hex"
	"io"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	collectorpb "go.opentelemetry.io/proto/otlp/collector/trace/v1"
	tracepb "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/proto"
)

// Collector stores the spans that it receives over OTLP/HTTP.
type Collector struct {
	URL string

	mu       sync.Mutex
	raw      bytes.Buffer
	requests []*http.Request
	received []*tracepb.ResourceSpans
}

// Span is a received span with its IDs in hexadecimal and its attributes as text.
type Span struct {
	*tracepb.Span

	Trace, ID, Parent string
	Attrs             map[string]string
}

// New starts a collector that runs until the test ends.
func New(t testing.TB) *Collector {
	t.Helper()
	c := &Collector{}
	server := httptest.NewServer(c)
	t.Cleanup(server.Close)
	c.URL = server.URL
	return c
}

// ServeHTTP stores the spans of an ExportTraceServiceRequest.
func (c *Collector) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	var request collectorpb.ExportTraceServiceRequest
	if err == nil {
		err = proto.Unmarshal(body, &request)
	}
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	_, _ = c.raw.Write(body)
	c.requests = append(c.requests, r)
	c.received = append(c.received, request.GetResourceSpans()...)
}

// Raw returns the bodies of all requests.
func (c *Collector) Raw() []byte {
	c.mu.Lock()
	defer c.mu.Unlock()
	return bytes.Clone(c.raw.Bytes())
}

// Requests returns the requests without their bodies.
func (c *Collector) Requests() []*http.Request {
	c.mu.Lock()
	defer c.mu.Unlock()
	return append([]*http.Request(nil), c.requests...)
}

// Resource returns the attributes of the process that sent the first spans.
func (c *Collector) Resource() map[string]string {
	c.mu.Lock()
	defer c.mu.Unlock()
	out := map[string]string{}
	for _, a := range c.received[0].GetResource().GetAttributes() {
		out[a.GetKey()] = a.GetValue().GetStringValue()
	}
	return out
}

// Spans returns all spans in order of arrival.
func (c *Collector) Spans() []Span {
	c.mu.Lock()
	defer c.mu.Unlock()
	var out []Span
	for _, r := range c.received {
		for _, scope := range r.GetScopeSpans() {
			for _, s := range scope.GetSpans() {
				out = append(out, newSpan(s))
			}
		}
	}
	return out
}

func newSpan(s *tracepb.Span) Span {
	out := Span{
		Span: s, Trace: hex.EncodeToString(s.GetTraceId()), ID: hex.EncodeToString(s.GetSpanId()),
		Parent: hex.EncodeToString(s.GetParentSpanId()), Attrs: map[string]string{},
	}
	for _, a := range s.GetAttributes() {
		text := a.GetValue().GetStringValue()
		if text == "" {
			text = a.GetValue().String()
		}
		out.Attrs[a.GetKey()] = text
	}
	return out
}

// Await polls until enough accepts the spans, and fails the test after two minutes.
func (c *Collector) Await(t testing.TB, enough func([]Span) bool) []Span {
	t.Helper()
	deadline := time.Now().Add(2 * time.Minute)
	for spans := c.Spans(); ; spans = c.Spans() {
		if enough(spans) {
			return spans
		}
		if time.Now().After(deadline) {
			t.Fatalf("spans missing; received: %v", spans)
		}
		time.Sleep(20 * time.Millisecond)
	}
}
