package journal

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"causeway/core"
)

// version is that of the bundles that are written and read.
const version = 1

// note is in every bundle, for whoever opens it.
const note = "The requests are as they were sent: account numbers, names and addresses are not masked. Credentials are left out, and so are streams, and requests " +
	"that hold what looks like a private key or a recovery phrase, as 64 hexadecimal digits do. " +
	"causeway sim replay sends them again, each at its time, and compares the answers."

// Bundle is everything that makes a world's answers again elsewhere: (build, dataset, seed, options, scenario, clock, requests) give the same
// bytes. Calls of the control API that changed the world are among the requests.
type Bundle struct {
	Version int    `json:"version" doc:"Version of the format" example:"1"`
	Note    string `json:"note" doc:"What the file contains"`
	Origin
	// Complete says that the requests are all since the world was made; if not, the world may have been in another state.
	Complete bool   `json:"complete" doc:"Whether all requests since the creation of the world are here" example:"true"`
	LeftOut  int    `json:"left_out" doc:"Number of requests that are missing" example:"0"`
	Requests []Sent `json:"requests" doc:"The requests in order"`
	// Fingerprint is that of the answers to the requests: of the world's too, where the bundle is complete.
	Fingerprint Sum `json:"fingerprint" doc:"Fingerprint of the responses"`
}

// Origin says how the world was made. Whoever exports a bundle knows it; here it is opaque.
type Origin struct {
	Build    string          `json:"build" doc:"Version of Causeway" example:"1.2.3"`
	Dataset  string          `json:"dataset" doc:"Version of the simulated data"`
	World    string          `json:"world" doc:"Name of the world" example:"TestCheckout/pays"`
	Seed     string          `json:"seed" doc:"Seed of the world" example:"checkout"`
	Options  json.RawMessage `json:"options,omitempty" doc:"Options of the world"`
	Scenario string          `json:"scenario,omitempty" doc:"Scenario of the market"`
	Clock    Clock           `json:"clock" doc:"The clock when the world was created"`
}

// Clock is the state of a world's clock when the world was made.
type Clock struct {
	Now    time.Time `json:"now" doc:"The time" example:"2026-11-16T12:00:00Z"`
	Frozen bool      `json:"frozen" doc:"Whether the clock stands still" example:"true"`
	Rate   int       `json:"rate,omitempty" doc:"Seconds of the world per second of the machine"`
}

// Sent is a request as it was sent, and what came of it.
type Sent struct {
	At      time.Time `json:"at" doc:"When it was sent, by the clock of the world" example:"2026-11-16T12:00:00Z"`
	Control bool      `json:"control,omitempty" doc:"Whether it is a call of the control API"`
	Method  string    `json:"method" doc:"HTTP method" example:"POST"`
	Path    string    `json:"path" doc:"Path with the query" example:"/v1/pairs"`
	Headers []Field   `json:"headers" doc:"Headers"`
	Body    string    `json:"body,omitempty" doc:"Body, if it is text"`
	Binary  []byte    `json:"body_base64,omitempty" doc:"Body, if it is not text"`
	Answer  Outcome   `json:"answer" doc:"The response"`
}

// Outcome is what is compared of an answer.
type Outcome struct {
	Status int `json:"status" doc:"HTTP status" example:"200"`
	SHA256 Sum `json:"sha256" doc:"SHA-256 of the body"`
}

// Bundle exports the requests that the journal has. It is core.Unsupported where the world keeps none.
func (j *Journal) Bundle(origin Origin) (Bundle, error) {
	if !j.cfg.KeepRequests {
		return Bundle{}, core.Errorf(core.Unsupported, "This world keeps no requests, so there is nothing to replay; make one with keep_requests")
	}
	all, dropped := j.after(0)
	b := Bundle{Version: version, Note: note, Origin: origin, LeftOut: int(dropped), Requests: []Sent{}} //nolint:gosec // far below 2^31
	for _, o := range all {
		if o.entry.Answer.Streamed {
			continue
		}
		sent := o.sent()
		if len(sent.faults("")) > 0 {
			b.LeftOut++
			continue
		}
		b.Requests = append(b.Requests, sent)
	}
	b.Complete, b.Fingerprint = b.LeftOut == 0, b.sum()
	return b, nil
}

// sum is the fingerprint of the answers that the bundle tells of.
func (b *Bundle) sum() (s Sum) {
	for i := range b.Requests {
		if q := &b.Requests[i]; !q.Control {
			s = s.Next(q.Answer.Status, q.Answer.SHA256)
		}
	}
	return s
}

// sent is the request as it was kept; one that was not has nothing, which is a fault.
func (o *Open) sent() Sent {
	if o.raw == nil {
		return Sent{}
	}
	e := &o.entry
	s := Sent{
		At: e.At, Control: e.Control, Method: o.raw.method, Path: ascii(o.raw.target.Reveal()), Headers: slices.Clone(o.raw.headers),
		Answer: Outcome{e.Answer.Status, e.Answer.SHA256},
	}
	if body := o.raw.body.Reveal(); utf8.ValidString(body) {
		s.Body = body
	} else {
		s.Binary = []byte(body)
	}
	return s
}

// ascii escapes bytes of a query that were sent as they are.
func ascii(target string) string {
	var out strings.Builder
	for i := range len(target) {
		if c := target[i]; c > '~' {
			out.WriteString(url.QueryEscape(target[i : i+1]))
		} else {
			out.WriteByte(c)
		}
	}
	return out.String()
}

// Hosts are the origins of a process, such as http://localhost:8080.
type Hosts struct {
	Public  string
	Control string // of the operator listener
}

// Request returns the request for the hosts of another process.
func (s *Sent) Request(ctx context.Context, hosts Hosts) (*http.Request, error) {
	var body io.Reader = http.NoBody
	switch {
	case s.Body != "":
		body = strings.NewReader(s.Body)
	case len(s.Binary) > 0:
		body = strings.NewReader(string(s.Binary))
	}
	host, target := hosts.Public, s.Path
	if s.Control {
		host = hosts.Control
	}
	if target == "*" {
		target = "/"
	}
	r, err := http.NewRequestWithContext(ctx, s.Method, host+target, body)
	if err != nil {
		return nil, core.Errorf(core.Invalid, "A request of the bundle does not fit a host; accepted: such as http://localhost:8080")
	}
	if s.Path == "*" {
		r.URL.Path = "*"
	}
	for _, h := range s.Headers {
		r.Header.Add(h.Name, h.Value)
	}
	return r, nil
}
