package pairs

import (
	"cmp"
	"math"
	"slices"
	"time"

	"github.com/shopspring/decimal"

	"causeway/core"
)

// market is a rate that sources quote directly. Listings share it as a leg of their routes.
type market struct {
	core.Market
	memory

	class     *core.MarketClass
	rules     *core.PriceRules
	fixed     bool
	quorum    int
	families  int            // configured, without mid sources
	sources   []*sourceState // by name
	bound     route          // the rate must be near the rate of this route; nil: no bound
	witnesses []witness      // the strictest first
	coins     []*market      // that show whether its currencies keep their pegs

	exclusions []Reason // of the sources, by the last consensus; empty: the source is used
}

// memory is what a market remembers between two recomputations, besides the latest observations.
type memory struct {
	MarketState

	newest decimal.Decimal // what the sources say, accepted or not; zero: nothing, or they disagree
	backed bool            // two families or more agree on newest, and the quorum
	known  time.Time       // when the anchor of a market without a rate was observed

	apart     time.Time       // since when the witnesses contradict the rate; zero: they do not
	doubt     int             // by how many more witnesses differed than agreed, at the last recomputation
	contested bool            // by its witnesses, or by another route of a pair
	watched   bool            // a witness confirms the rate that is not published in steps
	vouched   bool            // most witnesses confirm it, with their quorums
	low, high decimal.Decimal // estimates by which prices cover the witnesses; zero: the margin suffices

	unsettled time.Time       // since when a first family differs from the others
	resumed   time.Time       // when polling resumed during a doubt; zero: all sources were polled since
	recent    []mid           // accepted within PriceRules.JumpWithin, oldest first
	pending   decimal.Decimal // newest mid while it is an unconfirmed jump
}

// MarketState is the part of the memory of a market that a service needs to continue from a snapshot.
type MarketState struct {
	Rate       *Rate           // as shown
	Anchor     decimal.Decimal // last mid that a quorum agreed on, or the last one of the history; zero: none
	Problem    Reason          // why the newest rate is not an ordinary one; empty: it is
	Since      time.Time       // when Problem began
	Lone       bool            // Problem is a jump that only one family reports
	QuorumLost time.Time       // since when the quorum is missing; zero: it is not

	OffPeg       bool
	PegMid       decimal.Decimal  // what a stablecoin was last compared with its peg at
	Acknowledged *Acknowledgement // by the operator; nil: none
}

// Acknowledgement is the decision of an operator that a market is right although the engine doubts
// it.
type Acknowledgement struct {
	At  time.Time
	Mid decimal.Decimal // then
}

// acknowledgedFor is how long an acknowledgement counts.
const acknowledgedFor = 24 * time.Hour

type mid struct {
	at    time.Time
	value decimal.Decimal
}

// Rate is what the sources of one market agree on. It is never changed.
//
// Mid is the median of the three votes (bid, mid, ask) of every family in use; the mean of the
// middle two if their count is even. Confidence is the larger distance from it to the votes at the
// 25 % and the 75 % quantile (of n sorted votes those with n/4, rounded down, below respectively
// above them), and at least half the median spread.
type Rate struct {
	Pair       core.Pair
	Mid        decimal.Decimal
	Confidence decimal.Decimal // zero for a rate fixed by treaty
	// Other is a second estimate that prices must cover too: the newest rate while it is an
	// unconfirmed jump, or the last one with a quorum while that is missing. Zero: none.
	Other    decimal.Decimal
	AsOf     time.Time   // when the vote that completes the quorum was made; zero for a rate fixed by treaty
	Current  time.Time   // until when that vote is known to hold; see Vote.Current
	Used     []*Vote     // one per family, by source; empty for a rate fixed by treaty
	Excluded []Exclusion // by source
	Quorum   int         // zero for a rate fixed by treaty
	Jumped   bool        // the rate is a confirmed jump from the rate before
}

// Exclusion says why a source does not contribute to a rate, or why its latest response was
// rejected although an earlier vote contributes until it expires.
type Exclusion struct {
	Source string
	Reason Reason
}

// refresh recomputes the rate from the latest observations. A rate that is not accepted leaves the
// last good one. It reports whether clients should learn at once that another source is excluded.
func (m *market) refresh(now time.Time) bool {
	if m.fixed || m.resuming(now) {
		return false
	}
	c := m.consensus(now)
	m.learn(c, now)
	if c.settling {
		return false
	}
	if c.used < m.quorum || c.disputed {
		m.QuorumLost = earlier(m.QuorumLost, now)
	} else {
		m.QuorumLost = time.Time{}
	}
	accepted, problem, other := m.accept(now, c)
	if problem != m.Problem {
		m.Problem, m.Since = problem, now
	}
	var before []Exclusion
	if m.Rate != nil {
		before = m.Rate.Excluded
	}
	switch {
	case accepted != nil:
		m.Rate = accepted
	case m.Rate != nil:
		kept := *m.Rate
		m.Rate = &kept
	default:
		return false
	}
	m.Rate.Other, m.Rate.Excluded = other, m.excluded()
	return slices.ContainsFunc(m.Rate.Excluded, func(x Exclusion) bool {
		return x.Reason != SameFamily && x.Reason != LastResort && !slices.Contains(before, x)
	})
}

// accept decides whether the newest rate replaces the last good one, and returns its problem.
// other is an estimate that prices must cover besides the shown rate.
func (m *market) accept(now time.Time, c consensus) (accepted *Rate, problem Reason, other decimal.Decimal) {
	m.newest, m.backed = decimal.Zero, c.used >= max(m.quorum, 2)
	if c.disputed {
		if m.acknowledged(now, m.Anchor) {
			return m.rate(true), Disputed, other
		}
		return nil, Disputed, other
	}
	if c.used == 0 {
		if m.Rate != nil && !m.Rate.Mid.Equal(m.Anchor) {
			other = m.Anchor
		}
		return nil, Degraded, other
	}
	newest := m.rate(false)
	if m.outOfRange(newest.Mid) {
		return nil, OffBounds, other
	}
	m.newest = newest.Mid
	switch {
	case m.strays(newest.Mid, c):
		return nil, OffBounds, other
	case c.used < m.quorum && m.Anchor.IsZero():
		return nil, Degraded, other
	case c.used < m.quorum && moved(m.Anchor, newest.Mid, m.class.Band):
		return nil, NoQuorum, other
	case c.used < m.quorum:
		m.checkPeg(newest.Mid)
		return newest, Degraded, m.Anchor
	case m.jumped(now, newest.Mid, c):
		if !m.confirmed(now, newest, c) {
			m.pending, m.Lone = newest.Mid, c.live < 2
			return nil, Jump, newest.Mid
		}
		newest.Jumped, m.recent = true, nil
	}
	m.Anchor = newest.Mid
	if !m.OffPeg && !m.contested {
		m.Acknowledged = nil
	}
	if n := len(m.recent); n == 0 || !m.recent[n-1].value.Equal(newest.Mid) {
		m.recent = append(m.recent, mid{now, newest.Mid})
	}
	m.checkPeg(newest.Mid)
	return newest, "", other
}

// rate computes the rate of the sources that are not excluded, with or without outliers.
func (m *market) rate(outliers bool) *Rate {
	r := &Rate{Pair: m.Pair, Quorum: m.quorum, Used: make([]*Vote, 0, len(m.sources))}
	votes, spreads := make([]decimal.Decimal, 0, 3*usualSources), make([]decimal.Decimal, 0, usualSources)
	for i, s := range m.sources {
		if reason := m.exclusions[i]; reason != "" && (!outliers || reason != Outlier) {
			continue
		}
		v := s.vote
		r.Used = append(r.Used, v)
		votes, spreads = append(votes, v.Bid, v.Mid, v.Ask), append(spreads, v.spread)
	}
	r.Mid = median(votes).Normalize()
	quarter := len(votes) / 4
	low, high := votes[quarter], votes[len(votes)-1-quarter]
	r.Confidence = decimal.Max(r.Mid.Sub(low), high.Sub(r.Mid), half(median(spreads))).Normalize()
	r.AsOf = completes(r.Used, m.quorum, func(v *Vote) time.Time { return v.At })
	r.Current = completes(r.Used, m.quorum, func(v *Vote) time.Time { return v.Current })
	return r
}

// completes returns the time of the vote that completes the quorum: the newest ones count first.
func completes(votes []*Vote, quorum int, timeOf func(*Vote) time.Time) time.Time {
	times := make([]time.Time, 0, usualSources)
	for _, v := range votes {
		times = append(times, timeOf(v))
	}
	slices.SortFunc(times, time.Time.Compare)
	return times[max(0, len(times)-max(quorum, 1))]
}

// jumped reports whether a rate moved further than allowed from the last accepted one, or from one
// accepted within PriceRules.JumpWithin, or MaxAge if rates are published in steps. A lone official
// source may move a rate by the band and the volatility since.
func (m *market) jumped(now time.Time, newest decimal.Decimal, c consensus) bool {
	if m.class.Jump.IsZero() || m.Anchor.IsZero() {
		return false
	}
	limit, within := m.class.Jump, m.rules.JumpWithin
	if m.class.MaxAge >= stepping {
		within = m.class.MaxAge
	}
	if m.lone(c) {
		since := m.known
		if m.Rate != nil {
			since = m.Rate.AsOf
		}
		limit = m.class.Band.Add(m.volatility(since, now))
	}
	for len(m.recent) > 1 && now.Sub(m.recent[1].at) > within {
		m.recent = m.recent[1:]
	}
	return moved(m.Anchor, newest, limit) ||
		slices.ContainsFunc(m.recent, func(r mid) bool { return moved(r.value, newest, limit) })
}

// lone reports whether a rate that is published in steps comes from a single family.
func (m *market) lone(c consensus) bool { return c.live < 2 && m.class.MaxAge >= stepping }

// confirmed reports whether a jump is accepted: by an operator; by enough families that agree
// closely; or by the quorum for longer than the last good rate may be used. A lone official source
// does not confirm itself: its witnesses must.
func (m *market) confirmed(now time.Time, newest *Rate, c consensus) bool {
	if m.acknowledged(now, newest.Mid) {
		return true
	}
	if m.lone(c) {
		t := m.hear(newest.Mid)
		return t.agree > t.differ
	}
	agree := c.used >= min(m.rules.JumpFamilies, m.families) &&
		newest.Confidence.LessThan(newest.Mid.Mul(m.rules.JumpConfidence))
	return agree || m.Problem == Jump && now.Sub(m.Since) > m.rules.JumpHold
}

// outOfRange reports whether a rate is outside the range of its market.
func (m *market) outOfRange(newest decimal.Decimal) bool {
	return m.Low.IsPositive() && newest.LessThan(m.Low) || m.High.IsPositive() && newest.GreaterThan(m.High)
}

// strays reports whether a rate is too far from the route that bounds its market. A single family needs
// the bound.
func (m *market) strays(newest decimal.Decimal, c consensus) bool {
	if m.bound == nil || !m.bound.known() {
		return m.bound != nil && c.live < 2
	}
	return moved(m.bound.mid(), newest, m.class.Bound)
}

// checkPeg records whether a stablecoin is off its peg. It is back on it within half the limit; the
// acknowledgement is used up then.
func (m *market) checkPeg(newest decimal.Decimal) {
	m.PegMid = newest
	switch {
	case m.Peg.IsZero():
	case moved(m.Peg, newest, m.class.Depeg):
		m.OffPeg = true
	case m.OffPeg && !moved(m.Peg, newest, half(m.class.Depeg)):
		m.OffPeg, m.Acknowledged = false, nil
	}
}

// broken reports whether a stablecoin is off its peg without an acknowledgement. That counts until
// the price moves on by the limit of the class.
func (m *market) broken(now time.Time) bool {
	a := m.Acknowledged
	return m.OffPeg && (a == nil || now.Sub(a.At) > acknowledgedFor || moved(a.Mid, m.PegMid, m.class.Depeg))
}

// acknowledged reports whether an acknowledgement counts for a rate near the acknowledged one.
func (m *market) acknowledged(now time.Time, mid decimal.Decimal) bool {
	a := m.Acknowledged
	return a != nil && now.Sub(a.At) <= acknowledgedFor && !moved(a.Mid, mid, decimal.Max(m.class.Jump, m.class.Band))
}

// describe adds the problem of the market to the input of a price.
func (m *market) describe(in *input) {
	switch m.Problem {
	case Disputed:
		acknowledged := m.acknowledged(in.now, m.Anchor)
		in.acknowledged, in.disputed = in.acknowledged || acknowledged, in.disputed || !acknowledged
	case OffBounds:
		in.offBounds = true
	case Jump:
		in.loneJump = in.loneJump || m.Lone
		in.jumpUntil = earlier(in.jumpUntil, m.Since.Add(m.rules.JumpHold))
	case Degraded, NoQuorum:
		in.degradedUntil = earlier(in.degradedUntil, m.QuorumLost.Add(m.rules.DegradedFor))
		in.strayed = in.strayed || m.Problem == NoQuorum
	default: // the market is in order
	}
}

// excluded lists the sources that do not contribute, or whose latest response was rejected.
func (m *market) excluded() []Exclusion {
	var out []Exclusion
	for i, s := range m.sources {
		if reason := cmp.Or(m.exclusions[i], s.rejected); reason != "" {
			out = append(out, Exclusion{Source: s.feed.Name, Reason: reason})
		}
	}
	return out
}

// held lists the sources of a first rate that is not accepted.
func (m *market) held() (out []Exclusion) {
	if m.Problem == Jump || m.Problem == OffBounds {
		for i, s := range m.sources {
			if m.exclusions[i] == "" {
				out = append(out, Exclusion{Source: s.feed.Name, Reason: m.Problem})
			}
		}
	}
	return out
}

// drift is the margin that a rate published in steps needs for its age: the volatility of a day
// times √(age in days), rounded up to a basis point.
func (m *market) drift(now time.Time) decimal.Decimal {
	if m.fixed || m.class.Volatility.IsZero() {
		return decimal.Zero
	}
	drift := m.volatility(m.Rate.AsOf, now)
	if m.unwatched(now) {
		drift = decimal.Max(drift, m.Gap.Sub(gapEdge).Sub(decimal.New(m.class.MarginFloorBPS, -4)))
	}
	return drift
}

// unwatched reports whether an official rate was not published lately, or on a closed day, and
// nothing else shows what the currency is worth since.
func (m *market) unwatched(now time.Time) bool {
	at := m.Rate.AsOf
	return m.Gap.IsPositive() && !m.watched && (now.Sub(at) > lately || closed(at) || closed(now))
}

// volatility is the volatility of a day times √(days), rounded up to a basis point.
func (m *market) volatility(since, now time.Time) decimal.Decimal {
	days := max(0, now.Sub(since).Hours()/24)
	//nolint:forbidigo // a limit needs no exact root
	return m.class.Volatility.Mul(decimal.NewFromFloat(math.Sqrt(days))).RoundCeil(4)
}
