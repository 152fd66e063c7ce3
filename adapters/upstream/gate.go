package upstream

import (
	"errors"
	"sync"
	"time"

	"go.uber.org/zap"
	"golang.org/x/time/rate"
)

const (
	maxFailures = 10               // in a row open a breaker
	scopeShare  = 4                // failures in a row of one scope that count for the provider, so that three must fail
	openFor     = 10 * time.Second // between the calls that an open breaker lets through
	alertEvery  = time.Minute      // between log messages about rejected credentials
)

// The states of a breaker, as in traces and journals.
const (
	closed   = "closed"
	halfOpen = "half_open" // a probe was sent
	open     = "open"
)

// stateValues are the values of the metric.
var stateValues = map[string]float64{closed: 0, halfOpen: 1, open: 2}

// breaker is a circuit breaker. It opens after ten failures in a row. While it is open, it lets one
// call through every ten seconds, and closes when a call succeeds.
type breaker struct {
	failures int       // since the last success
	probeAt  time.Time // when an open breaker lets the next call through
}

func (b *breaker) open() bool { return b.failures >= maxFailures }

// wait returns the time until a call may be sent.
func (b *breaker) wait(now time.Time) time.Duration {
	wait := b.probeAt.Sub(now)
	if !b.open() || wait > openFor { // the clock was set back
		return 0
	}
	return max(0, wait)
}

func (b *breaker) fail(now time.Time) {
	b.failures++
	b.probeAt = now.Add(openFor)
}

// gate is the state that all clients of a provider share: circuit breakers and rate limits.
type gate struct {
	*shared

	provider string
	log      *zap.Logger
	limits   []Limit // nil: none
	buckets  []*rate.Limiter

	mu     sync.Mutex
	whole  breaker
	scopes map[string]*breaker // scopes that failed since their last success
	state  string              // of whole

	alerted time.Time // of the last message about rejected credentials
}

func newGate(p Provider, s *shared) *gate {
	log := s.log.With(zap.String("provider", p.Name))
	g := &gate{shared: s, provider: p.Name, log: log, scopes: map[string]*breaker{}}
	if !s.options.Unlimited {
		g.setLimits(p.Limits)
	}
	g.become(closed, s.options.Clock())
	return g
}

// enter returns the state of the breaker of the provider, or why no call may be sent.
func (g *gate) enter(scope string) (state string, retryAfter time.Duration, err error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	now := g.options.Clock()
	asked := []*breaker{&g.whole}
	if own, ok := g.scopes[scope]; ok {
		asked = append(asked, own)
	}
	for _, b := range asked {
		if wait := b.wait(now); wait > 0 {
			return open, wait, Fail(Open, "the circuit breaker is open")
		}
	}
	for _, b := range asked {
		b.probeAt = now.Add(openFor)
	}
	if g.whole.open() {
		g.become(halfOpen, now)
	}
	return g.state, 0, nil
}

// report records the result of a call.
func (g *gate) report(q Request, err error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	now := g.options.Clock()
	failure, failed := errors.AsType[*Failure](err)
	works, fails := outcomeOf(err).healthy()
	switch {
	case works:
		delete(g.scopes, q.Scope)
		g.whole.failures = 0
		g.become(closed, now)
	case fails && !failure.hasty && !g.cfg.NoBreaker:
		g.fail(q.Scope, now)
	}
	g.metrics.openScopes.WithLabelValues(g.provider).Set(g.openScopes())
	switch {
	case failed && failure.Outcome == Throttled:
		g.exhaust()
	case failed && failure.Outcome == Refused && now.Sub(g.alerted) >= alertEvery:
		g.alerted = now
		g.log.Error("provider rejects the credentials, plan, quota or address of this installation",
			zap.String("op", q.Op), zap.Int("status", failure.Status))
	}
}

// fail records a failed call. One scope alone cannot open the breaker of the provider.
func (g *gate) fail(scope string, now time.Time) {
	if scope != "" {
		own, ok := g.scopes[scope]
		if !ok {
			own = &breaker{}
			g.scopes[scope] = own
		}
		if own.fail(now); own.failures > scopeShare && !g.whole.open() {
			return
		}
	}
	if g.whole.fail(now); g.whole.open() {
		g.become(open, now)
	}
}

func (g *gate) openScopes() (n float64) {
	for _, b := range g.scopes {
		if b.open() {
			n++
		}
	}
	return n
}

// become sets the state of the provider's breaker.
func (g *gate) become(state string, now time.Time) {
	if g.state == state {
		return
	}
	before := g.state
	g.state = state
	g.metrics.states.WithLabelValues(g.provider).Set(stateValues[state])
	g.metrics.changes.WithLabelValues(g.provider).Set(float64(now.UnixMilli()) / 1000)
	switch {
	case state == open && before == closed:
		g.log.Warn("circuit breaker opened", zap.Duration("retry_every", openFor))
	case state == closed && before != "":
		g.log.Info("circuit breaker closed")
	}
}
