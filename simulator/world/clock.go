package world

import (
	"context"
	"errors"
	"slices"
	"time"

	"causeway/core"
	"causeway/simulator/input"
)

const (
	maxSteps = 120         // of equal length in one move of a clock
	minStep  = time.Second // of these
)

// ClockState is the state of the clock of a world.
type ClockState struct {
	Now    time.Time `json:"now" doc:"Time of the world" example:"2026-11-16T12:00:00Z"`
	Frozen bool      `json:"frozen" doc:"Whether the clock stands still" example:"true"`
	Rate   int64     `json:"rate" doc:"Seconds of the world per second of the machine while the clock runs" example:"1"`

	NextEvent time.Time `json:"next_event,omitzero" doc:"When the next setting or fault starts or ends, a magic pair jumps, or a block comes; absent if none is known" example:"2026-11-16T12:10:00Z"`
}

// clock is the state of a clock when the machine was at since.
type clock struct {
	ClockState
	since time.Time
}

// Now returns the time of the world in UTC.
func (w *World) Now() time.Time {
	c := w.clock.Load()
	if c.Frozen {
		return c.Now
	}
	passed, rate := w.shared.config.Clock().Sub(c.since), time.Duration(c.Rate)
	if rate > 1 && passed > input.Latest.Sub(c.Now)/rate {
		return input.Latest
	}
	return c.Now.Add(passed * rate)
}

// ClockState returns the state of the clock. While it is moved it is frozen.
func (w *World) ClockState() ClockState {
	s, now := w.clock.Load().ClockState, w.Now()
	s.Now, s.NextEvent = now, w.nextAfter(now)
	return s
}

// startClock lets the clock go on from a state.
func (w *World) startClock(s ClockState) {
	s.Now = s.Now.UTC()
	w.clock.Store(&clock{s, w.shared.config.Clock()})
}

// Freeze stops the clock at a time, without the work that falls due; see AdvanceTo.
func (w *World) Freeze(at time.Time) {
	w.startClock(ClockState{Now: at, Frozen: true, Rate: w.clock.Load().Rate})
}

// ClockSetting is how a clock starts, or how it changes. Absent fields stay as they are, but a clock that gets a rate
// runs. A clock without a setting follows the clock of the machine.
type ClockSetting struct {
	Now    *time.Time `json:"now,omitempty" doc:"The new time, not before the present time of the world" example:"2026-11-16T12:00:00Z"`
	Frozen *bool      `json:"frozen,omitempty" doc:"Whether the clock stands still" example:"true"`
	Rate   *int64     `json:"rate,omitempty" minimum:"1" maximum:"3600" doc:"Seconds of the world per second of the machine. A clock that gets a rate runs" example:"60"`
}

// apply returns a state with the changes of the setting.
func (s ClockSetting) apply(c ClockState) ClockState {
	if s.Now != nil {
		c.Now = *s.Now
	}
	if s.Rate != nil {
		c.Frozen, c.Rate = false, *s.Rate
	}
	if s.Frozen != nil {
		c.Frozen = *s.Frozen
	}
	return c
}

// check returns what the tags of the setting cannot express, as an error of a field with a prefix.
func (s ClockSetting) check(prefix string) error {
	switch {
	case s.Now != nil && !input.ValidTime(*s.Now):
		return core.InvalidField(prefix+"now", "%s; accepted: %s", s.Now.Format(time.RFC3339), input.AcceptedTimes)
	case s.Rate != nil && s.Frozen != nil && *s.Frozen:
		return core.InvalidField(prefix+"rate", "%d; accepted: none if the clock is frozen", *s.Rate)
	}
	return nil
}

// SetClock changes the clock. If that moves it, the work that falls due is done first; see AdvanceTo.
func (w *World) SetClock(ctx context.Context, s ClockSetting) error {
	if s == (ClockSetting{}) {
		return core.InvalidField("clock", "is empty; accepted: now, frozen, rate")
	}
	if err := s.check(""); err != nil {
		return err
	}
	_, err := w.move(ctx, "now", s, func(now time.Time) time.Time {
		if s.Now != nil {
			return *s.Now
		}
		return now
	})
	return err
}

// Advance moves the clock by a duration; see AdvanceTo.
func (w *World) Advance(ctx context.Context, by time.Duration) (time.Time, error) {
	if by <= 0 {
		return time.Time{}, core.InvalidField("by", "%s; accepted: a duration above 0s, such as 90s, 15m, 2h", by)
	}
	return w.move(ctx, "by", ClockSetting{}, func(now time.Time) time.Time { return now.Add(by) })
}

// AdvanceTo moves the clock to a time and returns the new time when all work that falls due on the way is done;
// see OnAdvance. If work fails or ctx ends, the clock stays where it was then.
func (w *World) AdvanceTo(ctx context.Context, to time.Time) (time.Time, error) {
	return w.move(ctx, "to", ClockSetting{}, func(time.Time) time.Time { return to })
}

// AdvanceToNext moves the clock to the next event; see ClockState.
func (w *World) AdvanceToNext(ctx context.Context) (time.Time, error) {
	return w.move(ctx, "to", ClockSetting{}, w.nextAfter)
}

// move moves the clock to a target, step by step, and applies the rest of the setting. An invalid target is an error of
// the field.
func (w *World) move(
	ctx context.Context, field string, s ClockSetting, target func(now time.Time) time.Time,
) (time.Time, error) {
	if err := w.lockClock(ctx); err != nil {
		return time.Time{}, err
	}
	defer w.unlockClock()
	before := w.ClockState()
	to := target(before.Now).UTC()
	switch {
	case to.IsZero():
		return time.Time{}, core.InvalidField(field, "next-event: there is none; accepted: a time, or a duration as by, "+
			"while no scenario plays, no fault or setting begins or ends, and no payment is on its way")
	case to.Before(before.Now):
		return time.Time{}, core.InvalidField(field, "%s is before the time of the world, %s, and a clock only moves "+
			"forward; accepted: a later time, or a reset of the world",
			to.Format(time.RFC3339), before.Now.Format(time.RFC3339Nano))
	case to.After(input.Latest):
		return time.Time{}, core.InvalidField(field, "leads to %s; accepted: up to %s",
			to.Format(time.RFC3339), input.Latest.Format(time.RFC3339))
	}
	reached, err := w.travel(ctx, before.Now, to)
	after := before
	if err == nil {
		after = s.apply(before)
	}
	after.Now = reached
	w.startClock(after)
	return reached, err
}

// travel moves the clock and does the work at every step: at most maxSteps of equal length, and every event between
// them. It returns the time that it reached.
func (w *World) travel(ctx context.Context, from, to time.Time) (time.Time, error) {
	step := max((to.Sub(from)+maxSteps-1)/maxSteps, minStep)
	mark := from.Add(step)
	at := from
	for at.Before(to) {
		next := mark
		if event := w.nextAfter(at); !event.IsZero() && event.Before(next) {
			next = event
		}
		if next.After(to) {
			next = to
		}
		if at = next; !mark.After(at) {
			mark = mark.Add(step)
		}
		w.Freeze(at)
		if err := w.work(ctx, at); err != nil {
			return at, err
		}
	}
	return at, nil
}

// lockClock waits until no one else moves the clock.
func (w *World) lockClock(ctx context.Context) error {
	select {
	case w.moving <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (w *World) unlockClock() { <-w.moving }

// Moving reports whether the clock is being moved.
func (w *World) Moving() bool { return len(w.moving) > 0 }

// nextAfter returns the time of the next event, or the zero time: a setting or a fault begins or
// ends, a magic pair jumps, or a block comes.
func (w *World) nextAfter(after time.Time) (next time.Time) {
	for _, t := range slices.Concat(w.market.Changes(after), w.faults.Changes(), w.chains.Changes(after)) {
		if t.After(after) && (next.IsZero() || t.Before(next)) {
			next = t
		}
	}
	return next
}

// OnAdvance registers work for every step of a move of the clock. Work that fails ends the move. It must not move
// the clock itself.
func (w *World) OnAdvance(work func(ctx context.Context, now time.Time) error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.hooks = append(w.hooks, work)
}

func (w *World) work(ctx context.Context, now time.Time) error {
	w.chains.Advance(now)
	w.mu.Lock()
	hooks := slices.Clone(w.hooks)
	w.mu.Unlock()
	var failures []error
	for _, work := range hooks {
		failures = append(failures, work(ctx, now))
	}
	return errors.Join(append(failures, ctx.Err())...)
}

// Begin does the first work of the services of a world, before the world is used. In a world with magic pairs, the
// work is done for a moment before its beginning too, with the clock standing still: see market.MagicPair.
func (w *World) Begin(ctx context.Context) error {
	if err := w.lockClock(ctx); err != nil {
		return err
	}
	defer w.unlockClock()
	if !w.options.MagicPairs {
		return w.work(ctx, w.Now())
	}
	before := w.clock.Load()
	defer func() { w.clock.Store(before) }()
	const lead = 10 * time.Second
	for _, at := range []time.Time{w.market.Began().Add(-lead), w.Now()} {
		w.Freeze(at)
		if err := w.work(ctx, at); err != nil {
			return err
		}
	}
	return nil
}
