package pairs

import (
	"slices"
	"time"

	"github.com/shopspring/decimal"
)

// Routes are evidence of each other. Every market is compared with all other ways between its two
// currencies, and every pair with its other routes. While they differ a little, prices cover both.
// When they differ by more than the bands of their markets for longer than PriceRules.DisputeHold,
// the price is disputed, because the engine cannot know which of them is right. A real move reaches
// all routes within seconds.

// witness is another way between the two currencies of a market: its stand-in, or two other markets.
// Witnesses are found, not configured. They contradict a rate, but never set one.
type witness struct {
	route

	tolerance decimal.Decimal // the bands of the markets and of the market that is compared, together
	live      bool            // none of its rates is published in steps
}

// tolerance returns how far two routes may differ: the sum of the bands of all markets that only one
// of them leads through.
func tolerance(a, b route) decimal.Decimal {
	sum := decimal.Zero
	for _, r := range [...]route{a, b} {
		for _, s := range r {
			if !a.has(s.market) || !b.has(s.market) {
				sum = sum.Add(s.market.class.Band)
			}
		}
	}
	return sum
}

// has reports whether the route leads through a market.
func (r route) has(m *market) bool {
	return slices.ContainsFunc(r, func(s step) bool { return s.market == m })
}

// evidence returns the product of the newest rates along a route, accepted or not; zero if one is missing.
func (r route) evidence() (mid decimal.Decimal) {
	for i, s := range r {
		rate := s.market.newest
		if s.market.fixed {
			rate = s.market.Rate.Mid
		}
		if rate.IsZero() {
			return decimal.Zero
		}
		if s.inverted {
			rate = inverse(rate)
		}
		if i == 0 {
			mid = shortened(rate)
		} else {
			mid = product(mid, rate)
		}
	}
	return mid
}

// backed reports whether every rate along a route that is not fixed has its quorum, and at least two families.
func (r route) backed() bool {
	return !slices.ContainsFunc(r, func(s step) bool { return !s.market.fixed && !s.market.backed })
}

// testimony is what the witnesses of a market say of a rate.
type testimony struct {
	agree, differ int
	quorum        bool            // the witnesses have their quorums
	live          bool            // a witness agrees whose rates are not published in steps
	mid           decimal.Decimal // the median of the witnesses; zero: none says anything
}

// contradicted reports whether more witnesses differ than agree.
func (t testimony) contradicted() bool { return t.differ > t.agree }

// doubted reports whether a market of the route is contradicted by more witnesses than that.
func (r route) doubted(than int) bool {
	return slices.ContainsFunc(r, func(s step) bool { return s.market.doubt > max(0, than) })
}

// hear compares a rate with the witnesses that say something, except for those with more than twice
// the tolerance of the strictest one. Witnesses below their quorum count only if there are no others,
// and witnesses that are in more doubt than the market do not count.
func (m *market) hear(rate decimal.Decimal) (t testimony) {
	var limit decimal.Decimal
	var mids []decimal.Decimal
	for _, needed := range []bool{true, false} {
		for _, w := range m.witnesses {
			if len(mids) > 0 && w.tolerance.GreaterThan(limit) {
				break
			}
			if w.backed() != needed || w.doubted(m.doubt) {
				continue
			}
			mid := w.evidence()
			if mid.IsZero() {
				continue
			}
			if len(mids) == 0 {
				limit = w.tolerance.Add(w.tolerance)
			}
			mids = append(mids, mid)
			if moved(mid, rate, w.tolerance) {
				t.differ++
			} else {
				t.agree, t.live = t.agree+1, t.live || w.live
			}
		}
		if len(mids) > 0 {
			t.mid, t.quorum = median(mids).Normalize(), needed
			break
		}
	}
	return t
}

// compare compares the rate of the market with its witnesses. It returns by how many more of them
// differ than agree.
func (m *market) compare(now time.Time) (doubt int) {
	m.contested, m.watched, m.vouched, m.low, m.high = false, false, false, decimal.Zero, decimal.Zero
	if m.fixed || m.Rate == nil || len(m.witnesses) == 0 {
		return 0
	}
	rate := m.Rate.Mid
	if m.newest.IsPositive() {
		rate = m.newest
	}
	t := m.hear(rate)
	m.watched, m.vouched = t.live && !t.contradicted(), t.quorum && t.agree > t.differ
	if m.contested = t.contradicted(); m.contested {
		m.apart = earlier(m.apart, now)
	} else {
		m.apart = time.Time{}
	}
	if t.mid.IsPositive() {
		m.low, m.high = cover(t.mid, m.Rate.Mid, m.class.MarginFloorBPS)
	}
	return t.differ - t.agree
}

// cover returns the estimates that make a price with a margin cover another mid; zero where the
// margin suffices.
func cover(other, mid decimal.Decimal, marginBPS int64) (low, high decimal.Decimal) {
	margin := decimal.New(marginBPS, -4)
	if moved(mid, other, margin) {
		if other.GreaterThan(mid) {
			return low, other.DivRound(one.Add(margin), significant)
		}
		return other.DivRound(one.Sub(margin), significant), high
	}
	return low, high
}

// compare compares a price along a route with the other routes of the pair, and adds to the input of
// the price what that shows. Routes below their quorum count only if nothing else is known.
func (l *listing) compare(way route, in *input) {
	if len(l.routes) == 1 {
		return
	}
	shown := way.evidence()
	if shown.IsZero() {
		shown = way.mid()
	}
	known := false
	for _, needed := range []bool{true, false} {
		if known || !needed && !slices.ContainsFunc(way, func(s step) bool { return !s.market.vouched }) {
			return
		}
		for _, other := range l.routes {
			if &other[0] == &way[0] || other.backed() != needed {
				continue
			}
			mid := other.evidence()
			if mid.IsZero() {
				continue
			}
			known = true
			in.others = append(in.others, mid)
			if moved(mid, shown, tolerance(way, other)) {
				in.crossed = earlier(l.apart, in.now)
				in.contest(in.crossed, slices.Concat(way, other))
			}
		}
	}
}

// contest notes that a price is contradicted since an instant by one of these markets. An operator's
// acknowledgement of any of them counts.
func (in *input) contest(since time.Time, markets route) {
	for _, s := range markets {
		if s.market.acknowledged(in.now, s.market.newest) {
			in.acknowledged = true
			return
		}
	}
	in.apartUntil = earlier(in.apartUntil, since.Add(in.rules.DisputeHold))
}

// contested remembers since when the routes of the pair contradict each other, and names the markets
// that wait for an operator: all of them, unless witnesses show which.
func (l *listing) contested(in *input) {
	l.apart = in.crossed
	all := slices.Concat(l.routes...)
	if in.crossed.IsZero() || slices.ContainsFunc(all, func(s step) bool { return !s.market.apart.IsZero() }) {
		return
	}
	for _, s := range all {
		s.market.contested = !s.market.fixed
	}
}
