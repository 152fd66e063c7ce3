package telemetry

import (
	"context"
	"slices"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"
	"go.opentelemetry.io/otel/attribute"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	semconv "go.opentelemetry.io/otel/semconv/v1.43.0"
	"go.opentelemetry.io/otel/trace"
	"go.uber.org/zap"
)

// allowed lists the attributes that are exported: sets of constants and status codes. Not in it,
// among others, are url.path and url.full, which may contain account numbers and keys, and
// client.address and user_agent.original.
var allowed = []attribute.Key{
	semconv.HTTPRequestMethodKey,
	semconv.HTTPResponseStatusCodeKey,
	semconv.HTTPRouteKey,
	semconv.ErrorTypeKey,
	"causeway.operation",
	"causeway.provider",
	"causeway.op",
	"causeway.outcome",
	"causeway.breaker",
}

// maxErrorText bounds the error texts of a collector in the log, in bytes.
const maxErrorText = 300

const (
	exported = "exported"
	failed   = "failed"
)

func newSpanCounter(reg prometheus.Registerer) *prometheus.CounterVec {
	spans := promauto.With(reg).NewCounterVec(prometheus.CounterOpts{
		Name: "causeway_tracing_spans_total",
		Help: "Spans by outcome of their export.",
	}, []string{"outcome"})
	spans.WithLabelValues(exported)
	spans.WithLabelValues(failed)
	return spans
}

// exporter removes everything from spans that could identify a person, and counts and logs
// failures. The SDK calls ExportSpans from one goroutine at a time.
type exporter struct {
	sdktrace.SpanExporter

	logger *zap.Logger
	spans  *prometheus.CounterVec
	down   bool // the last export failed
}

// ExportSpans never returns an error, because the SDK would log it once more.
func (e *exporter) ExportSpans(ctx context.Context, spans []sdktrace.ReadOnlySpan) error {
	masked := make([]sdktrace.ReadOnlySpan, len(spans))
	for i, s := range spans {
		masked[i] = maskedSpan{s}
	}
	err := e.SpanExporter.ExportSpans(ctx, masked)
	if err != nil {
		e.spans.WithLabelValues(failed).Add(float64(len(spans)))
	} else {
		e.spans.WithLabelValues(exported).Add(float64(len(spans)))
	}
	switch {
	case err != nil && !e.down:
		text := err.Error()
		e.logger.Warn("trace export failed; further failures are not logged",
			zap.String("error", text[:min(len(text), maxErrorText)]))
	case err == nil && e.down:
		e.logger.Info("trace export recovered")
	}
	e.down = err != nil
	return nil
}

// maskedSpan is a span without free text: no attributes but the allowed ones, no status
// description, no events, no links and no trace state of the caller.
type maskedSpan struct{ sdktrace.ReadOnlySpan }

func (s maskedSpan) Attributes() []attribute.KeyValue {
	return slices.DeleteFunc(slices.Clone(s.ReadOnlySpan.Attributes()), func(a attribute.KeyValue) bool {
		return !slices.Contains(allowed, a.Key)
	})
}

func (s maskedSpan) Status() sdktrace.Status {
	return sdktrace.Status{Code: s.ReadOnlySpan.Status().Code}
}

func (s maskedSpan) Events() []sdktrace.Event { return nil }

func (s maskedSpan) Links() []sdktrace.Link { return nil }

func (s maskedSpan) SpanContext() trace.SpanContext {
	return s.ReadOnlySpan.SpanContext().WithTraceState(trace.TraceState{})
}
