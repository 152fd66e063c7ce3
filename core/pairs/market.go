package pairs

import (
	"time"

	"github.com/shopspring/decimal"

	"causeway/core"
)

// terms are the numbers of a market's class, ready for use.
type terms struct {
	rules                *core.PriceRules
	band, readmit, stall ratio
	jump, depeg, repeg   ratio
	bound                ratio
}

// market is a leg that is computed once and shared by every listing that goes along it.
type market struct {
	core.Market
	class    core.MarketClass
	terms    *terms
	fixed    bool
	quorum   int
	families int     // that it is configured with, apart from the last resort
	slots    []*slot // by name of source
	mixed    bool    // some of them share a family, or are the last resort
	still    bool    // some of them may be stalled: their price has been the same for long enough
	bound    route   // what the rate is held against; nil: nothing
	meant    func(core.Pair) (decimal.Decimal, bool)

	rate    *Rate // as shown: the last accepted one, with what is now the matter with it; nil: none yet
	changed bool  // an observation came since
	due     time.Time
	guard   guard
	peg     peg

	condition condition
	unsettled time.Time // when a family told first what the others did not yet confirm or deny; zero: none did
	lost      time.Time // since when the quorum is; zero: it is there
	doubted   time.Time // since when the rate is not believed at all; zero: it is
	resumed   time.Time // when polling was resumed while the rate was doubted; zero: all sources were polled since

	inverse, ratio *decimal.Decimal // 1/Mid and Confidence/Mid of the rate, once asked for
}

// condition is what is the matter with a market's rate, apart from its age.
type condition struct {
	status Status
	reason Reason    // empty: nothing is
	since  time.Time // the first instant of it
	until  time.Time // last instant at which it is only stale; zero where it is not
}

// refresh makes the market's rate anew where an observation came or time changes something. Without a live vote the last rate stays and
// ages; one that is not believed takes nothing from the last good one, which is never changed and never made up.
func (m *market) refresh(now time.Time, b *ballot) {
	due := m.changed || !m.due.IsZero() && now.After(m.due)
	if m.fixed || !due || m.resuming(now) {
		return
	}
	m.changed = false
	var c consensus
	if c, m.due = m.consent(now, b); c.awaited {
		return
	}
	if c.used < m.quorum || c.disputed {
		m.lost = earlier(m.lost, now)
	} else {
		m.lost = time.Time{}
	}
	r, reason := m.accept(now, c, b)
	m.note(now, reason)
	switch {
	case r != nil:
		m.rate, m.inverse, m.ratio = r, nil, nil
	case m.rate == nil:
		return
	default:
		again := *m.rate
		m.rate = &again
	}
	m.rate.Reason, m.rate.Excluded = m.condition.reason, m.excluded()
}

// accept makes the rate of the families in use, and says what is the matter with it; nil where the last good one stays.
func (m *market) accept(now time.Time, c consensus, b *ballot) (*Rate, Reason) {
	if c.disputed {
		return nil, Disputed
	}
	if c.used == 0 {
		return nil, Degraded
	}
	r := m.count(b)
	meant := m.means(r)
	m.guard.granted = m.guard.granted || meant
	switch {
	case !meant && m.strays(r):
		return nil, OffBounds
	case m.rate != nil && !m.guard.passes(m, r, c, now):
		return nil, Jump
	}
	m.guard.record(now, r.octaves, m.terms.rules.JumpWithin)
	m.peg.judge(m, r.octaves)
	if c.used < m.quorum {
		return r, Degraded
	}
	return r, ""
}

// count makes the rate of the slots that have a vote.
func (m *market) count(b *ballot) *Rate {
	r := &Rate{Pair: m.Pair, Class: m.class.Name, Quorum: m.quorum, Used: make([]*Vote, 0, len(m.slots))}
	for _, s := range m.slots {
		if s.verdict != "" {
			continue
		}
		r.Used = append(r.Used, s.vote)
		if s.vote.At.After(r.AsOf) {
			r.AsOf = s.vote.At
		}
	}
	b.count(r)
	r.octaves = octavesOf(r.Mid)
	return r
}

// note writes down what is the matter.
func (m *market) note(now time.Time, reason Reason) {
	rules, c := m.terms.rules, condition{status: Fresh, reason: reason}
	doubted := time.Time{}
	switch reason {
	case "":
	case Degraded:
		c.status, c.since, c.until = Stale, m.lost, m.lost.Add(rules.DegradedFor)
	case Jump:
		c.status, c.since, c.until = Stale, m.guard.since, m.guard.since.Add(rules.JumpHold)
		if !m.lost.IsZero() {
			c.until = earlier(c.until, m.lost.Add(rules.DegradedFor))
		}
	default:
		doubted = earlier(m.doubted, now)
		c.status, c.since = Halted, doubted
	}
	if c.status == Stale && now.After(c.until) {
		c.status, c.until = Halted, time.Time{}
		if reason == Degraded {
			c.reason = NoQuorum
		}
	}
	if reason != Jump {
		m.guard.since, m.guard.granted = time.Time{}, false
	}
	m.condition, m.doubted, m.due = c, doubted, earlier(m.due, c.until)
}

// excluded lists the sources that have no vote now.
func (m *market) excluded() []Exclusion {
	var out []Exclusion
	for _, s := range m.slots {
		if s.verdict != "" {
			out = append(out, Exclusion{Source: s.feed.name, Reason: s.verdict})
		}
	}
	return out
}

// strays reports whether a rate is further from the route that bounds it than its class allows. While that route has no
// rate nothing can be said, and nothing is.
func (m *market) strays(r *Rate) bool {
	if m.bound == nil || !m.bound.known() {
		return false
	}
	return m.terms.bound.exceeded(octavesOf(m.bound.mid()), r.octaves)
}

// means reports whether a rate is what somebody set a simulated market to, as far as sources that agree tell the same.
func (m *market) means(r *Rate) bool {
	if m.meant == nil {
		return false
	}
	price, set := m.meant(m.Pair)
	return set && !m.terms.band.exceeded(octavesOf(price), r.octaves)
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
	m.condition = condition{status: Fresh}
}
