package simulator

import (
	"context"
	"sync/atomic"
	"time"

	"causeway/core"
)

// life is what decides when a world ends. Its times are the machine's.
type life struct {
	born time.Time
	used atomic.Int64 // when last, in ns since 1970
	held atomic.Int64 // by so many
}

func (l *life) touch(now time.Time) { l.used.Store(now.UnixNano()) }

// Born is when the World was made, by the machine's clock.
func (w *World) Born() time.Time { return w.life.born }

// Used is when somebody used the world last, by the machine's clock.
func (w *World) Used() time.Time { return time.Unix(0, w.life.used.Load()).UTC() }

// Hold keeps the world from ending as idle until it is let go of, as a request or a stream does that is under way. The caller calls let go once.
func (ws *Worlds) Hold(w *World) (letGo func()) {
	w.life.held.Add(1)
	return func() {
		w.life.touch(ws.shared.Clock())
		w.life.held.Add(-1)
	}
}

// idle reports whether nobody used a world for as long as it lives without.
func (ws *Worlds) idle(w *World, now time.Time) bool {
	limit := ws.shared.Idle
	if w.options.TTL > 0 {
		limit = time.Duration(w.options.TTL)
	}
	return w.ID() != DefaultWorld && w.life.held.Load() == 0 && now.Sub(w.Used()) >= limit
}

// mode says what to do where the id of a new world is taken, or was.
type mode int

const (
	implicit  mode = iota // somebody used it: the world that is alive will do, one that ended will not
	explicit              // it must not be alive
	resetting             // it takes the place of the one that is alive
	replacing             // it takes the place of the one that is alive, if there is one
)

// put makes a world and puts it under its id. Prepare, if there is one, brings it into its state first.
func (ws *Worlds) put(o Options, now time.Time, how mode, prepare func(*World) error) (*World, error) {
	if err := ws.room(o.ID, now, how); err != nil {
		return nil, err
	}
	w, err := ws.build(o)
	if err != nil {
		return nil, err
	}
	if prepare != nil {
		if err := prepare(w); err != nil {
			return nil, err
		}
	}
	return ws.place(w, now, how)
}

// room ends what is idle where that is in the way, and reports why a world cannot be made.
func (ws *Worlds) room(id string, now time.Time, how mode) error {
	ws.mu.RLock()
	was, full := ws.alive[id], len(ws.alive) >= ws.shared.Most
	ws.mu.RUnlock()
	if full || was != nil && ws.idle(was, now) {
		ws.Sweep()
	}
	ws.mu.RLock()
	defer ws.mu.RUnlock()
	if _, over := ws.ended[id]; over && how == implicit {
		return expired(id)
	}
	if ws.alive[id] == nil && len(ws.alive) >= ws.shared.Most {
		return ws.crowded(now)
	}
	return nil
}

// place puts a world under its id. Where somebody else was faster, an implicit one gives way.
func (ws *Worlds) place(w *World, now time.Time, how mode) (*World, error) {
	id := w.ID()
	ws.mu.Lock()
	was := ws.alive[id]
	_, over := ws.ended[id]
	switch {
	case was != nil && how == implicit:
		was.life.touch(now)
		ws.mu.Unlock()
		return was, nil
	case was != nil && how == explicit:
		ws.mu.Unlock()
		return nil, core.Errorf(core.Conflict, "The world %s is alive already: use it as it is, reset it, or delete it first", shown(id))
	case over && how == implicit, was == nil && how == resetting:
		ws.mu.Unlock()
		return nil, expired(id)
	case was == nil && len(ws.alive) >= ws.shared.Most:
		err := ws.crowded(now)
		ws.mu.Unlock()
		return nil, err
	}
	ws.alive[id] = w
	delete(ws.ended, id)
	ws.mu.Unlock()
	if was != nil {
		ws.end(was)
	}
	return w, nil
}

// crowded says that there is no room for another world, and when there may be.
func (ws *Worlds) crowded(now time.Time) error {
	wait := ws.shared.Idle
	for _, w := range ws.alive {
		limit := ws.shared.Idle
		if w.options.TTL > 0 {
			limit = time.Duration(w.options.TTL)
		}
		if w.ID() != DefaultWorld {
			wait = min(wait, max(limit-now.Sub(w.Used()), time.Second))
		}
	}
	return core.Errorf(core.TooMany, "%d worlds are alive, and there can be no more: delete those that are done with (DELETE /_sim/v1/worlds/{id}), or give them a ttl; one that is idle ends by itself",
		len(ws.alive)).Retry(wait)
}

// sweepEvery is how often Run looks for idle worlds.
const sweepEvery = time.Minute

// Run ends the worlds that are idle, until ctx is done.
func (ws *Worlds) Run(ctx context.Context) {
	next := time.NewTimer(sweepEvery)
	defer next.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-next.C:
			ws.Sweep()
			next.Reset(sweepEvery)
		}
	}
}

// Sweep ends the worlds that are idle, and returns how many. Whether it is called or not, an idle world is not found: it only keeps its memory.
func (ws *Worlds) Sweep() int {
	now := ws.shared.Clock()
	var over []*World
	ws.mu.Lock()
	for id, w := range ws.alive {
		if ws.idle(w, now) {
			ws.bury(id)
			over = append(over, w)
		}
	}
	ws.mu.Unlock()
	for _, w := range over {
		ws.end(w)
	}
	return len(over)
}

// Delete ends a world. The default one does not end.
func (ws *Worlds) Delete(id string) error {
	if id == DefaultWorld {
		return core.InvalidField("id", "%q does not end; accepted: any other world, or a reset of this one", id)
	}
	w, err := ws.Find(id)
	if err != nil {
		return err
	}
	ws.mu.Lock()
	if ws.alive[id] != w { // somebody was faster
		ws.mu.Unlock()
		return expired(id)
	}
	ws.bury(id)
	ws.mu.Unlock()
	ws.end(w)
	return nil
}

// bury takes a world out of the registry and remembers that it was there. The caller holds the lock.
func (ws *Worlds) bury(id string) {
	delete(ws.alive, id)
	ws.count++
	ws.ended[id] = ws.count
	ws.ends = append(ws.ends, id)
	for len(ws.ends) > mostEnded {
		oldest := ws.count - uint64(len(ws.ends)) + 1
		if ws.ended[ws.ends[0]] == oldest {
			delete(ws.ended, ws.ends[0])
		}
		ws.ends = ws.ends[1:]
	}
}

// end tells everybody that a world is over.
func (ws *Worlds) end(w *World) {
	ws.mu.Lock()
	hooks := ws.hooks
	ws.mu.Unlock()
	w.journal.Close()
	for _, f := range hooks {
		f(w)
	}
}

// Reset puts a world as it was created in the place of the one that is alive: its clock, with nothing set, nothing queued, no faults and an empty
// journal. It keeps the id and the options.
func (ws *Worlds) Reset(id string) (*World, error) {
	w, err := ws.Find(id)
	if err != nil {
		return nil, err
	}
	return ws.put(w.options, ws.shared.Clock(), resetting, nil)
}
