package journal

import (
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode/utf8"
)

// maxRequest is the size in bytes of the largest request that is kept.
const maxRequest = MaxBytes / 4

// Open is a request that is under way. Its owner completes the entry and then calls End.
type Open struct {
	Entry // without the request, which is masked when it is shown

	journal  *Journal
	start    time.Time
	size     int // approximate memory in bytes
	sent     Sent
	response string // the beginning of the response's body
}

// The operations of entries that are no requests to Causeway.
const (
	OpBlock   = "block"
	OpWebhook = "webhook"
)

// AddBlock records a block of a simulated chain, among the calls of the control API. A Bundle leaves it out: it
// follows from the calls.
func (j *Journal) AddBlock(at time.Time, b Block) {
	const payment = 80 // approximate size
	j.addFact(Entry{At: at, Operation: OpBlock, Block: &b}, payment*len(b.Transactions))
}

// AddWebhook records what was sent to a receiver, in the same way.
func (j *Journal) AddWebhook(w Webhook) {
	j.addFact(Entry{At: j.cfg.Clock().Round(0), Operation: OpWebhook, Webhook: &w}, 0)
}

func (j *Journal) addFact(e Entry, size int) {
	const entry = 900 // approximate size
	e.World, e.Control, e.Applied, e.Cache = j.cfg.World, true, "none", Uncached
	e.Attempts, e.Votes, e.Answer = []Attempt{}, []Vote{}, Answer{Fields: []string{}}
	j.add(&Open{journal: j, size: entry + size, Entry: e})
}

// isFact reports whether an entry is no request to Causeway.
func (e *Entry) isFact() bool { return e.Block != nil || e.Webhook != nil }

// Begin records a request to the public API. It leaves the body alone: see Body.
func (j *Journal) Begin(operation string, r *http.Request) *Open {
	return &Open{
		journal: j, start: j.cfg.Stopwatch(),
		Entry: Entry{
			At: j.cfg.Clock().Round(0), World: j.cfg.World, Operation: operation, Applied: "none", Cache: Uncached,
			Attempts: []Attempt{}, Votes: []Vote{},
		},
		sent: Sent{
			Method: r.Method, Path: r.URL.RequestURI(), Headers: relevantHeaders(r.Header),
		},
	}
}

// BeginControl records a call of the control API that changes the world. A Bundle repeats it.
func (j *Journal) BeginControl(operation string, r *http.Request) *Open {
	o := j.Begin(operation, r)
	o.Control = true
	return o
}

// Body records the body of the request.
func (o *Open) Body(body []byte) { o.sent.Body = string(body) }

// Response records the beginning of the response's body.
func (o *Open) Response(start string) { o.response = start }

// End adds the entry to the journal. The id is the ID of the request, as in X-Request-Id.
func (o *Open) End(id string, a Answer) {
	if a.Fields == nil {
		a.Fields = []string{}
	}
	s := &o.sent
	o.ID, o.Answer, o.Took = id, a, Millis(o.journal.cfg.Stopwatch().Sub(o.start))
	o.Request.BodyBytes = len(s.Body)
	s.At, s.Control, s.Answer = o.At, o.Control, Outcome{a.Status, a.SHA256}
	o.withhold()
	const entry, attempt, vote = 1500, 200, 300 // approximate sizes with their texts
	o.size = entry + s.length() + len(o.response) + attempt*len(o.Attempts) + vote*len(o.Votes)
	o.journal.add(o)
}

// length returns the size of the request.
func (s *Sent) length() int {
	n := len(s.Path) + len(s.Body)
	for _, h := range s.Headers {
		n += len(h.Name) + len(h.Value)
	}
	return n
}

// withhold removes what must not be kept of a request that holds a secret, is too large or cannot be sent again.
func (o *Open) withhold() {
	s, c := &o.sent, o.journal.cfg
	hide := s.length() > maxRequest || !isCode(s.Method) || !strings.HasPrefix(s.Path, "/") ||
		!utf8.ValidString(s.Path) || c.secretPath(s.Path)
	if !hide && utf8.ValidString(s.Body) && !slices.ContainsFunc(s.Headers, c.secretHeader) &&
		!c.secretBody(s.Body) {
		return
	}
	if hide {
		s.Path = "/" + hidden
	}
	if !isCode(s.Method) {
		s.Method = hidden
	}
	s.Headers, s.Body, o.response, o.Withheld = []Field{}, "", "", true
}

// replayed are the headers that a response may depend on, without the headers of the sandbox. They are recorded, and
// a Bundle sends them again. A credential is never among them.
var replayed = []string{
	"Accept", "Accept-Encoding", "Content-Encoding", "Content-Type", "If-None-Match", "Last-Event-Id", "X-Request-Id",
}

// sandboxHeader matches the headers of the sandbox, whose names have letters only.
var sandboxHeader = regexp.MustCompile(`^Sim-[A-Za-z-]{1,24}$`)

// isRelevant reports whether a response may depend on a header.
func isRelevant(name string) bool {
	return slices.Contains(replayed, name) || strings.HasPrefix(name, "Sim-") && sandboxHeader.MatchString(name)
}

// relevantHeaders returns the headers that a response may depend on, by name.
func relevantHeaders(all http.Header) []Field {
	list := []Field{}
	for name, values := range all {
		for _, text := range values {
			if isRelevant(name) {
				list = append(list, Field{name, text})
			}
		}
	}
	slices.SortStableFunc(list, func(a, b Field) int { return strings.Compare(a.Name, b.Name) })
	return list
}

// pathAndQuery returns the escaped path and the query parameters, in their order.
func (s *Sent) pathAndQuery() (path string, query []Field) {
	path, text, _ := strings.Cut(s.Path, "?")
	query = []Field{}
	for item := range strings.SplitSeq(text, "&") {
		if name, value, _ := strings.Cut(item, "="); item != "" {
			query = append(query, Field{unescape(name), unescape(value)})
		}
	}
	return path, query
}

func unescape(text string) string {
	if plain, err := url.QueryUnescape(text); err == nil {
		return plain
	}
	return text
}

// shown returns entries with their requests, masked.
func shown(list []*Open) []Entry {
	out := make([]Entry, len(list))
	for i, o := range list {
		out[i] = o.Entry
		out[i].Request = maskRequest(&o.sent, o.World, o.Request.BodyBytes)
	}
	return out
}
