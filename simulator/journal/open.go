package journal

import (
	"net/http"
	"sync"
	"time"
	"unsafe"

	"causeway/core"
)

// How much of a kind an entry holds. Whatever is over is counted in LeftOut.
const (
	mostAttempts = 48
	mostVotes    = 64
	mostFields   = 32 // query parameters, and fields at fault
	mostHeaders  = 16
	longestText  = 200 // bytes of a parameter, a header, or a field at fault
	longestName  = 64  // bytes of a name of ours
	longestPath  = 400
	longestBody  = 8 << 10 // bytes of a body that is shown
)

// Open is a request that is under way. It is safe for concurrent use; nil records nothing. What is noted after End is lost, and
// counted as late.
type Open struct {
	journal *Journal
	start   time.Time

	mu     sync.Mutex
	ended  bool
	size   int  // bytes, from End on
	raw    *raw // nil: not kept
	masker masker
	entry  Entry
}

// Begin records a request to the product. It reads the request's line and headers and leaves its body alone: see Body.
func (j *Journal) Begin(operation string, r *http.Request) *Open { return j.begin(operation, r, false) }

// BeginControl records a call of the control API that changes the world: a Bundle repeats it in its place among the requests.
func (j *Journal) BeginControl(operation string, r *http.Request) *Open {
	return j.begin(operation, r, true)
}

func (j *Journal) begin(operation string, r *http.Request, control bool) *Open {
	o := &Open{journal: j, start: j.cfg.Stopwatch(), masker: j.masker()}
	e := &o.entry
	e.At, e.World, e.Control, e.Operation = j.cfg.Clock().Round(0), j.cfg.World, control, clip(operation)
	e.Applied, e.Cache, e.Attempts, e.Votes = "none", Uncached, []Attempt{}, []Vote{}
	o.receive(r)
	return o
}

// lock reports whether the entry can still be changed; the caller then unlocks it.
func (o *Open) lock() bool {
	if o == nil {
		return false
	}
	o.mu.Lock()
	if o.ended {
		o.mu.Unlock()
		o.journal.late.Add(1)
		return false
	}
	return true
}

// Operation names the operation, where Begin could not yet.
func (o *Open) Operation(name string) {
	if o.lock() {
		o.entry.Operation = clip(name)
		o.mu.Unlock()
	}
}

// Body records the request's body: the bytes that were received. They stay the caller's.
func (o *Open) Body(body []byte) {
	if o.lock() {
		o.take(body)
		o.mu.Unlock()
	}
}

// Response records the beginning of the response's body. A journal that keeps requests keeps it beside the request.
func (o *Open) Response(start []byte) {
	if o.lock() {
		if o.raw != nil {
			o.raw.response = core.Private(start)
		}
		o.mu.Unlock()
	}
}

// Applied says what decided the outcome, as in Sim-Applied: "fault:f3". The last one counts.
func (o *Open) Applied(what string) {
	if o.lock() {
		o.entry.Applied = clip(what)
		o.mu.Unlock()
	}
}

// Cache says what a cache did. The last one counts.
func (o *Open) Cache(c Cache) {
	if o.lock() {
		o.entry.Cache = c
		o.mu.Unlock()
	}
}

// Attempt adds a question to a provider when it has ended. Its texts are names of ours, never a client's or a provider's own.
func (o *Open) Attempt(a Attempt) {
	if !o.lock() {
		return
	}
	defer o.mu.Unlock()
	if len(o.entry.Attempts) == mostAttempts {
		o.entry.LeftOut++
		return
	}
	a.Provider, a.Operation, a.Outcome, a.Breaker, a.Fault = name(a.Provider), name(a.Operation), name(a.Outcome), name(a.Breaker), name(a.Fault)
	o.entry.Attempts = append(o.entry.Attempts, a)
}

// Votes adds what sources said of a market.
func (o *Open) Votes(votes ...Vote) {
	if !o.lock() {
		return
	}
	defer o.mu.Unlock()
	fit := min(len(votes), mostVotes-len(o.entry.Votes))
	o.entry.LeftOut += len(votes) - fit
	for _, v := range votes[:fit] {
		v.Market, v.Source, v.Family, v.Reason = name(v.Market), name(v.Source), name(v.Family), name(v.Reason)
		v.Bid, v.Ask, v.Age = name(v.Bid), name(v.Ask), name(v.Age)
		o.entry.Votes = append(o.entry.Votes, v)
	}
}

// End puts the entry into the journal. The id is the request's, as in X-Request-Id. Only the first end counts.
func (o *Open) End(id string, a Answer) {
	if !o.lock() {
		return
	}
	o.ended = true
	e := &o.entry
	fit := min(len(a.Fields), mostFields)
	e.LeftOut += len(a.Fields) - fit
	faulty := make([]string, fit)
	for i, name := range a.Fields[:fit] {
		faulty[i] = clip(name)
	}
	a.Error, a.ContentType, a.Fields = name(a.Error), clip(a.ContentType), faulty
	e.ID, e.Answer, e.Took = clip(id), a, Millis(o.journal.cfg.Stopwatch().Sub(o.start))
	o.size = o.weigh()
	o.mu.Unlock()
	o.journal.add(o)
}

// weigh estimates the memory of an entry.
func (o *Open) weigh() int {
	e := &o.entry
	size := int(unsafe.Sizeof(*o)) + len(e.ID) + len(e.Operation) + len(e.Applied) + len(e.Request.Path) + len(e.Request.Body)
	size += fieldBytes(e.Request.Query) + fieldBytes(e.Request.Headers) + len(e.Answer.ContentType)
	for _, f := range e.Answer.Fields {
		size += perText + len(f)
	}
	for _, a := range e.Attempts {
		size += int(unsafe.Sizeof(a)) + 5*perText + len(a.Provider) + len(a.Operation) + len(a.Outcome) + len(a.Breaker) + len(a.Fault)
	}
	for _, v := range e.Votes {
		size += int(unsafe.Sizeof(v)) + 7*perText + len(v.Market) + len(v.Source) + len(v.Family) + len(v.Bid) + len(v.Ask) +
			len(v.Age) + len(v.Reason)
	}
	if o.raw != nil {
		size += int(unsafe.Sizeof(*o.raw)) + len(o.raw.target.Reveal()) + len(o.raw.body.Reveal()) +
			len(o.raw.response.Reveal()) + fieldBytes(o.raw.headers)
	}
	return size + size/4 // what allocators and growing slices leave unused
}

// perText is what a text takes beyond its length.
const perText = 24

func fieldBytes(list []Field) int {
	size := 0
	for _, f := range list {
		size += int(unsafe.Sizeof(f)) + 2*perText + len(f.Name) + len(f.Value)
	}
	return size
}
