package simulator

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"
)

const (
	mostSteps    = 120         // that a move of the clock is made in, boundaries apart
	shortestStep = time.Second // of these
)

// agenda is what has to be done in a world when its clock is moved by hand.
type agenda struct {
	moving chan struct{} // of capacity 1: full while the clock is moved

	mu     sync.Mutex
	made   uint64
	hooks  []hook
	timers map[uint64]time.Time
}

type hook struct {
	id   uint64
	work func(ctx context.Context, now time.Time) error
}

func newAgenda() *agenda { return &agenda{moving: make(chan struct{}, 1)} }

// OnAdvance has work done whenever the clock is moved by hand: at every step of the move, in the order in which it was registered, with the clock
// standing at that step. Work that fails ends the move there. It must not move the clock itself.
func (w *World) OnAdvance(work func(ctx context.Context, now time.Time) error) (remove func()) {
	a := w.agenda
	a.mu.Lock()
	defer a.mu.Unlock()
	a.made++
	id := a.made
	a.hooks = append(a.hooks, hook{id: id, work: work})
	return func() {
		a.mu.Lock()
		defer a.mu.Unlock()
		a.hooks = slices.DeleteFunc(slices.Clone(a.hooks), func(h hook) bool { return h.id == id })
	}
}

// At makes an instant an event of the world: a move of the clock stops there for the work of OnAdvance, and "next-event" may be that. It is one until
// it is over or cancelled.
func (w *World) At(at time.Time) (cancel func()) {
	a := w.agenda
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.timers == nil {
		a.timers = map[uint64]time.Time{}
	}
	now := w.Now()
	for id, t := range a.timers {
		if !t.After(now) {
			delete(a.timers, id)
		}
	}
	a.made++
	id := a.made
	a.timers[id] = at
	return func() {
		a.mu.Lock()
		defer a.mu.Unlock()
		delete(a.timers, id)
	}
}

// Next is when the next thing happens that the world knows of: a setting of the market or a fault begins or ends, as they do in the steps of a
// scenario, a magic pair jumps, a timer of At is due. It is false where nothing is known to come.
func (w *World) Next() (time.Time, bool) {
	next := w.nextAfter(w.Now())
	return next, !next.IsZero()
}

// nextAfter is the first event after an instant; the zero time: there is none.
func (w *World) nextAfter(after time.Time) time.Time {
	next := earlier(w.market.next(after), w.faults.next(after))
	w.agenda.mu.Lock()
	defer w.agenda.mu.Unlock()
	for _, t := range w.agenda.timers {
		if t.After(after) {
			next = earlier(next, t)
		}
	}
	return next
}

// earlier is the earlier one of two instants, of which the zero one is none.
func earlier(a, b time.Time) time.Time {
	if a.IsZero() || !b.IsZero() && b.Before(a) {
		return b
	}
	return a
}

// next is the first instant after another at which what is done to the market changes, or a magic pair jumps.
func (m *Market) next(after time.Time) time.Time {
	var next time.Time
	m.line.Load().each(func(e *entry) {
		for _, t := range [...]time.Time{e.from, e.until} {
			if t.After(after) {
				next = earlier(next, t)
			}
		}
	})
	if m.magical {
		next = earlier(next, after.Truncate(jumpEvery).Add(jumpEvery))
	}
	return next
}

// next is the first instant after another at which a rule begins or ends.
func (f *Faults) next(after time.Time) time.Time {
	var next time.Time
	for _, a := range f.list() {
		for _, t := range [...]time.Time{a.from, a.until} {
			if t.After(after) {
				next = earlier(next, t)
			}
		}
	}
	return next
}

// hold takes the clock, so that nobody else moves it. The caller gives it back.
func (w *World) hold(ctx context.Context) error {
	select {
	case w.agenda.moving <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (w *World) release() { <-w.agenda.moving }

// Moving reports whether somebody moves the clock by hand just now, and waits until what falls due on the way is done.
func (w *World) Moving() bool { return len(w.agenda.moving) > 0 }

// travel moves the clock from an instant to a later one, doing the world's work at every step: as many of equal length as there may be, and every event
// between them. It returns where it came to: where work fails, no further. The caller holds the clock, which stands still there.
func (w *World) travel(ctx context.Context, from, to time.Time) (time.Time, error) {
	step := max((to.Sub(from)+mostSteps-1)/mostSteps, shortestStep)
	mark := from.Add(step)
	at := from
	for at.Before(to) {
		next := earlier(mark, w.nextAfter(at))
		if next.After(to) {
			next = to
		}
		if at = next; !mark.After(at) {
			mark = mark.Add(step)
		}
		w.clock.Freeze(at)
		if err := w.work(ctx, at); err != nil {
			return at, err
		}
	}
	return at, nil
}

// work does what is due at an instant.
func (w *World) work(ctx context.Context, now time.Time) error {
	w.agenda.mu.Lock()
	hooks := w.agenda.hooks
	w.agenda.mu.Unlock()
	var failures []error
	for _, h := range hooks {
		if err := h.work(ctx, now); err != nil {
			failures = append(failures, err)
		}
	}
	if err := ctx.Err(); err != nil {
		failures = append(failures, err)
	}
	return errors.Join(failures...)
}

// before is how long before its beginning the services of a world with magic pairs look at it first: see MagicPair.
const before = 10 * time.Second

// Begin does the first work of the world's services, once they have registered it. It is called once, before anybody else sees the world. Where the
// world has magic pairs, the work is done as of a moment before its beginning first, and the clock stands still for both: where venues are asked microseconds apart, a price
// engine waits to see whether the later ones follow the first.
func (w *World) Begin(ctx context.Context) error {
	if err := w.hold(ctx); err != nil {
		return err
	}
	defer w.release()
	now := w.Now()
	if !w.market.magical {
		return w.work(ctx, now)
	}
	was := w.clock.setting.Load()
	defer func() { w.clock.setting.Store(was) }()
	for _, at := range []time.Time{w.market.began.Add(-before), now} {
		w.clock.Freeze(at)
		if err := w.work(ctx, at); err != nil {
			return err
		}
	}
	return nil
}
