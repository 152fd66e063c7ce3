package pairs

import (
	"slices"
	"time"

	"github.com/shopspring/decimal"

	"causeway/core"
)

// sourceState is what the engine knows of one source in one market.
type sourceState struct {
	feed   *feed
	market *market

	vote     *Vote     // last admitted observation
	rejected Reason    // why the latest response was not admitted; empty: it was
	poll     uint64    // the last poll whose response contained the market
	since    time.Time // when the vote's price was first reported
	sampled  bool      // an observation came since the last consensus
	stalled  bool      // until its price changes
	outlier  bool
	close    bool // while an outlier: the latest vote is close enough to be readmitted
	agreed   int  // while an outlier: consecutive votes that were

	// anchors are the mids of the market's other sources when the vote's price was first reported,
	// in their order; zero where there was none. They show whether the others moved while this
	// source did not.
	anchors []decimal.Decimal

	exclusion Reason // the consensus under way excludes the source; empty: it does not
}

// settle is how long a first outlier is neither used nor excluded. Sources are polled at different
// moments: the first one polled after a move differs from the others until these are polled again.
const settle = 5 * time.Second

// consensus is the outcome of comparing the sources of a market. The exclusion of each source is in
// its state.
type consensus struct {
	live     int  // families with a usable vote, outliers included
	used     int  // families without outliers
	disputed bool // half or more of the live families are outliers
	settling bool // a family may be the first to report a move; nothing is decided yet
}

// hold stores a vote. A source that repeats a quote of the same instant is not sampled again,
// unless it publishes in steps and waits for readmission.
func (s *sourceState) hold(vote *Vote, now time.Time) {
	held := s.vote
	repeats := held.live(now, s.maxAge()) && vote.repeats(held)
	if repeats && vote.At.Equal(held.At) {
		s.vote = vote
		if s.outlier && s.market.class.MaxAge >= stepping {
			s.sampled = true
		}
		return
	}
	if !repeats {
		s.since, s.stalled = now, false
		clear(s.anchors)
	}
	s.vote, s.sampled = vote, true
}

// consent compares the sources of the market. Of the live votes it takes one per family; it leaves
// out mid sources if there are better ones, stalled sources, and families too far from the median.
func (m *market) consent(now time.Time) consensus {
	m.candidates(now)
	result := m.compare()
	if m.settling(now) {
		return consensus{settling: true}
	}
	for !result.disputed && m.excludeStalled(now, result.live) {
		for _, s := range m.sources {
			if s.exclusion == Outlier {
				s.exclusion = ""
			}
		}
		result = m.compare()
	}
	m.readmit()
	return result
}

// candidates sets the exclusions that do not depend on prices.
func (m *market) candidates(now time.Time) {
	better := false
	for _, s := range m.sources {
		s.exclusion = ""
		switch {
		case !s.vote.live(now, s.maxAge()):
			s.exclusion = s.absence()
		case s.stalled:
			s.exclusion = Stalled
		default:
			better = better || !s.lastResort()
		}
	}
	for i, s := range m.sources {
		s.anchor(now)
		if s.exclusion == "" && better && s.lastResort() {
			s.exclusion = LastResort
		}
		for _, other := range m.sources[:i] {
			if s.exclusion == "" && other.exclusion == "" && s.vote.Family == other.vote.Family {
				if s.vote.At.After(other.vote.At) {
					other.exclusion = SameFamily
				} else {
					s.exclusion = SameFamily
				}
			}
		}
	}
}

// compare excludes the outliers among the candidates.
func (m *market) compare() consensus {
	var mids []decimal.Decimal
	for _, s := range m.sources {
		if s.exclusion == "" {
			mids = append(mids, s.vote.Mid)
		}
	}
	c := consensus{live: len(mids), used: len(mids)}
	if len(mids) == 0 {
		return c
	}
	middle := median(mids)
	near := !moved(middle, mids[0], m.class.Band) && !moved(middle, mids[len(mids)-1], m.class.Band)
	for _, s := range m.sources {
		if s.exclusion == "" && (s.outlier || !near) && s.isOutlier(middle) {
			s.exclusion = Outlier
			c.used--
		}
	}
	c.disputed = c.used < c.live && 2*(c.live-c.used) >= c.live
	return c
}

// isOutlier reports whether the source is rejected at a median: beyond the band, or not yet
// readmitted.
func (s *sourceState) isOutlier(middle decimal.Decimal) bool {
	band := s.market.class.Band
	if !s.outlier {
		return moved(middle, s.vote.Mid, band)
	}
	s.close = !moved(middle, s.vote.Mid, half(band))
	agreed := s.agreed
	if s.sampled {
		agreed++
	}
	return !s.close || agreed < s.market.rules.ReadmitSamples
}

// readmit records the outliers for the next consensus.
func (m *market) readmit() {
	for _, s := range m.sources {
		switch {
		case s.exclusion == "":
			s.outlier = false
		case s.exclusion != Outlier:
		case !s.outlier:
			s.outlier, s.agreed = true, 0
		case !s.close:
			s.agreed = 0
		case s.sampled:
			s.agreed++
		}
		s.sampled = false
	}
}

// settling reports whether a family is newly an outlier and another reachable one was not polled
// again since. Before the first rate there is nothing to move from.
func (m *market) settling(now time.Time) bool {
	candidate := func(s *sourceState) bool { return s.exclusion == "" || s.exclusion == Outlier }
	newOutlier := func(s *sourceState) bool { return s.exclusion == Outlier && !s.outlier }
	if m.Rate == nil || !slices.ContainsFunc(m.sources, newOutlier) {
		m.unsettled = time.Time{}
		return false
	}
	var latest time.Time
	for _, s := range m.sources {
		if candidate(s) {
			latest = later(latest, s.feed.state.LastSuccess)
		}
	}
	m.unsettled = earlier(m.unsettled, latest)
	return now.Sub(m.unsettled) < settle && slices.ContainsFunc(m.sources, func(s *sourceState) bool {
		return candidate(s) && s.feed.failures == 0 && s.feed.state.LastSuccess.Before(m.unsettled)
	})
}

// excludeStalled excludes sources whose price has not changed for long, if most of the live
// families moved since. Half of them suffice if these cannot replace the quorum, because the rate
// then stays near the last one that had it.
func (m *market) excludeStalled(now time.Time, live int) bool {
	var still []*sourceState
	for _, s := range m.sources {
		if s.exclusion != "" && s.exclusion != Outlier || !s.unchanged(now) {
			continue
		}
		moved := s.moved()
		if 2*moved > live || 2*moved == live && moved < m.quorum {
			still = append(still, s)
		}
	}
	for _, s := range still {
		s.stalled, s.exclusion = true, Stalled
	}
	return len(still) > 0
}

// unchanged reports whether the source's price has been the same for longer than allowed.
func (s *sourceState) unchanged(now time.Time) bool {
	limit := s.market.class.Stall
	return limit > 0 && now.Sub(s.since) > max(limit, s.feed.of.Validity)
}

// moved counts the other sources in use whose price moved since this one reported its own.
func (s *sourceState) moved() (n int) {
	for i, other := range s.market.sources {
		if other != s && other.exclusion == "" && !s.anchors[i].IsZero() &&
			moved(s.anchors[i], other.vote.Mid, s.market.rules.StallMove) {
			n++
		}
	}
	return n
}

// anchor records the mids of the other sources for a new price.
func (s *sourceState) anchor(now time.Time) {
	if s.market.class.Stall == 0 || s.vote == nil {
		return
	}
	for i, other := range s.market.sources {
		if other != s && s.anchors[i].IsZero() && other.vote.live(now, other.maxAge()) {
			s.anchors[i] = other.vote.Mid
		}
	}
}

// absence says why the source has no live vote.
func (s *sourceState) absence() Reason {
	switch {
	case s.feed.failures > 0:
		return Unreachable
	case s.rejected != "":
		return s.rejected
	case s.vote != nil:
		return Old
	default:
		return Absent
	}
}

// maxAge returns how old a vote may be: the limit of the market's class, or of a source that publishes
// less often.
func (s *sourceState) maxAge() time.Duration { return max(s.market.class.MaxAge, s.feed.of.MaxAge) }

// lastResort reports whether the source publishes mid prices that another party computed.
func (s *sourceState) lastResort() bool { return s.feed.of.Kind == core.MidSource }
