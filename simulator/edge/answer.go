package edge

import (
	"crypto/sha256"
	"encoding/json"
	"hash"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"

	"causeway/simulator"
	"causeway/simulator/journal"
)

// answer is the ResponseWriter of a request in a world: it adds the headers of a sandbox and remembers what the journal tells.
type answer struct {
	http.ResponseWriter

	call   *simulator.Call
	now    time.Time
	status int
	length int64 // of the body, as the header says; 0: it does not
	bytes  int64
	sum    hash.Hash
	start  []byte // of an error's body

	slow bool   // a fault holds the answer up
	note func() // puts the request into the journal
	done bool   // it is there
}

// longestError is how much of an error's body is looked at.
const longestError = 4 << 10

// WriteHeader adds the sandbox's headers and sends all.
func (a *answer) WriteHeader(status int) {
	if a.status == 0 && status >= http.StatusOK {
		a.status = status
		h := a.Header()
		applied := a.call.Applied()
		h[headerWorld], h[headerTime], h[headerApplied] = []string{a.call.World.ID()}, []string{timeOf(a.now)}, []string{applied}
		if applied != nothing[0] && len(h["Cache-Control"]) > 0 {
			h["Cache-Control"] = unkept // it was asked for once, and another time it would be another one
		}
		a.length, _ = strconv.ParseInt(h.Get("Content-Length"), 10, 64) // net/http refuses more than it says
	}
	a.ResponseWriter.WriteHeader(status)
}

// Write sends a part of the body.
func (a *answer) Write(b []byte) (int, error) {
	if a.status == 0 {
		a.WriteHeader(http.StatusOK)
	}
	if !a.slow && a.length > 0 && a.bytes+int64(len(b)) == a.length {
		a.count(b)
		a.finish() // before the client has it all, and looks for it in the journal
		return a.ResponseWriter.Write(b)
	}
	n, err := a.ResponseWriter.Write(b)
	a.count(b[:n])
	return n, err
}

// count remembers what the journal tells of a part of the body.
func (a *answer) count(b []byte) {
	if a.sum == nil {
		a.sum = sha256.New()
	}
	a.bytes += int64(len(b))
	_, _ = a.sum.Write(b) // a hash takes everything
	if a.status >= http.StatusBadRequest && len(a.start) < longestError {
		a.start = append(a.start, b...)
	}
}

// finish puts the request into the journal, once.
func (a *answer) finish() {
	if !a.done && a.note != nil {
		a.done = true
		a.note()
	}
}

// Unwrap lets http.ResponseController and streams reach the connection.
func (a *answer) Unwrap() http.ResponseWriter { return a.ResponseWriter }

// summary is what the journal tells of the answer.
func (a *answer) summary(r *http.Request) journal.Answer {
	s := journal.Answer{Status: a.status, Bytes: a.bytes, ContentType: a.Header().Get("Content-Type")}
	if a.sum != nil {
		a.sum.Sum(s.SHA256[:0])
	} else {
		s.SHA256 = sha256.Sum256(nil)
	}
	s.Streamed = strings.HasPrefix(s.ContentType, "text/event-stream") && r.Method != http.MethodHead
	if a.status >= http.StatusBadRequest {
		s.Error, s.Fields = fault(a.start)
	}
	return s
}

// fault reads the name of an error and the fields at fault from a body in either form of the envelope.
func fault(body []byte) (name string, fields []string) {
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

// longestBody is how much of a request's body is kept for the journal: more than any operation reads.
const longestBody = 1<<20 + 1

// tee keeps what is read through it.
type tee struct {
	io.ReadCloser

	kept []byte
}

// Read reads on, and keeps a copy.
func (t *tee) Read(p []byte) (int, error) {
	n, err := t.ReadCloser.Read(p)
	if room := longestBody - len(t.kept); room > 0 {
		t.kept = append(t.kept, p[:min(n, room)]...)
	}
	return n, err
}
