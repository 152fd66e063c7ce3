package pairs

import (
	"cmp"
	"slices"
	"time"
)

// consensus is what comes of asking every source of a market: each slot has its verdict.
type consensus struct {
	families int  // live ones, the rejected included
	used     int  // families that have a vote
	disputed bool // half or more of the live families are rejected
	awaited  bool // a family that is off may only be the first to tell of a move: nothing is decided yet
}

// settle is how long a family that is suddenly off is given the benefit of the doubt, at most. Sources are asked at different moments, and
// whoever is asked first after a move is off until the others are asked again.
const settle = 5 * time.Second

// consent judges every slot of the market at an instant. Of the live votes it takes one per family, leaves out the last resort where there is
// anything better, sources that stand still, and families too far from the median. It returns when time alone will change the outcome.
//
// A stall is judged against the families in use: one that is rejected does not make liars of those who stand still. In a
// dispute nobody knows who moves rightly, so nobody newly counts as stalled.
func (m *market) consent(now time.Time, b *ballot) (consensus, time.Time) {
	next := m.candidates(now)
	result := m.band(b)
	if m.settling(now) {
		return consensus{awaited: true}, earlier(next, m.unsettled.Add(settle))
	}
	for m.still && !result.disputed {
		found := false
		for _, s := range m.slots {
			if (s.verdict == "" || s.verdict == Outlier) && s.stands(now) {
				s.stalled, s.verdict, found = true, Stalled, true
			}
		}
		if !found {
			break
		}
		for _, s := range m.slots {
			if s.verdict == Outlier {
				s.verdict = ""
			}
		}
		result = m.band(b)
	}
	m.commit()
	return result, next
}

// settling reports whether a family is newly off, and another one that answers was not asked again since. Before there is a first rate there
// is nothing to move from: a family that is off then is no first witness of a move, and nobody waits for the others to follow.
func (m *market) settling(now time.Time) bool {
	if m.rate == nil || !slices.ContainsFunc(m.slots, func(s *slot) bool { return s.verdict == Outlier && !s.rejected }) {
		m.unsettled = time.Time{}
		return false
	}
	latest := time.Time{}
	for _, s := range m.slots {
		if (s.verdict == "" || s.verdict == Outlier) && s.feed.state.LastSuccess.After(latest) {
			latest = s.feed.state.LastSuccess
		}
	}
	m.unsettled = earlier(m.unsettled, latest)
	if now.Sub(m.unsettled) >= settle {
		return false
	}
	return slices.ContainsFunc(m.slots, func(s *slot) bool {
		return (s.verdict == "" || s.verdict == Outlier) && s.feed.failures == 0 && s.feed.state.LastSuccess.Before(m.unsettled)
	})
}

// candidates gives every slot its first verdict and returns the next instant at which a vote expires or may count as stalled.
func (m *market) candidates(now time.Time) (next time.Time) {
	better := false
	m.still = false
	for _, s := range m.slots {
		if !s.vote.live(now) {
			s.verdict = s.absence()
			continue
		}
		s.anchor(now)
		next = earlier(next, s.vote.expires)
		if m.class.Stall > 0 {
			if stall := s.since.Add(m.class.Stall); now.Before(stall) {
				next = earlier(next, stall)
			} else {
				m.still = true
			}
		}
		if s.verdict = ""; s.stalled {
			s.verdict = Stalled
		}
		better = better || !s.stalled && !s.lastResort()
	}
	if m.mixed {
		m.speakers(better)
	}
	return next
}

// speakers leaves one candidate a family, the one with the newest vote, and none of the last resort where there is better.
func (m *market) speakers(better bool) {
	for i, s := range m.slots {
		if s.verdict == "" && better && s.lastResort() {
			s.verdict = LastResort
		}
		for _, other := range m.slots[:i] {
			if s.verdict != "" || other.verdict != "" || s.vote.Family != other.vote.Family {
				continue
			}
			if s.newer(other) {
				other.verdict = SameFamily
			} else {
				s.verdict = SameFamily
			}
		}
	}
}

// band rejects the families among the candidates that are too far from the median of all of them.
func (m *market) band(b *ballot) consensus {
	b.live = b.live[:0]
	held := false
	for _, s := range m.slots {
		if s.verdict == "" {
			b.live = append(b.live, s.vote)
			held = held || s.rejected
		}
	}
	n := len(b.live)
	c := consensus{families: n, used: n}
	if n == 0 || !held && !m.terms.band.exceeded(spanOf(b.live)) {
		return c // all are so close to each other that none can be far from the median
	}
	middle := middleOf(b.live)
	for _, s := range m.slots {
		if s.verdict == "" && s.outlies(middle) {
			s.verdict = Outlier
			c.used--
		}
	}
	c.disputed = c.used < n && 2*(n-c.used) >= n
	return c
}

// outlies reports whether the slot is rejected at a median.
func (s *slot) outlies(middle octaves) bool {
	t := s.market.terms
	if !s.rejected {
		return t.band.exceeded(middle, s.vote.octaves)
	}
	s.close = !t.readmit.exceeded(middle, s.vote.octaves)
	agreed := s.agreed
	if s.sampled {
		agreed++
	}
	return !s.close || agreed < t.rules.ReadmitSamples
}

// commit remembers what the verdicts mean for the next time.
func (m *market) commit() {
	for _, s := range m.slots {
		switch {
		case s.verdict == "":
			s.rejected = false
		case s.verdict != Outlier:
		case !s.rejected:
			s.rejected, s.agreed = true, 0
		case !s.close:
			s.agreed = 0
		case s.sampled:
			s.agreed++
		}
		s.sampled = false
	}
}

// spanOf returns the logarithms of the lowest and the highest mid.
func spanOf(votes []*Vote) (lowest, highest octaves) {
	lowest, highest = votes[0].octaves, votes[0].octaves
	for _, v := range votes[1:] {
		lowest, highest = min(lowest, v.octaves), max(highest, v.octaves)
	}
	return lowest, highest
}

// middleOf sorts by mid and returns the logarithm of the median.
func middleOf(votes []*Vote) octaves {
	slices.SortFunc(votes, func(a, b *Vote) int { return cmp.Compare(a.octaves, b.octaves) })
	low, high := votes[(len(votes)-1)/2], votes[len(votes)/2]
	if low == high {
		return low.octaves
	}
	return octavesOf(half(low.Mid.Add(high.Mid)))
}
