package simulator

import (
	"sync/atomic"
	"time"

	"causeway/core"
)

// Clock is the time of a world: the time of the machine, moved by an offset, or standing still. It is safe
// for concurrent use.
type Clock struct {
	base    core.Clock
	setting atomic.Pointer[setting]
}

// setting is one immutable state of a clock: frozen at an instant, or offset from the base.
type setting struct {
	frozen bool
	at     time.Time
	offset time.Duration
}

// NewClock makes a clock that follows base.
func NewClock(base core.Clock) *Clock {
	c := &Clock{base: base}
	c.setting.Store(&setting{})
	return c
}

// Now returns the world's time, in UTC.
func (c *Clock) Now() time.Time {
	s := c.setting.Load()
	if s.frozen {
		return s.at
	}
	return c.base().Add(s.offset).UTC()
}

// Freeze stops the clock at an instant.
func (c *Clock) Freeze(at time.Time) {
	c.setting.Store(&setting{frozen: true, at: at.UTC()})
}

// Set lets the clock run on from an instant.
func (c *Clock) Set(at time.Time) {
	c.setting.Store(&setting{offset: at.Sub(c.base())})
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
