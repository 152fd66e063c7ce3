package journal

import (
	"cmp"
	"fmt"
	"maps"
	"net/http"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"

	"causeway/core"
)

// Match says which entries are meant. What is empty matches everything. What a client sent can be asked for as it was
// sent, and as it is shown: masked.
type Match struct {
	After   uint64 `json:"after,omitempty" query:"after" doc:"Only entries with a higher number"`
	Control bool   `json:"control,omitempty" query:"control" doc:"Calls of the control API instead of requests to the public API"`

	ID        string            `json:"id,omitempty" query:"id" doc:"ID of the request"`
	Operation string            `json:"operation,omitempty" query:"operation" doc:"Operation, as in the catalog" example:"resolve-account"`
	Method    string            `json:"method,omitempty" query:"method" doc:"HTTP method" example:"POST"`
	Path      string            `json:"path,omitempty" query:"path" doc:"Path; * matches anything but a slash" example:"/v1/pairs/*"`
	Query     map[string]string `json:"query,omitempty" query:"query,deepObject,explode" doc:"Values of query parameters, unmasked"`
	Headers   map[string]string `json:"headers,omitempty" query:"headers,deepObject,explode" doc:"Values of headers, unmasked"`
	Members   map[string]string `json:"body,omitempty" query:"body,deepObject,explode" doc:"Values of fields of the body, unmasked"`
	Applied   string            `json:"applied,omitempty" query:"applied" doc:"Prefix of Sim-Applied" example:"fault"`
	Cache     Cache             `json:"cache,omitempty" query:"cache" enum:"hit,miss,none" doc:"What the cache did"`
	Status    int               `json:"status,omitempty" query:"status" minimum:"100" maximum:"599" doc:"HTTP status" example:"404"`
	Error     string            `json:"error,omitempty" query:"error" doc:"Name of the error" example:"not_found"`
	Field     string            `json:"field,omitempty" query:"field" doc:"A field at fault"`

	// Of one and the same attempt.
	Provider string `json:"provider,omitempty" query:"provider" doc:"Provider of an attempt" example:"paystack"`
	Outcome  string `json:"outcome,omitempty" query:"outcome" doc:"Outcome of the same attempt" example:"timeout"`
	Fault    string `json:"fault,omitempty" query:"fault" doc:"ID of the fault of the same attempt" example:"f1"`
	Breaker  string `json:"breaker,omitempty" query:"breaker" doc:"State of the circuit breaker before the same attempt" example:"open"`

	Source string    `json:"source,omitempty" query:"source" doc:"A source that had a vote" example:"kraken"`
	Since  time.Time `json:"since,omitzero" query:"since" doc:"Begun then or later, by the clock of the world" example:"2026-11-16T12:00:00Z"`
	Until  time.Time `json:"until,omitzero" query:"until" doc:"Begun before, by the clock of the world" example:"2026-11-16T13:00:00Z"`
}

// most of what one match may ask for.
const mostConditions = 100

// Check returns everything that is wrong with the match, each with what is accepted.
func (m Match) Check() error { return invalid(m.faults("match.")) }

func (m Match) faults(prefix string) []core.FieldError {
	var faults []core.FieldError
	need := func(fine bool, field, format string, args ...any) {
		if !fine {
			faults = append(faults, fault(prefix+field, format, args...))
		}
	}
	_, err := path.Match(m.Path, "/")
	need(err == nil, "path", "is no pattern; accepted: a path in which * is anything but a slash, such as /v1/pairs/*")
	need(m.Status == 0 || m.Status >= 100 && m.Status <= 599, "status", "is %d; accepted: 100 to 599", m.Status)
	need(slices.Contains([]Cache{"", Hit, Miss, Uncached}, m.Cache), "cache", "is %s; accepted: hit, miss, none", core.Quoted(string(m.Cache)))
	need(m.Since.IsZero() || m.Until.IsZero() || m.Until.After(m.Since), "until", "is not after since")
	need(len(m.Query)+len(m.Headers)+len(m.Members) <= mostConditions, "query", "and headers and body have more than %d values", mostConditions)
	return faults
}

// finding is what a condition found in an entry.
type finding struct {
	Difference
	equal bool
}

// Difference is one condition that an entry does not meet.
type Difference struct {
	Field string `json:"field" doc:"The condition" example:"status"`
	Want  string `json:"want" doc:"What the condition asks for" example:"200"`
	Got   string `json:"got" doc:"What the entry has" example:"404"`
}

// findings is what came of each condition.
type findings []finding

func (f *findings) add(field, want, got string, equal bool) {
	*f = append(*f, finding{Difference{field, want, got}, equal})
}

// text is a condition that one text equals another; none where nothing is wanted.
func (f *findings) text(field, want, got string) {
	if want != "" {
		f.add(field, want, got, want == got)
	}
}

// equal counts the conditions that are met.
func (f findings) equal() int {
	n := 0
	for i := range f {
		if f[i].equal {
			n++
		}
	}
	return n
}

// differences are the conditions that are not met.
func (f findings) differences() []Difference {
	out := []Difference{}
	for i := range f {
		if !f[i].equal {
			out = append(out, f[i].Difference)
		}
	}
	return out
}

// matcher is a match with its values masked, for reports.
type matcher struct {
	Match

	path                    string
	query, headers, members []wanted
}

// wanted is a named value, plain and masked.
type wanted struct{ name, plain, shown string }

func (m Match) ready(mask masker) *matcher {
	return &matcher{
		Match: m, path: mask.path(m.Path), query: wants(m.Query, mask.value), members: wants(m.Members, mask.value),
		headers: wants(m.Headers, func(name, text string) string { return mask.header(http.CanonicalHeaderKey(name), text) }),
	}
}

func wants(values map[string]string, mask func(name, text string) string) (list []wanted) {
	for _, name := range slices.Sorted(maps.Keys(values)) {
		list = append(list, wanted{name, values[name], mask(name, values[name])})
	}
	return list
}

// judge appends what the match finds in an entry, condition by condition. After and Control are no conditions: they say where to look.
func (m *matcher) judge(o *Open, f findings) findings {
	e, sent := &o.entry, cmp.Or(o.raw, &raw{})
	f.text("id", m.ID, e.ID)
	f.text("operation", m.Operation, e.Operation)
	f.text("method", m.Method, e.Request.Method)
	if m.Path != "" {
		shown, _ := path.Match(m.Path, e.Request.Path) // Check read the pattern
		plain, _ := path.Match(m.Path, sent.path())
		f.add("path", m.path, e.Request.Path, plain || shown && o.raw == nil)
	}
	if len(m.query) > 0 {
		f.values("query", m.query, e.Request.Query, sent.query())
	}
	f.values("headers", m.headers, e.Request.Headers, sent.headers)
	if len(m.members) > 0 {
		f.values("body", m.members, members(string(e.Request.Body)), members(sent.body.Reveal()))
	}
	if m.Applied != "" {
		f.add("applied", m.Applied, e.Applied, strings.HasPrefix(e.Applied, m.Applied))
	}
	f.text("cache", string(m.Cache), string(e.Cache))
	if m.Status != 0 {
		f.add("status", strconv.Itoa(m.Status), strconv.Itoa(e.Answer.Status), m.Status == e.Answer.Status)
	}
	f.text("error", m.Error, e.Answer.Error)
	if m.Field != "" {
		f.add("field", m.Field, strings.Join(e.Answer.Fields, ", "), slices.Contains(e.Answer.Fields, m.Field))
	}
	f = m.judgeAttempts(e.Attempts, f)
	f.source(m.Source, e.Votes)
	f.instant("%s or later", m.Since, e.At, !e.At.Before(m.Since))
	f.instant("before %s", m.Until, e.At, e.At.Before(m.Until))
	return f
}

func (f *findings) instant(want string, bound, got time.Time, equal bool) {
	if !bound.IsZero() {
		f.add("at", fmt.Sprintf(want, bound.Format(time.RFC3339Nano)), got.Format(time.RFC3339Nano), equal)
	}
}

func (f *findings) source(want string, votes []Vote) {
	if want == "" {
		return
	}
	var got []string
	for _, v := range votes {
		got = append(got, v.Source)
	}
	f.add("source", want, strings.Join(got, ", "), slices.Contains(got, want))
}

// values compares named values with those that were sent, or with those that are shown if the request was
// not kept. One of several values of a name is enough.
func (f *findings) values(kind string, want []wanted, shown, sent []Field) {
	for _, w := range want {
		found := ""
		for _, field := range shown {
			if strings.EqualFold(field.Name, w.name) {
				found = field.Value
			}
		}
		if sent == nil {
			sent = shown
		}
		f.add(kind+"."+w.name, w.shown, found, slices.ContainsFunc(sent, func(field Field) bool {
			return strings.EqualFold(field.Name, w.name) && field.Value == w.plain
		}))
	}
}

// judgeAttempts judges the attempt that meets the most of what is asked of one.
func (m *matcher) judgeAttempts(attempts []Attempt, f findings) findings {
	if m.Provider == "" && m.Outcome == "" && m.Fault == "" && m.Breaker == "" {
		return f
	}
	before := len(f)
	best := m.judgeAttempt(&Attempt{}, f)
	for i := range attempts {
		if found := m.judgeAttempt(&attempts[i], slices.Clone(f)); i == 0 || found[before:].equal() > best[before:].equal() {
			best = found
		}
	}
	return best
}

func (m *matcher) judgeAttempt(a *Attempt, f findings) findings {
	f.text("provider", m.Provider, a.Provider)
	f.text("outcome", m.Outcome, a.Outcome)
	f.text("fault", m.Fault, a.Fault)
	f.text("breaker", m.Breaker, a.Breaker)
	return f
}
