package journal

import (
	"bytes"
	"encoding/json"
	"net/http"
	"net/url"
	"strings"
	"time"
)

// Hosts are the origins that exported requests go to, such as http://localhost:8080.
type Hosts struct {
	Public  string
	Control string // of the operator's listener
}

// harFile is an HTTP Archive 1.2 (http://www.softwareishard.com/blog/har-12-spec/, read 2026-11-20). Members that begin with an
// underscore are ours: the specification leaves such to whoever writes.
type harFile struct {
	Log harLog `json:"log"`
}

type harLog struct {
	Version string     `json:"version"`
	Creator harCreator `json:"creator"`
	Entries []harEntry `json:"entries"`
	Comment string     `json:"comment"`
}

type harCreator struct {
	Name    string `json:"name"`
	Version string `json:"version"`
}

type harEntry struct {
	Started   time.Time   `json:"startedDateTime"`
	Time      float64     `json:"time"` // milliseconds
	Request   harRequest  `json:"request"`
	Response  harResponse `json:"response"`
	Cache     struct{}    `json:"cache"` // of a browser
	Timings   harTimings  `json:"timings"`
	ID        string      `json:"_id"`
	Seq       uint64      `json:"_seq"`
	World     string      `json:"_world"`
	Operation string      `json:"_operation"`
	Applied   string      `json:"_applied"`
	OurCache  Cache       `json:"_cache"`
	Attempts  []Attempt   `json:"_attempts"`
	Votes     []Vote      `json:"_votes"`
}

type harRequest struct {
	Method      string     `json:"method"`
	URL         string     `json:"url"`
	Version     string     `json:"httpVersion"`
	Cookies     []Field    `json:"cookies"`
	Headers     []Field    `json:"headers"`
	Query       []Field    `json:"queryString"`
	Body        *harPosted `json:"postData,omitempty"`
	HeadersSize int        `json:"headersSize"` // -1: not known
	BodySize    int        `json:"bodySize"`
}

type harPosted struct {
	Type   string  `json:"mimeType"`
	Params []Field `json:"params"`
	Text   string  `json:"text"`
}

type harResponse struct {
	Status      int        `json:"status"`
	StatusText  string     `json:"statusText"`
	Version     string     `json:"httpVersion"`
	Cookies     []Field    `json:"cookies"`
	Headers     []Field    `json:"headers"`
	Content     harContent `json:"content"`
	RedirectURL string     `json:"redirectURL"`
	HeadersSize int        `json:"headersSize"`
	BodySize    int64      `json:"bodySize"`
	Error       string     `json:"_error,omitempty"`
}

type harContent struct {
	Size int64  `json:"size"`
	Type string `json:"mimeType"`
}

type harTimings struct {
	Send    float64 `json:"send"`
	Wait    float64 `json:"wait"`
	Receive float64 `json:"receive"`
}

const (
	httpVersion = "HTTP/1.1"
	unknownType = "x-unknown" // as the specification has it
)

// HAR writes entries as an HTTP Archive, for the tools that show one. Values stay masked, and there are no bodies of answers; build is the
// version that wrote it.
func HAR(list []Entry, hosts Hosts, build string) ([]byte, error) {
	log := harLog{
		Version: "1.2", Creator: harCreator{"causeway", build}, Entries: make([]harEntry, len(list)),
		Comment: "Values that may be about people are masked (****). Times are those of the simulated world, durations those of the machine.",
	}
	for i := range list {
		log.Entries[i] = harEntryOf(&list[i], hosts)
	}
	return encode(harFile{log})
}

func harEntryOf(e *Entry, hosts Hosts) harEntry {
	request := harRequest{
		Method: e.Request.Method, URL: e.Request.url(hosts.of(e.Control)), Version: httpVersion, Cookies: []Field{}, Headers: e.Request.Headers,
		Query: e.Request.Query, HeadersSize: -1, BodySize: e.Request.BodyBytes,
	}
	if e.Request.Body != nil {
		request.Body = &harPosted{Type: "application/json", Params: []Field{}, Text: string(e.Request.Body)}
	}
	response := harResponse{
		Status: e.Answer.Status, StatusText: http.StatusText(e.Answer.Status), Version: httpVersion, Cookies: []Field{}, Headers: []Field{},
		Content: harContent{e.Answer.Bytes, unknownType}, HeadersSize: -1, BodySize: e.Answer.Bytes, Error: e.Answer.Error,
	}
	if e.Answer.ContentType != "" {
		response.Content.Type = e.Answer.ContentType
		response.Headers = append(response.Headers, Field{"Content-Type", e.Answer.ContentType})
	}
	return harEntry{
		Started: e.At, Time: e.Took, Request: request, Response: response, Timings: harTimings{Wait: e.Took},
		ID: e.ID, Seq: e.Seq, World: e.World, Operation: e.Operation, Applied: e.Applied, OurCache: e.Cache, Attempts: e.Attempts, Votes: e.Votes,
	}
}

func (h Hosts) of(control bool) string {
	if control {
		return h.Control
	}
	return h.Public
}

// url is the address of a request, masked.
func (r *Request) url(host string) string {
	var out strings.Builder
	out.WriteString(host)
	out.WriteString(r.Path)
	for i, f := range r.Query {
		out.WriteByte("?&"[min(i, 1)])
		out.WriteString(readable(url.QueryEscape(f.Name)))
		out.WriteByte('=')
		out.WriteString(readable(url.QueryEscape(f.Value)))
	}
	return out.String()
}

// encode writes a file for people and programs.
func encode(v any) ([]byte, error) {
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(v); err != nil {
		return nil, err
	}
	return out.Bytes(), nil
}
