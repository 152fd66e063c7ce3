package upstream

import (
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"go.uber.org/zap"

	"causeway/core"
)

// alertEvery is the minimum time between equal log messages.
const alertEvery = time.Minute

// fullWait is the retry time that a call beyond the concurrency limit reports.
const fullWait = time.Second

// gate is the state that all clients of a provider share: concurrency limit, circuit breakers, rate
// limits and Retry-After.
type gate struct {
	provider string
	clock    core.Clock
	log      *zap.Logger
	breaker  *breaker
	scopes   *scopes
	ledger   atomic.Pointer[ledger] // nil: no limits
	most     int64                  // concurrent calls
	inside   atomic.Int64

	mu        sync.Mutex
	limits    []Limit
	heldUntil time.Time
	alerted   time.Time
}

func newGate(
	provider string, config Config, clock core.Clock, log *zap.Logger, m *Metrics,
) *gate {
	cfg := config.Breaker
	g := &gate{
		provider: provider, clock: clock, log: log.With(zap.String("provider", provider)),
		scopes: newScopes(cfg, clock), most: int64(config.MaxConcurrent),
	}
	g.breaker = newBreaker(cfg, clock, func(to state, at time.Time) {
		m.breaker(provider, to, at)
		switch {
		case g.breaker == nil: // the initial state
		case to == open:
			g.log.Warn("circuit breaker opened", zap.Duration("for", cfg.OpenFor))
		case to == closed:
			g.log.Info("circuit breaker closed")
		}
	})
	return g
}

// permit is the permission for one call.
type permit struct {
	ticket uint64 // of the breaker of the provider
	scope  *scope // nil: the call concerns the provider as a whole
	own    uint64 // ticket of the breaker of the scope
}

// enter asks the concurrency limit and the breakers for permission to call. The caller returns the
// permit with leave. Without permission, wait is the time until a retry makes sense.
func (g *gate) enter(name string) (p permit, wait time.Duration, refused *Failure) {
	if g.inside.Add(1) > g.most {
		g.inside.Add(-1)
		return permit{}, fullWait, Fail(Full, "too many concurrent calls")
	}
	p, wait, ok := g.trust(name)
	if !ok {
		g.inside.Add(-1)
		return permit{}, wait, Fail(Open, "the circuit breaker is open")
	}
	return p, 0, nil
}

// trust asks the breakers.
func (g *gate) trust(name string) (p permit, wait time.Duration, ok bool) {
	if p.ticket, wait, ok = g.breaker.enter(); !ok || name == "" {
		return p, wait, ok
	}
	p.scope = g.scopes.get(name)
	if p.own, wait, ok = p.scope.breaker.enter(); !ok {
		g.breaker.leave(p.ticket, silent, false)
	}
	return p, wait, ok
}

// leave reports the result of a call.
func (g *gate) leave(p permit, v verdict) {
	g.inside.Add(-1)
	spread := false
	if p.scope != nil {
		p.scope.breaker.leave(p.own, v, false)
		if v == bad {
			v, spread = apart, g.scopes.fail(p.scope)
		}
	}
	g.breaker.leave(p.ticket, v, spread)
}

// limit sets the rate limits of the provider once. All its clients must state the same limits or
// none.
func (g *gate) limit(limits []Limit) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	if len(limits) == 0 || slices.Equal(limits, g.limits) {
		return nil
	}
	if err := checkLimits(g.provider, limits); err != nil {
		return err
	}
	if g.limits != nil {
		return fmt.Errorf("%s: different limits %v and %v; a provider has one set of limits", g.provider, limits, g.limits)
	}
	g.limits = slices.Clone(limits)
	g.ledger.Store(newLedger(limits, g.clock))
	return nil
}

// limited returns the rate limits.
func (g *gate) limited() []Limit {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.limits
}

// hold rejects calls for a while.
func (g *gate) hold(wait time.Duration) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.heldUntil = g.clock().Add(wait)
}

// held returns how long calls are still rejected: at most most, also if the clock went back.
func (g *gate) held(most time.Duration) time.Duration {
	g.mu.Lock()
	defer g.mu.Unlock()
	now := g.clock()
	if g.heldUntil.Sub(now) > most {
		g.heldUntil = now.Add(most)
	}
	return g.heldUntil.Sub(now)
}

// refused logs at most once a minute that the provider rejects the credentials.
func (g *gate) refused(op string, status int) {
	g.mu.Lock()
	defer g.mu.Unlock()
	now := g.clock()
	if since := now.Sub(g.alerted); since >= 0 && since < alertEvery {
		return
	}
	g.alerted = now
	g.log.Error("provider rejects the credentials, plan, quota or address of this installation",
		zap.String("op", op), zap.Int("status", status))
}
