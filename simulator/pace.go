package simulator

import (
	"context"
	"fmt"
	"time"

	"causeway/core"
)

// mostRate is how many seconds of a world may pass in one of the machine.
const mostRate = 3600

// ClockSetting changes a world's clock. What is nil stays as it is, except that a clock that is given a rate runs.
type ClockSetting struct {
	Now    *time.Time `json:"now,omitempty" doc:"The new time, not before the present time of the world" example:"2026-11-16T12:00:00Z"`
	Frozen *bool      `json:"frozen,omitempty" doc:"Whether the clock stands still" example:"true"`
	Rate   *int64     `json:"rate,omitempty" doc:"Seconds of the world per second of the machine, 1 to 3600. A clock that gets a rate runs" example:"60"`
}

// ClockState is how a world's clock goes.
type ClockState struct {
	Now    time.Time `json:"now" doc:"Time of the world" example:"2026-11-16T12:00:00Z"`
	Frozen bool      `json:"frozen" doc:"Whether the clock stands still" example:"true"`
	Rate   int64     `json:"rate" doc:"Seconds of the world per second of the machine while the clock runs" example:"1"`
}

// ClockState returns how the clock goes. While it is being moved it is frozen.
func (w *World) ClockState() ClockState {
	s := w.clock.setting.Load()
	return ClockState{Now: s.now(w.clock.base), Frozen: s.frozen, Rate: s.rate}
}

// check returns everything that is wrong with a setting by itself.
func (s ClockSetting) check() error {
	var c checker
	c.need(s.Now != nil || s.Frozen != nil || s.Rate != nil, "clock", "is empty", "now, frozen, rate")
	if s.Now != nil {
		c.need(inTime(*s.Now), "now", s.Now.Format(time.RFC3339), times())
	}
	if s.Rate != nil {
		c.need(*s.Rate >= 1 && *s.Rate <= mostRate, "rate", *s.Rate, fmt.Sprintf("1 to %d", mostRate))
		c.need(s.Frozen == nil || !*s.Frozen, "rate", *s.Rate, "none where the clock is frozen")
	}
	return c.err()
}

// backwards says that the clock does not go back.
func backwards(field string, to, now time.Time) error {
	return core.InvalidField(field, "%s is before the world's now, %s: a clock is not set back; accepted: that instant or later, or a reset of the world, which begins again",
		to.UTC().Format(time.RFC3339Nano), now.Format(time.RFC3339Nano))
}

// SetClock changes the clock. Where that moves it, it returns when the world's work is done, as AdvanceTo does.
func (w *World) SetClock(ctx context.Context, s ClockSetting) error {
	if err := s.check(); err != nil {
		return err
	}
	if err := w.hold(ctx); err != nil {
		return err
	}
	defer w.release()
	was := w.ClockState()
	to, frozen, rate := was.Now, was.Frozen, was.Rate
	if s.Now != nil {
		if to = s.Now.UTC(); to.Before(was.Now) {
			return backwards("now", to, was.Now)
		}
	}
	if s.Rate != nil {
		frozen, rate = false, *s.Rate
	}
	if s.Frozen != nil {
		frozen = *s.Frozen
	}
	reached, err := w.travel(ctx, was.Now, to)
	if err != nil {
		frozen, rate = was.Frozen, was.Rate
	}
	w.clock.start(reached, frozen, rate)
	return err
}

// Advance moves the clock on by a duration, as AdvanceTo does, and returns the world's new time.
func (w *World) Advance(ctx context.Context, by time.Duration) (time.Time, error) {
	if by <= 0 {
		return time.Time{}, core.InvalidField("by", "%s; accepted: more than 0s, such as 37s or 1h30m", by)
	}
	return w.move(ctx, func(now time.Time) (time.Time, error) {
		if by > latest().Sub(now) {
			return now, core.InvalidField("by", "%s leads beyond %s; accepted: up to then", by, latest().Format(time.RFC3339))
		}
		return now.Add(by), nil
	})
}

// AdvanceTo moves the clock on to an instant, and returns the world's new time when all work that falls due on the way is done: see OnAdvance. A running
// clock stands still on the way and runs on from there. Where work fails, or ctx ends, the clock goes on from where that was; the error says
// so. An instant that is over is refused, and then nothing is changed.
func (w *World) AdvanceTo(ctx context.Context, to time.Time) (time.Time, error) {
	return w.move(ctx, func(now time.Time) (time.Time, error) {
		switch {
		case to.Before(now):
			return now, backwards("to", to, now)
		case to.After(latest()):
			return now, core.InvalidField("to", "%s; accepted: up to %s", to.UTC().Format(time.RFC3339), latest().Format(time.RFC3339))
		}
		return to.UTC(), nil
	})
}

// AdvanceToNext moves the clock on to the next event: see Next.
func (w *World) AdvanceToNext(ctx context.Context) (time.Time, error) {
	return w.move(ctx, func(now time.Time) (time.Time, error) {
		next := w.nextAfter(now)
		if next.IsZero() {
			return now, core.InvalidField("to", "next-event: nothing is known to come; accepted: an instant, while no scenario is played, no fault or setting ends, and no timer is set")
		}
		return next, nil
	})
}

// move moves the clock to where it is told, which is decided when nobody else moves it.
func (w *World) move(ctx context.Context, where func(now time.Time) (time.Time, error)) (time.Time, error) {
	if err := w.hold(ctx); err != nil {
		return time.Time{}, err
	}
	defer w.release()
	was := w.ClockState()
	to, err := where(was.Now)
	if err != nil {
		return time.Time{}, err
	}
	reached, err := w.travel(ctx, was.Now, to)
	w.clock.start(reached, was.Frozen, was.Rate)
	return reached, err
}
