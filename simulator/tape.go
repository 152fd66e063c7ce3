package simulator

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"path"
	"slices"
	"strings"
	"time"

	"causeway/core"
)

// Tape is what providers of prices answered, to be answered again on a world's clock. It is data alone, and says the same at any instant that is asked
// about, in any order.
type Tape struct {
	Title string `json:"title,omitempty"`
	// Recorded is when it began to be recorded: the times of quotes in its answers are moved on by what lies between then and the beginning of its being
	// played. The zero time leaves them as they are.
	Recorded time.Time   `json:"recorded,omitzero"`
	Lasts    Duration    `json:"lasts"`            // then the market goes on
	Repeat   bool        `json:"repeat,omitempty"` // then it begins again
	Entries  []TapeEntry `json:"entries"`
}

// TapeEntry is one answer. It is given from its time on to every question that it fits, until the next entry that fits the question, or the end.
type TapeEntry struct {
	At       Duration          `json:"at"` // after the beginning
	Provider string            `json:"provider"`
	Path     string            `json:"path"`              // of the GET that was asked
	Query    map[string]string `json:"query,omitempty"`   // parameters that the question must have, by name; empty: any
	Status   int               `json:"status,omitempty"`  // 0: no answer came, the connection broke
	Headers  map[string]string `json:"headers,omitempty"` // by name
	Body     json.RawMessage   `json:"body,omitempty"`    // JSON
	Text     string            `json:"text,omitempty"`    // of a body that is no JSON: a page, or half an answer
}

// Limits of a tape.
const (
	mostTapes       = 4       // of a world, at once
	mostTapeEntries = 5000    // of a tape
	mostTapeBytes   = 1 << 20 // of the bodies of a tape
	longestTape     = Duration(30 * 24 * time.Hour)
	longestHeader   = 200
	mostTapeFaults  = 20 // that are told at once
)

// check returns what is wrong with a tape where the providers are such, each with what is accepted.
func (t Tape) check(offers map[string]Offer) error {
	var c checker
	c.need(len(t.Title) <= longestHeader, "title", fmt.Sprintf("%d bytes", len(t.Title)), fmt.Sprintf("at most %d", longestHeader))
	c.need(t.Recorded.IsZero() || inTime(t.Recorded), "recorded", t.Recorded.Format(time.RFC3339), times())
	c.need(t.Lasts > 0 && t.Lasts <= longestTape, "lasts", time.Duration(t.Lasts), "more than 0s, at most "+time.Duration(longestTape).String())
	c.need(len(t.Entries) > 0 && len(t.Entries) <= mostTapeEntries, "entries", len(t.Entries), fmt.Sprintf("1 to %d", mostTapeEntries))
	last, size := Duration(0), 0
	for i, e := range t.Entries {
		at := fmt.Sprintf("entries.%d.", i)
		c.need(e.At >= last && e.At < t.Lasts, at+"at", time.Duration(e.At), "not before that of the entry before it, and within what the tape lasts")
		last = max(last, e.At)
		e.check(&c, at, offers)
		if size += len(e.Body) + len(e.Text); len(c.faults) >= mostTapeFaults {
			break
		}
	}
	c.need(size <= mostTapeBytes, "entries", fmt.Sprintf("%d bytes of bodies", size), fmt.Sprintf("at most %d: a shorter tape, or several of them", mostTapeBytes))
	return c.err()
}

// check looks at an entry by itself.
func (e TapeEntry) check(c *checker, at string, offers map[string]Offer) {
	e.checkQuestion(c, at, offers)
	const lowest, highest = 200, 599
	silent := e.Status == 0
	answered := len(e.Headers) > 0 || len(e.Body) > 0 || e.Text != ""
	c.need(silent && !answered || e.Status >= lowest && e.Status <= highest, at+"status", e.Status,
		fmt.Sprintf("%d to %d; without status, headers, body and text no answer came", lowest, highest))
	for _, name := range slices.Sorted(maps.Keys(e.Headers)) {
		c.need(slices.Contains(tapeHeaders, http.CanonicalHeaderKey(name)), at+"headers", core.Quoted(name)+" is none that matters", strings.Join(tapeHeaders, ", "))
		value := e.Headers[name]
		c.need(len(value) <= longestHeader && !strings.ContainsFunc(value, func(r rune) bool { return r < ' ' || r > '~' }), at+"headers."+http.CanonicalHeaderKey(name), "its value",
			fmt.Sprintf("at most %d printable characters", longestHeader))
	}
	c.need(len(e.Body) == 0 || e.Text == "", at+"text", "is there beside a body", "one of them")
	c.need(!json.Valid([]byte(e.Text)), at+"text", "is JSON", "body, for JSON; text for what is none")
	if len(e.Body) > 0 {
		var document any
		_ = json.Unmarshal(e.Body, &document) // it was read as JSON
		name := telling(document)
		c.need(name == "", at+"body", core.Quoted(name)+" tells of people or keys", "an answer about prices, without such members")
	}
}

// checkQuestion looks at what an entry is an answer to.
func (e TapeEntry) checkQuestion(c *checker, at string, offers map[string]Offer) {
	var priced []string
	for name, o := range offers {
		if len(o.Taped) > 0 {
			priced = append(priced, name)
		}
	}
	slices.Sort(priced)
	if !slices.Contains(priced, e.Provider) {
		c.need(false, at+"provider", core.Quoted(e.Provider)+" tells no prices", strings.Join(priced, ", "))
		return
	}
	known := slices.ContainsFunc(offers[e.Provider].Taped, func(pattern string) bool {
		matched, err := path.Match(pattern, e.Path)
		return matched && err == nil
	})
	c.need(known, at+"path", core.Quoted(e.Path), strings.Join(offers[e.Provider].Taped, ", "))
	for _, name := range slices.Sorted(maps.Keys(e.Query)) {
		c.need(slices.Contains(tapeParameters, name), at+"query", core.Quoted(name)+" does not choose among markets", strings.Join(tapeParameters, ", "))
	}
}

// telling is the name of a member anywhere in a document that tells of people or opens doors; empty: there is none.
func telling(document any) string {
	switch v := document.(type) {
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(v)) {
			plain := strings.Map(func(r rune) rune {
				if r == '_' || r == '-' || r == ' ' {
					return -1
				}
				return r
			}, strings.ToLower(name))
			if unrecorded[plain] {
				return name
			}
			if inside := telling(v[name]); inside != "" {
				return inside
			}
		}
	case []any:
		for _, element := range v {
			if inside := telling(element); inside != "" {
				return inside
			}
		}
	}
	return ""
}

// plain is a tape as it is kept: bodies without blanks, nothing in common with the one that was given.
func (t Tape) plain() Tape {
	t.Entries = slices.Clone(t.Entries)
	for i := range t.Entries {
		e := &t.Entries[i]
		e.Query, e.Headers = maps.Clone(e.Query), maps.Clone(e.Headers)
		var body bytes.Buffer
		if json.Compact(&body, e.Body) != nil || body.String() == "null" { // which counts as absent
			body.Reset()
		}
		e.Body = body.Bytes()
	}
	return t
}

// RecordTape makes an entry of an answer: with those of its headers that a tape may have. An answer that a tape may not have is an error that says why.
func RecordTape(e TapeEntry, header http.Header, body []byte, offers map[string]Offer) (TapeEntry, error) {
	for _, name := range tapeHeaders {
		if value := header.Get(name); value != "" {
			if e.Headers == nil {
				e.Headers = map[string]string{}
			}
			e.Headers[name] = value
		}
	}
	if json.Valid(body) {
		e.Body = body
	} else {
		e.Text = string(body)
	}
	one := Tape{Lasts: longestTape, Entries: []TapeEntry{e}}.plain()
	return one.Entries[0], one.check(offers)
}
