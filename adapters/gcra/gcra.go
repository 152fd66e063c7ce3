// Package gcra limits rates in the memory of one process, by the generic cell rate algorithm (ATM Forum TM 4.0, 1996; as used by
// throttled and redis-cell): one instant per caller, the theoretical arrival time, says all there is to say, so that a caller costs a
// few bytes and nothing runs in the background.
//
// It refuses to share: several processes count by themselves, unless a limiter over a common store stands before it.
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
	sweepAt  = 1024 // callers of a shard from which on those who have their whole limit again are forgotten
	sweepPer = 2    // the shard may double before it is swept again
)

// Limiter counts. Make it with New.
type Limiter struct {
	clock core.Clock
	seed  maphash.Seed
	parts [shards]shard
}

type shard struct {
	mu      sync.Mutex
	arrival map[string]time.Time // by caller: when its limit is whole again
	sweep   int                  // callers at which to sweep next
}

var _ ports.RateLimiter = (*Limiter)(nil)

// New makes a limiter that runs by a clock.
func New(clock core.Clock) *Limiter {
	l := &Limiter{clock: clock, seed: maphash.MakeSeed()}
	for i := range l.parts {
		l.parts[i] = shard{arrival: map[string]time.Time{}, sweep: sweepAt}
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
		part.tidy(now)
	}
	return allowance, nil
}

// step is the algorithm: from when the limit is whole again, to the same after cost calls at an instant.
func step(arrival, now time.Time, limit core.RateLimit, cost int) (time.Time, core.Allowance) {
	per := limit.Per / time.Duration(limit.Calls)
	if per <= 0 {
		per = 1
	}
	whole := per * time.Duration(limit.Calls)
	if arrival.Before(now) || arrival.Sub(now) > whole { // long ago, or the clock was set back
		arrival = now
	}
	next := arrival.Add(per * time.Duration(cost))
	if over := next.Sub(now) - whole; over > 0 {
		return arrival, core.Allowance{
			Remaining: int((whole - arrival.Sub(now)) / per), Reset: arrival.Sub(now), RetryAfter: min(over, whole),
		}
	}
	return next, core.Allowance{OK: true, Remaining: int((whole - next.Sub(now)) / per), Reset: next.Sub(now)}
}

// tidy forgets the callers who have their whole limit again, now and then.
func (s *shard) tidy(now time.Time) {
	if len(s.arrival) < s.sweep {
		return
	}
	for caller, arrival := range s.arrival {
		if !arrival.After(now) {
			delete(s.arrival, caller)
		}
	}
	s.sweep = max(sweepAt, sweepPer*len(s.arrival))
}
