package edge

import (
	"crypto/sha256"
	"encoding/json"
	"hash"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/maypok86/otter/v2"

	"causeway/simulator/journal"
	"causeway/simulator/world"
)

// response is the ResponseWriter of a request in a world. It adds the sandbox headers and remembers
// what the journal needs.
type response struct {
	http.ResponseWriter

	call   *world.Request
	now    time.Time
	status int
	stream bool  // the body is a stream of events, of which the journal keeps the size only
	length int64 // Content-Length; 0: unknown
	bytes  int64

	bodies *bodies
	whole  *body     // nil: it came in parts, which are in sum and start
	sum    hash.Hash // nil: no part
	start  []byte

	record   func() // writes the journal entry
	recorded bool
}

// maxStart is how much of a response's body is kept for the journal, in bytes.
const maxStart = 4 << 10

// body is what the journal keeps of a response's body.
type body struct {
	sum   journal.Sum
	start string // at most maxStart bytes
}

func newBody(b []byte) *body {
	return &body{sum: sha256.Sum256(b), start: string(b[:min(len(b), maxStart)])}
}

// bodies keeps what the journals of all worlds keep of the bodies that are sent often, so that a list
// is hashed once per publication. Responses with equal strong ETags and lengths have equal bodies:
// the API derives its ETags from the bodies alone, and a fault that alters a body removes the ETag.
type bodies struct {
	kept interface { // Go would compile a generic type again for these types, and in each package that uses a Handler
		GetIfPresent(key any) (any, bool)
		Set(key, one any) (any, bool)
	}
}

type bodyKey struct {
	tag    string
	length int
}

// maxBodies is how many bodies are kept: 1 MiB at most.
const maxBodies = 256

func newBodies() *bodies {
	return &bodies{otter.Must(&otter.Options[any, any]{
		MaximumSize: maxBodies, Executor: func(maintain func()) { maintain() }, Logger: &otter.NoopLogger{},
	})}
}

// of returns what the journal keeps of a whole body with an ETag; "" is no ETag.
func (c *bodies) of(tag string, b []byte) *body {
	if !strings.HasPrefix(tag, `"`) {
		return newBody(b)
	}
	key := bodyKey{tag, len(b)}
	if kept, ok := c.kept.GetIfPresent(key); ok {
		one, _ := kept.(*body)
		return one
	}
	one := newBody(b)
	c.kept.Set(key, one)
	return one
}

// WriteHeader adds the sandbox headers and sends the header.
func (p *response) WriteHeader(status int) {
	if p.status == 0 && status >= http.StatusOK {
		p.status = status
		h := p.Header()
		applied := p.call.Applied()
		setHeaders(h, p.call.World.ID(), p.now, applied)
		if applied != appliedNone && h.Get("Cache-Control") != "" {
			h.Set("Cache-Control", "no-store") // the next response would be another one
		}
		p.stream = strings.HasPrefix(h.Get("Content-Type"), "text/event-stream")
		p.length, _ = strconv.ParseInt(h.Get("Content-Length"), 10, 64) // net/http refuses to write more
	}
	p.ResponseWriter.WriteHeader(status)
}

// Write sends a part of the body.
func (p *response) Write(b []byte) (int, error) {
	if p.status == 0 {
		p.WriteHeader(http.StatusOK)
	}
	if p.length > 0 && p.bytes+int64(len(b)) == p.length {
		p.count(b)
		p.finish() // before the client has the whole response and reads the journal
		return p.ResponseWriter.Write(b)
	}
	n, err := p.ResponseWriter.Write(b)
	p.count(b[:n])
	return n, err
}

// count remembers what the journal needs of a part of the body.
func (p *response) count(b []byte) {
	switch {
	case p.stream: // hashing it for each client would cost more than sending it
	case p.bytes == 0 && p.length > 0 && int64(len(b)) == p.length:
		p.whole = p.bodies.of(p.Header().Get("Etag"), b)
	default:
		if p.sum == nil {
			p.sum = sha256.New()
		}
		_, _ = p.sum.Write(b) // a hash.Hash never fails
		p.start = append(p.start, b[:min(len(b), maxStart-len(p.start))]...)
	}
	p.bytes += int64(len(b))
}

// body returns what the journal keeps of the body.
func (p *response) body() *body {
	switch {
	case p.stream:
		return &body{}
	case p.whole != nil:
		return p.whole
	}
	one := &body{sum: sha256.Sum256(nil), start: string(p.start)}
	if p.sum != nil {
		p.sum.Sum(one.sum[:0])
	}
	return one
}

// finish writes the journal entry, once.
func (p *response) finish() {
	if !p.recorded && p.record != nil {
		p.recorded = true
		p.record()
	}
}

// Unwrap lets http.ResponseController reach the connection.
func (p *response) Unwrap() http.ResponseWriter { return p.ResponseWriter }

// summary returns the response with a body as the journal has it.
func (p *response) summary(r *http.Request, sent *body) journal.Answer {
	s := journal.Answer{
		Status: p.status, Bytes: p.bytes, ContentType: p.Header().Get("Content-Type"), SHA256: sent.sum,
	}
	s.Streamed = p.stream && r.Method != http.MethodHead
	if p.status >= http.StatusBadRequest {
		s.Error, s.Fields = errorOf([]byte(sent.start))
	}
	return s
}

// errorOf returns the name of an error and the fields at fault from a body in either form of the
// envelope.
func errorOf(body []byte) (name string, fields []string) {
	var e struct {
		Error  struct{ Name string }
		Fields map[string]json.RawMessage
		Code   string
		Errors []struct{ Field string }
	}
	if json.Unmarshal(body, &e) != nil {
		return "", nil
	}
	for field := range e.Fields {
		fields = append(fields, field)
	}
	for _, f := range e.Errors {
		fields = append(fields, f.Field)
	}
	if e.Error.Name != "" {
		return e.Error.Name, fields
	}
	return e.Code, fields
}
