package recipients

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"slices"
	"sync"
	"time"

	"causeway/core"
)

const minTurn = time.Second // of each provider

// lookup calls the providers of a plan until one is certain. The next one is called when all
// before it failed, or when the turn of the latest one ends: after its share of the budget. A provider
// whose turn is over may still respond, because the bank behind all of them may be slow.
type lookup struct {
	*Service

	ctx      context.Context //nolint:containedctx // the lookup lives as long as one call
	plan     plan
	started  time.Time
	turn     *time.Timer
	turns    int // begun so far
	replies  chan reply
	pending  []*attempt
	failures []failure
}

// attempt is a pending call of a provider.
type attempt struct {
	provider string
	cancel   context.CancelFunc
	started  time.Time // by the stopwatch
	hedged   bool      // called while another provider was pending
}

// callProviders returns the result of a plan before the deadline of ctx, even if a provider ignores
// its context.
func (s *Service) callProviders(ctx context.Context, p plan) result {
	l := &lookup{
		Service: s, ctx: ctx, plan: p, started: s.cfg.Stopwatch(), turn: time.NewTimer(s.cfg.Settings.Budget),
		replies: make(chan reply, len(p.providers)), // late replies do not block
	}
	defer l.turn.Stop()
	l.callNext()
	for {
		select {
		case r := <-l.replies:
			if res, done := l.receive(r); done {
				l.close(Abandoned)
				return res
			}
			if len(l.pending) == 0 && !l.callNext() {
				res, _ := l.decide()
				return res
			}
		case <-l.turn.C:
			l.callNext()
		case <-ctx.Done():
			if errors.Is(ctx.Err(), context.Canceled) {
				l.close(Abandoned)
				return result{outcome: Abandoned, cause: ctx.Err()}
			}
			l.close(CannotTell)
			res, _ := l.decide()
			return res
		}
	}
}

// callNext calls the next provider, if there is one and there is time.
func (l *lookup) callNext() bool {
	if l.turns == len(l.plan.providers) || l.ctx.Err() != nil {
		return false
	}
	p := l.plan.providers[l.turns]
	ctx, cancel := context.WithCancel(l.ctx)
	a := &attempt{provider: p.name, cancel: cancel, started: l.cfg.Stopwatch(), hedged: len(l.pending) > 0}
	l.pending = append(l.pending, a)
	l.turns++
	l.turn.Reset(l.turnLength())
	query, claimed, replies := l.plan.query, l.plan.claimed, l.replies
	go func() {
		r := reply{err: errors.New("the provider ended the goroutine")}
		defer func() {
			if v := recover(); v != nil { // its value may contain the account number
				r = reply{err: fmt.Errorf("panic with a %T", v), stack: debug.Stack()}
			}
			r.attempt = a
			replies <- r
		}()
		r = p.call(ctx, query, claimed)
	}()
	return true
}

// turnLength returns how long to wait for a provider before the next one is called.
func (l *lookup) turnLength() time.Duration {
	share := max(l.cfg.Settings.Budget/time.Duration(len(l.plan.providers)), minTurn)
	return share*time.Duration(l.turns) - l.cfg.Stopwatch().Sub(l.started)
}

// receive handles a reply and reports whether it decides the result.
func (l *lookup) receive(r reply) (result, bool) {
	name, outcome := r.attempt.provider, outcomeOf(l.ctx, r)
	l.end(r.attempt, outcome, r.stack)
	if outcome == Found {
		l.reached.add(l.plan.query, l.cfg.Clock())
		return result{outcome: Found, holder: r.holder, match: r.match, provider: name}, true
	}
	l.failures = append(l.failures, failure{name, outcome, r.err})
	return l.decide()
}

func (l *lookup) decide() (result, bool) {
	return decide(l.failures, l.plan, l.reached.recently(l.plan.query, l.cfg.Clock()))
}

// close ends all attempts that are pending.
func (l *lookup) close(outcome Outcome) {
	for _, a := range slices.Clone(l.pending) {
		l.end(a, outcome, nil)
		l.failures = append(l.failures, failure{a.provider, outcome, errors.New("no response in time")})
	}
}

// end ends an attempt.
func (l *lookup) end(a *attempt, outcome Outcome, stack []byte) {
	a.cancel()
	l.pending = slices.DeleteFunc(l.pending, func(p *attempt) bool { return p == a })
	took := l.cfg.Stopwatch().Sub(a.started)
	l.cfg.Events.Attempt(l.ctx, Attempt{
		Provider: a.provider, Country: l.plan.query.Country, Channel: l.plan.query.Channel,
		Outcome: outcome, Latency: took, Hedged: a.hedged, Stack: stack,
	})
}

// reachable remembers when providers last found an account at a bank. Its size is bounded by the
// number of banks.
type reachable struct {
	mu     sync.Mutex
	latest map[string]time.Time // by country, channel and bank
}

// recent is how long one found account shows that a bank can be reached.
const recent = 10 * time.Minute

func reachedKey(q core.AccountQuery) string {
	return place{q.Country, q.Channel}.String() + "_" + q.Bank.Code
}

func (r *reachable) add(q core.AccountQuery, now time.Time) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.latest == nil {
		r.latest = make(map[string]time.Time)
	}
	r.latest[reachedKey(q)] = now
}

func (r *reachable) recently(q core.AccountQuery, now time.Time) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	latest, ok := r.latest[reachedKey(q)]
	return ok && now.Sub(latest).Abs() <= recent
}
