package world

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"causeway/core"
	"causeway/simulator/faults"
	"causeway/simulator/input"
)

// RegistryConfig configures a Registry.
type RegistryConfig struct {
	Clock     core.Clock   // of the machine
	Banks     []core.Bank  // institutions that the providers know: the catalog's and accounts.MagicBanks
	Chains    []core.Chain // networks with a blockchain in each world
	Providers map[string]faults.Capabilities
	Order     ProviderOrder // nil: every provider is the first one

	Default   Options                            // of the world "default"
	MaxWorlds int                                // alive at once; 0: 1,000
	MaxEnded  int                                // ends that are remembered; 0: 100,000
	Idle      time.Duration                      // after which an unused world without a TTL ends; 0: an hour
	Secret    func(text string, prose bool) bool // finds texts that no journal keeps; nil: none
}

const (
	defaultMaxWorlds = 1000
	defaultMaxEnded  = 100_000
	defaultIdle      = time.Hour
	leastIdle        = time.Minute // after which an unused world makes room for another one
	sweepInterval    = time.Minute
)

// Registry holds the worlds of a sandbox by ID. It is safe for concurrent use.
//
// The first use of an unknown ID creates its world. A world that ended is core.Expired until it is created or
// forked again, so that no test loses its settings unnoticed. A reset puts a new World in the place of the
// old one, which ends.
type Registry struct {
	observer Observer
	shared   *shared

	mu    sync.Mutex
	alive map[string]*World
	ended map[string]bool
	ends  []string // IDs in the order of their ends
	over  []*World // ended and not yet finished
	early int      // worlds that made room for others
}

// Room says how many worlds are alive, how many there may be, and how many ended to make room for others.
type Room struct{ Alive, Max, Early int }

// Room returns how much room there is.
func (r *Registry) Room() Room {
	r.mu.Lock()
	defer r.mu.Unlock()
	return Room{len(r.alive), r.shared.config.MaxWorlds, r.early}
}

// Observer builds the services of worlds, which follow what happens to their world.
type Observer interface {
	// Ready is called before the control API changes a world: it builds the services of the world and its
	// first prices.
	Ready(context.Context, *World) error
	// Changed is called after the change, which the next response must show even if the clock stands still.
	Changed(context.Context, *World)
	// Forked is called for a new fork before anyone can use it, while the clock of its origin stands; it must
	// not use the registry.
	Forked(origin, fork *World)
	// Ended is called once for each World that ended, and may use the registry.
	Ended(*World)
}

// NoServices is the Observer of worlds without services.
type NoServices struct{}

// Ready implements Observer.
func (NoServices) Ready(context.Context, *World) error { return nil }

// Changed implements Observer.
func (NoServices) Changed(context.Context, *World) {}

// Forked implements Observer.
func (NoServices) Forked(_, _ *World) {}

// Ended implements Observer.
func (NoServices) Ended(*World) {}

// NewRegistry returns a registry with the world "default".
func NewRegistry(c RegistryConfig) (*Registry, error) {
	if c.Clock == nil {
		return nil, errors.New("simulator: no clock")
	}
	c.MaxWorlds, c.MaxEnded = cmp.Or(c.MaxWorlds, defaultMaxWorlds), cmp.Or(c.MaxEnded, defaultMaxEnded)
	c.Idle, c.Default.ID = cmp.Or(c.Idle, defaultIdle), Default
	s, err := newShared(c)
	if err != nil {
		return nil, err
	}
	r := &Registry{
		observer: NoServices{}, shared: s, alive: map[string]*World{}, ended: map[string]bool{},
	}
	if _, err := r.Create(c.Default); err != nil {
		return nil, err
	}
	return r, nil
}

// Subscribe sets the Observer of the worlds. Call it before the registry is served.
func (r *Registry) Subscribe(o Observer) { r.observer = o }

// Ready prepares a world for a change.
func (r *Registry) Ready(ctx context.Context, w *World) error { return r.observer.Ready(ctx, w) }

// Changed reports a change of a world.
func (r *Registry) Changed(ctx context.Context, w *World) { r.observer.Changed(ctx, w) }

// Dataset names the data of all worlds: a world of other data would respond differently.
func (r *Registry) Dataset() string { return r.shared.dataset() }

// Now returns the time of the machine.
func (r *Registry) Now() time.Time { return r.shared.config.Clock() }

// Use returns the world of an ID and counts as use. It creates an unknown one.
func (r *Registry) Use(id string) (*World, error) {
	r.mu.Lock()
	defer r.unlock()
	w, err := r.find(id)
	if core.CodeOf(err) == core.NotFound {
		return r.add(Options{ID: id})
	}
	if err == nil {
		w.touch()
	}
	return w, err
}

// Create creates a world. It returns core.Conflict if the ID is alive.
func (r *Registry) Create(o Options) (*World, error) {
	r.mu.Lock()
	defer r.unlock()
	return r.add(o)
}

// Fork creates a world in the present state of another one, apart from its journal and what its services have
// learned. It waits until a move of the clock ends. It returns core.Conflict if the new ID is alive.
func (r *Registry) Fork(id, newID string) (*World, error) {
	origin, err := r.Find(id)
	if err != nil {
		return nil, err
	}
	_ = origin.lockClock(context.Background()) // never canceled
	defer origin.unlockClock()
	origin.held.Add(1) // it makes no room for its fork
	defer origin.held.Add(-1)
	o := origin.options
	o.ID = newID
	r.mu.Lock()
	defer r.unlock()
	w, err := r.add(o)
	if err == nil {
		w.continueFrom(origin)
		r.observer.Forked(origin, w)
	}
	return w, err
}

// Reset puts a world as it was created in the place of an alive one: with its clock, and without settings, queued
// outcomes, faults and journal.
func (r *Registry) Reset(id string) (*World, error) {
	r.mu.Lock()
	defer r.unlock()
	before, err := r.find(id)
	if err != nil {
		return nil, err
	}
	w := newWorld(r.shared, before.options)
	r.alive[id], r.over = w, append(r.over, before)
	return w, nil
}

// Find returns a world without using it.
func (r *Registry) Find(id string) (*World, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.find(id)
}

// List returns the worlds, by ID.
func (r *Registry) List() []*World {
	r.mu.Lock()
	defer r.mu.Unlock()
	all := slices.SortedFunc(maps.Values(r.alive), func(a, b *World) int { return strings.Compare(a.ID(), b.ID()) })
	return slices.DeleteFunc(all, r.idle)
}

// Delete ends a world other than the default one.
func (r *Registry) Delete(id string) error {
	if id == Default {
		return core.InvalidField("id", "%q does not end; accepted: any other world, or a reset of this one", id)
	}
	r.mu.Lock()
	defer r.unlock()
	_, err := r.find(id)
	if err == nil {
		r.end(id)
	}
	return err
}

// Hold keeps a world from ending as idle until release is called, as for a stream.
func (r *Registry) Hold(w *World) (release func()) {
	w.held.Add(1)
	return func() {
		w.touch()
		w.held.Add(-1)
	}
}

// Run ends idle worlds until ctx is done.
func (r *Registry) Run(ctx context.Context) {
	core.Repeat(ctx, func() time.Duration {
		r.Sweep()
		return sweepInterval
	})
}

// Sweep ends idle worlds. An idle world is not found even before; it only uses memory.
func (r *Registry) Sweep() {
	r.mu.Lock()
	defer r.unlock()
	r.sweep()
}

// unlock ends a change, and finishes the worlds that the change ended.
func (r *Registry) unlock() {
	over := r.over
	r.over = nil
	r.mu.Unlock()
	for _, w := range over {
		w.journal.Close()
		w.end()
		r.observer.Ended(w)
	}
}

// The methods below need the lock.

// find returns a world that is alive.
func (r *Registry) find(id string) (*World, error) {
	switch w := r.alive[id]; {
	case w != nil && !r.idle(w):
		return w, nil
	case w != nil || r.ended[id]:
		return nil, core.Errorf(core.Expired, "The world %s has ended: it was deleted, unused for too long, or made "+
			"room for another world. Create it again with POST /_sim/v1/worlds, or use another ID", input.Quoted(id))
	}
	return nil, core.Errorf(core.NotFound, "There is no world %s. Create it with POST /_sim/v1/worlds or a request "+
		"with its name in the header Sim-World; GET /_sim/v1/worlds lists the worlds", input.Quoted(id))
}

// add creates a world.
func (r *Registry) add(o Options) (*World, error) {
	if err := o.check(); err != nil {
		return nil, err
	}
	if w := r.alive[o.ID]; len(r.alive) >= r.shared.config.MaxWorlds || w != nil && r.idle(w) {
		r.sweep()
	}
	if r.alive[o.ID] != nil {
		return nil, core.Errorf(core.Conflict, "The world %s is alive: use it, reset it, or delete it first",
			input.Quoted(o.ID))
	}
	if len(r.alive) >= r.shared.config.MaxWorlds {
		if err := r.makeRoom(); err != nil {
			return nil, err
		}
	}
	w := newWorld(r.shared, o)
	r.alive[o.ID] = w
	delete(r.ended, o.ID)
	return w, nil
}

// makeRoom ends the world that was unused for longest, if that is leastIdle or more.
func (r *Registry) makeRoom() error {
	var idlest *World
	for _, w := range r.alive {
		if w.ID() != Default && w.held.Load() == 0 && (idlest == nil || w.used.Load() < idlest.used.Load()) {
			idlest = w
		}
	}
	wait := leastIdle
	if idlest != nil {
		if wait -= r.Now().Sub(idlest.Used()); wait <= 0 {
			r.early++
			r.end(idlest.ID())
			return nil
		}
	}
	return core.Errorf(core.TooMany, "%d worlds are alive, as many as the memory limit of the process has room for, and "+
		"all were used within a minute: delete those that are done (DELETE /_sim/v1/worlds/{id}), or raise the limit",
		len(r.alive)).Retry(max(wait, time.Second))
}

// left returns how long a world has left if it stays unused.
func (r *Registry) left(w *World) time.Duration {
	return cmp.Or(time.Duration(w.options.TTL), r.shared.config.Idle) - r.Now().Sub(w.Used())
}

// idle reports whether a world was unused for too long.
func (r *Registry) idle(w *World) bool {
	return w.ID() != Default && w.held.Load() == 0 && r.left(w) <= 0
}

// sweep ends idle worlds.
func (r *Registry) sweep() {
	for id, w := range r.alive {
		if r.idle(w) {
			r.end(id)
		}
	}
}

// end ends a world and remembers its ID, up to MaxEnded later ends.
func (r *Registry) end(id string) {
	r.over = append(r.over, r.alive[id])
	delete(r.alive, id)
	r.ended[id] = true
	if r.ends = append(r.ends, id); len(r.ends) > r.shared.config.MaxEnded {
		delete(r.ended, r.ends[0])
		r.ends = r.ends[1:]
	}
}
