// Package edge is the front door of a sandbox: it finds the world that a request is about, what the request asks to happen, and says on every
// answer which world it came from, at what time there, and what decided it. It records the request in the world's journal.
//
// It knows worlds and HTTP, and nothing of the API behind it: who serves a world, and how an error looks, comes in from outside. It refuses
// nothing by itself but a world that cannot be had and a scenario that does not exist. It is where the faults of the plane simulator.Edge befall answers.
package edge

import (
	"context"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"causeway/simulator"
	"causeway/simulator/journal"
)

// The headers of a sandbox.
const (
	headerWorld    = "Sim-World"
	headerScenario = "Sim-Scenario"
	headerTime     = "Sim-Time"
	headerApplied  = "Sim-Applied"
)

// Tenant is the API as one world has it.
type Tenant interface {
	http.Handler
	// Refuse answers with an error in the API's envelope.
	Refuse(w http.ResponseWriter, r *http.Request, err error)
}

// Config is what the door needs.
type Config struct {
	Worlds *simulator.Worlds
	// Home serves the world of whoever names none, and refuses what no other world can.
	Home Tenant
	// Tenant returns who serves a world, making it where it is new.
	Tenant func(ctx context.Context, w *simulator.World) (Tenant, error)
	// Operation names what a request asks for; empty for what is not there.
	Operation func(r *http.Request) string
	// Votes are those of the price that a request explains; nil for any other request.
	Votes func(w *simulator.World, operation string, r *http.Request) []journal.Vote
}

// Edge is the front door. Make it with New.
type Edge struct {
	cfg     Config
	home    *simulator.World
	watched atomic.Bool
	plain   atomic.Int64 // reads, up to one more than are recorded before somebody looks
	now     atomic.Pointer[stamp]

	closing sync.Once
	closed  chan struct{}
}

// stamp is Sim-Time as it was written last.
type stamp struct {
	at   int64 // in milliseconds
	text []string
}

// New makes the door. It fails where there is no world of whoever names none.
func New(cfg Config) (*Edge, error) {
	home, err := cfg.Worlds.Find(simulator.DefaultWorld)
	if err != nil {
		return nil, err
	}
	return &Edge{cfg: cfg, home: home, closed: make(chan struct{})}, nil
}

// Close breaks off whatever a fault holds up, so that a server which is being shut down need not wait for it. Everything else goes on.
func (e *Edge) Close() { e.closing.Do(func() { close(e.closed) }) }

// unwatched is how many plain reads in the world of whoever names none are recorded before somebody looks: more than its journal has room for. They are
// by far the most that a sandbox is asked, and one under load, whose control API was never used, has nobody who would read about them. Everything else
// is recorded always.
const unwatched = 1000

// Watch has plain reads recorded from now on, however many. It reports whether all were recorded before.
func (e *Edge) Watch() (whole bool) { return e.watched.Swap(true) || e.plain.Load() <= unwatched }

// unrecorded reports whether a request is one read more than are recorded before somebody looks.
func (e *Edge) unrecorded(r *http.Request) bool {
	if len(r.Header[headerWorld]) > 0 || len(r.Header[headerScenario]) > 0 || r.Method != http.MethodGet || e.watched.Load() || !e.home.Faults().Quiet() {
		return false
	}
	return e.plain.Load() > unwatched || e.plain.Add(1) > unwatched
}

// ServeHTTP answers one request.
func (e *Edge) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if e.unrecorded(r) {
		e.pass(w, r)
		return
	}
	names, scenarios := r.Header[headerWorld], r.Header[headerScenario]
	id := simulator.DefaultWorld
	if len(names) > 0 && names[0] != "" {
		id = names[0]
	}
	world, err := e.cfg.Worlds.Use(id)
	if err != nil {
		e.refuse(w, r, id, err)
		return
	}
	defer e.cfg.Worlds.Hold(world)()
	tenant := e.cfg.Home
	if world != e.home {
		if tenant, err = e.cfg.Tenant(r.Context(), world); err != nil {
			e.cfg.Home.Refuse(&answer{ResponseWriter: w, call: &simulator.Call{World: world}, now: world.Now()}, r, err)
			return
		}
	}
	scenario := ""
	if len(scenarios) > 0 {
		scenario = scenarios[0]
	}
	e.visit(w, r, world, tenant, scenario)
}

// refuse says that a world cannot be had. One that has ended, or that there is no room for, has a name and no time: the time is that of the world of whoever names
// none, which answers. So is all of it where the name is none.
func (e *Edge) refuse(w http.ResponseWriter, r *http.Request, id string, err error) {
	h := w.Header()
	if bad := simulator.CheckIDIn(headerWorld, id); bad != nil {
		id, err = simulator.DefaultWorld, bad
	}
	h[headerWorld], h[headerTime], h[headerApplied] = []string{id}, e.time(), nothing
	e.cfg.Home.Refuse(w, r, err)
}

// visit answers a request in a world, and records it.
func (e *Edge) visit(w http.ResponseWriter, r *http.Request, world *simulator.World, tenant Tenant, scenario string) {
	operation := e.cfg.Operation(r)
	entry := world.Journal().Begin(operation, r)
	call, err := world.NewCall(operation, scenario)
	if err != nil {
		call = &simulator.Call{World: world, Operation: operation}
	}
	call.Entry = entry
	a := &answer{ResponseWriter: w, call: call, now: world.Now()}
	var copied tee
	if r.Body != nil && r.Body != http.NoBody {
		copied.ReadCloser = r.Body
		r.Body = &copied
	}
	asked := r
	a.note = func() {
		call.End()
		if copied.ReadCloser != nil {
			entry.Body(copied.kept)
		}
		entry.Applied(call.Applied())
		if e.cfg.Votes != nil {
			entry.Votes(e.cfg.Votes(world, operation, asked)...)
		}
		entry.End(w.Header().Get("X-Request-Id"), a.summary(asked))
	}
	defer a.finish()
	r = r.WithContext(simulator.WithCall(r.Context(), call))
	if err != nil {
		tenant.Refuse(a, r, err)
		return
	}
	if hit, befallen := call.Strike(r.Header); befallen {
		e.befall(a, r, tenant, hit)
		return
	}
	tenant.ServeHTTP(a, r)
}

// pass answers a plain read in the world of whoever names none, which nobody records.
func (e *Edge) pass(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	h[headerWorld], h[headerApplied], h[headerTime] = homeWorld, nothing, e.time()
	e.cfg.Home.ServeHTTP(w, r)
}

// time is Sim-Time in the world of whoever names none. It is written once a millisecond.
func (e *Edge) time() []string {
	now := e.home.Now()
	at := now.UnixMilli()
	if s := e.now.Load(); s != nil && s.at == at {
		return s.text
	}
	s := &stamp{at: at, text: []string{timeOf(now)}}
	e.now.Store(s)
	return s.text
}

func timeOf(now time.Time) string { return now.UTC().Format("2006-01-02T15:04:05.000Z07:00") }
