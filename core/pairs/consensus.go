package pairs

import (
	"time"

	"github.com/shopspring/decimal"

	"causeway/core"
)

// sourceState is what the engine knows of one source in one market.
type sourceState struct {
	feed   *feed
	market *market

	vote     *Vote     // last admitted observation; nil: none
	rejected Reason    // why the latest response was not admitted; empty: it was
	poll     uint64    // the last poll whose response contained the market
	since    time.Time // when the vote's price was first reported
	sampled  bool      // an observation came since the last consensus
	stalled  bool      // until its price changes
	outlier  bool
	agreed   int // while an outlier: consecutive votes that were close enough to be readmitted

	// anchors are the mids of the market's other sources when the vote's price was first reported,
	// in their order; zero where there was none. They show whether the others moved while this
	// source did not.
	anchors []decimal.Decimal
}

// settle is how long a first outlier is neither used nor excluded. Sources are polled at different
// moments: the first one polled after a move differs from the others until these are polled again.
const settle = 5 * time.Second

// reset forgets everything about the source, as if it had never been polled.
func (s *sourceState) reset() { *s = sourceState{feed: s.feed, market: s.market} }

// hold stores a vote. A source that repeats a quote of the same instant is not sampled again,
// unless it publishes in steps and waits for readmission.
func (s *sourceState) hold(vote *Vote, now time.Time) {
	held := s.vote
	repeats := held.live(now, s.maxAge()) && vote.Bid.Equal(held.Bid) && vote.Ask.Equal(held.Ask)
	if repeats && vote.At.Equal(held.At) {
		s.vote = vote
		if s.outlier && s.market.class.MaxAge >= stepping {
			s.sampled = true
		}
		return
	}
	if !repeats {
		s.since, s.stalled, s.anchors = now, false, nil
	}
	s.vote, s.sampled = vote, true
}

// consensus is the outcome of comparing the sources of a market.
type consensus struct {
	exclusions []Reason // of the sources of the market; empty: the source is used
	near       []bool   // outliers whose newest vote is close enough to be readmitted

	live      int       // families with a usable vote, outliers included
	used      int       // families without outliers
	disputed  bool      // half or more of the live families are outliers
	unsettled time.Time // since when a first family differs from the others; zero: none does
	settling  bool      // that may be the first one to report a move; nothing is decided yet
}

// consensus compares the sources of the market. Of the live votes it takes one per family; it leaves
// out mid sources if there are better ones, stalled sources, and families too far from the median.
// It changes nothing: see learn.
func (m *market) consensus(now time.Time) consensus {
	c := consensus{exclusions: m.candidates(now), near: make([]bool, len(m.sources))}
	c.compare(m)
	if c.settle(m, now); c.settling {
		return c
	}
	for !c.disputed && c.excludeStalled(m, now) {
		c.compare(m)
	}
	return c
}

// learn records what the next consensus needs of this one.
func (m *market) learn(c consensus, now time.Time) {
	m.unsettled = c.unsettled
	for i, s := range m.sources {
		s.anchor(now)
		if c.settling {
			continue
		}
		switch {
		case c.exclusions[i] == "":
			s.outlier = false
		case c.exclusions[i] == Stalled:
			s.stalled = true
		case c.exclusions[i] != Outlier:
		case !s.outlier:
			s.outlier, s.agreed = true, 0
		case !c.near[i]:
			s.agreed = 0
		case s.sampled:
			s.agreed++
		}
		s.sampled = false
	}
	if !c.settling {
		m.exclusions = c.exclusions
	}
}

// candidates returns the exclusions that do not depend on prices.
func (m *market) candidates(now time.Time) []Reason {
	out := make([]Reason, len(m.sources))
	better := false
	for i, s := range m.sources {
		switch {
		case !s.vote.live(now, s.maxAge()):
			out[i] = s.absence()
		case s.stalled:
			out[i] = Stalled
		default:
			better = better || !s.lastResort()
		}
	}
	for i, s := range m.sources {
		if out[i] == "" && better && s.lastResort() {
			out[i] = LastResort
		}
		for j, other := range m.sources[:i] {
			if out[i] != "" || out[j] != "" || s.feed.Family != other.feed.Family {
				continue
			}
			if s.vote.At.After(other.vote.At) {
				out[j] = SameFamily
			} else {
				out[i] = SameFamily
			}
		}
	}
	return out
}

// candidate reports whether a source has a vote that counts, or is an outlier.
func (c *consensus) candidate(i int) bool { return c.exclusions[i] == "" || c.exclusions[i] == Outlier }

// compare excludes the outliers among the candidates.
func (c *consensus) compare(m *market) {
	mids := make([]decimal.Decimal, 0, usualSources)
	for i, s := range m.sources {
		if c.candidate(i) {
			mids = append(mids, s.vote.Mid)
		}
	}
	c.live, c.used, c.disputed = len(mids), 0, false
	if c.live == 0 {
		return
	}
	middle := median(mids)
	limit := middle.Mul(m.class.Band)
	low, high := around(middle, limit, mids)
	for i, s := range m.sources {
		switch {
		case !c.candidate(i):
		case s.outlier && !c.readmits(m, i, distance(middle, s.vote.Mid), limit),
			!s.outlier && (s.vote.Mid.LessThan(low) || s.vote.Mid.GreaterThan(high)):
			c.exclusions[i] = Outlier
		default:
			c.exclusions[i] = ""
			c.used++
		}
	}
	c.disputed = c.used < c.live && 2*(c.live-c.used) >= c.live
}

// around returns the ends of the range within a distance of middle, rounded inwards to the decimal places of the
// numbers: each is between the ends exactly if it is within the distance, and is compared without being converted.
func around(middle, distance decimal.Decimal, numbers []decimal.Decimal) (low, high decimal.Decimal) {
	var places int32
	for _, n := range numbers {
		places = max(places, -n.Exponent())
	}
	return middle.Sub(distance).RoundCeil(places), middle.Add(distance).RoundFloor(places)
}

// readmits notes whether the newest vote of an outlier is within half the limit. It reports whether enough in a row
// are for the source to count again.
func (c *consensus) readmits(m *market, i int, away, limit decimal.Decimal) bool {
	s := m.sources[i]
	c.near[i] = away.LessThanOrEqual(half(limit))
	agreed := s.agreed
	if s.sampled {
		agreed++
	}
	return c.near[i] && agreed >= m.rules.ReadmitSamples
}

// settle notes whether a family is newly an outlier and another reachable one was not polled again
// since. Before the first rate there is nothing to move from.
func (c *consensus) settle(m *market, now time.Time) {
	first := false
	var latest time.Time
	for i, s := range m.sources {
		first = first || c.exclusions[i] == Outlier && !s.outlier
		if c.candidate(i) {
			latest = later(latest, s.feed.LastSuccess)
		}
	}
	if m.Rate == nil || !first {
		return
	}
	c.unsettled = earlier(m.unsettled, latest)
	for i, s := range m.sources {
		waits := c.candidate(i) && s.feed.failed == 0 && s.feed.LastSuccess.Before(c.unsettled)
		c.settling = c.settling || waits && now.Sub(c.unsettled) < settle
	}
}

// excludeStalled excludes sources whose price has not changed for long, if most of the live
// families moved since. Half of them suffice if these cannot replace the quorum, because the rate
// then stays near the last one that had it.
func (c *consensus) excludeStalled(m *market, now time.Time) bool {
	var still []int
	for i, s := range m.sources {
		if !c.candidate(i) || !s.unchanged(now) {
			continue
		}
		others := 0 // that moved since this source reported its price
		for j, other := range m.sources {
			if j != i && c.exclusions[j] == "" && s.anchors != nil && !s.anchors[j].IsZero() &&
				moved(s.anchors[j], other.vote.Mid, m.rules.StallMove) {
				others++
			}
		}
		if 2*others > c.live || 2*others == c.live && others < m.quorum {
			still = append(still, i)
		}
	}
	for _, i := range still {
		c.exclusions[i] = Stalled
	}
	return len(still) > 0
}

// unchanged reports whether the source's price has been the same for longer than allowed.
func (s *sourceState) unchanged(now time.Time) bool {
	limit := s.market.class.Stall
	return limit > 0 && now.Sub(s.since) > max(limit, s.feed.Validity)
}

// anchor records the mids of the other sources for a new price.
func (s *sourceState) anchor(now time.Time) {
	if s.market.class.Stall == 0 || s.vote == nil {
		return
	}
	if s.anchors == nil {
		s.anchors = make([]decimal.Decimal, len(s.market.sources))
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
	case s.feed.failed > 0:
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
func (s *sourceState) maxAge() time.Duration { return max(s.market.class.MaxAge, s.feed.MaxAge) }

// lastResort reports whether the source publishes mid prices that another party computed.
func (s *sourceState) lastResort() bool { return s.feed.Kind == core.MidSource }
