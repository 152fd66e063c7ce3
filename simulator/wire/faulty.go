package wire

import (
	"bytes"
	"cmp"
	"encoding/json"
	"net/http"
	"path"
	"strconv"
	"time"

	"causeway/simulator"
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
	o := simulator.Offer{Operations: []string{}, Prices: len(l.prices) > 0, Times: len(l.times) > 0}
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
	switch {
	case hit.Effect.Kind.Spoils():
		f.spoil(w, r, hit.Effect, now)
	case hit.Effect.Kind == simulator.FaultLatency:
		if pause(r, hit.Delay()) {
			f.next.ServeHTTP(w, r)
		}
	default:
		if hit.Phase == simulator.After {
			f.answer(r)
		}
		f.lose(w, r, hit.Effect, now)
	}
}

// pause waits, and reports whether whoever asked is still there.
func pause(r *http.Request, wait time.Duration) bool {
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-r.Context().Done():
		return false
	}
}

// lose answers something else than what was asked for, or nothing.
func (f *faulty) lose(w http.ResponseWriter, r *http.Request, e simulator.Effect, now time.Time) {
	switch e.Kind {
	case simulator.FaultHang:
		<-r.Context().Done()
	case simulator.FaultStatus:
		failure(e).send(w, now)
	case simulator.FaultRedirect:
		reply{status: http.StatusFound, content: contentHTML, body: []byte(wrongPage)}.with("Location", "https://moved.example/").send(w, now)
	case simulator.FaultHTML:
		reply{status: http.StatusOK, content: contentHTML, body: []byte(wrongPage)}.send(w, now)
	case simulator.FaultEmpty:
		reply{status: http.StatusOK, content: contentJSON}.send(w, now)
	default:
		panic(http.ErrAbortHandler) // net/http and Wire break the connection
	}
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

// recorder is an answer that is kept back.
type recorder struct {
	status int
	header http.Header
	body   bytes.Buffer
}

// Header is the answer's.
func (k *recorder) Header() http.Header { return k.header }

// WriteHeader keeps the first status.
func (k *recorder) WriteHeader(status int) {
	if k.status == 0 {
		k.status = status
	}
}

// Write keeps a part of the body.
func (k *recorder) Write(p []byte) (int, error) {
	k.WriteHeader(http.StatusOK)
	return k.body.Write(p)
}

// answer is what the provider says by itself.
func (f *faulty) answer(r *http.Request) reply {
	k := &recorder{header: http.Header{}}
	f.next.ServeHTTP(k, r)
	k.WriteHeader(http.StatusOK)
	a := reply{status: k.status, content: k.header.Get("Content-Type"), header: k.header, body: k.body.Bytes()}
	for _, name := range []string{"Content-Type", "Content-Length", "Date", "Etag"} { // of the answer as it was
		a.header.Del(name)
	}
	return a
}

// hugeBody is how many blanks stand before an answer where the rule does not say: more than anybody reads.
const hugeBody = 5 << 20

// spoil changes an answer. One that is none of success is left as it is.
func (f *faulty) spoil(w http.ResponseWriter, r *http.Request, e simulator.Effect, now time.Time) {
	a := f.answer(r)
	if a.status != http.StatusOK {
		a.send(w, now)
		return
	}
	switch e.Kind {
	case simulator.FaultTruncate:
		a.start(w, now) // promises the whole body
		_, _ = w.Write(a.body[:len(a.body)/2])
		return
	case simulator.FaultHugeBody:
		blanks := cmp.Or(int(e.Bytes), hugeBody)
		a.body = append(bytes.Repeat([]byte(" "), blanks), a.body...)
	case simulator.FaultWrongContentType:
		a.content = contentText
	case simulator.FaultDuplicate:
		a.body = bytes.Repeat(a.body, 2)
	default:
		a.body = f.rewritten(r, a.body, e)
	}
	a.send(w, now)
}

// rewritten is a JSON document with everything in it changed that the effect is about. What is no JSON stays as it is.
func (f *faulty) rewritten(r *http.Request, body []byte, e simulator.Effect) []byte {
	if e.Kind == simulator.FaultSwappedPair && f.layout.another != nil {
		return f.answer(f.layout.another(r)).body
	}
	decoder := json.NewDecoder(bytes.NewReader(body))
	decoder.UseNumber()
	var document any
	if decoder.Decode(&document) != nil {
		return body
	}
	f.layout.rewrite(&document, e)
	return answer(http.StatusOK, document).body
}
