package differential_test

import (
	"context"
	"encoding/hex"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"causeway/adapters/tracing"
	"causeway/ports"
	collector "go.opentelemetry.io/proto/slim/otlp/collector/trace/v1"
	v1 "go.opentelemetry.io/proto/slim/otlp/trace/v1"
	"go.uber.org/zap"
	"google.golang.org/protobuf/proto"
)

// wire takes what is sent to a collector, and answers as one that takes all but one span.
type wire struct{ sent []byte }

func (w *wire) RoundTrip(r *http.Request) (*http.Response, error) {
	var err error
	if w.sent, err = io.ReadAll(r.Body); err != nil {
		return nil, err
	}
	answer, err := proto.Marshal(&collector.ExportTraceServiceResponse{PartialSuccess: &collector.ExportTracePartialSuccess{RejectedSpans: 1, ErrorMessage: "no"}})
	if err != nil {
		return nil, err
	}
	return &http.Response{StatusCode: http.StatusOK, Header: http.Header{}, Body: io.NopCloser(strings.NewReader(string(answer)))}, nil
}

// TestTracesAreWhatOpenTelemetryReads sends spans, and reads them by OpenTelemetry's own types: nothing is unknown to them, and everything is where it belongs.
func TestTracesAreWhatOpenTelemetryReads(t *testing.T) {
	t.Parallel()
	w := &wire{}
	cfg := tracing.Default()
	cfg.URL, cfg.Ratio = "http://collector.test", 1
	drawn := uint64(0)
	entropy := func() uint64 { drawn++; return drawn * 0x9e3779b97f4a7c15 }
	tracer, err := tracing.New(cfg, tracing.Outside{Transport: w, Clock: time.Now, Entropy: entropy}, "1.2.3", "production", zap.NewNop(), nil)
	if err != nil {
		t.Fatal(err)
	}
	const trace, parent = "0af7651916cd43dd8448eb211c80319c", "b7ad6b7169203331"
	began := time.Now()
	ctx, request := tracer.Join(t.Context(), ports.ServerSpan, "00-"+trace+"-"+parent+"-01")
	_, question := tracer.Start(ctx, ports.ClientSpan)
	question.End("paystack resolve", true, ports.Attribute{Key: "causeway.outcome", Text: "timeout"}, ports.Attribute{Key: "http.response.status_code", Number: 504}, ports.Attribute{Key: "below", Number: -1})
	request.End("POST /v1/x", false)
	ended := time.Now()
	over, cancel := context.WithCancel(t.Context())
	cancel()
	tracer.Run(over) // sends what is left

	var got collector.ExportTraceServiceRequest
	if err := proto.Unmarshal(w.sent, &got); err != nil {
		t.Fatal(err)
	}
	again, err := proto.MarshalOptions{Deterministic: true}.Marshal(&got)
	if err != nil || len(again) != len(w.sent) {
		t.Errorf("%d bytes of %d are known, %v", len(again), len(w.sent), err)
	}
	if len(got.GetResourceSpans()) != 1 || len(got.GetResourceSpans()[0].GetScopeSpans()) != 1 {
		t.Fatalf("%v", &got)
	}
	of := got.GetResourceSpans()[0]
	resource := map[string]string{}
	for _, a := range of.GetResource().GetAttributes() {
		resource[a.GetKey()] = a.GetValue().GetStringValue()
	}
	if resource["service.name"] != "causeway" || resource["service.version"] != "1.2.3" || resource["deployment.environment.name"] != "production" || len(resource["service.instance.id"]) != 16 {
		t.Errorf("%v", resource)
	}
	spans := of.GetScopeSpans()[0].GetSpans()
	if of.GetScopeSpans()[0].GetScope().GetName() != "causeway" || len(spans) != 2 {
		t.Fatalf("%v", &got)
	}
	q, r := spans[0], spans[1]
	if hex.EncodeToString(r.GetTraceId()) != trace || hex.EncodeToString(r.GetParentSpanId()) != parent || len(r.GetSpanId()) != 8 || r.GetKind() != v1.Span_SPAN_KIND_SERVER ||
		r.GetName() != "POST /v1/x" || r.GetStatus().GetCode() != v1.Status_STATUS_CODE_UNSET || r.GetFlags() != 0x301 {
		t.Errorf("the request: %v", r)
	}
	if string(q.GetParentSpanId()) != string(r.GetSpanId()) || q.GetKind() != v1.Span_SPAN_KIND_CLIENT || q.GetStatus().GetCode() != v1.Status_STATUS_CODE_ERROR || q.GetFlags() != 0x101 {
		t.Errorf("the question: %v", q)
	}
	if a := q.GetAttributes(); len(a) != 3 || a[0].GetValue().GetStringValue() != "timeout" || a[1].GetValue().GetIntValue() != 504 || a[2].GetValue().GetIntValue() != -1 {
		t.Errorf("its attributes: %v", a)
	}
	for _, s := range spans {
		if s.GetStartTimeUnixNano() < uint64(began.UnixNano()) || s.GetEndTimeUnixNano() > uint64(ended.UnixNano()) || s.GetEndTimeUnixNano() < s.GetStartTimeUnixNano() {
			t.Errorf("its time: %v", s)
		}
	}
}
