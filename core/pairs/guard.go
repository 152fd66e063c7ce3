package pairs

import "time"

// guardBuckets divide the time over which a jump is measured.
const guardBuckets = 12

// guard remembers how low and how high a market's accepted mids were of late, and doubts what is far from them until it is confirmed.
type guard struct {
	buckets [guardBuckets + 1]bucket
	since   time.Time // when the unconfirmed jump came; zero: there is none
	granted bool      // the operator says that it is real
}

// bucket is one part of the time: its number since 1970, and the extremes in it. The zero bucket is none.
type bucket struct {
	number    int64
	low, high octaves
}

// numberOf is the bucket that an instant falls into.
func numberOf(at time.Time, within time.Duration) int64 {
	return at.UnixNano() / int64(within/guardBuckets)
}

// record takes note of an accepted mid.
func (g *guard) record(now time.Time, mid octaves, within time.Duration) {
	n := numberOf(now, within)
	b := &g.buckets[uint64(n)%uint64(len(g.buckets))] //nolint:gosec // any whole number will do
	if b.number != n {
		*b = bucket{number: n, low: mid, high: mid}
		return
	}
	b.low, b.high = min(b.low, mid), max(b.high, mid)
}

// jumped reports whether a mid is further than the limit from one accepted of late.
func (g *guard) jumped(now time.Time, mid octaves, limit ratio, within time.Duration) bool {
	n := numberOf(now, within)
	for _, b := range g.buckets {
		if b.number == 0 || b.number > n || b.number < n-guardBuckets {
			continue
		}
		if limit.exceeded(b.low, mid) || limit.exceeded(b.high, mid) {
			return true
		}
	}
	return false
}

// passes reports whether a rate may be believed: it is no jump, or a confirmed one, or the last good price has stood in for it for as
// long as it may and the quorum stands by it still. A jump that is not confirmed does not become true by waiting for the
// last good price to be forgotten. A rate that comes in steps is held against the step before it, however long ago that was.
func (g *guard) passes(m *market, r *Rate, c consensus, now time.Time) bool {
	rules := m.terms.rules
	jumped := g.jumped(now, r.octaves, m.terms.jump, rules.JumpWithin) ||
		(!g.since.IsZero() || m.class.MaxAge >= stepping) && m.terms.jump.exceeded(m.rate.octaves, r.octaves)
	if m.class.Jump.IsZero() || !jumped {
		return true
	}
	g.since = earlier(g.since, now)
	if g.granted {
		r.Jumped, g.granted = true, false
		g.buckets = [guardBuckets + 1]bucket{}
		return true
	}
	if m.alone() {
		return false
	}
	confirmed := c.used >= min(rules.JumpFamilies, m.families) && r.Confidence.LessThan(r.Mid.Mul(rules.JumpConfidence))
	if confirmed || now.Sub(g.since) > rules.JumpHold && c.used >= m.quorum {
		r.Jumped = true
		g.buckets = [guardBuckets + 1]bucket{} // the price goes on from here
		return true
	}
	return false
}

// alone reports whether the market has rates in steps of one family alone: that it agrees with itself confirms nothing, however long it
// stands by it, or its mistake about a unit would be a price until the next step.
func (m *market) alone() bool { return m.families < 2 && m.class.MaxAge >= stepping }
