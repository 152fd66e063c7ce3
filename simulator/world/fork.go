package world

import "context"

// Fork creates a world in the present state of another one, apart from its journal and what its services have
// learned. It waits until a move of the clock ends. It returns core.Conflict if the new ID is alive.
func (r *Registry) Fork(id, newID string) (*World, error) {
	origin, err := r.Find(id)
	if err != nil {
		return nil, err
	}
	o := origin.options
	o.ID = newID
	if err := o.Check(); err != nil {
		return nil, err
	}
	_ = origin.lockClock(context.Background()) // never canceled
	defer origin.unlockClock()
	return r.put(o, create, func(w *World) { w.continueFrom(origin) })
}

// continueFrom brings a new world into the state of another one.
func (w *World) continueFrom(origin *World) {
	w.forked = true
	w.clock.setting.Store(origin.clock.setting.Load())
	w.entropy.Store(origin.entropy.Load())
	w.market = origin.market.Clone(w.Now())
	w.faults, w.accounts, w.queue = origin.faults.Clone(), origin.accounts.Clone(), origin.queue.Clone()
	w.playing.all = origin.Playing()
}

// Forked reports whether the world began in the state of another one, which its journal does not explain.
func (w *World) Forked() bool { return w.forked }
