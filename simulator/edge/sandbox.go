// Package edge is the sandbox middleware of the public API. It resolves the simulated world of
// a request, applies the requested scenario and the faults towards clients to the response, adds the
// sandbox headers, and records requests to the API in the journal of its world.
//
// It knows worlds and HTTP, but not the API: the services of a world and the form of errors come in
// through Config.
package edge

import (
	"bytes"
	"cmp"
	"context"
	"io"
	"net/http"
	"strings"
	"time"

	"causeway/adapters/web/apierror"
	"causeway/simulator/journal"
	"causeway/simulator/world"
)

// The headers of a sandbox.
const (
	headerWorld    = "Sim-World"
	headerScenario = "Sim-Scenario"
	headerTime     = "Sim-Time"
	headerApplied  = "Sim-Applied"
)

// appliedNone is the value of Sim-Applied of a response that nothing decided.
const appliedNone = "none"

// Config configures a Handler.
type Config struct {
	Worlds *world.Registry
	// Enter returns the request as the services of a world answer it, and a function that is called
	// when the response is complete. It makes the services if the world is new.
	Enter func(r *http.Request, world *world.World) (in *http.Request, leave func(), err error)
	// Refuse responds with an error in the envelope of the API.
	Refuse func(w http.ResponseWriter, r *http.Request, err error)
	// Operation returns the operation that serves a request, or "".
	Operation func(r *http.Request) string
	// Votes returns the votes of the price that a request explains, or nil. It may be nil.
	Votes func(w *world.World, operation string, r *http.Request) []journal.Vote
}

// Handler is the sandbox middleware. Make it with New.
type Handler struct {
	cfg    Config
	bodies *bodies
	open   context.Context //nolint:containedctx // of the Handler, not of a request
	cancel context.CancelFunc
}

// New returns a Handler.
func New(cfg Config) *Handler {
	e := &Handler{cfg: cfg, bodies: newBodies()}
	e.open, e.cancel = context.WithCancel(context.Background())
	return e
}

// Close aborts the delays of faults, so that a shutdown does not wait for them.
func (e *Handler) Close() { e.cancel() }

// Middleware returns the API of all worlds.
func (e *Handler) Middleware(next http.Handler) http.Handler {
	vary := headerWorld + ", " + headerScenario
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Add("Vary", vary)
		named := r.Header.Get(headerWorld)
		sim, err := e.cfg.Worlds.Use(cmp.Or(named, world.Default))
		if err != nil {
			e.refuse(w, r, named, err)
			return
		}
		defer e.cfg.Worlds.Hold(sim)()
		// The ID is one of the world, so that a repetition in an equal world gets the same
		// response.
		w.Header().Set(apierror.RequestIDHeader, apierror.RequestID(r, sim.Entropy))
		e.visit(w, r, sim, e.inside(sim, next))
	})
}

// inside returns the API of one world.
func (e *Handler) inside(sim *world.World, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		in, leave, err := e.cfg.Enter(r, sim)
		if err != nil {
			e.cfg.Refuse(w, r, err)
			return
		}
		defer leave()
		next.ServeHTTP(w, in)
	})
}

// refuse responds that there is no such world. The time is the time of the world default; a
// malformed name is replaced by default.
func (e *Handler) refuse(w http.ResponseWriter, r *http.Request, id string, err error) {
	if bad := world.CheckID(headerWorld, id); bad != nil {
		id, err = world.Default, bad
	}
	now := e.cfg.Worlds.Now()
	if home, err := e.cfg.Worlds.Find(world.Default); err == nil {
		now = home.Now()
	}
	setHeaders(w.Header(), id, now, appliedNone)
	e.cfg.Refuse(w, r, err)
}

// isAPI reports whether a request is to the API, and not for a page or a file. Requests that no
// operation serves count too, because a client sent them by mistake.
func isAPI(operation string, r *http.Request) bool {
	return operation != "" || strings.HasPrefix(r.URL.Path, "/v1/")
}

// visit answers a request in a world and records it.
func (e *Handler) visit(w http.ResponseWriter, r *http.Request, sim *world.World, next http.Handler) {
	operation := e.cfg.Operation(r)
	entry := sim.Journal().Begin(operation, r)
	call, err := sim.NewRequest(operation, r.Header.Get(headerScenario))
	out := &response{ResponseWriter: w, call: call, now: sim.Now(), bodies: e.bodies}
	var received bytes.Buffer // as far as the body is read, which the API limits
	if r.Body != nil && r.Body != http.NoBody {
		r.Body = readCloser{io.TeeReader(r.Body, &received), r.Body}
	}
	request := r
	out.record = func() {
		if !isAPI(operation, request) {
			return
		}
		call.End()
		call.Record(entry)
		entry.Body(received.Bytes())
		sent := out.body()
		if w.Header().Get("Content-Encoding") == "" {
			entry.Response(sent.start)
		}
		if e.cfg.Votes != nil {
			entry.Votes = append(entry.Votes, e.cfg.Votes(sim, operation, request)...)
		}
		entry.End(w.Header().Get(apierror.RequestIDHeader), out.summary(request, sent))
	}
	defer out.finish()
	r = r.WithContext(world.WithRequest(r.Context(), call))
	if err != nil {
		e.cfg.Refuse(out, r, err)
		return
	}
	if hit, faulty := call.EdgeFault(r.Header); faulty {
		e.applyFault(out, r, next, hit)
		return
	}
	next.ServeHTTP(out, r)
}

// readCloser reads from one reader and closes another one.
type readCloser struct {
	io.Reader
	io.Closer
}

func setHeaders(h http.Header, world string, now time.Time, applied string) {
	h.Set(headerWorld, world)
	h.Set(headerTime, now.UTC().Format("2006-01-02T15:04:05.000Z07:00"))
	h.Set(headerApplied, applied)
}
