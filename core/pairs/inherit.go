package pairs

import (
	"slices"
	"time"

	"causeway/core"
)

// inherit takes over what another book knows of the same feeds, markets and listings.
func (b *book) inherit(o *book) {
	for _, f := range b.feeds {
		if i := slices.IndexFunc(o.feeds, func(before *feed) bool { return before.Name == f.Name }); i >= 0 {
			f.inherit(o.feeds[i])
		}
	}
	for _, m := range b.markets {
		if before := o.quoted[m.Pair]; before != nil && !m.fixed && !before.fixed {
			m.inherit(before)
		}
	}
	for _, l := range b.listings {
		if before := o.offered[l.id]; before != nil && before.pair == l.pair {
			l.last, l.fresh, l.dayAgo = before.last, before.fresh, before.dayAgo
		}
	}
}

// inherit takes over the schedule and counters of a feed. The source is polled at once if it has new
// markets and does not fail.
func (f *feed) inherit(o *feed) {
	of := f.Source
	f.SourceState, f.failed = o.SourceState, o.failed
	f.Source = of
	if f.failed == 0 && !f.LastPoll.IsZero() {
		f.NextPoll = f.LastPoll.Add(f.Interval)
		if slices.ContainsFunc(f.pairs, func(pair core.Pair) bool { return o.states[pair] == nil }) {
			f.NextPoll = time.Time{}
		}
	}
}

// inherit takes over the votes and the memory of a market.
func (m *market) inherit(o *market) {
	for _, s := range m.sources {
		i := slices.IndexFunc(o.sources, func(before *sourceState) bool { return before.feed.Name == s.feed.Name })
		if i >= 0 {
			feed := s.feed
			*s = *o.sources[i]
			s.feed, s.market, s.anchors = feed, m, nil // whether it stalled is found out anew
		}
	}
	m.memory = o.memory
	m.OffPeg = m.OffPeg && m.Peg.Equal(o.Peg)
}

// adopt continues from a snapshot that another process computed.
func (e *engine) adopt(s *Snapshot) {
	e.last = s
	for _, state := range s.Markets {
		if m := e.quoted[state.Rate.Pair]; m != nil && !m.fixed {
			m.adopt(state, s.At)
		}
	}
	for i := range s.Quotes {
		q := &s.Quotes[i]
		if l := e.offered[q.ID]; l != nil && l.pair == q.Pair {
			l.last, l.fresh = q, q.UpdatedAt
		}
	}
}

// adopt continues from the state of a market at an instant. Votes that are older than a problem are
// dropped.
func (m *market) adopt(state MarketState, at time.Time) {
	m.memory = memory{MarketState: state, pending: state.Rate.Other}
	for _, s := range m.sources {
		s.reset()
		for _, x := range m.Rate.Excluded {
			s.outlier = s.outlier || x.Source == s.feed.Name && x.Reason == Outlier
		}
		for _, v := range m.Rate.Used {
			if v.Source == s.feed.Name && !m.inDoubt() {
				s.hold(v, at)
			}
		}
	}
}

// inDoubt reports whether the newest observations contradict the rate, or each other.
func (m *market) inDoubt() bool {
	return m.Problem != "" && m.Problem != Degraded && m.Problem != NoQuorum
}

// resume makes the next recomputation publish, and keeps a market's doubt until all its sources were
// polled again: a dispute, for example, is not over because the first source that is polled agrees
// with itself.
func (e *engine) resume(now time.Time) {
	e.renewed = true
	for _, m := range e.markets {
		if m.inDoubt() {
			m.resumed = now
		}
	}
}

// resuming reports whether the market stays as it was until every source was polled again, for
// settle at most.
func (m *market) resuming(now time.Time) bool {
	if m.resumed.IsZero() {
		return false
	}
	waits := slices.ContainsFunc(m.sources, func(s *sourceState) bool { return s.feed.LastPoll.Before(m.resumed) })
	if now.Sub(m.resumed) < settle && waits {
		return true
	}
	m.resumed = time.Time{}
	return false
}
