package wire

import (
	"net/http"
	"time"

	"causeway/simulator"
	"causeway/simulator/mishap"
)

// taped is a provider that says what a tape of its world has for it, and else what it would say by itself. What goes wrong by the rules of the world
// befalls answers of both kinds.
type taped struct {
	world    *simulator.World
	provider string
	next     http.Handler
	layout   layout
}

// recorded lets the tapes of a world answer for the providers that one may have.
func recorded(world *simulator.World, handlers map[string]http.Handler) map[string]http.Handler {
	for name := range recordable {
		handlers[name] = &taped{world: world, provider: name, next: handlers[name], layout: layouts[name]}
	}
	return handlers
}

// ServeHTTP answers one call.
func (t *taped) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	now := t.world.Now()
	if r.Method != http.MethodGet || r.Header.Get("Upgrade") != "" {
		t.next.ServeHTTP(w, r)
		return
	}
	said, found := t.world.Tapes().Answer(t.provider, r.URL.Path, r.URL.Query(), now)
	if !found {
		t.next.ServeHTTP(w, r)
		return
	}
	simulator.CallOf(r.Context()).Decide("tape:" + said.Tape)
	if said.Entry.Status == 0 {
		panic(http.ErrAbortHandler) // net/http and Wire break the connection
	}
	t.reply(said).send(w, now)
}

// reply is what a tape says as it comes over the wire.
func (t *taped) reply(said simulator.Answer) reply {
	a := reply{status: said.Entry.Status, content: contentJSON, body: said.Entry.Body}
	if said.Entry.Text != "" {
		a.content, a.body = contentText, []byte(said.Entry.Text)
	}
	for name, value := range said.Entry.Headers {
		if http.CanonicalHeaderKey(name) == "Content-Type" {
			a.content = value
			continue
		}
		a = a.with(name, value)
	}
	if said.Later != 0 {
		a.body = t.layout.later(a.body, said.Later)
	}
	return a
}

// later is a JSON document with the times of its quotes moved on. What has none stays as it is.
func (l layout) later(body []byte, by time.Duration) []byte {
	if len(l.times) == 0 {
		return body
	}
	return mishap.Edit(body, func(document *any) {
		for _, t := range l.times {
			step := by
			if t.unit == date {
				step = by.Truncate(24 * time.Hour)
			}
			for _, s := range mishap.Find(document, t.place) {
				if step != 0 {
					t.unit.move(s, step)
				}
			}
		}
	})
}
