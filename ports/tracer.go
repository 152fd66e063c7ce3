package ports

import "context"

// Tracer records what was done for whom, and for how long: a trace is the work for one request, or one piece of our own work, and its spans
// are the parts of it.
//
// Join begins the part of a trace that is ours. parent is the W3C traceparent of whoever asks, well-formed, and its trace goes on; where it is
// empty a new one begins. Start begins a part of the work that ctx is of, or a trace of its own. Both return a context for what is part of
// the new span, and a span that is never nil. Of returns the span that ctx is of; nil where there is none.
// A tracer is safe for concurrent use, and nobody ever waits for it: what it cannot keep up with is lost, and counted.
type Tracer interface {
	Join(ctx context.Context, kind SpanKind, parent string) (context.Context, Span)
	Start(ctx context.Context, kind SpanKind) (context.Context, Span)
	Of(ctx context.Context) Span
}

// Span is one piece of work under way.
//
// TraceID is that of its trace, in 32 hex digits. Recorded reports whether anybody will see the span; End is then called once, with its name, whether
// it failed and what is known of it, all of it words of closed sets and numbers that tell nothing of a person: no account number, name,
// address or key. Traceparent is what to send to those who are asked in turn; empty where they are not to know.
type Span interface {
	TraceID() string
	Recorded() bool
	Traceparent() string
	End(name string, failed bool, attributes ...Attribute)
}

// SpanKind is on which side of a question a span is.
type SpanKind int

// The kinds.
const (
	InternalSpan SpanKind = iota // neither
	ServerSpan                   // it answers
	ClientSpan                   // it asks
)

// Attribute is one thing that is known of a span: a text, or where that is empty a number.
type Attribute struct {
	Key    string
	Text   string
	Number int64
}
