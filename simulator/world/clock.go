package world

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync/atomic"
	"time"

	"causeway/core"
	"causeway/simulator/input"
)

const (
	maxRate  = 3600        // seconds of a world per second of the machine
	maxSteps = 120         // of equal length in one move of a clock
	minStep  = time.Second // of these
)

// Clock is the clock of a world: it follows the clock of the machine at an offset, runs faster, or stands still.
// It is safe for concurrent use.
type Clock struct {
	machine core.Clock
	setting atomic.Pointer[clockSetting]
}

// clockSetting is an immutable state of a clock. A running clock was at the time at when the machine was at since.
type clockSetting struct {
	frozen    bool
	rate      int64
	at, since time.Time
}

// NewClock returns a clock that follows the clock of the machine.
func NewClock(machine core.Clock) *Clock {
	c := &Clock{machine: machine}
	c.start(machine(), false, 1)
	return c
}

// Now returns the time of the world in UTC.
func (c *Clock) Now() time.Time { return c.setting.Load().now(c.machine) }

func (s *clockSetting) now(machine core.Clock) time.Time {
	if s.frozen {
		return s.at
	}
	passed := machine().Sub(s.since)
	if s.rate > 1 && passed > input.Latest.Sub(s.at)/time.Duration(s.rate) {
		return input.Latest
	}
	return s.at.Add(passed * time.Duration(s.rate))
}

// Freeze stops the clock at a time.
func (c *Clock) Freeze(at time.Time) { c.start(at, true, c.setting.Load().rate) }

func (c *Clock) start(at time.Time, frozen bool, rate int64) {
	c.setting.Store(&clockSetting{frozen: frozen, rate: rate, at: at.UTC(), since: c.machine()})
}

// Advance moves the clock by a duration.
func (c *Clock) Advance(by time.Duration) {
	for {
		before := c.setting.Load()
		moved := *before
		moved.at = before.at.Add(by)
		if c.setting.CompareAndSwap(before, &moved) {
			return
		}
	}
}

// ClockSetting changes the clock of a world. Absent fields stay as they are, but a clock that gets a rate runs.
type ClockSetting struct {
	Now    *time.Time `json:"now,omitempty" doc:"The new time, not before the present time of the world" example:"2026-11-16T12:00:00Z"`
	Frozen *bool      `json:"frozen,omitempty" doc:"Whether the clock stands still" example:"true"`
	Rate   *int64     `json:"rate,omitempty" doc:"Seconds of the world per second of the machine, 1 to 3600. A clock that gets a rate runs" example:"60"`
}

// ClockState is the state of the clock of a world.
type ClockState struct {
	Now    time.Time `json:"now" doc:"Time of the world" example:"2026-11-16T12:00:00Z"`
	Frozen bool      `json:"frozen" doc:"Whether the clock stands still" example:"true"`
	Rate   int64     `json:"rate" doc:"Seconds of the world per second of the machine while the clock runs" example:"1"`

	NextEvent time.Time `json:"next_event,omitzero" doc:"When the next setting or fault starts or ends, or a magic pair jumps; absent if none is known" example:"2026-11-16T12:10:00Z"`
}

// ClockState returns the state of the clock. While it is moved it is frozen.
func (w *World) ClockState() ClockState {
	s := w.clock.setting.Load()
	now := s.now(w.clock.machine)
	return ClockState{Now: now, Frozen: s.frozen, Rate: s.rate, NextEvent: w.nextAfter(now)}
}

func (s ClockSetting) check() error {
	var e input.Errors
	e.Require(s.Now != nil || s.Frozen != nil || s.Rate != nil, "clock", "is empty", "now, frozen, rate")
	if s.Now != nil {
		e.Require(input.ValidTime(*s.Now), "now", s.Now.Format(time.RFC3339), input.AcceptedTimes)
	}
	if s.Rate != nil {
		e.Require(*s.Rate >= 1 && *s.Rate <= maxRate, "rate", *s.Rate, fmt.Sprintf("1 to %d", maxRate))
		e.Require(s.Frozen == nil || !*s.Frozen, "rate", *s.Rate, "none if the clock is frozen")
	}
	return e.Err()
}

// SetClock changes the clock. If that moves it, the work that falls due is done first; see AdvanceTo.
func (w *World) SetClock(ctx context.Context, s ClockSetting) error {
	if err := s.check(); err != nil {
		return err
	}
	_, err := w.move(ctx, func(now time.Time) (time.Time, error) {
		if s.Now == nil {
			return now, nil
		}
		return *s.Now, later("now", *s.Now, now)
	}, s)
	return err
}

// Advance moves the clock by a duration; see AdvanceTo.
func (w *World) Advance(ctx context.Context, by time.Duration) (time.Time, error) {
	if by <= 0 {
		return time.Time{}, core.InvalidField("by", "%s; accepted: a duration above 0s, such as 90s, 15m, 2h", by)
	}
	return w.move(ctx, func(now time.Time) (time.Time, error) {
		to := now.Add(by)
		if to.Before(now) || to.After(input.Latest) {
			return now, core.InvalidField("by", "%s leads beyond %s; accepted: a duration up to then, such as 90s, 15m, 2h",
				by, input.Latest.Format(time.RFC3339))
		}
		return to, nil
	}, ClockSetting{})
}

// AdvanceTo moves the clock to a time and returns the new time when all work that falls due on the way is done;
// see OnAdvance. If work fails or ctx ends, the clock stays where it was then.
func (w *World) AdvanceTo(ctx context.Context, to time.Time) (time.Time, error) {
	return w.move(ctx, func(now time.Time) (time.Time, error) {
		if to.After(input.Latest) {
			return now, core.InvalidField("to", "%s; accepted: up to %s", to.UTC().Format(time.RFC3339),
				input.Latest.Format(time.RFC3339))
		}
		return to, later("to", to, now)
	}, ClockSetting{})
}

// AdvanceToNext moves the clock to the next event; see Next.
func (w *World) AdvanceToNext(ctx context.Context) (time.Time, error) {
	return w.move(ctx, func(now time.Time) (time.Time, error) {
		next := w.nextAfter(now)
		if next.IsZero() {
			return now, core.InvalidField("to",
				"next-event: there is none; accepted: a time, or a duration as by, while no scenario plays and no fault or "+
					"setting begins or ends")
		}
		return next, nil
	}, ClockSetting{})
}

func later(field string, to, now time.Time) error {
	if !to.Before(now) {
		return nil
	}
	return core.InvalidField(field,
		"%s is before the time of the world, %s, and a clock only moves forward; accepted: a later time, or a reset of "+
			"the world",
		to.UTC().Format(time.RFC3339Nano), now.Format(time.RFC3339Nano))
}

// move moves the clock to the result of where, step by step, and applies the rest of the setting.
func (w *World) move(
	ctx context.Context, where func(now time.Time) (time.Time, error), s ClockSetting,
) (time.Time, error) {
	if err := w.lockClock(ctx); err != nil {
		return time.Time{}, err
	}
	defer w.unlockClock()
	before := w.ClockState()
	to, err := where(before.Now)
	if err != nil {
		return time.Time{}, err
	}
	reached, err := w.travel(ctx, before.Now, to.UTC())
	frozen, rate := before.Frozen, before.Rate
	if err == nil && s.Rate != nil {
		frozen, rate = false, *s.Rate
	}
	if err == nil && s.Frozen != nil {
		frozen = *s.Frozen
	}
	w.clock.start(reached, frozen, rate)
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
		w.clock.Freeze(at)
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

// nextAfter returns the time of the next event: a setting or a fault begins or ends, or a magic pair jumps.
func (w *World) nextAfter(after time.Time) time.Time {
	a, b := w.market.Next(after), w.faults.NextChange(after)
	if a.IsZero() || !b.IsZero() && b.Before(a) {
		return b
	}
	return a
}

// OnAdvance registers work for every step of a move of the clock. Work that fails ends the move. It must not move
// the clock itself.
func (w *World) OnAdvance(work func(ctx context.Context, now time.Time) error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.hooks = append(w.hooks, work)
}

func (w *World) work(ctx context.Context, now time.Time) error {
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
	before := w.clock.setting.Load()
	defer func() { w.clock.setting.Store(before) }()
	const lead = 10 * time.Second
	for _, at := range []time.Time{w.market.Began().Add(-lead), w.Now()} {
		w.clock.Freeze(at)
		if err := w.work(ctx, at); err != nil {
			return err
		}
	}
	return nil
}
