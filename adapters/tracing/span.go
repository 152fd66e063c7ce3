package tracing

import (
	"context"
	"encoding/binary"
	"encoding/hex"
	"time"

	"causeway/ports"
)

// The flags of a traceparent.
const sampled = 1

// span is a ports.Span. What is below the line is written once, by End.
type span struct {
	tracer   *Tracer
	trace    [16]byte
	id       [8]byte
	parent   [8]byte // zero: none
	traceID  string
	recorded bool
	remote   bool // the parent is somebody else's
	kind     ports.SpanKind
	start    time.Time

	end        time.Time
	name       string
	failed     bool
	attributes []ports.Attribute
}

// here is the key of the span that a context is of.
type here struct{}

// Join begins the part of a trace that is ours.
func (t *Tracer) Join(ctx context.Context, kind ports.SpanKind, parent string) (context.Context, ports.Span) {
	s := &span{tracer: t, kind: kind, start: t.clock(), id: t.newID()}
	if !s.follow(parent) {
		binary.BigEndian.PutUint64(s.trace[:8], t.entropy())
		binary.BigEndian.PutUint64(s.trace[8:], t.entropy()|1) // never all zeros
		s.traceID, s.recorded = hex.EncodeToString(s.trace[:]), t.picks(s.trace)
	}
	return context.WithValue(ctx, here{}, s), s
}

// Start begins a part of the work that ctx is of. A part of what is not recorded is not recorded either: it is the same span.
func (t *Tracer) Start(ctx context.Context, kind ports.SpanKind) (context.Context, ports.Span) {
	above, ok := ctx.Value(here{}).(*span)
	switch {
	case !ok:
		return t.Join(ctx, kind, "")
	case !above.recorded:
		return ctx, above
	}
	s := &span{tracer: t, kind: kind, start: t.clock(), trace: above.trace, traceID: above.traceID, id: t.newID(), parent: above.id, recorded: true}
	return context.WithValue(ctx, here{}, s), s
}

// Of returns the span that ctx is of.
func (t *Tracer) Of(ctx context.Context) ports.Span {
	if s, ok := ctx.Value(here{}).(*span); ok {
		return s
	}
	return nil
}

// follow makes the span a part of the trace of a traceparent, if that is one: version-trace-parent-flags, in hex.
func (s *span) follow(parent string) bool {
	const (
		trace, id, flags = len("00-"), len("00-") + 32 + len("-"), len("00-") + 32 + len("-") + 16 + len("-")
		length           = flags + 2
	)
	if len(parent) < length {
		return false
	}
	var flag [1]byte
	for at, into := range map[int][]byte{trace: s.trace[:], id: s.parent[:], flags: flag[:]} {
		if _, err := hex.Decode(into, []byte(parent[at:at+2*len(into)])); err != nil {
			s.trace, s.parent = [16]byte{}, [8]byte{}
			return false
		}
	}
	s.traceID, s.remote, s.recorded = parent[trace:trace+32], true, flag[0]&sampled != 0
	return true
}

// newID draws the id of a span.
func (t *Tracer) newID() (id [8]byte) {
	binary.BigEndian.PutUint64(id[:], t.entropy()|1) // never zero
	return id
}

// bound is the number below which the lower 63 bits of a trace's id are for it to be recorded.
func bound(ratio float64) uint64 { return uint64(ratio * (1 << 63)) }

// picks decides about a trace that begins here.
func (t *Tracer) picks(trace [16]byte) bool {
	return binary.BigEndian.Uint64(trace[8:])>>1 < t.bound
}

// TraceID is the trace's id in hex.
func (s *span) TraceID() string { return s.traceID }

// Recorded reports whether the span goes to the collector.
func (s *span) Recorded() bool { return s.recorded }

// Traceparent is what those who are asked are sent, where they are to know.
func (s *span) Traceparent() string {
	if !s.tracer.cfg.Propagate {
		return ""
	}
	flags := "00"
	if s.recorded {
		flags = "01"
	}
	return "00-" + s.traceID + "-" + hex.EncodeToString(s.id[:]) + "-" + flags
}

// End hands the span over to be sent, if there is room for it.
func (s *span) End(name string, failed bool, attributes ...ports.Attribute) {
	if !s.recorded {
		return
	}
	s.end, s.name, s.failed, s.attributes = s.tracer.clock(), name, failed, attributes
	select {
	case s.tracer.queue <- s:
	default:
		s.tracer.spans.WithLabelValues(lost).Inc()
	}
}
