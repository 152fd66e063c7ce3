package journal

import (
	"net/http"
	"regexp"
	"slices"
	"strings"

	"causeway/core"
)

// raw is a request as it was sent, without credentials: what a Bundle sends again.
type raw struct {
	method  string
	target  core.Private // path and query
	headers []Field
	body    core.Private

	response core.Private // the beginning of the response's body
}

// rawShare is the part of the journal's bytes that one kept request may take, as a divisor.
const rawShare = 4

// receive records the line and the headers of a request.
func (o *Open) receive(r *http.Request) {
	q, m := &o.entry.Request, &o.masker
	q.Method, q.Path = m.word(r.Method), m.path(r.URL.EscapedPath())
	var more, left int
	q.Query, more = queryFields(r.URL.RawQuery)
	for i, p := range q.Query {
		q.Query[i] = Field{m.word(p.Name), m.value(p.Name, p.Value)}
	}
	var sent []Field
	sent, left = relevantHeaders(r.Header)
	size := len(r.URL.Path) + len(r.URL.RawQuery)
	q.Headers = make([]Field, len(sent))
	for i, h := range sent {
		q.Headers[i] = Field{h.Name, m.header(h.Name, h.Value)}
		size += len(h.Name) + len(h.Value)
	}
	o.entry.LeftOut += more + left
	if o.journal.cfg.KeepRequests && !m.found && left == 0 && size <= o.room() && len(r.Method) <= maxCode {
		o.raw = &raw{method: r.Method, target: core.Private(strings.Clone(r.URL.RequestURI())), headers: sent}
	}
}

// room is how many bytes of a request may be kept.
func (o *Open) room() int { return o.journal.cfg.Limits.Bytes / rawShare }

// relevantHeaders returns the headers that a response may depend on, by name, and how many more there are.
func relevantHeaders(all http.Header) (list []Field, more int) {
	list = []Field{}
	for name, values := range all {
		if !isRelevant(name) {
			continue
		}
		for _, text := range values {
			if len(list) == mostHeaders {
				more++
				continue
			}
			list = append(list, Field{Name: name, Value: text})
		}
	}
	slices.SortStableFunc(list, func(a, b Field) int { return strings.Compare(a.Name, b.Name) })
	return list, more
}

// sandboxHeader matches the headers of the sandbox, whose names have letters only.
var sandboxHeader = regexp.MustCompile(`^Sim-[A-Za-z-]{1,24}$`)

// isRelevant reports whether a response may depend on a header.
func isRelevant(name string) bool { return replayed[name] || sandboxHeader.MatchString(name) }

// take records the body.
func (o *Open) take(body []byte) {
	q, m := &o.entry.Request, &o.masker
	q.BodyBytes, q.Body = len(body), nil
	if len(body) > o.room() {
		o.raw = nil
	}
	if len(body) > 0 && (len(body) <= longestBody || o.raw != nil) {
		if shown := m.json(body); shown == nil {
			m.search(string(body))
		} else if len(body) <= longestBody && len(shown) <= longestBody {
			q.Body = shown
		}
	}
	if m.found {
		o.raw = nil
	}
	if o.raw != nil {
		o.raw.body = core.Private(body)
	}
}

// path returns the escaped path as it was sent.
func (r *raw) path() string {
	path, _, _ := strings.Cut(r.target.Reveal(), "?")
	return path
}

// query returns the parameters as they were sent.
func (r *raw) query() []Field {
	_, query, _ := strings.Cut(r.target.Reveal(), "?")
	fields, _ := queryFields(query)
	return fields
}
