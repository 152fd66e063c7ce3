package pairs

import (
	"context"
	"errors"
	"slices"
	"time"

	"causeway/core"
	"causeway/ports"
)

const (
	pollTimeout = 5 * time.Second
	// streamInterval is the interval of a source that reads all its prices from a subscription, so
	// that a change is in the next recomputation.
	streamInterval = 250 * time.Millisecond

	backoffBase  = 2 * time.Second
	maxDoublings = 20                 // of backoffBase: more than any interval
	backoffMost  = time.Minute        // or the source's interval, if that is longer
	retryMost    = 3 * 24 * time.Hour // the longest ban that a venue documents (Binance); a longer RetryAfter is an error
)

// SourceState is the state of one rate source, for metrics.
type SourceState struct {
	core.Source

	LastPoll    time.Time     // when the latest finished poll began; zero: none yet
	LastSuccess time.Time     // of the latest response; zero: never
	NextPoll    time.Time     // zero: at once
	Latency     time.Duration // of the latest response
	LastError   core.Code     // of the latest poll; empty: it succeeded
	Polls       uint64        // finished, failed ones included
	Failures    uint64
	Admitted    uint64            // observations
	Rejected    map[Reason]uint64 // observations; markets without one count as Absent. Every reason is a key
}

// feed is a source with its schedule and its states in all markets. The owner of the engine owns it.
type feed struct {
	SourceState

	source ports.RateSource
	pairs  []core.Pair // by id
	states map[core.Pair]*sourceState
	turn   chan struct{} // of capacity 1: full while a poll is under way
	failed int           // polls in a row
}

func newFeed(source ports.RateSource, of core.Source) *feed {
	f := &feed{source: source, states: map[core.Pair]*sourceState{}, turn: make(chan struct{}, 1)}
	f.Source, f.Rejected = of, map[Reason]uint64{}
	for _, reason := range rejections {
		f.Rejected[reason] = 0
	}
	return f
}

// wait returns the time until the next poll, zero or less if it is due. A schedule from before the
// clock was set back is void.
func (f *feed) wait(now time.Time) time.Duration {
	if now.Before(f.LastPoll.Add(-skew)) {
		return 0
	}
	return f.NextPoll.Sub(now)
}

// response is the outcome of a poll.
type response struct {
	observations   []core.Observation
	err            error
	sent, received time.Time
}

// poll polls the source if that is due, within the timeout. It waits for a poll under way first.
// The caller must apply the response unless it is nil.
func (s *Service) poll(ctx context.Context, f *feed) *response {
	select {
	case f.turn <- struct{}{}:
	case <-ctx.Done():
		return nil
	}
	due := false
	s.do(func(*engine) { due = f.wait(s.now()) <= 0 })
	if !due || ctx.Err() != nil {
		<-f.turn
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, pollTimeout)
	defer cancel()
	r := &response{sent: s.now()}
	r.observations, r.err = f.source.Observe(ctx, slices.Clone(f.pairs))
	r.received = s.now()
	return r
}

// apply stores a response and ends its poll. A response that was cut off because ctx was canceled
// does not count.
func (f *feed) apply(ctx context.Context, r *response, entropy core.Entropy) {
	defer func() { <-f.turn }()
	if r.err != nil && errors.Is(ctx.Err(), context.Canceled) {
		return
	}
	f.Polls++
	f.LastPoll, f.Latency, f.LastError = r.sent, r.received.Sub(r.sent), core.CodeOf(r.err)
	if r.err != nil {
		f.Failures++
		f.failed++
		f.NextPoll = r.received.Add(f.backoff(r.err, entropy))
		return
	}
	f.failed = 0
	streamed := 0
	for _, o := range r.observations {
		if o.Streamed {
			streamed++
		}
		if reason := f.take(o, r.received); reason != "" {
			f.Rejected[reason]++
		} else {
			f.Admitted++
		}
	}
	f.LastSuccess, f.NextPoll = r.received, r.sent.Add(f.Interval)
	if streamed > 0 && streamed == len(f.pairs) {
		f.NextPoll = r.sent.Add(min(f.Interval, streamInterval))
	}
	for _, pair := range f.pairs {
		if state := f.states[pair]; state.poll != f.Polls {
			state.rejected = Absent
			f.Rejected[Absent]++
		}
	}
}

// take stores an observation, or returns why it is rejected.
func (f *feed) take(o core.Observation, now time.Time) Reason {
	state, ok := f.states[o.Pair]
	if !ok {
		return WrongPair
	}
	state.poll = f.Polls
	vote, reason := admit(o, f.Source, state.market.class, now)
	if reason == "" && state.vote.live(now, state.maxAge()) && vote.At.Before(state.vote.At) {
		state.rejected = ""
		return Superseded
	}
	if state.rejected = reason; reason == "" {
		state.hold(vote, now)
	}
	return reason
}

// backoff returns the pause after a failure: full jitter under a ceiling that doubles, on top of
// the source's interval or 2 s, whichever is shorter; and at least the RetryAfter of the source.
func (f *feed) backoff(err error, entropy core.Entropy) time.Duration {
	ceiling := min(backoffBase<<min(f.failed-1, maxDoublings), max(backoffMost, f.Interval))
	pause := min(f.Interval, backoffBase) + entropy.Below(ceiling)
	if e, ok := errors.AsType[*core.Error](err); ok {
		pause = max(pause, min(e.RetryAfter, retryMost))
	}
	return pause
}
