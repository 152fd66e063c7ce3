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
	backoffMost = time.Minute        // or the source's own interval, where that is longer
	retryMost   = 3 * 24 * time.Hour // the longest ban that a venue announces (Binance): a longer RetryAfter is an error of theirs
)

// SourceState is what is known of one rate source, for metrics.
type SourceState struct {
	Name        string
	Family      string
	Interval    time.Duration // between polls while it answers
	LastPoll    time.Time     // when the latest finished poll began; zero: none did yet
	LastSuccess time.Time     // when it last answered; zero: never
	NextPoll    time.Time     // zero: at once
	Latency     time.Duration // of the latest answer
	LastError   core.Code     // of the latest poll; empty: it answered
	Polls       uint64        // finished, failed ones included
	Failures    uint64
	Admitted    uint64            // observations
	Rejected    map[Reason]uint64 // observations, and markets that were asked for and not told (Absent); every reason of admission is a key
}

// feed is a source with its schedule and the places its observations go to.
type feed struct {
	source ports.RateSource
	of     core.Source
	name   string
	pairs  []core.Pair // by id
	slots  map[core.Pair]*slot
	turn   chan struct{} // of capacity 1: full while a poll is under way

	// The rest is guarded by the service's lock.
	failures int // in a row
	state    SourceState
}

// wait is how long it is until the next poll, zero or less where it is due. A schedule from before the clock was set back is void.
func (f *feed) wait(now time.Time) time.Duration {
	if now.Before(f.state.LastPoll.Add(-skew)) {
		return 0
	}
	return f.state.NextPoll.Sub(now)
}

// answer is what came of a poll.
type answer struct {
	observations   []core.Observation
	err            error
	sent, received time.Time
}

// begin takes the feed's turn, waiting for a poll under way, if a poll is due then. Who is told true must apply the answer and call end.
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

// ask polls the source, within the time-out.
func (s *Service) ask(ctx context.Context, f *feed) answer {
	ctx, cancel := context.WithTimeout(ctx, s.timeout)
	defer cancel()
	a := answer{sent: s.now()}
	a.observations, a.err = f.source.Observe(ctx, slices.Clone(f.pairs))
	a.received = s.now()
	return a
}

// apply takes note of an answer. One that was cut off because the caller went away counts as none.
func (s *Service) apply(ctx context.Context, f *feed, a answer) {
	if a.err != nil && errors.Is(ctx.Err(), context.Canceled) {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	st := &f.state
	st.Polls++
	st.LastPoll, st.Latency, st.LastError = a.sent, a.received.Sub(a.sent), core.CodeOf(a.err)
	if a.err != nil {
		st.Failures++
		f.failures++
		st.NextPoll = a.received.Add(s.backoff(f, a.err))
		return
	}
	f.failures = 0
	st.LastSuccess, st.NextPoll = a.received, a.sent.Add(st.Interval)
	for _, o := range a.observations {
		reason, news := f.take(o, a.received)
		if reason != "" {
			st.Rejected[reason]++
			continue
		}
		st.Admitted++
		s.changed = s.changed || news
	}
	for _, pair := range f.pairs {
		if slot := f.slots[pair]; slot.heard != st.Polls {
			slot.reason = Absent
			st.Rejected[Absent]++
		}
	}
}

// take puts an observation in its slot, or says why not. It is no news where the source repeats itself.
func (f *feed) take(o core.Observation, now time.Time) (reason Reason, news bool) {
	slot, ok := f.slots[o.Pair]
	if !ok {
		return WrongPair, false
	}
	slot.heard = f.state.Polls
	vote, reason := admit(o, f.of, slot.market.class, now)
	if reason == "" && slot.vote.live(now) && vote.At.Before(slot.vote.At) {
		reason = Superseded
	}
	if slot.reason = reason; reason != "" {
		return reason, false
	}
	return "", slot.hold(vote, now)
}

// backoff is the pause after a failure: full jitter under a ceiling that doubles, on top of the source's own interval or 2 s, whichever
// is shorter; and no shorter than the source asked for.
func (s *Service) backoff(f *feed, err error) time.Duration {
	ceiling, most := backoffBase, max(backoffMost, f.state.Interval)
	for range f.failures - 1 {
		if ceiling = min(2*ceiling, most); ceiling == most {
			break
		}
	}
	pause := min(f.state.Interval, backoffBase) + time.Duration(s.entropy()%uint64(ceiling)) //nolint:gosec // both are above zero and far below 2^63
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
