package wire

import (
	"net/http"
	"time"

	"causeway/simulator/faults"
	"causeway/simulator/faults/inject"
	"causeway/simulator/wire/format"
	"causeway/simulator/world"
)

// faulty injects the faults of the world's rules into the responses of a provider. Responses are
// changed after the handler made them.
//
// A handler sees a request only after the connection is open; a refused connection is closed before
// the request is looked at. WebSockets are closed while the venue is down or a rule matches its
// responses: see format.Socket.
type faulty struct {
	world    *world.World
	provider format.Descriptor
	next     http.Handler
}

// patience is how long a client waits for a response at most.
const patience = 4 * time.Second

// hurried plays slow responses while the world's clock is being moved, which waits for nothing: a
// response that would be in time comes at once, and otherwise the connection breaks. It reports
// false for faults that take no time.
func (f *faulty) hurried(w http.ResponseWriter, r *http.Request, hit faults.Hit) bool {
	kind := hit.Effect.Kind
	switch {
	case kind == faults.Hang, kind == faults.Latency && hit.Delay() >= patience:
		panic(http.ErrAbortHandler) // net/http breaks the connection
	case kind == faults.Latency, kind.Slows():
		f.next.ServeHTTP(w, r)
		return true
	}
	return false
}

// ServeHTTP responds to one request, with a fault if a rule matches.
func (f *faulty) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	now, call := f.world.Now(), world.RequestFrom(r.Context())
	call.Send(f.provider.Name)
	if f.world.Market().Down(f.provider.Name, now) {
		format.Failure(faults.Effect{Status: http.StatusServiceUnavailable}).Send(w, now)
		return
	}
	if call.Forced() { // the client chose another outcome
		f.next.ServeHTTP(w, r)
		return
	}
	operation := f.provider.Operation(r)
	hit, ok := f.world.Faults().Next(faults.Request{
		Provider: f.provider.Name, Operation: operation.Name, Header: r.Header,
	}, now)
	if !ok {
		f.next.ServeHTTP(w, r)
		return
	}
	call.Decide("fault:" + hit.Fault)
	call.SetFault(f.provider.Name, hit.Fault)
	if hit.Effect.Kind.Chain() {
		f.next.ServeHTTP(w, format.WithEffect(r, hit.Effect))
		return
	}
	if f.world.Moving() && f.hurried(w, r, hit) {
		return
	}
	inject.Injector{
		Next: f.next, Header: http.Header{"Date": {now.UTC().Format(http.TimeFormat)}},
		Fail: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			format.Failure(hit.Effect).Send(w, now)
		}),
		Alter: func(r *http.Request, body []byte) []byte { return f.change(r, operation, body, hit.Effect) },
	}.Serve(w, r, hit)
}

// change returns a body with the fault in the members that it concerns.
func (f *faulty) change(r *http.Request, op format.Operation, body []byte, e faults.Effect) []byte {
	p := f.provider
	if e.Kind == faults.SwappedPair && p.Markets[0] != "" {
		another := r.Clone(r.Context())
		if another.URL.Path = p.Markets[0]; r.URL.Path == p.Markets[0] {
			another.URL.Path = p.Markets[1]
		}
		return inject.Body(f.next, another)
	}
	return inject.Edit(body, func(document any) { p.Rewrite(document, op, e) })
}
