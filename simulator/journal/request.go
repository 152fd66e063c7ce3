package journal

import (
	"net/http"
	"strings"

	"causeway/core"
)

// raw is a request as it was sent, without credentials: what a Bundle sends again. Nothing else shows it.
type raw struct {
	method  string
	target  core.Private // path and query
	headers []Field
	body    core.Private

	response core.Private // the beginning of the response's body
}

// share of the journal's bytes that the kept bytes of one request may take; a request that needs more is not kept.
const share = 4

// receive records the line and the headers of a request.
func (o *Open) receive(r *http.Request) {
	q := &o.entry.Request
	y := o.journal.eye
	q.Method = y.word(r.Method)
	q.Path, q.segments = y.path(r.URL.EscapedPath())
	var more int
	q.Query, q.query, more = y.query(r.URL.RawQuery)
	o.entry.LeftOut += more

	var found [mostHeaders]Field
	sent, left := headersOf(r.Header, found[:0])
	o.entry.LeftOut += left
	q.Headers = make([]Field, len(sent))
	same, size := true, len(r.URL.Path)+len(r.URL.RawQuery)
	for i, h := range sent {
		q.Headers[i] = Field{Name: h.Name, Value: y.header(h.Name, h.Value)}
		q.headers = y.note(q.headers, i, h.Value, q.Headers[i].Value)
		same = same && q.Headers[i].Value == h.Value
		size += len(h.Name) + len(h.Value)
	}
	if !o.journal.cfg.KeepRequests || y.found || left > 0 || size > o.room() || len(r.Method) > longestCode {
		return
	}
	o.raw = &raw{method: r.Method, target: core.Private(o.target(r)), headers: q.Headers}
	if !same {
		o.raw.headers = append([]Field(nil), sent...)
	}
}

// room is how many bytes of a request may be kept.
func (o *Open) room() int { return o.journal.cfg.Limits.Bytes / share }

// target is the path and query as they were sent. They are not kept twice where nothing of them is masked.
func (o *Open) target(r *http.Request) string {
	target := r.URL.RequestURI()
	switch {
	case target == o.entry.Request.Path:
		return o.entry.Request.Path
	case r.URL.RawQuery != "":
		return target // put together just now
	}
	return strings.Clone(target)
}

// headersOf appends the headers that matter, ordered by name, and says how many there was no room for.
func headersOf(all http.Header, into []Field) (list []Field, more int) {
	for name, values := range all {
		if !matters(name) {
			continue
		}
		for _, text := range values {
			if len(into) == cap(into) {
				more++
				continue
			}
			at := len(into)
			into = append(into, Field{})
			for ; at > 0 && into[at-1].Name > name; at-- {
				into[at] = into[at-1]
			}
			into[at] = Field{Name: name, Value: text}
		}
	}
	return into, more
}

// matters reports whether an answer may depend on a header. Names of the simulator's headers have letters only: nobody hides a number in one.
func matters(name string) bool {
	ours, simulated := strings.CutPrefix(name, "Sim-")
	if !simulated {
		return replayed[name]
	}
	for i := range len(ours) {
		if c := ours[i] | 0x20; c != '-' && (c < 'a' || c > 'z') {
			return false
		}
	}
	return ours != "" && len(ours) <= longestCode
}

// take records the body.
func (o *Open) take(body []byte) {
	q := &o.entry.Request
	q.BodyBytes, q.Body, q.members = len(body), nil, nil
	if len(body) > o.room() {
		o.raw = nil
	}
	y := o.journal.eye
	if len(body) > 0 && (len(body) <= longestBody || o.raw != nil) {
		shown, members, isJSON := y.json(body)
		switch {
		case !isJSON:
			y.search(string(body))
		case len(body) <= longestBody && len(shown) <= longestBody:
			q.Body, q.members = shown, members
		}
	}
	if y.found {
		o.raw = nil
	}
	if o.raw != nil {
		o.raw.body = core.Private(body)
	}
}
