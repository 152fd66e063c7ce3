package simulator

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
	"causeway/simulator/journal"
)

// Shared is what the worlds of a registry have in common.
type Shared struct {
	Clock  core.Clock  // the machine's
	Banks  []core.Bank // the institutions that the providers know: the catalog's, and those of Banks
	Offers map[string]Offer
	Order  Order // nil: every provider is the first one

	Default      Options        // of the world "default", whose id it need not have
	Most         int            // worlds alive at once; 0: 1,000
	Idle         time.Duration  // after which a world that nobody uses ends, unless it has a TTL of its own; 0: an hour
	Journal      journal.Limits // of each world; zero: the usual
	KeepRequests bool           // in the journals, for bundles
	Secret       journal.Tell   // what no journal keeps; nil: nothing is
}

const (
	usualMost = 1000
	usualIdle = time.Hour
	mostEnded = 100_000 // ids of worlds that ended which are remembered; the oldest are forgotten
)

// Worlds are the worlds of a sandbox, by id. It is safe for concurrent use.
//
// A world that is asked for and is not there is made. One that ended is not: whoever had it would find everything that was set gone without a word.
// It is core.Expired until somebody creates, forks or imports a world of that id. A reset makes a new World in the place of the old one, which
// then ends as all worlds do: whoever holds services of a world lets them go in OnEnd, and makes new ones for the next World that Use returns.
type Worlds struct {
	shared Shared
	ground *ground

	mu    sync.RWMutex
	alive map[string]*World
	ended map[string]uint64 // by id: when, in the order of ends
	ends  []string          // ids in that order; an id whose number is another one was revived since
	count uint64            // of ends so far
	hooks []func(*World)
	desk  Desk
}

// Desk is told what is done to worlds by hand. It belongs to whoever has services of theirs: see Attend.
type Desk struct {
	// Ready makes the services of a world, and its first prices, where there are none yet. It is called before something is done to the world that they must have
	// seen it without: its clock is moved, its market set, an incident played, a fault added.
	Ready func(context.Context, *World) error
	// Changed is called when something was done that the next answer is to show although the world's clock may stand still.
	Changed func(context.Context, *World)
}

// Attend has a desk told from now on. Before, nobody is.
func (ws *Worlds) Attend(d Desk) {
	ws.mu.Lock()
	defer ws.mu.Unlock()
	ws.desk = d
}

// Desk returns the one that is told; its functions are never nil.
func (ws *Worlds) Desk() Desk {
	ws.mu.RLock()
	defer ws.mu.RUnlock()
	return ws.desk
}

// NewWorlds makes a registry with the world "default".
func NewWorlds(s Shared) (*Worlds, error) {
	if s.Clock == nil {
		return nil, errors.New("simulator: no clock")
	}
	if s.Most < 0 || s.Idle < 0 {
		return nil, errors.New("simulator: the most worlds, or the time after which an idle one ends, is below zero")
	}
	s.Most, s.Idle, s.Default.ID = cmp.Or(s.Most, usualMost), cmp.Or(s.Idle, usualIdle), DefaultWorld
	if err := s.Default.Check(); err != nil {
		return nil, err
	}
	g, err := newGround(s.Banks, s.Offers, s.Order)
	if err != nil {
		return nil, err
	}
	ws := &Worlds{shared: s, ground: g, alive: map[string]*World{}, ended: map[string]uint64{}}
	ws.desk = Desk{Ready: func(context.Context, *World) error { return nil }, Changed: func(context.Context, *World) {}}
	home, err := ws.build(s.Default)
	if err != nil {
		return nil, err
	}
	ws.alive[DefaultWorld] = home
	return ws, nil
}

func (ws *Worlds) build(o Options) (*World, error) {
	w, err := newWorld(ws.ground, o, ws.shared.Clock, recording{limits: ws.shared.Journal, requests: ws.shared.KeepRequests, secret: ws.shared.Secret})
	if err != nil {
		return nil, err
	}
	w.life.born = ws.shared.Clock()
	w.life.touch(w.life.born)
	return w, nil
}

// Dataset names the data that the worlds are made of: a world that was exported over other data cannot be imported.
func (ws *Worlds) Dataset() string { return ws.ground.dataset() }

// Now is the time of the machine, which those who wait for answers have, whatever the time of a world is.
func (ws *Worlds) Now() time.Time { return ws.shared.Clock() }

// OnEnd has f called with every World that ends: that is deleted, idle for too long, reset, or replaced by an import. It is called once for each, by whoever
// ended it, when the registry does not know the world any more.
func (ws *Worlds) OnEnd(f func(*World)) {
	ws.mu.Lock()
	defer ws.mu.Unlock()
	ws.hooks = append(ws.hooks, f)
}

// Use returns the world of an id, and counts as using it. One that never was is made, with its id as the seed. It is core.Expired for one
// that ended, and core.TooMany where there are too many.
func (ws *Worlds) Use(id string) (*World, error) {
	now := ws.shared.Clock()
	ws.mu.RLock()
	w := ws.alive[id]
	if w != nil && !ws.idle(w, now) {
		w.life.touch(now)
		ws.mu.RUnlock()
		return w, nil
	}
	ws.mu.RUnlock()
	if err := CheckID(id); err != nil {
		return nil, err
	}
	return ws.put(Options{ID: id}, now, implicit, nil)
}

// Create makes a world as the options have it. It is core.Conflict where the id is alive.
func (ws *Worlds) Create(o Options) (*World, error) {
	if err := o.Check(); err != nil {
		return nil, err
	}
	return ws.put(o, ws.shared.Clock(), explicit, nil)
}

// Find returns a world that is alive, without using it. It is core.Expired for one that ended, core.NotFound for one that never was.
func (ws *Worlds) Find(id string) (*World, error) {
	now := ws.shared.Clock()
	ws.mu.RLock()
	defer ws.mu.RUnlock()
	w := ws.alive[id]
	if w != nil && !ws.idle(w, now) {
		return w, nil
	}
	if _, over := ws.ended[id]; over || w != nil {
		return nil, expired(id)
	}
	return nil, core.Errorf(core.NotFound, "There is no world %s", shown(id))
}

// List returns the worlds that are alive, by id.
func (ws *Worlds) List() []*World {
	now := ws.shared.Clock()
	ws.mu.RLock()
	defer ws.mu.RUnlock()
	all := slices.DeleteFunc(slices.Collect(maps.Values(ws.alive)), func(w *World) bool { return ws.idle(w, now) })
	slices.SortFunc(all, func(a, b *World) int { return strings.Compare(a.ID(), b.ID()) })
	return all
}

func expired(id string) error {
	return core.Errorf(core.Expired, "The world %s has ended: it was deleted, or nobody used it for a while. Create it again with POST /_sim/v1/worlds, or use another id", shown(id))
}
