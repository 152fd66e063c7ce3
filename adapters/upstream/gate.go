package upstream

import (
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"
	"go.uber.org/zap"

	"causeway/core"
)

// alertEvery is how seldom an operator is told the same thing.
const alertEvery = time.Minute

// fullWait is what is told of a bulkhead: a place is free as soon as any question is settled.
const fullWait = time.Second

// gate is what all clients of one provider share: its bulkhead, its breaker and those of its scopes, its ledger, how long it told us to wait, and when
// an operator was last told that it refuses us.
type gate struct {
	provider string
	clock    core.Clock
	log      *zap.Logger
	breaker  *breaker
	scopes   *scopes
	ledger   atomic.Pointer[ledger] // nil: no limits
	most     int64                  // questions at once
	inside   atomic.Int64

	mu        sync.Mutex
	limits    []Limit
	heldUntil time.Time
	alerted   time.Time
}

func newGate(provider string, config Config, clock core.Clock, log *zap.Logger, m *metrics, reg prometheus.Registerer) *gate {
	cfg := config.Breaker
	g := &gate{provider: provider, clock: clock, log: log.With(zap.String("provider", provider)), scopes: newScopes(cfg, clock), most: int64(config.MaxConcurrent)}
	promauto.With(reg).NewGaugeFunc(prometheus.GaugeOpts{
		Name:        "causeway_upstream_in_flight",
		Help:        "Questions that a provider is being asked; at upstream.max_concurrent of them one more is not (outcome full).",
		ConstLabels: prometheus.Labels{"provider": provider},
	}, func() float64 { return float64(g.inside.Load()) })
	promauto.With(reg).NewGaugeFunc(prometheus.GaugeOpts{
		Name:        "causeway_upstream_breaker_open_scopes",
		Help:        "How many parts of a provider (banks) are not asked although the provider is.",
		ConstLabels: prometheus.Labels{"provider": provider},
	}, func() float64 { return float64(g.scopes.open()) })
	g.breaker = newBreaker(cfg, clock, func(to state, at time.Time) {
		m.breaker(provider, to, at)
		switch {
		case g.breaker == nil: // being made
		case to == open:
			g.log.Warn("a provider fails too often and is not asked for a while", zap.Duration("for", cfg.OpenFor))
		case to == closed:
			g.log.Info("a provider is back and is asked as usual")
		}
	})
	return g
}

// permit is the permission for one call.
type permit struct {
	ticket uint64 // of the provider's breaker
	scope  *scope // nil: the question is about the provider as a whole
	own    uint64 // ticket of the scope's breaker
}

// enter asks the bulkhead and the breakers for permission to call. A permitted call gives its permit back with leave; without permission,
// wait says when asking again makes sense.
func (g *gate) enter(name string) (p permit, wait time.Duration, refused *Failure) {
	if g.inside.Add(1) > g.most {
		g.inside.Add(-1)
		return permit{}, fullWait, Fail(Full, "it is asked as much at once as it may be")
	}
	p, wait, ok := g.trust(name)
	if !ok {
		g.inside.Add(-1)
		return permit{}, wait, Fail(Open, "it failed too often")
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

// leave tells what came of a permitted call.
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

// limit lays a ledger for the provider, once: all its clients tell the same limits, or none.
func (g *gate) limit(limits []Limit, reg prometheus.Registerer) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	if len(limits) == 0 || slices.Equal(limits, g.limits) {
		return nil
	}
	if err := checkLimits(g.provider, limits); err != nil {
		return err
	}
	if g.limits != nil {
		return fmt.Errorf("%s: the limits %v here and %v elsewhere; a provider has one set of them", g.provider, limits, g.limits)
	}
	g.limits = slices.Clone(limits)
	g.ledger.Store(newLedger(g.provider, limits, g.clock, reg))
	return nil
}

// limited are the limits.
func (g *gate) limited() []Limit {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.limits
}

// hold keeps questions back for a while.
func (g *gate) hold(wait time.Duration) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.heldUntil = g.clock().Add(wait)
}

// held returns how long questions are still kept back: at most most, also where the clock was set back since.
func (g *gate) held(most time.Duration) time.Duration {
	g.mu.Lock()
	defer g.mu.Unlock()
	now := g.clock()
	if g.heldUntil.Sub(now) > most {
		g.heldUntil = now.Add(most)
	}
	return g.heldUntil.Sub(now)
}

// refused tells the operator that the provider refuses us, at most once a minute.
func (g *gate) refused(op string, status int) {
	g.mu.Lock()
	defer g.mu.Unlock()
	now := g.clock()
	if since := now.Sub(g.alerted); since >= 0 && since < alertEvery {
		return
	}
	g.alerted = now
	g.log.Error("a provider refuses our key, plan, quota or address; somebody must look",
		zap.String("op", op), zap.Int("status", status))
}
