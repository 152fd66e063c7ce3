package middleware

import (
	"encoding/json"
	"hash"
	"net/http"
	"strconv"
	"strings"
	"time"

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
	length int64 // Content-Length; 0: unknown
	bytes  int64
	sum    hash.Hash
	start  []byte // of the body

	record   func() // writes the journal entry
	recorded bool
}

// maxStart is how much of a response's body is kept for the journal, in bytes.
const maxStart = 4 << 10

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
	p.bytes += int64(len(b))
	_, _ = p.sum.Write(b) // a hash.Hash never fails
	p.start = append(p.start, b[:min(len(b), maxStart-len(p.start))]...)
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

// summary returns the response as the journal has it.
func (p *response) summary(r *http.Request) journal.Answer {
	s := journal.Answer{Status: p.status, Bytes: p.bytes, ContentType: p.Header().Get("Content-Type")}
	p.sum.Sum(s.SHA256[:0])
	s.Streamed = strings.HasPrefix(s.ContentType, "text/event-stream") && r.Method != http.MethodHead
	if p.status >= http.StatusBadRequest {
		s.Error, s.Fields = errorOf(p.start)
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
