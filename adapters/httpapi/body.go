package httpapi

import (
	"bytes"
	"errors"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/go-json-experiment/json/jsontext"
)

const (
	maxDepth     = 32               // of nested arrays and objects in a body
	bodyDeadline = 10 * time.Second // for a whole body to arrive, where nothing else is said
	maxKept      = 256 << 10        // a larger buffer is not kept for the next request
)

// bodyReader reads request bodies: into memory once, through the JSON grammar once. They are pooled.
type bodyReader struct {
	raw  bytes.Buffer
	dec  jsontext.Decoder
	size int64 // of the whole body
}

// open receives the request's body, of at most limit bytes, and checks that it begins as a JSON object. The caller reads the object,
// calls end, and gives the reader back with recycle. first is a field of the object, for the error message.
func (x *exchange) open(limit int64, first string) (*bodyReader, error) {
	b, _ := x.api.bodies.Get().(*bodyReader)
	err := x.receive(&b.raw, limit)
	if err == nil {
		err = checkShape(b.raw.Bytes())
	}
	if err == nil {
		err = b.begin(first)
	}
	if err != nil {
		x.api.recycle(b)
		return nil, err
	}
	return b, nil
}

// begin checks that the body is one object, as far as its first byte tells.
func (b *bodyReader) begin(first string) error {
	b.size = int64(b.raw.Len())
	b.dec.Reset(&b.raw)
	kind := b.dec.PeekKind()
	if kind == '{' {
		return nil
	}
	if _, err := b.dec.ReadValue(); err != nil {
		return b.notJSON(err)
	}
	return fail(badRequest, "The body is %s; send a JSON object, for example {%q: …}", kindName(kind), first)
}

// end checks that nothing follows the object.
func (b *bodyReader) end() error {
	if _, err := b.dec.ReadToken(); !errors.Is(err, io.EOF) {
		return fail(badRequest, "The body goes on after the JSON object, at byte %d; send one object", b.dec.InputOffset())
	}
	return nil
}

func (a *API) recycle(b *bodyReader) {
	if b.raw.Cap() <= maxKept {
		b.raw.Reset()
		a.bodies.Put(b)
	}
}

// receive reads the whole body into raw, within the limits of size and time.
func (x *exchange) receive(raw *bytes.Buffer, limit int64) error {
	for _, c := range x.r.Header[headerEncoding] {
		if c = strings.TrimSpace(c); c != "" && !strings.EqualFold(c, "identity") {
			return fail(unsupportedMediaType, "Content-Encoding %s is not supported; send the body without compression", given(c))
		}
	}
	if x.r.ContentLength > limit {
		return tooLarge(limit)
	}
	x.step() // who sends slowly has no place meanwhile
	_, err := raw.ReadFrom(http.MaxBytesReader(x.connection(), x.r.Body, limit))
	crowded := x.enter()
	var large *http.MaxBytesError
	switch {
	case errors.As(err, &large):
		return tooLarge(limit)
	case err != nil:
		return fail(badRequest, "The body did not arrive whole; send it again")
	}
	x.received()
	if crowded != nil {
		return crowded
	}
	if len(bytes.TrimSpace(raw.Bytes())) == 0 {
		return fail(badRequest, "The body is empty; send a JSON object")
	}
	return nil
}

func tooLarge(limit int64) error {
	return fail(payloadTooLarge, "The body is larger than %d bytes, the limit of this operation", limit)
}

// await sets the time by which the request's body must have arrived, if it has one. Whoever reads it or waits for its end, net/http
// included, gives up then.
func (x *exchange) await() {
	if x.pending = x.r.ContentLength != 0; x.pending {
		_ = huma.SetReadDeadline(x.w, x.start.Add(x.api.config.BodyTimeout))
	}
}

// received ends what await began: the whole body is here.
func (x *exchange) received() {
	if x.pending {
		x.pending = false
		_ = huma.SetReadDeadline(x.w, time.Time{})
	}
}

// hangUp ends the connection behind an answer that does not wait for the rest of the request. net/http by itself would read that
// rest before it sends the answer, or close at once, which can take the answer back; it does neither after the limit of a
// MaxBytesReader was passed. What it reads behind the answer ends here, too.
func (x *exchange) hangUp() {
	_, _ = http.MaxBytesReader(x.connection(), io.NopCloser(strings.NewReader("x")), 0).Read(make([]byte, 1))
	_ = huma.SetReadDeadline(x.w, x.start)
}

// connection is the writer that net/http made, whoever stands before it: a MaxBytesReader knows no other.
func (x *exchange) connection() http.ResponseWriter {
	w := x.w
	for {
		outer, ok := w.(interface{ Unwrap() http.ResponseWriter })
		if !ok {
			return w
		}
		w = outer.Unwrap()
	}
}

// checkShape looks at what the JSON grammar allows and this interface does not: deep nesting and NUL characters.
func checkShape(raw []byte) error {
	depth, inString := 0, false
	for i := 0; i < len(raw); i++ {
		c := raw[i]
		switch {
		case c == '"':
			inString = !inString
		case inString:
			if c == '\\' {
				if bytes.HasPrefix(raw[i:], []byte(`\u0000`)) {
					return fail(badRequest, "The body contains an escaped NUL character at byte %d", i)
				}
				i++
			}
		case c == '{' || c == '[':
			if depth++; depth > maxDepth {
				return fail(badRequest, "The body is nested more than %d levels deep", maxDepth)
			}
		case c == '}' || c == ']':
			depth--
		}
	}
	if i := bytes.IndexByte(raw, 0); i >= 0 {
		return fail(badRequest, "The body contains a NUL character at byte %d", i)
	}
	return nil
}

func kindName(kind jsontext.Kind) string {
	switch kind {
	case 'n':
		return "null"
	case 'f', 't':
		return "a boolean"
	case '"':
		return "a string"
	case '0':
		return "a number"
	case '[':
		return "an array"
	case '{':
		return "an object"
	}
	return "not JSON"
}

// notJSON says where a body stops being JSON, without repeating any of it.
func (b *bodyReader) notJSON(err error) *failure {
	at := int64(0)
	if syntax, ok := errors.AsType[*jsontext.SyntacticError](err); ok {
		at = syntax.ByteOffset
	}
	switch {
	case errors.Is(err, jsontext.ErrDuplicateName):
		return fail(badRequest, "The body names a field twice, at byte %d; name every field once", at)
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF), at >= b.size:
		return fail(badRequest, "The body ends in the middle of the JSON object, after %d bytes", b.size)
	}
	return fail(badRequest, "The body is not valid JSON in UTF-8: it goes wrong at byte %d; send a JSON object", at)
}
