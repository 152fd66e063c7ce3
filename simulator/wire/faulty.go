package wire

import (
	"net/http"
	"time"

	"causeway/simulator/faults"
	"causeway/simulator/faults/inject"
	"causeway/simulator/wire/provider"
	"causeway/simulator/world"
)

// faulty is a provider with whom things go wrong by the rules of its world: the one place where they do, for every provider. Answers are changed
// after they were made, so that what is wrong with them is wrong with the wire and nothing else.
//
// A handler sees a question only once its connection stands: one that is to be refused is broken off before it is looked at. A WebSocket is hung up
// as long as the venue is down or a rule is about its answers, so that the rule befalls the questions that are asked in its place: see shut.
type faulty struct {
	world    *world.World
	provider provider.Descriptor
	next     http.Handler
}

// patience is how long whoever asks waits for an answer at most.
const patience = 4 * time.Second

// hurried plays what takes its time by the machine's clock while the world's is moved, which waits for nobody: an answer that would come in time comes at once, and
// the connection breaks where none would. It reports false for what takes no time.
func (f *faulty) hurried(w http.ResponseWriter, r *http.Request, hit faults.Hit) bool {
	kind := hit.Effect.Kind
	switch {
	case kind == faults.Hang, kind == faults.Latency && hit.Delay() >= patience:
		panic(http.ErrAbortHandler) // net/http and Wire break the connection
	case kind == faults.Latency, kind.Slows():
		f.next.ServeHTTP(w, r)
		return true
	}
	return false
}

// ServeHTTP answers one call, or does to it what the rules say.
func (f *faulty) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	now := f.world.Now()
	if f.world.Market().Down(f.provider.Name, now) {
		provider.Failure(faults.Effect{Status: http.StatusServiceUnavailable}).Send(w, now)
		return
	}
	call := world.RequestFrom(r.Context())
	if call.Forced() { // somebody asked for something else to happen
		f.next.ServeHTTP(w, r)
		return
	}
	hit, befallen := f.world.Faults().Next(faults.Request{Provider: f.provider.Name, Operation: f.provider.FaultPoints.Operation(r), Header: r.Header}, now)
	if !befallen {
		f.next.ServeHTTP(w, r)
		return
	}
	call.Decide("fault:" + hit.Fault)
	call.Befell(f.provider.Name, hit.Fault)
	if f.world.Moving() && f.hurried(w, r, hit) {
		return
	}
	inject.Scene{
		Answer: f.next, Header: http.Header{"Date": {now.UTC().Format(http.TimeFormat)}},
		Fail:   http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { provider.Failure(hit.Effect).Send(w, now) }),
		Change: func(r *http.Request, body []byte) []byte { return f.change(r, body, hit.Effect) },
	}.Play(w, r, hit)
}

// change is an answer with everything in it changed that the effect is about.
func (f *faulty) change(r *http.Request, body []byte, e faults.Effect) []byte {
	if e.Kind == faults.SwappedPair && f.provider.FaultPoints.Another != nil {
		return inject.Body(f.next, f.provider.FaultPoints.Another(r))
	}
	if place := f.provider.FaultPoints.Members[f.provider.FaultPoints.Operation(r)]; place != "" {
		return inject.Edit(body, func(document *any) { provider.SpoilMember(document, place, e.Kind) })
	}
	return inject.Edit(body, func(document *any) { f.provider.FaultPoints.Rewrite(document, e) })
}
