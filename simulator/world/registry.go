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
	"causeway/simulator/journal"
)

// RegistryConfig configures a Registry.
type RegistryConfig struct {
	Clock     core.Clock  // of the machine
	Banks     []core.Bank // institutions that the providers know: the catalog's and accounts.MagicBanks
	Providers map[string]faults.Capabilities
	Order     ProviderOrder // nil: every provider is the first one

	Default      Options        // of the world "default"
	MaxWorlds    int            // alive at once; 0: 1,000
	Idle         time.Duration  // after which an unused world without a TTL ends; 0: an hour
	Journal      journal.Limits // of each world; zero: the usual
	KeepRequests bool           // in the journals, for bundles
	Secret       journal.Tell   // finds texts that no journal keeps; nil: none
}

const (
	defaultMaxWorlds = 1000
	defaultIdle      = time.Hour
	maxEnded         = 100_000 // IDs of ended worlds that are remembered
	sweepInterval    = time.Minute
)

// Registry holds the worlds of a sandbox by ID. It is safe for concurrent use.
//
// The first use of an unknown ID creates its world. A world that ended is core.Expired until it is created or
// forked again, so that no test loses its settings unnoticed. A reset puts a new World in the place of the
// old one, which ends.
type Registry struct {
	shared *shared

	mu      sync.RWMutex
	alive   map[string]*World
	ended   map[string]uint64 // number of the end, by ID
	ends    []string          // IDs in the order of their ends
	count   uint64            // of ends so far
	onEnd   []func(*World)
	actions Hooks
}

// Hooks are called around changes of a world by the control API. They belong to the owner of the services of worlds.
type Hooks struct {
	// Ready builds the services of a world and its first prices before the change.
	Ready func(context.Context, *World) error
	// Changed is called after the change, which the next response must show even if the clock stands still.
	Changed func(context.Context, *World)
}

// NewRegistry returns a registry with the world "default".
func NewRegistry(c RegistryConfig) (*Registry, error) {
	if c.Clock == nil {
		return nil, errors.New("simulator: no clock")
	}
	if c.MaxWorlds < 0 || c.Idle < 0 {
		return nil, errors.New("simulator: the limits of worlds are negative")
	}
	c.MaxWorlds, c.Idle, c.Default.ID = cmp.Or(c.MaxWorlds, defaultMaxWorlds), cmp.Or(c.Idle, defaultIdle), Default
	if err := c.Default.Check(); err != nil {
		return nil, err
	}
	s, err := newShared(c)
	if err != nil {
		return nil, err
	}
	home, err := newWorld(s, c.Default)
	if err != nil {
		return nil, err
	}
	return &Registry{
		shared: s, alive: map[string]*World{Default: home}, ended: map[string]uint64{},
		actions: Hooks{Ready: func(context.Context, *World) error { return nil }, Changed: func(context.Context, *World) {}},
	}, nil
}

// SetHooks sets the hooks.
func (r *Registry) SetHooks(h Hooks) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.actions = h
}

// Hooks returns the hooks, which are never nil.
func (r *Registry) Hooks() Hooks {
	r.mu.RLock()
	defer r.mu.RUnlock()
	return r.actions
}

// OnEnd registers a function that is called once for each World that ends.
func (r *Registry) OnEnd(f func(*World)) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.onEnd = append(r.onEnd, f)
}

// Dataset names the data of all worlds: a world of other data would respond differently.
func (r *Registry) Dataset() string { return r.shared.dataset() }

// Now returns the time of the machine.
func (r *Registry) Now() time.Time { return r.shared.config.Clock() }

// Use returns the world of an ID and counts as use. It creates an unknown one.
func (r *Registry) Use(id string) (*World, error) {
	r.mu.RLock()
	w := r.alive[id]
	if w != nil && !r.idle(w) {
		w.touch()
		r.mu.RUnlock()
		return w, nil
	}
	r.mu.RUnlock()
	if err := CheckID("id", id); err != nil {
		return nil, err
	}
	return r.put(Options{ID: id}, use, nil)
}

// Create creates a world. It returns core.Conflict if the ID is alive.
func (r *Registry) Create(o Options) (*World, error) {
	if err := o.Check(); err != nil {
		return nil, err
	}
	return r.put(o, create, nil)
}

// Reset puts a world as it was created in the place of an alive one: with its clock, and without settings, queued
// outcomes, faults and journal.
func (r *Registry) Reset(id string) (*World, error) {
	w, err := r.Find(id)
	if err != nil {
		return nil, err
	}
	return r.put(w.options, reset, nil)
}

// Find returns a world without using it.
func (r *Registry) Find(id string) (*World, error) {
	r.mu.RLock()
	defer r.mu.RUnlock()
	w := r.alive[id]
	if w != nil && !r.idle(w) {
		return w, nil
	}
	if _, ended := r.ended[id]; ended || w != nil {
		return nil, expired(id)
	}
	return nil, core.Errorf(core.NotFound, "There is no world %s", input.Quoted(id))
}

// List returns the worlds, by ID.
func (r *Registry) List() []*World {
	r.mu.RLock()
	defer r.mu.RUnlock()
	return slices.SortedFunc(func(yield func(*World) bool) {
		for w := range maps.Values(r.alive) {
			if !r.idle(w) && !yield(w) {
				return
			}
		}
	}, func(a, b *World) int { return strings.Compare(a.ID(), b.ID()) })
}

// Hold keeps a world from ending as idle until release is called, as for a stream.
func (r *Registry) Hold(w *World) (release func()) {
	w.held.Add(1)
	return func() {
		w.touch()
		w.held.Add(-1)
	}
}

func expired(id string) error {
	return core.Errorf(core.Expired, "The world %s has ended: it was deleted, or unused for too long. "+
		"Create it again with POST /_sim/v1/worlds, or use another ID", input.Quoted(id))
}

// left returns how long a world has left if it stays unused.
func (r *Registry) left(w *World) time.Duration {
	return cmp.Or(time.Duration(w.options.TTL), r.shared.config.Idle) - r.Now().Sub(w.Used())
}

// idle reports whether a world was unused for too long.
func (r *Registry) idle(w *World) bool {
	return w.ID() != Default && w.held.Load() == 0 && r.left(w) <= 0
}

// mode says what put does if the ID is alive or ended.
type mode int

const (
	use    mode = iota // an alive world is used, an ended one is an error
	create             // an alive world is an error
	reset              // the alive world is replaced
)

// put creates a world under its ID. prepare brings it into its state first; it may be nil.
func (r *Registry) put(o Options, how mode, prepare func(*World)) (*World, error) {
	r.mu.RLock()
	full := len(r.alive) >= r.shared.config.MaxWorlds || r.alive[o.ID] != nil && r.idle(r.alive[o.ID])
	r.mu.RUnlock()
	if full {
		r.Sweep()
	}
	if err := r.refuse(o.ID, how); err != nil {
		return nil, err
	}
	w, err := newWorld(r.shared, o)
	if err != nil {
		return nil, err
	}
	if prepare != nil {
		prepare(w)
	}
	r.mu.Lock()
	before := r.alive[o.ID]
	if before != nil && how == use { // created meanwhile
		r.mu.Unlock()
		before.touch()
		return before, nil
	}
	if err := r.check(o.ID, how); err != nil {
		r.mu.Unlock()
		return nil, err
	}
	r.alive[o.ID] = w
	delete(r.ended, o.ID)
	r.mu.Unlock()
	if before != nil {
		r.finish(before)
	}
	return w, nil
}

func (r *Registry) refuse(id string, how mode) error {
	r.mu.RLock()
	defer r.mu.RUnlock()
	return r.check(id, how)
}

// check returns why no world can be put under an ID. The caller holds the lock.
func (r *Registry) check(id string, how mode) error {
	_, ended := r.ended[id]
	alive := r.alive[id] != nil
	switch {
	case alive && how == create:
		return core.Errorf(core.Conflict, "The world %s is alive: use it, reset it, or delete it first", input.Quoted(id))
	case ended && how == use, !alive && how == reset:
		return expired(id)
	case alive || len(r.alive) < r.shared.config.MaxWorlds:
		return nil
	}
	wait := r.shared.config.Idle
	for _, w := range r.alive {
		if w.ID() != Default {
			wait = min(wait, max(r.left(w), time.Second))
		}
	}
	return core.Errorf(core.TooMany, "%d worlds are alive, which is the maximum: delete those that are done (DELETE /_sim/v1/worlds/{id}), "+
		"or give them a ttl; idle worlds end by themselves", len(r.alive)).Retry(wait)
}

// Run ends idle worlds until ctx is done.
func (r *Registry) Run(ctx context.Context) {
	ticker := time.NewTicker(sweepInterval) //nolint:forbidigo // idle worlds use real memory for a real time
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
			r.Sweep()
		}
	}
}

// Sweep ends idle worlds and returns how many. An idle world is not found even before; it only uses memory.
func (r *Registry) Sweep() int {
	var idle []*World
	r.mu.Lock()
	for id, w := range r.alive {
		if r.idle(w) {
			r.remove(id)
			idle = append(idle, w)
		}
	}
	r.mu.Unlock()
	for _, w := range idle {
		r.finish(w)
	}
	return len(idle)
}

// Delete ends a world other than the default one.
func (r *Registry) Delete(id string) error {
	if id == Default {
		return core.InvalidField("id", "%q does not end; accepted: any other world, or a reset of this one", id)
	}
	w, err := r.Find(id)
	if err != nil {
		return err
	}
	r.mu.Lock()
	if r.alive[id] != w { // ended meanwhile
		r.mu.Unlock()
		return expired(id)
	}
	r.remove(id)
	r.mu.Unlock()
	r.finish(w)
	return nil
}

// remove removes a world and remembers its ID. The caller holds the lock.
func (r *Registry) remove(id string) {
	delete(r.alive, id)
	r.count++
	r.ended[id] = r.count
	r.ends = append(r.ends, id)
	if len(r.ends) > maxEnded {
		oldest := r.ends[0]
		if r.ended[oldest] == r.count-maxEnded { // it was not revived since
			delete(r.ended, oldest)
		}
		r.ends = r.ends[1:]
	}
}

// finish closes the journal of a world that ended and calls the functions of OnEnd.
func (r *Registry) finish(w *World) {
	r.mu.RLock()
	onEnd := r.onEnd
	r.mu.RUnlock()
	w.journal.Close()
	for _, f := range onEnd {
		f(w)
	}
}
