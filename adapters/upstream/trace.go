package upstream

import (
	"context"
	"errors"
	"net/http"

	"causeway/ports"
)

// begin begins the span of a question; nil where nothing is traced.
func (c *Client) begin(ctx context.Context) (context.Context, ports.Span) {
	if c.outside.Tracer == nil {
		return ctx, nil
	}
	return c.outside.Tracer.Start(ctx, ports.ClientSpan)
}

// end tells what came of a question, and what the provider's breaker was like before it.
func (c *Client) end(span ports.Span, op string, before state, err error) {
	if span == nil || !span.Recorded() {
		return
	}
	outcome := outcomeOf(err)
	attributes := []ports.Attribute{
		{Key: "causeway.provider", Text: c.name},
		{Key: "causeway.op", Text: op},
		{Key: "causeway.outcome", Text: string(outcome)},
		{Key: "causeway.breaker", Text: before.String()},
	}
	if failure, ok := errors.AsType[*Failure](err); ok && failure.Status != 0 {
		attributes = append(attributes, ports.Attribute{Key: "http.response.status_code", Number: int64(failure.Status)})
	}
	span.End(c.name+" "+op, outcome != OK && outcome != NotFound && outcome != Canceled, attributes...)
}

// traced is the id of the trace that a question is recorded in; "" where it is in none.
func traced(span ports.Span) string {
	if span == nil || !span.Recorded() {
		return ""
	}
	return span.TraceID()
}

// propagate tells the provider the trace, where it is to know.
func (c *Client) propagate(ctx context.Context, header http.Header) {
	if c.outside.Tracer == nil {
		return
	}
	if span := c.outside.Tracer.Of(ctx); span != nil {
		if parent := span.Traceparent(); parent != "" {
			header.Set("Traceparent", parent)
		}
	}
}
