package world

import (
	"context"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"causeway/core"
	"causeway/simulator/accounts"
	"causeway/simulator/faults"
	"causeway/simulator/journal"
)

// Request is a request to the public API of a sandbox. It travels in the context to the simulated providers, so
// that they respond as the request asks. All methods of a nil Request, as over the network, do nothing.
type Request struct {
	World     *World
	Operation string

	requested *accounts.Scripted // nil: no outcome was requested, and no fault produces an error
	source    string             // "scenario" or "next"
	putBack   func()             // returns the outcome to the queue; may be nil
	began     time.Time          // by the clock of the machine
	cacheKey  string
	applied   atomic.Pointer[string]

	mu       sync.Mutex
	sent     map[string]time.Time // when the present request to a provider was sent
	faults   map[string]string    // rule that hit the present request to a provider
	tries    map[string][]try     // not yet attempts, by provider
	attempts []journal.Attempt
	cache    journal.Cache
}

// try is a request to a provider that ended.
type try struct {
	journal.Attempt
	began, ended time.Time
}

// NewRequest begins a request, also if there is an error. Its outcome is the scenario of the header Sim-Scenario, or
// the next one of the queue.
func (w *World) NewRequest(operation, scenario string) (*Request, error) {
	r := &Request{
		World: w, Operation: operation, began: w.shared.config.Clock(), cache: journal.Uncached,
		sent: map[string]time.Time{}, faults: map[string]string{}, tries: map[string][]try{},
	}
	if scenario == "" {
		r.source = "next"
		r.requested, r.putBack = w.queue.Take(operation)
	} else {
		s, err := accounts.Find("Sim-Scenario", operation, scenario)
		if err != nil {
			return r, err
		}
		r.source, r.requested = "scenario", s
	}
	if r.requested != nil {
		r.cacheKey = "forced " + strconv.FormatUint(w.forced.Add(1), 10)
	} else if version := w.accounts.Version(); version > 0 {
		r.cacheKey = "accounts " + strconv.FormatUint(version, 10)
	}
	return r, nil
}

// End ends the request. A queued outcome that had no effect is left for the next request.
func (r *Request) End() {
	if r.putBack != nil && r.applied.Load() == nil {
		r.putBack()
	}
}

// CacheKey separates cached account names: a request with a requested outcome shares none, and no request gets one
// from before a change of the accounts.
func (r *Request) CacheKey() string {
	if r == nil {
		return ""
	}
	return r.cacheKey
}

// Forced reports whether an outcome was requested. No fault hits such a request.
func (r *Request) Forced() bool { return r != nil && r.requested != nil }

// Fail returns the error that was requested as the response, or that a fault produces.
func (r *Request) Fail() (accounts.Scripted, bool) {
	if !r.Forced() || r.requested.Plane != faults.Edge {
		return accounts.Scripted{}, false
	}
	r.Decide(r.source + ":" + r.requested.Name)
	return *r.requested, true
}

// Decide records what decided the response, such as "fault:f3", unless something did before.
func (r *Request) Decide(what string) {
	if r != nil && what != "" {
		r.applied.CompareAndSwap(nil, &what)
	}
}

// Applied returns what decided the response, as in Sim-Applied: "scenario:unknown", "next:all_down", "fault:f3",
// "magic:404" or "none".
func (r *Request) Applied() string {
	if r != nil {
		if what := r.applied.Load(); what != nil {
			return *what
		}
	}
	return "none"
}

// AppliedMagic returns what decided the response if that was a magic number, or an empty text. A cached name needs
// no provider, but the number decided its response all the same.
func (r *Request) AppliedMagic() string {
	if applied := r.Applied(); strings.HasPrefix(applied, accounts.MagicPrefix) {
		return applied
	}
	return ""
}

// EdgeFault returns the fault that hits the response to the client.
func (r *Request) EdgeFault(header http.Header) (hit faults.Hit, ok bool) {
	if r.Forced() || r.Operation == "" {
		return faults.Hit{}, false
	}
	hit, ok = r.World.faults.Next(faults.Request{Plane: faults.Edge, Operation: r.Operation, Header: header},
		r.World.Now())
	if ok {
		r.Decide("fault:" + hit.Fault)
	}
	return hit, ok
}

// FailWith makes Fail return the error of a fault.
func (r *Request) FailWith(h faults.Hit) {
	name, _ := h.Effect.Error() // Set.Add checked that there is one
	r.requested = &accounts.Scripted{
		Name: "fault:" + h.Fault, Plane: faults.Edge, Operations: []string{r.Operation}, Status: name.Status(),
		Error: string(name), RetryAfter: time.Duration(h.Effect.RetryAfter),
	}
}

// Send records when the present request to a provider is sent.
func (r *Request) Send(provider string) {
	if r == nil {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.sent[provider] = r.World.shared.config.Clock()
}

// SetFault records the rule that hits the present request to a provider.
func (r *Request) SetFault(provider, fault string) {
	if r == nil {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.faults[provider] = fault
}

// Try records a request to a provider that a client waits for.
func (r *Request) Try(a journal.Attempt) {
	if r == nil {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.try(a, r.World.shared.config.Clock())
}

// try records a request to a provider that ended. A request that was not sent takes no time. The caller holds the
// lock.
func (r *Request) try(a journal.Attempt, ended time.Time) {
	began, sent := r.sent[a.Provider]
	if !sent {
		began = ended
	}
	a.Fault = r.faults[a.Provider]
	delete(r.sent, a.Provider)
	delete(r.faults, a.Provider)
	r.tries[a.Provider] = append(r.tries[a.Provider], try{a, began, ended})
}

// Attempted makes attempts of the requests to a provider since the last call. The outcome is the outcome of the last
// request; if it is empty, the outcome of that request itself says why there is no usable response.
func (r *Request) Attempted(provider, outcome string, hedged bool) {
	if r == nil {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.tries[provider]) == 0 { // it still waits for a response
		r.try(journal.Attempt{Provider: provider, Operation: "resolve", Outcome: "timeout"}, r.World.shared.config.Clock())
	}
	made := r.tries[provider]
	delete(r.tries, provider)
	switch last := &made[len(made)-1]; {
	case outcome != "":
		last.Outcome = outcome
	case last.Outcome == "ok":
		last.Outcome = "undecided"
	}
	for _, t := range made {
		t.Start, t.Took, t.Hedged = journal.Millis(t.began.Sub(r.began)), journal.Millis(t.ended.Sub(t.began)), hedged
		r.attempts = append(r.attempts, t.Attempt)
	}
}

// Cached records whether the response came from a cache.
func (r *Request) Cached(hit bool) {
	if r == nil {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.cache = journal.Miss; hit {
		r.cache = journal.Hit
	}
}

// Record writes what happened so far to the journal entry of the request.
func (r *Request) Record(o *journal.Open) {
	r.mu.Lock()
	defer r.mu.Unlock()
	o.Applied, o.Cache, o.Attempts = r.Applied(), r.cache, append(o.Attempts, r.attempts...)
}

// AccountAt returns how a provider responds to a request for an account, and records what decided that.
func (w *World) AccountAt(
	ctx context.Context, provider string, channel core.Channel, bank core.Bank, number string,
) accounts.Account {
	r := RequestFrom(ctx)
	var requested *accounts.Scripted
	if r.Forced() && r.requested.Plane == faults.Upstream {
		requested = r.requested
		r.Decide(r.source + ":" + requested.Name)
	}
	first := true
	if w.shared.config.Order != nil {
		order := w.shared.config.Order(bank.Country, channel)
		first = len(order) == 0 || order[0] == provider || !slices.Contains(order, provider)
	}
	a, applied := w.accounts.Respond(first, requested, bank, number)
	r.Decide(applied)
	return a
}

type requestKey struct{}

// WithRequest returns a context that carries a request.
func WithRequest(ctx context.Context, r *Request) context.Context {
	return context.WithValue(ctx, requestKey{}, r)
}

// RequestFrom returns the request of a context, or nil.
func RequestFrom(ctx context.Context) *Request {
	r, _ := ctx.Value(requestKey{}).(*Request)
	return r
}
