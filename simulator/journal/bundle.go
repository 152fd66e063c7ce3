package journal

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"time"

	"causeway/core"
	"causeway/simulator/input"
)

// version is the version of the bundles that are written and read.
const version = 2

// note is in every bundle, for people who open it.
const note = "The requests are as they were sent: account numbers, names and addresses are not masked. Credentials " +
	"are left out, and so are streams, and requests that hold what looks like a private key or a recovery phrase, as 64 " +
	"hexadecimal digits do. causeway sim replay sends them again, each at its time, and compares the responses."

// Bundle is everything that reproduces the responses of a world: (build, dataset, world, requests) give the same
// bytes. Calls of the control API that changed the world are among the requests. For a fork, they begin with the
// requests to the world that it is a copy of, up to the call that made the copy.
type Bundle struct {
	Version int    `json:"version" doc:"Version of the format" example:"2"`
	Note    string `json:"note" doc:"What the file contains"`
	Origin
	// Complete: if it is false, the world may have been in another state.
	Complete    bool   `json:"complete" doc:"Whether all requests since the creation of the world are here" example:"true"`
	LeftOut     int    `json:"left_out" doc:"Number of requests that are missing" example:"0"`
	Requests    []Sent `json:"requests" doc:"The requests in order"`
	Fingerprint Sum    `json:"fingerprint" doc:"Fingerprint of the responses to the requests"`
}

// Origin says how the world was created. The journal does not interpret it.
type Origin struct {
	Build   string          `json:"build" doc:"Version of Causeway" example:"1.2.3"`
	Dataset string          `json:"dataset" doc:"Version of the simulated data"`
	World   json.RawMessage `json:"world" doc:"Options with which the world was created, with its seed and the state of its clock"`
}

// Sent is a request as it was sent, and its response.
type Sent struct {
	At      time.Time `json:"at" doc:"When it was sent, by the clock of the world" example:"2026-11-16T12:00:00Z"`
	Control bool      `json:"control,omitempty" doc:"Whether it is a call of the control API"`
	Method  string    `json:"method" doc:"HTTP method" example:"POST"`
	Path    string    `json:"path" doc:"Path with the query" example:"/v1/pairs"`
	Headers []Field   `json:"headers" doc:"Headers"`
	Body    string    `json:"body,omitempty" doc:"Body"`
	Answer  Outcome   `json:"answer" doc:"The response"`
}

// Outcome is what a replay compares of a response.
type Outcome struct {
	Status int `json:"status" doc:"HTTP status" example:"200"`
	SHA256 Sum `json:"sha256" doc:"SHA-256 of the body"`
}

// Bundle exports the requests that the journal has.
func (j *Journal) Bundle(origin Origin) Bundle {
	j.mu.Lock()
	defer j.mu.Unlock()
	b := Bundle{
		Version: version, Note: note, Origin: origin, LeftOut: j.pastLeftOut + int(j.dropped), //nolint:gosec // far below 2^31
		Requests: append([]Sent{}, j.past...),
	}
	for _, o := range j.entries {
		switch {
		case o.Answer.Streamed, o.isFact():
		case o.Withheld:
			b.LeftOut++
		default:
			b.Requests = append(b.Requests, o.sent)
		}
	}
	b.Complete, b.Fingerprint = b.LeftOut == 0, b.sum()
	return b
}

// Continue makes the bundles of a new journal begin with the newest requests of another one, within
// the limits of a journal, and with the call that copied its world.
func (j *Journal) Continue(from *Journal, fork Sent) {
	before := from.Bundle(Origin{})
	before.Requests = append(before.Requests, fork)
	dropped, size := len(before.Requests), 0
	for dropped > 0 && len(before.Requests)-dropped < MaxEntries {
		if size += before.Requests[dropped-1].length(); size > MaxBytes {
			break
		}
		dropped--
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	j.past, j.pastLeftOut = before.Requests[dropped:], before.LeftOut+dropped
}

// sum returns the fingerprint of the responses to the requests.
func (b *Bundle) sum() (s Sum) {
	for i := range b.Requests {
		if q := &b.Requests[i]; !q.Control {
			s = s.Next(q.Answer.Status, q.Answer.SHA256)
		}
	}
	return s
}

// DecodeBundle reads a bundle. It rejects other versions, unknown fields, requests that are not to
// the API, headers that no journal records, and responses that do not add up to the fingerprint.
func DecodeBundle(file []byte) (Bundle, error) {
	var b Bundle
	if err := json.Unmarshal(file, &struct{ Version *int }{&b.Version}); err != nil {
		return Bundle{}, core.Errorf(core.Invalid, "The file is not a bundle: %v", err)
	}
	if b.Version != version {
		return Bundle{}, core.InvalidField("version", "is %d, or missing; accepted: %d", b.Version, version)
	}
	decoder := json.NewDecoder(bytes.NewReader(file))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&b); err != nil {
		return Bundle{}, core.Errorf(core.Invalid, "The bundle cannot be read: %v", err)
	}
	if err := b.check(); err != nil {
		return Bundle{}, err
	}
	return b, nil
}

func (b *Bundle) check() error {
	var e input.Errors
	e.Require(len(b.World) > 0, "world", "is missing", "the options of the world")
	e.Require(b.LeftOut >= 0 && b.Complete == (b.LeftOut == 0), "left_out", b.LeftOut, "0 if the bundle is complete")
	for i := range b.Requests {
		err := b.Requests[i].check()
		e.Require(err == nil, fmt.Sprintf("requests[%d]", i), err, "a request that a journal recorded")
	}
	e.Require(b.Fingerprint == b.sum(), "fingerprint", "does not match the responses", "a bundle that was not changed")
	return e.Err()
}

// check returns what is wrong with a request.
func (s *Sent) check() error {
	if s.At.IsZero() || !strings.HasPrefix(s.Path, "/") || s.Control && !strings.HasPrefix(s.Path, "/_sim/v1/") {
		return fmt.Errorf("%s lacks a time or a path of the API", s.Method)
	}
	for _, h := range s.Headers {
		if !isRelevant(h.Name) || strings.ContainsAny(h.Value, "\r\n\x00") {
			return fmt.Errorf("the header %s is not one that a journal records", core.Quoted(h.Name))
		}
	}
	_, err := s.Request(context.Background(), "http://sandbox.invalid")
	return err
}

// Request returns the request for an origin such as http://localhost:8080.
func (s *Sent) Request(ctx context.Context, origin string) (*http.Request, error) {
	r, err := http.NewRequestWithContext(ctx, s.Method, origin+s.Path, strings.NewReader(s.Body))
	if err != nil {
		return nil, err
	}
	for _, h := range s.Headers {
		r.Header.Add(h.Name, h.Value)
	}
	return r, nil
}
