package recipients

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"time"

	"causeway/core"
)

const leastShare = time.Second // of the budget, for each turn

// plan is a good question and whom to put it to: one provider at least.
type plan struct {
	query      core.AccountQuery
	claimed    core.Private // the name that the caller believes is the holder's
	asked      []provider
	confirming bool // they tell no names, only whether one is the holder's
	guessed    bool // the institution is what the number's prefix hints at: no code was sent
	hedge      bool
}

// lookup is one question on its way through the providers. The next one is asked when all before it could not tell, or when the turn of
// the last one is over: turns end one share of the budget after the other, or earlier where the route is hedged. Whoever's turn is
// over may still answer: behind all providers is the same bank, and it may be a slow one. Whoever tells first is believed, "no such
// account" included, where it is sure. A doubtful one is believed from two, or where nobody else can be asked.
type lookup struct {
	service *Service
	plan    plan
	end     time.Time     // of the budget, in real time: a simulated world's clock may stand still
	share   time.Duration // of the budget, for one turn

	started  int
	pending  []*attempt
	replies  chan reply
	turn     <-chan struct{} // closed when the turn of the last one is over; nil: nobody is left to ask
	endTurn  context.CancelFunc
	failures []failure
	doubted  bool // one of the failures is a doubtful "no such account"
}

// attempt is a provider that is being asked.
type attempt struct {
	provider provider
	cancel   context.CancelFunc
	started  time.Time // by the stopwatch
	hedged   bool
}

type reply struct {
	attempt *attempt
	answer  answer
	err     error
	stack   []byte // of a panic
}

// failure is a provider that could not tell.
type failure struct {
	provider string
	err      error
}

// ask puts a question to the providers and says which one answered. The deadline of ctx is the end of the budget. It returns then at the
// latest, even if a provider does not mind its context.
func (s *Service) ask(ctx context.Context, p plan) (answer, string, error) {
	end, _ := ctx.Deadline()
	l := &lookup{
		service: s, plan: p, end: end, share: max(s.budget/time.Duration(len(p.asked)), leastShare),
		replies: make(chan reply, len(p.asked)), // so that nobody who is too late waits for ever
		endTurn: func() {},
	}
	defer func() { l.endTurn() }()
	for {
		if len(l.pending) == 0 && !l.start(ctx) {
			return l.give(ctx)
		}
		select {
		case r := <-l.replies:
			if told, err := l.hear(ctx, r); told {
				return r.answer, r.attempt.provider.name, err
			}
		case <-l.turn:
			l.turn = nil
			l.start(ctx)
		case <-ctx.Done():
			return l.give(ctx)
		}
	}
}

// start asks the next provider, if there is one and there is time.
func (l *lookup) start(ctx context.Context) bool {
	if l.started == len(l.plan.asked) || ctx.Err() != nil {
		return false
	}
	a := &attempt{provider: l.plan.asked[l.started], started: l.service.stopwatch(), hedged: len(l.pending) > 0}
	own, cancel := context.WithCancel(ctx)
	a.cancel = cancel
	l.pending = append(l.pending, a)
	l.started++
	l.begin(ctx, a.provider.name)
	query, claimed, replies := l.plan.query, l.plan.claimed, l.replies
	go func() {
		r := reply{attempt: a, err: errors.New("it ended without an answer")}
		defer func() {
			if v := recover(); v != nil { // the next provider is asked; what was thrown may show an account
				r.err, r.stack = fmt.Errorf("it panicked with a %T", v), debug.Stack()
			}
			replies <- r
		}()
		r.answer, r.err = a.provider.ask(own, query, claimed)
	}()
	return true
}

// begin begins the turn of the provider that was asked last.
func (l *lookup) begin(ctx context.Context, name string) {
	l.endTurn()
	l.turn, l.endTurn = nil, func() {}
	over := l.end.Add(-l.service.budget).Add(l.share * time.Duration(l.started))
	if l.started == len(l.plan.asked) || !over.Before(l.end) {
		return
	}
	turn, cancel := context.WithDeadline(ctx, over)
	if l.started == 1 && l.plan.hedge {
		if patience, ok := l.service.latencies.patience(name); ok {
			cancel()
			turn, cancel = context.WithTimeout(ctx, min(patience, l.share/2))
		}
	}
	l.turn, l.endTurn = turn.Done(), cancel
}

// hear takes a reply and says whether it settles the question.
func (l *lookup) hear(ctx context.Context, r reply) (bool, error) {
	left := ctx.Err() != nil && errors.Is(ctx.Err(), context.Canceled)
	switch {
	case r.err == nil:
		l.close(ctx, r.attempt, Found, nil, true)
		l.abandon(ctx)
		return true, nil
	case core.CodeOf(r.err) == core.NotFound:
		l.close(ctx, r.attempt, Missing, nil, true)
		if absence(r.err) == core.DoubtfulNone && !l.doubted && len(l.plan.asked) > 1 {
			l.doubted = true
			break
		}
		l.abandon(ctx)
		return true, notFound(r.attempt.provider.name, l.plan.query.Number, r.err)
	case r.stack != nil:
		l.close(ctx, r.attempt, Panicked, r.stack, false)
	case left:
		l.close(ctx, r.attempt, Abandoned, nil, false)
	default:
		l.close(ctx, r.attempt, Untold, nil, ctx.Err() != nil)
	}
	l.failures = append(l.failures, failure{r.attempt.provider.name, r.err})
	return false, nil
}

// close ends an attempt. Its latency counts where it tells how patient one has to be with the provider.
func (l *lookup) close(ctx context.Context, a *attempt, outcome Outcome, stack []byte, counts bool) {
	a.cancel()
	for i, p := range l.pending {
		if p == a {
			l.pending = append(l.pending[:i], l.pending[i+1:]...)
			break
		}
	}
	took := l.service.stopwatch().Sub(a.started)
	if counts {
		l.service.latencies.note(a.provider.name, took)
	}
	l.service.events.Attempt(ctx, Attempt{
		Provider: a.provider.name, Country: l.plan.query.Country, Channel: l.plan.query.Channel,
		Outcome: outcome, Latency: took, Hedged: a.hedged, Stack: stack,
	})
}

// abandon no longer waits for those who were not as quick.
func (l *lookup) abandon(ctx context.Context) {
	for len(l.pending) > 0 {
		l.close(ctx, l.pending[0], Abandoned, nil, true)
	}
}

// give gives up: nobody could tell in time, or nobody waits any more.
func (l *lookup) give(ctx context.Context) (answer, string, error) {
	left := errors.Is(ctx.Err(), context.Canceled) // by the client: none of our own deadlines cancels
	for len(l.pending) > 0 {
		a := l.pending[0]
		if left {
			l.close(ctx, a, Abandoned, nil, false)
			continue
		}
		l.close(ctx, a, Untold, nil, true)
		l.failures = append(l.failures, failure{a.provider.name, errors.New("no answer in time")})
	}
	if left {
		return answer{}, "", ctx.Err()
	}
	return answer{}, "", unavailable(l.failures, l.plan.query.Number)
}
