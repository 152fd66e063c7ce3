package pairs

import (
	"time"

	"github.com/shopspring/decimal"

	"causeway/core"
)

// Rate is what the sources of one market, taken together, say it costs. It is never changed.
//
// Mid is the median of the three votes (bid, mid, ask) of every source with a live observation; the mean of the two middle votes
// where their count is even. Confidence is the larger distance from it to the votes at the 25 % and the 75 % quantile (of n sorted
// votes those with n/4, rounded down, below respectively above them), and at least half the median spread.
type Rate struct {
	Pair       core.Pair
	Class      string          // of MarketClass
	Mid        decimal.Decimal // in Pair.Counter
	Bid, Ask   decimal.Decimal // medians of the bids and of the asks
	Confidence decimal.Decimal // in Pair.Counter; zero for a rate fixed by treaty
	AsOf       time.Time       // of the newest vote; zero for a rate fixed by treaty
	Used       []*Vote         // by name of source; empty for a rate fixed by treaty
	Excluded   []Exclusion     // by name of source

	expires time.Time // when the first of the votes in use may no longer be used
}

// Exclusion says why a source of a market has no vote in its rate.
type Exclusion struct {
	Source string
	Reason Reason
}

// slot is the place of one source in one market.
type slot struct {
	feed   *feed
	market *market
	vote   *Vote  // the last admitted observation
	reason Reason // of the latest refusal since then
}

// excluded says why the slot has no vote.
func (s *slot) excluded() Reason {
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

// market is a leg that is computed once and shared by every listing that goes along it.
type market struct {
	core.Market
	class core.MarketClass
	fixed bool
	slots []*slot // by name of source

	rate    *Rate // the last one there was; nil: none yet
	changed bool  // an observation came since

	inverse, ratio *decimal.Decimal // 1/Mid and Confidence/Mid of the rate, once asked for
}

// refresh makes the market's rate anew where an observation came or expired. Without a live vote the last rate stays and ages.
func (m *market) refresh(now time.Time, b *ballot) {
	due := m.changed || m.rate != nil && now.After(m.rate.expires)
	if m.fixed || !due {
		return
	}
	m.changed = false
	r := &Rate{Pair: m.Pair, Class: m.class.Name, Used: make([]*Vote, 0, len(m.slots))}
	for _, s := range m.slots {
		if !s.vote.live(now) {
			r.Excluded = append(r.Excluded, Exclusion{Source: s.feed.name, Reason: s.excluded()})
			continue
		}
		r.Used = append(r.Used, s.vote)
		r.expires = earlier(r.expires, s.vote.expires)
		if s.vote.At.After(r.AsOf) {
			r.AsOf = s.vote.At
		}
	}
	if len(r.Used) == 0 {
		return
	}
	b.count(r)
	m.rate, m.inverse, m.ratio = r, nil, nil
}

// backwards is 1/Mid of the rate.
func (m *market) backwards() decimal.Decimal {
	if m.inverse == nil {
		d := inverse(m.rate.Mid)
		m.inverse = &d
	}
	return *m.inverse
}

// doubt is Confidence/Mid of the rate, the same in both directions.
func (m *market) doubt() decimal.Decimal {
	if m.ratio == nil {
		d := ratioUp(m.rate.Confidence, m.rate.Mid)
		m.ratio = &d
	}
	return *m.ratio
}

// fix gives a market the rate that a treaty fixes.
func (m *market) fix() {
	m.rate = &Rate{Pair: m.Pair, Class: m.Class, Mid: m.Fixed, Bid: m.Fixed, Ask: m.Fixed}
}
