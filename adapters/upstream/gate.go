package upstream

import (
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"go.uber.org/zap"

	"causeway/core"
)

// alertEvery is how seldom an operator is told the same thing.
const alertEvery = time.Minute

// gate is what all clients of one provider share: its breaker, its ledger, how long it told us to wait, and when
// an operator was last told that it refuses us.
type gate struct {
	provider string
	clock    core.Clock
	log      *zap.Logger
	breaker  *breaker
	ledger   atomic.Pointer[ledger] // nil: no limits

	mu        sync.Mutex
	limits    []Limit
	heldUntil time.Time
	alerted   time.Time
}

func newGate(provider string, cfg BreakerConfig, clock core.Clock, log *zap.Logger, m *metrics) *gate {
	g := &gate{provider: provider, clock: clock, log: log.With(zap.String("provider", provider))}
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
