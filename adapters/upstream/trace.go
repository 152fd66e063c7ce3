package upstream

import (
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/trace"
)

// callAttributes are the attributes of a call's span at its start. The span covers all attempts;
// the HTTP request of each attempt is a child that the transport records.
func (c *Client) callAttributes(op string) trace.SpanStartEventOption {
	return trace.WithAttributes(
		attribute.String("causeway.provider", c.name),
		attribute.String("causeway.op", op),
		attribute.String("causeway.breaker", c.gate.breaker.now().String()),
	)
}

// setOutcome records the outcome of a call in its span.
func setOutcome(span trace.Span, err error) {
	outcome := outcomeOf(err)
	span.SetAttributes(attribute.String("causeway.outcome", string(outcome)))
	if outcome != OK && outcome != NotFound && outcome != Canceled {
		span.SetStatus(codes.Error, "")
	}
}
