package pairs

import (
	"time"

	"causeway/core"
)

// slot is the place of one source in one market.
type slot struct {
	feed   *feed
	market *market
	vote   *Vote  // the last admitted observation
	reason Reason // of the latest refusal since then
	heard  uint64 // the poll that told the market last, however badly

	since    time.Time // when the vote's price was first told
	sampled  bool      // an observation came since the last consensus
	anchored int       // how many of anchors are known; below zero: they are of an earlier price
	anchors  []octaves // what the others of the market said then, in their order; unknown where they said nothing
	stalled  bool      // until its price changes
	rejected bool      // as an outlier
	close    bool      // while rejected: the latest vote is near enough to come back
	agreed   int       // while rejected: samples that were, one after the other

	verdict Reason // of the consensus at work: why the slot has no vote; empty: it has
}

// unknown is no logarithm of any price.
const unknown = octaves(-1 << 62)

// hold takes a vote, and reports whether it is news: a source that repeats itself about the same instant tells none, unless it publishes in
// steps and has to be readmitted.
func (s *slot) hold(vote *Vote, now time.Time) bool {
	held := s.vote
	again := held.live(now) && vote.repeats(held)
	if again && vote.At.Equal(held.At) {
		if s.rejected && s.market.class.MaxAge >= stepping { // that it stands by its rate of the day is all that it will say today
			s.sampled, s.market.changed = true, true
			return true
		}
		return false
	}
	if !again {
		s.since, s.anchored, s.stalled = now, -1, false
	}
	s.vote, s.sampled, s.market.changed = vote, true, true
	return true
}

// absence says why the slot has no live vote.
func (s *slot) absence() Reason {
	switch {
	case s.feed.failures > 0:
		return Unreachable
	case s.reason != "":
		return s.reason
	case s.vote != nil:
		return Old
	default:
		return Absent
	}
}

// anchor notes what the others say at the moment at which the slot's price was told.
func (s *slot) anchor(now time.Time) {
	if s.market.class.Stall == 0 || s.anchored == len(s.anchors)-1 {
		return
	}
	if s.anchored < 0 {
		for i := range s.anchors {
			s.anchors[i] = unknown
		}
		s.anchored = 0
	}
	for i, other := range s.market.slots {
		if s.anchors[i] == unknown && other != s && other.vote.live(now) {
			s.anchors[i] = other.vote.octaves
			s.anchored++
		}
	}
}

// stands reports whether the slot's price has been the same for longer than its market allows, while most of the other
// sources in use moved.
func (s *slot) stands(now time.Time) bool {
	limit := s.market.class.Stall
	if limit == 0 || now.Sub(s.since) <= limit {
		return false
	}
	others, moved := 0, 0
	for i, other := range s.market.slots {
		if other == s || other.verdict != "" || s.anchors[i] == unknown {
			continue
		}
		others++
		if s.market.terms.stall.exceeded(s.anchors[i], other.vote.octaves) {
			moved++
		}
	}
	return 2*moved > others
}

// newer reports whether the slot's vote is to speak for the family that it shares with another one.
func (s *slot) newer(other *slot) bool {
	if s.vote.At.Equal(other.vote.At) {
		return s.feed.name < other.feed.name
	}
	return s.vote.At.After(other.vote.At)
}

// lastResort reports whether the source's numbers are of somebody else's making.
func (s *slot) lastResort() bool { return s.feed.of.Kind == core.MidSource }
