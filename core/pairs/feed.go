package pairs

import (
	"context"
	"errors"
	"maps"
	"slices"
	"time"

	"causeway/core"
	"causeway/ports"
)

const (
	pollTimeout = 5 * time.Second

	backoffBase = 2 * time.Second
	backoffMost = time.Minute        // or the source's interval, if that is longer
	retryMost   = 3 * 24 * time.Hour // the longest ban that a venue documents (Binance); a longer RetryAfter is an error
)

// SourceState is the state of one rate source, for metrics.
type SourceState struct {
	Name        string
	Family      string
	Interval    time.Duration // between polls
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

// feed is a source with its schedule and its states in all markets.
type feed struct {
	source ports.RateSource
	of     core.Source
	name   string
	pairs  []core.Pair // by id
	states map[core.Pair]*sourceState
	turn   chan struct{} // of capacity 1: full while a poll is under way

	// The rest is guarded by the service's lock.
	failures int // in a row
	state    SourceState
}

// wait returns the time until the next poll, zero or less if it is due. A schedule from before the
// clock was set back is void.
func (f *feed) wait(now time.Time) time.Duration {
	if now.Before(f.state.LastPoll.Add(-skew)) {
		return 0
	}
	return f.state.NextPoll.Sub(now)
}

// response is the outcome of a poll.
type response struct {
	observations   []core.Observation
	err            error
	sent, received time.Time
}

// begin reports whether a poll is due, after waiting for one under way. If it returns true, the
// caller must call poll, apply and then end.
func (s *Service) begin(ctx context.Context, f *feed) bool {
	select {
	case f.turn <- struct{}{}:
	case <-ctx.Done():
		return false
	}
	s.mu.Lock()
	wait := f.wait(s.now())
	s.mu.Unlock()
	if wait > 0 || ctx.Err() != nil {
		f.end()
		return false
	}
	return true
}

func (f *feed) end() { <-f.turn }

// poll polls the source, within the timeout.
func (s *Service) poll(ctx context.Context, f *feed) response {
	ctx, cancel := context.WithTimeout(ctx, s.timeout)
	defer cancel()
	r := response{sent: s.now()}
	r.observations, r.err = f.source.Observe(ctx, slices.Clone(f.pairs))
	r.received = s.now()
	return r
}

// apply stores a response. One that was cut off because ctx was canceled does not count.
func (s *Service) apply(ctx context.Context, f *feed, r response) {
	if r.err != nil && errors.Is(ctx.Err(), context.Canceled) {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	st := &f.state
	st.Polls++
	st.LastPoll, st.Latency, st.LastError = r.sent, r.received.Sub(r.sent), core.CodeOf(r.err)
	if r.err != nil {
		st.Failures++
		f.failures++
		st.NextPoll = r.received.Add(s.backoff(f, r.err))
		return
	}
	f.failures = 0
	st.LastSuccess, st.NextPoll = r.received, r.sent.Add(st.Interval)
	for _, o := range r.observations {
		if reason := f.take(o, r.received); reason != "" {
			st.Rejected[reason]++
		} else {
			st.Admitted++
		}
	}
	for _, pair := range f.pairs {
		if state := f.states[pair]; state.poll != st.Polls {
			state.rejected = Absent
			st.Rejected[Absent]++
		}
	}
}

// take stores an observation, or returns why it is rejected.
func (f *feed) take(o core.Observation, now time.Time) Reason {
	state, ok := f.states[o.Pair]
	if !ok {
		return WrongPair
	}
	state.poll = f.state.Polls
	vote, reason := admit(o, f.of, &state.market.class, now)
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
func (s *Service) backoff(f *feed, err error) time.Duration {
	ceiling, most := backoffBase, max(backoffMost, f.state.Interval)
	for range f.failures - 1 {
		if ceiling = min(2*ceiling, most); ceiling == most {
			break
		}
	}
	jitter := time.Duration(s.entropy() % uint64(ceiling)) //nolint:gosec // positive and far below 2^63
	pause := min(f.state.Interval, backoffBase) + jitter
	if e, ok := errors.AsType[*core.Error](err); ok {
		pause = max(pause, min(e.RetryAfter, retryMost))
	}
	return pause
}

// Sources returns the state of every source, by name. The caller owns it.
func (s *Service) Sources() []SourceState {
	s.mu.Lock()
	defer s.mu.Unlock()
	out := make([]SourceState, 0, len(s.feeds))
	for _, f := range s.feeds {
		st := f.state
		st.Rejected = maps.Clone(st.Rejected)
		out = append(out, st)
	}
	return out
}
