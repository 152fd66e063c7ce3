package httpapi

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/danielgtaylor/huma/v2"
	"github.com/go-json-experiment/json/jsontext"

	"causeway/core"
)

const (
	maxDepth     = 32               // of nested arrays and objects in a body
	bodyDeadline = 10 * time.Second // for a whole body to arrive
	maxKept      = 256 << 10        // a larger buffer is not kept for the next request
)

// member is a field of a request body that an operation knows; all of them are strings. Others are ignored.
type member struct {
	name    string
	limit   int  // in characters
	missing bool // it may be missing
}

// text is the value of a member.
type text struct {
	value string
	sent  bool // false where it is absent or null
}

// bodyReader reads request bodies: into memory once, through the JSON grammar once. They are pooled.
type bodyReader struct {
	raw bytes.Buffer
	dec jsontext.Decoder
}

// members reads the request's body, a JSON object, and puts the values of the known members into values, by their place. It
// returns every fault of a field; a body that cannot be read is an error.
func (x *exchange) members(known []member, values []text) ([]core.FieldError, error) {
	b, _ := x.api.bodies.Get().(*bodyReader)
	defer x.api.recycle(b)
	if err := x.receive(&b.raw); err != nil {
		return nil, err
	}
	if err := checkShape(b.raw.Bytes()); err != nil {
		return nil, err
	}
	faults, err := b.object(known, values)
	if err != nil {
		return nil, err
	}
	for i := range known {
		if !values[i].sent && !known[i].missing && !atFault(faults, known[i].name) {
			faults = append(faults, core.FieldError{Field: known[i].name, Reason: "is required"})
		}
	}
	return faults, nil
}

func atFault(faults []core.FieldError, field string) bool {
	return slices.ContainsFunc(faults, func(f core.FieldError) bool { return f.Field == field })
}

func (a *API) recycle(b *bodyReader) {
	if b.raw.Cap() <= maxKept {
		b.raw.Reset()
		a.bodies.Put(b)
	}
}

// receive reads the whole body into raw, within the limits of size and time.
func (x *exchange) receive(raw *bytes.Buffer) error {
	limit := x.api.maxBody
	for _, c := range x.r.Header[headerEncoding] {
		if c = strings.TrimSpace(c); c != "" && !strings.EqualFold(c, "identity") {
			return fail(unsupportedMediaType, "Content-Encoding %s is not supported; send the body without compression", given(c))
		}
	}
	tooLarge := fmt.Sprintf("The body is larger than %d bytes, the limit of this operation", limit)
	if x.r.ContentLength > limit {
		return &failure{name: payloadTooLarge, message: tooLarge}
	}
	_ = huma.SetReadDeadline(x.w, x.api.stopwatch().Add(bodyDeadline))
	n, err := raw.ReadFrom(io.LimitReader(x.r.Body, limit+1))
	_ = huma.SetReadDeadline(x.w, time.Time{})
	var large *http.MaxBytesError
	switch {
	case n > limit || errors.As(err, &large):
		return &failure{name: payloadTooLarge, message: tooLarge}
	case err != nil:
		return fail(badRequest, "The body did not arrive whole; send it again")
	case n == 0:
		return fail(badRequest, "The body is empty; send a JSON object")
	}
	return nil
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

// object reads the one object of the body.
func (b *bodyReader) object(known []member, values []text) ([]core.FieldError, error) {
	size := int64(b.raw.Len())
	d := &b.dec
	d.Reset(&b.raw)
	if kind := d.PeekKind(); kind != '{' {
		if _, err := d.ReadValue(); err != nil {
			return nil, notJSON(err, size)
		}
		return nil, fail(badRequest, "The body is %s; send a JSON object, for example {%q: …}", kindName(kind), known[0].name)
	}
	var faults []core.FieldError
	if _, err := d.ReadToken(); err != nil {
		return nil, notJSON(err, size)
	}
	for d.PeekKind() == '"' {
		name, err := d.ReadValue()
		if err != nil {
			return nil, notJSON(err, size)
		}
		i := memberIndex(known, name)
		if i < 0 {
			err = d.SkipValue()
		} else {
			var reason string
			if reason, err = b.value(&known[i], &values[i]); reason != "" {
				faults = append(faults, core.FieldError{Field: known[i].name, Reason: reason})
			}
		}
		if err != nil {
			return nil, notJSON(err, size)
		}
	}
	if _, err := d.ReadToken(); err != nil {
		return nil, notJSON(err, size)
	}
	if _, err := d.ReadToken(); !errors.Is(err, io.EOF) {
		return nil, fail(badRequest, "The body goes on after the JSON object, at byte %d; send one object", d.InputOffset())
	}
	return faults, nil
}

// value reads the value of a known member. The first result says what is wrong with it.
func (b *bodyReader) value(m *member, to *text) (string, error) {
	kind := b.dec.PeekKind()
	raw, err := b.dec.ReadValue()
	if err != nil || kind == 'n' {
		return "", err
	}
	if kind != '"' {
		return "must be a string in quotes; it is " + kindName(kind), nil
	}
	to.sent = true
	if bytes.IndexByte(raw, '\\') < 0 {
		to.value = string(raw[1 : len(raw)-1])
	} else {
		unquoted, err := jsontext.AppendUnquote(nil, raw)
		if err != nil {
			return "", err
		}
		to.value = string(unquoted)
	}
	if n := utf8.RuneCountInString(to.value); n > m.limit {
		return fmt.Sprintf("is %d characters long; at most %d are accepted", n, m.limit), nil
	}
	return "", nil
}

func memberIndex(known []member, quoted []byte) int {
	name := quoted[1 : len(quoted)-1]
	if bytes.IndexByte(name, '\\') >= 0 {
		name, _ = jsontext.AppendUnquote(nil, quoted)
	}
	for i := range known {
		if known[i].name == string(name) {
			return i
		}
	}
	return -1
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
func notJSON(err error, size int64) *failure {
	at := int64(0)
	if syntax, ok := errors.AsType[*jsontext.SyntacticError](err); ok {
		at = syntax.ByteOffset
	}
	switch {
	case errors.Is(err, jsontext.ErrDuplicateName):
		return fail(badRequest, "The body names a field twice, at byte %d; name every field once", at)
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF), at >= size:
		return fail(badRequest, "The body ends in the middle of the JSON object, after %d bytes", size)
	}
	return fail(badRequest, "The body is not valid JSON in UTF-8: it goes wrong at byte %d; send a JSON object", at)
}
