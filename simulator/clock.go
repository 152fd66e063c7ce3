package simulator

import (
	"sync/atomic"
	"time"

	"causeway/core"
)

// Clock is the time of a world: the time of the machine, moved by an offset; standing still; or running faster. It is safe
// for concurrent use, and never fails: what may be asked of a world's clock is checked by World.SetClock and World.AdvanceTo.
type Clock struct {
	base    core.Clock
	setting atomic.Pointer[setting]
}

// setting is one immutable state of a clock.
type setting struct {
	frozen bool
	rate   int64         // seconds of the world in one of the machine, 1 at least: while it runs, and when it runs again
	at     time.Time     // frozen: now; running faster: then
	since  time.Time     // running faster: when it was so by the machine
	offset time.Duration // running at 1: from the machine
}

// The time of a world lies between these.
func earliest() time.Time { return time.Date(2000, time.January, 1, 0, 0, 0, 0, time.UTC) }
func latest() time.Time   { return time.Date(2200, time.January, 1, 0, 0, 0, 0, time.UTC) }

func inTime(t time.Time) bool { return !t.Before(earliest()) && !t.After(latest()) }

// times says which times there are.
func times() string {
	return "a time from " + earliest().Format(time.RFC3339) + " to " + latest().Format(time.RFC3339)
}

// NewClock makes a clock that follows base.
func NewClock(base core.Clock) *Clock {
	c := &Clock{base: base}
	c.setting.Store(&setting{rate: 1})
	return c
}

// Now returns the world's time, in UTC. A clock that runs fast stops at the latest time that there is.
func (c *Clock) Now() time.Time { return c.setting.Load().now(c.base) }

func (s *setting) now(base core.Clock) time.Time {
	switch {
	case s.frozen:
		return s.at
	case s.rate == 1:
		return base().Add(s.offset).UTC()
	}
	passed := base().Sub(s.since)
	if left := latest().Sub(s.at); passed > left/time.Duration(s.rate) {
		return latest()
	}
	return s.at.Add(passed * time.Duration(s.rate))
}

// Freeze stops the clock at an instant.
func (c *Clock) Freeze(at time.Time) {
	c.start(at, true, c.setting.Load().rate)
}

// Set lets the clock run on from an instant, as fast as the machine's.
func (c *Clock) Set(at time.Time) { c.start(at, false, 1) }

// start lets the clock go on from an instant.
func (c *Clock) start(at time.Time, frozen bool, rate int64) {
	s := &setting{frozen: frozen, rate: rate, at: at.UTC()}
	if !frozen {
		s.since = c.base()
		s.offset = at.Sub(s.since)
	}
	c.setting.Store(s)
}

// Advance moves the clock by a duration, back where it is negative. A frozen clock stays frozen.
func (c *Clock) Advance(by time.Duration) {
	for {
		old := c.setting.Load()
		moved := *old
		moved.at = old.at.Add(by)
		moved.offset += by
		if c.setting.CompareAndSwap(old, &moved) {
			return
		}
	}
}
