package upstream

import (
	"sync"
	"time"

	"causeway/core"
)

// state of a breaker; the number is the value of its metric.
type state int

const (
	closed   state = iota // calls pass
	halfOpen              // single probes pass
	open                  // calls are rejected
)

// String returns the state as in traces.
func (s state) String() string {
	switch s {
	case halfOpen:
		return "half_open"
	case open:
		return "open"
	default:
		return "closed"
	}
}

// parts is the number of slices of the window. A call is forgotten after 90 to 100 % of the window.
const parts = 10

// breaker is the circuit breaker of a provider or of a scope of one. It counts the calls in a
// sliding window by the injected clock and is deterministic.
type breaker struct {
	cfg     BreakerConfig
	clock   core.Clock
	changed func(to state, at time.Time) // called in order, with mu held

	mu     sync.Mutex
	state  state
	since  time.Time
	round  uint64 // number of state changes; results of calls from earlier rounds are ignored
	counts [parts]count
	trying int // half-open: probes in progress
	passed int // half-open: probes that succeeded
}

// count is one slice of the window.
type count struct{ slice, good, bad, apart int64 }

func newBreaker(cfg BreakerConfig, clock core.Clock, changed func(to state, at time.Time)) *breaker {
	b := &breaker{cfg: cfg, clock: clock, changed: changed, since: clock()}
	changed(closed, b.since)
	return b
}

// enter asks for permission to call. The caller returns the ticket with leave. Without permission,
// wait is the time until a retry makes sense.
func (b *breaker) enter() (ticket uint64, wait time.Duration, ok bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.state == open {
		now := b.clock()
		if now.Before(b.since) { // the clock went back: start over
			b.since = now
		}
		if wait = b.cfg.OpenFor - now.Sub(b.since); wait > 0 {
			return 0, wait, false
		}
		b.become(halfOpen, now)
	}
	if b.state == halfOpen {
		if b.trying+b.passed >= b.cfg.Probes {
			return 0, time.Second, false
		}
		b.trying++
	}
	return b.round, 0, true
}

// leave reports the result of a call. A failure with verdict apart counts only if spread is true:
// similar failures affect several scopes.
func (b *breaker) leave(ticket uint64, v verdict, spread bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if ticket != b.round {
		return
	}
	now := b.clock()
	failed := v == bad || v == apart && spread
	if b.state == halfOpen {
		b.trying--
		if failed {
			b.become(open, now)
		} else if v == good {
			if b.passed++; b.passed == b.cfg.Probes {
				b.become(closed, now)
			}
		}
		return
	}
	b.add(v, now)
	if failed && b.tooBad(now, spread) {
		b.become(open, now)
	}
}

func (b *breaker) is(s state) bool { return b.now() == s }

// now returns the current state.
func (b *breaker) now() state {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.state
}

func (b *breaker) become(s state, now time.Time) {
	b.state, b.since = s, now
	b.round++
	b.counts = [parts]count{}
	b.trying, b.passed = 0, 0
	b.changed(s, now)
}

// slice returns the number of the slice of time since 1970.
func (b *breaker) slice(now time.Time) int64 { return now.UnixNano() / int64(b.cfg.Window/parts) }

func (b *breaker) add(v verdict, now time.Time) {
	n := b.slice(now)
	c := &b.counts[((n%parts)+parts)%parts]
	if c.slice != n {
		*c = count{slice: n}
	}
	switch v {
	case good:
		c.good++
	case bad:
		c.bad++
	case apart:
		c.apart++
	case silent:
	}
}

// tooBad reports whether the window contains enough calls and enough of them failed.
func (b *breaker) tooBad(now time.Time, spread bool) bool {
	n := b.slice(now)
	var goods, bads int64
	for _, c := range b.counts {
		if c.slice > n-parts && c.slice <= n {
			goods += c.good
			bads += c.bad
			if spread {
				bads += c.apart
			}
		}
	}
	calls := goods + bads
	return calls >= int64(b.cfg.MinCalls) && bads*100 >= calls*int64(b.cfg.FailurePercent)
}
