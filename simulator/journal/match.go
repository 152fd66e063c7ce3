package journal

import (
	"encoding/json"
	"maps"
	"net/url"
	"path"
	"slices"
	"strconv"
	"strings"

	"causeway/core"
	"causeway/simulator/input"
)

// Match selects entries. Empty fields match everything.
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

	// All of one attempt.
	Provider string `json:"provider,omitempty" query:"provider" doc:"Provider of an attempt" example:"paystack"`
	Outcome  string `json:"outcome,omitempty" query:"outcome" doc:"Outcome of the same attempt" example:"timeout"`
	Fault    string `json:"fault,omitempty" query:"fault" doc:"ID of the fault of the same attempt" example:"f1"`
	Breaker  string `json:"breaker,omitempty" query:"breaker" doc:"State of the circuit breaker before the same attempt" example:"open"`

	Source string `json:"source,omitempty" query:"source" doc:"A source that had a vote" example:"kraken"`
}

// check returns what the tags of the match cannot express, as an error of a field with a prefix.
func (m Match) check(prefix string) error {
	if _, err := path.Match(m.Path, "/"); err != nil {
		return core.InvalidField(prefix+"path", "%s; accepted: a path in which * is anything but a slash, such as "+
			"/v1/pairs/*", input.Quoted(m.Path))
	}
	return nil
}

// Values returns the match as query parameters of the control API.
func (m Match) Values() url.Values {
	text, _ := json.Marshal(m) // texts, numbers and times
	var conditions map[string]any
	_ = json.Unmarshal(text, &conditions)
	query := url.Values{}
	for name, v := range conditions {
		if values, ok := v.(map[string]any); ok {
			for inner, value := range values {
				query.Set(name+"["+inner+"]", scalar(value))
			}
			continue
		}
		query.Set(name, scalar(v))
	}
	return query
}

// Difference is one condition that an entry does not meet.
type Difference struct {
	Field string `json:"field" doc:"The condition" example:"status"`
	Want  string `json:"want" doc:"What the condition asks for" example:"200"`
	Got   string `json:"got" doc:"What the entry has" example:"404"`
}

// condition is a condition of a match, and whether an entry meets it.
type condition struct {
	Difference
	met bool
}

// conditions are all conditions of a match.
type conditions []condition

// add adds a condition that an entry has a text, if one is wanted.
func (c *conditions) add(field, want string, got ...string) {
	if want != "" {
		*c = append(*c, condition{Difference{field, want, strings.Join(got, ", ")}, slices.Contains(got, want)})
	}
}

// fields adds a condition for each wanted value. One of several values of a name is enough. Values are shown masked.
func (c *conditions) fields(kind string, want map[string]string, got []Field, mask func(name, text string) string) {
	for _, name := range slices.Sorted(maps.Keys(want)) {
		d, met := Difference{Field: kind + "." + name, Want: mask(name, want[name])}, false
		for _, f := range got {
			if strings.EqualFold(f.Name, name) {
				d.Got, met = mask(f.Name, f.Value), met || f.Value == want[name]
			}
		}
		*c = append(*c, condition{d, met})
	}
}

// missed returns the conditions that the entry does not meet.
func (c conditions) missed() (out []Difference) {
	for _, one := range c {
		if !one.met {
			out = append(out, one.Difference)
		}
	}
	return out
}

// compare compares an entry with the match. After and Control are no conditions: they say where to look.
func (m Match) compare(o *Open) (c conditions) {
	e := &o.Entry
	at, query := o.sent.pathAndQuery()
	c.add("id", m.ID, e.ID)
	c.add("operation", m.Operation, e.Operation)
	c.add("method", m.Method, o.sent.Method)
	if m.Path != "" {
		met, _ := path.Match(m.Path, at) // check read the pattern
		c = append(c, condition{Difference{"path", maskPath(m.Path, e.World), maskPath(at, e.World)}, met})
	}
	c.fields("query", m.Query, query, maskValue)
	c.fields("headers", m.Headers, o.sent.Headers, maskHeader)
	if len(m.Members) > 0 {
		c.fields("body", m.Members, members(o.sent.Body), maskValue)
	}
	if m.Applied != "" {
		c = append(c, condition{Difference{"applied", m.Applied, e.Applied}, strings.HasPrefix(e.Applied, m.Applied)})
	}
	c.add("cache", string(m.Cache), string(e.Cache))
	if m.Status != 0 {
		c.add("status", strconv.Itoa(m.Status), strconv.Itoa(e.Answer.Status))
	}
	c.add("error", m.Error, e.Answer.Error)
	c.add("field", m.Field, e.Answer.Fields...)
	c = append(c, m.compareAttempts(e.Attempts)...)
	var sources []string
	for _, v := range e.Votes {
		sources = append(sources, v.Source)
	}
	c.add("source", m.Source, sources...)
	return c
}

// compareAttempts returns the conditions on one attempt, compared with the attempt that meets most of them.
func (m Match) compareAttempts(attempts []Attempt) (best conditions) {
	for i, a := range append(slices.Clip(attempts), Attempt{}) {
		var one conditions
		one.add("provider", m.Provider, a.Provider)
		one.add("outcome", m.Outcome, a.Outcome)
		one.add("fault", m.Fault, a.Fault)
		one.add("breaker", m.Breaker, a.Breaker)
		if i == 0 || len(one.missed()) < len(best.missed()) {
			best = one
		}
	}
	return best
}

// members returns the members of a body's object as text.
func members(body string) []Field {
	var object map[string]any
	_ = json.Unmarshal([]byte(body), &object) // what is no object has no members
	out := make([]Field, 0, len(object))
	for name, value := range object {
		out = append(out, Field{name, scalar(value)})
	}
	return out
}

// filter returns the entries that match.
func (m Match) filter(all []*Open) []*Open {
	var found []*Open
	for _, o := range all {
		if len(m.compare(o).missed()) == 0 {
			found = append(found, o)
		}
	}
	return found
}

// String returns the conditions in words.
func (m Match) String() string {
	var words []string
	for _, d := range m.compare(&Open{}) {
		words = append(words, d.Field+" "+d.Want)
	}
	switch {
	case len(words) == 0 && m.Control:
		return "of the control API"
	case len(words) == 0:
		return "of any kind"
	}
	return "with " + strings.Join(words, ", ")
}
