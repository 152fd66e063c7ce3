// Package gcra limits rates in the memory of one process by the generic cell rate algorithm (ATM
// Forum TM 4.0, 1996): the state of a caller is one time, at which its limit is full again.
package gcra

import (
	"context"
	"hash/maphash"
	"sync"
	"time"

	"causeway/core"
	"causeway/ports"
)

const (
	shards   = 64
	minSweep = 1024 // callers of a shard before callers with a full limit are removed
)

// Limiter is a rate limiter. Create it with New.
type Limiter struct {
	clock core.Clock
	seed  maphash.Seed
	parts [shards]shard
}

type shard struct {
	mu      sync.Mutex
	arrival map[string]time.Time // by caller: theoretical arrival time, at which the limit is full again
	sweep   int                  // number of callers at which to sweep next
}

var _ ports.RateLimiter = (*Limiter)(nil)

// New returns a limiter that measures time by a clock.
func New(clock core.Clock) *Limiter {
	l := &Limiter{clock: clock, seed: maphash.MakeSeed()}
	for i := range l.parts {
		l.parts[i] = shard{arrival: map[string]time.Time{}, sweep: minSweep}
	}
	return l
}

// Take counts cost calls of a caller.
func (l *Limiter) Take(_ context.Context, caller string, limit core.RateLimit, cost int) (core.Allowance, error) {
	if limit.None() {
		return core.Allowance{OK: true}, nil
	}
	part := &l.parts[maphash.String(l.seed, caller)%shards]
	now := l.clock()
	part.mu.Lock()
	defer part.mu.Unlock()
	next, allowance := step(part.arrival[caller], now, limit, cost)
	if allowance.OK && cost > 0 {
		part.arrival[caller] = next
		part.removeFull(now)
	}
	return allowance, nil
}

// step returns the arrival time after cost calls, and whether the limit allows them.
func step(arrival, now time.Time, limit core.RateLimit, cost int) (time.Time, core.Allowance) {
	interval := max(1, limit.Per/time.Duration(limit.Calls))
	capacity := interval * time.Duration(limit.Calls)
	if arrival.Before(now) || arrival.Sub(now) > capacity { // long ago, or the clock was set back
		arrival = now
	}
	next := arrival.Add(interval * time.Duration(cost))
	if excess := next.Sub(now) - capacity; excess > 0 {
		return arrival, core.Allowance{
			Remaining: int((capacity - arrival.Sub(now)) / interval), Reset: arrival.Sub(now), RetryAfter: min(excess, capacity),
		}
	}
	return next, core.Allowance{OK: true, Remaining: int((capacity - next.Sub(now)) / interval), Reset: next.Sub(now)}
}

// removeFull removes callers whose limit is full again, each time that the shard has doubled.
func (s *shard) removeFull(now time.Time) {
	if len(s.arrival) < s.sweep {
		return
	}
	for caller, arrival := range s.arrival {
		if !arrival.After(now) {
			delete(s.arrival, caller)
		}
	}
	s.sweep = max(minSweep, 2*len(s.arrival))
}
