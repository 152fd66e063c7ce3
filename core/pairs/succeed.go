package pairs

import (
	"slices"
	"time"

	"causeway/core"
)

// MarketState is what whoever goes on from a snapshot has to know of a market, beside the quotes that were made of it.
type MarketState struct {
	Rate *Rate // the last accepted one, with what is now the matter with it

	// Since when. Zero: it is not so.
	Lost    time.Time // the quorum is not there
	Doubted time.Time // the newest rate is not believed
	Leapt   time.Time // it is an unconfirmed jump

	OffPeg       bool
	Acknowledged bool // the operator lets the coin be traded all the same
}

// states are those of all markets that have a rate of their own, by pair.
func (b *book) states() []MarketState {
	out := make([]MarketState, 0, len(b.markets))
	for _, m := range b.markets {
		if m.rate != nil && !m.fixed {
			out = append(out, MarketState{
				Rate: m.rate, Lost: m.lost, Doubted: m.doubted, Leapt: m.guard.since, OffPeg: m.peg.off, Acknowledged: m.peg.acknowledged,
			})
		}
	}
	return out
}

// market is the one of a pair, or nil.
func (b *book) market(pair core.Pair) *market {
	i, found := slices.BinarySearchFunc(b.markets, pair, func(m *market, pair core.Pair) int { return comparePairs(m.Pair, pair) })
	if !found {
		return nil
	}
	return b.markets[i]
}

// succeed takes over what was known of the market at an instant. What the leader believed is believed: where that is a jump from what was
// believed before, the price goes on from there.
func (m *market) succeed(from MarketState, at time.Time) {
	r, reason := from.Rate, from.Rate.Reason
	if reason == NoQuorum {
		reason = Degraded // which becomes it again in its time
	}
	m.rate, m.inverse, m.ratio = r, nil, nil
	m.lost, m.doubted, m.guard.since, m.guard.granted = from.Lost, from.Doubted, from.Leapt, false
	m.peg = peg{off: from.OffPeg, acknowledged: from.Acknowledged}
	m.unsettled, m.inherited, m.due = time.Time{}, time.Time{}, time.Time{}
	m.note(at, reason)
	believed := reason == "" || reason == Degraded
	if believed && !m.class.Jump.IsZero() {
		if m.guard.jumped(at, r.octaves, m.terms.jump, m.terms.rules.JumpWithin) {
			m.guard.buckets = [guardBuckets + 1]bucket{}
		}
		m.guard.record(at, r.octaves, m.terms.rules.JumpWithin)
	}
	for _, s := range m.slots {
		s.succeed(r, believed, at)
	}
}

// succeed takes over the vote that the slot's source has in a rate, or why it has none. Where the rate is not the newest one its votes are from
// before that, and what was said since is not known.
func (s *slot) succeed(r *Rate, believed bool, at time.Time) {
	name := s.feed.name
	why := slices.IndexFunc(r.Excluded, func(e Exclusion) bool { return e.Source == name })
	used := slices.IndexFunc(r.Used, func(v *Vote) bool { return v.Source == name })
	s.reason, s.rejected, s.agreed, s.close = "", why >= 0 && r.Excluded[why].Reason == Outlier, 0, false
	if why >= 0 || used < 0 || !believed {
		s.vote, s.stalled = nil, false
		return
	}
	s.hold(r.Used[used], at)
}

// inherits reports whether what is the matter with the market is still what the leader before said: until all of its sources were asked since,
// or had the time.
func (m *market) inherits(now time.Time) bool {
	if m.inherited.IsZero() {
		return false
	}
	if now.Sub(m.inherited) < settle && slices.ContainsFunc(m.slots, func(s *slot) bool { return s.feed.state.LastPoll.Before(m.inherited) }) {
		return true
	}
	m.inherited = time.Time{}
	return false
}
