package wire

import (
	"maps"
	"net/http"
	"path"
	"slices"
	"strconv"
	"time"

	"causeway/simulator"
	"causeway/simulator/mishap"
)

// faulty is a provider with whom things go wrong by the rules of its world: the one place where they do, for every provider. Answers are changed
// after they were made, so that what is wrong with them is wrong with the wire and nothing else.
//
// A handler sees a question only once its connection stands: one that is to be refused is broken off before it is looked at. A WebSocket is hung up
// as long as the venue is down or a rule is about its answers, so that the rule befalls the questions that are asked in its place: see shut.
type faulty struct {
	world    *simulator.World
	provider string
	next     http.Handler
	layout   layout
}

// endangered puts every provider behind the rules of the world.
func endangered(world *simulator.World, handlers map[string]http.Handler) map[string]http.Handler {
	out := make(map[string]http.Handler, len(handlers))
	for name, handler := range handlers {
		out[name] = &faulty{world: world, provider: name, next: handler, layout: layouts[name]}
	}
	world.Faults().OfferAll(offers())
	return out
}

// Offers says what can befall each provider: what worlds must know of it. The caller leaves it as it is.
func Offers() map[string]simulator.Offer { return offers() }

// offer says what can befall a provider.
func (l layout) offer() simulator.Offer {
	o := simulator.Offer{Operations: []string{}, Prices: l.priced, Members: slices.Sorted(maps.Keys(l.members)), Times: len(l.times) > 0}
	for _, t := range l.times {
		o.Counted = o.Counted || t.unit == seconds || t.unit == milliseconds
	}
	for _, op := range l.operations {
		o.Operations = append(o.Operations, op.name)
	}
	return o
}

// operation names what a question asks for; empty for what is not in the table. A question for a WebSocket is none of them.
func (l layout) operation(r *http.Request) string {
	if r.Header.Get("Upgrade") != "" {
		return ""
	}
	for _, op := range l.operations {
		if matched, err := path.Match(op.path, r.URL.Path); err == nil && matched {
			return op.name
		}
	}
	return ""
}

// patience is how long whoever asks waits for an answer at most.
const patience = 4 * time.Second

// hurried plays what takes its time by the machine's clock while the world's is moved, which waits for nobody: an answer that would come in time comes at once, and
// the connection breaks where none would. It reports false for what takes no time.
func (f *faulty) hurried(w http.ResponseWriter, r *http.Request, hit simulator.Hit) bool {
	kind := hit.Effect.Kind
	switch {
	case kind == simulator.FaultHang, kind == simulator.FaultLatency && hit.Delay() >= patience:
		panic(http.ErrAbortHandler) // net/http and Wire break the connection
	case kind == simulator.FaultLatency, kind.Slows():
		f.next.ServeHTTP(w, r)
		return true
	}
	return false
}

// ServeHTTP answers one call, or does to it what the rules say.
func (f *faulty) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	now := f.world.Now()
	if f.world.Market().Down(f.provider, now) {
		failure(simulator.Effect{Status: http.StatusServiceUnavailable}).send(w, now)
		return
	}
	call := simulator.CallOf(r.Context())
	if call.Forced() { // somebody asked for something else to happen
		f.next.ServeHTTP(w, r)
		return
	}
	hit, befallen := f.world.Faults().Next(simulator.Question{Provider: f.provider, Operation: f.layout.operation(r), Header: r.Header}, now)
	if !befallen {
		f.next.ServeHTTP(w, r)
		return
	}
	call.Decide("fault:" + hit.Fault)
	call.Befell(f.provider, hit.Fault)
	if f.world.Moving() && f.hurried(w, r, hit) {
		return
	}
	mishap.Scene{
		Answer: f.next, Header: http.Header{"Date": {now.UTC().Format(http.TimeFormat)}},
		Fail:   http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { failure(hit.Effect).send(w, now) }),
		Change: func(r *http.Request, body []byte) []byte { return f.change(r, body, hit.Effect) },
	}.Play(w, r, hit)
}

// failure is an answer that says no more than its status and a code.
func failure(e simulator.Effect) reply {
	status := e.Status
	if status == 0 {
		status = http.StatusServiceUnavailable
	}
	document := map[string]string{"message": http.StatusText(status)}
	if e.Code != "" {
		document["code"] = e.Code
	}
	a := answer(status, document)
	if e.RetryAfter > 0 {
		a = a.with("Retry-After", strconv.FormatInt(int64(time.Duration(e.RetryAfter)/time.Second), 10))
	}
	return a
}

// change is an answer with everything in it changed that the effect is about.
func (f *faulty) change(r *http.Request, body []byte, e simulator.Effect) []byte {
	if e.Kind == simulator.FaultSwappedPair && f.layout.another != nil {
		return mishap.Body(f.next, f.layout.another(r))
	}
	if place := f.layout.members[f.layout.operation(r)]; place != "" {
		return mishap.Edit(body, func(document *any) { spoilMember(document, place, e.Kind) })
	}
	return mishap.Edit(body, func(document *any) { f.layout.rewrite(document, e) })
}
