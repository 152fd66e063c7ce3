package tracing

import (
	"encoding/hex"
	"time"

	"google.golang.org/protobuf/encoding/protowire"

	"causeway/ports"
)

const contentType = "application/x-protobuf"

// The numbers of the fields of opentelemetry/proto/collector/trace/v1/trace_service.proto and what that imports (opentelemetry-proto v1.9.0).
const (
	requestResourceSpans = 1

	resourceSpansResource = 1
	resourceSpansScope    = 2
	resourceAttributes    = 1

	scopeSpansScope = 1
	scopeSpansSpans = 2
	scopeName       = 1

	spanTraceID    = 1
	spanID         = 2
	spanParent     = 4
	spanName       = 5
	spanKind       = 6
	spanStart      = 7
	spanEnd        = 8
	spanAttributes = 9
	spanStatus     = 15
	spanFlags      = 16
	statusCode     = 3

	pairKey   = 1
	pairValue = 2
	valueText = 1
	valueInt  = 3

	responsePartial = 1
	partialRejected = 1
)

const (
	statusError      = 2
	flagKnown        = 0x100 // it is said whether the parent is somebody else's
	flagRemoteParent = 0x200
)

// kinds are ours as the protocol has them.
func kindOf(k ports.SpanKind) uint64 {
	switch k {
	case ports.ServerSpan:
		return 2
	case ports.ClientSpan:
		return 3
	default:
		return 1
	}
}

// encodeResource is whose spans these are.
func encodeResource(version, mode string, instance [8]byte) []byte {
	var out []byte
	for _, a := range []ports.Attribute{
		{Key: "service.name", Text: "causeway"},
		{Key: "service.version", Text: version},
		{Key: "service.instance.id", Text: hex.EncodeToString(instance[:])},
		{Key: "deployment.environment.name", Text: mode},
	} {
		out = appendMessage(out, resourceAttributes, encodeAttribute(a))
	}
	return out
}

// encode is a request with a batch of spans.
func encode(resource []byte, batch []*span) []byte {
	scope := appendText(nil, scopeName, "causeway")
	spans := appendMessage(nil, scopeSpansScope, scope)
	for _, s := range batch {
		spans = appendMessage(spans, scopeSpansSpans, encodeSpan(s))
	}
	of := appendMessage(nil, resourceSpansResource, resource)
	of = appendMessage(of, resourceSpansScope, spans)
	return appendMessage(nil, requestResourceSpans, of)
}

func encodeSpan(s *span) []byte {
	const usual = 256
	out := make([]byte, 0, usual)
	out = appendMessage(out, spanTraceID, s.trace[:])
	out = appendMessage(out, spanID, s.id[:])
	if s.parent != [8]byte{} {
		out = appendMessage(out, spanParent, s.parent[:])
	}
	out = appendText(out, spanName, s.name)
	out = protowire.AppendVarint(protowire.AppendTag(out, spanKind, protowire.VarintType), kindOf(s.kind))
	out = appendInstant(out, spanStart, s.start)
	out = appendInstant(out, spanEnd, s.end)
	for _, a := range s.attributes {
		out = appendMessage(out, spanAttributes, encodeAttribute(a))
	}
	if s.failed {
		out = appendMessage(out, spanStatus, protowire.AppendVarint(protowire.AppendTag(nil, statusCode, protowire.VarintType), statusError))
	}
	flags := uint32(sampled | flagKnown)
	if s.remote {
		flags |= flagRemoteParent
	}
	return protowire.AppendFixed32(protowire.AppendTag(out, spanFlags, protowire.Fixed32Type), flags)
}

func encodeAttribute(a ports.Attribute) []byte {
	var value []byte
	if a.Text != "" {
		value = appendText(value, valueText, a.Text)
	} else {
		value = protowire.AppendVarint(protowire.AppendTag(value, valueInt, protowire.VarintType), uint64(a.Number)) //nolint:gosec // as the wire has negative numbers
	}
	return appendMessage(appendText(nil, pairKey, a.Key), pairValue, value)
}

func appendMessage(out []byte, field protowire.Number, message []byte) []byte {
	return protowire.AppendBytes(protowire.AppendTag(out, field, protowire.BytesType), message)
}

func appendText(out []byte, field protowire.Number, text string) []byte {
	return protowire.AppendString(protowire.AppendTag(out, field, protowire.BytesType), text)
}

func appendInstant(out []byte, field protowire.Number, at time.Time) []byte {
	return protowire.AppendFixed64(protowire.AppendTag(out, field, protowire.Fixed64Type), uint64(at.UnixNano()))
}

// rejected is how many spans of a batch the collector did not take, by its answer. What cannot be read says nothing.
func rejected(answer []byte) int64 {
	partial, ok := field(answer, responsePartial, protowire.BytesType)
	if !ok {
		return 0
	}
	message, n := protowire.ConsumeBytes(partial)
	if n < 0 {
		return 0
	}
	count, ok := field(message, partialRejected, protowire.VarintType)
	if !ok {
		return 0
	}
	rejections, n := protowire.ConsumeVarint(count)
	if n < 0 {
		return 0
	}
	return int64(rejections) //nolint:gosec // what is below 0 is bounded by who asks
}

// field finds a field of a message: what is behind its tag.
func field(message []byte, want protowire.Number, kind protowire.Type) ([]byte, bool) {
	for len(message) > 0 {
		number, found, n := protowire.ConsumeTag(message)
		if n < 0 {
			return nil, false
		}
		message = message[n:]
		if number == want && found == kind {
			return message, true
		}
		if n = protowire.ConsumeFieldValue(number, found, message); n < 0 {
			return nil, false
		}
		message = message[n:]
	}
	return nil, false
}
