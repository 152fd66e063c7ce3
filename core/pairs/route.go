package pairs

import (
	"slices"
	"time"

	"github.com/shopspring/decimal"
)

// Leg is one step of the route of a price.
type Leg struct {
	Rate     *Rate
	Inverted bool // the price is divided by the rate
}

// step is a market, forwards or backwards.
type step struct {
	market   *market
	inverted bool
}

// route leads from one currency to another through at most two markets; none at all lead a currency
// to itself.
type route []step

// known reports whether every market of the route has a rate.
func (r route) known() bool {
	return !slices.ContainsFunc(r, func(s step) bool { return s.market.Rate == nil })
}

// legs returns the rates along a known route.
func (r route) legs() []Leg {
	legs := make([]Leg, 0, len(r))
	for _, s := range r {
		legs = append(legs, Leg{Rate: s.market.Rate, Inverted: s.inverted})
	}
	return legs
}

// mid returns the mid price along a known route.
func (r route) mid() decimal.Decimal {
	mid, _, _ := r.estimates()
	return mid
}

// estimates returns the mid price along a known route, and its lowest and highest estimates. They
// differ while a market has a second estimate, or its witnesses differ by more than its margin.
func (r route) estimates() (mid, low, high decimal.Decimal) {
	mid = one // of a currency in itself, without a leg
	low, high = mid, mid
	for i, s := range r {
		rate := s.market.Rate.Mid
		least, most := rate, rate
		for _, other := range []decimal.Decimal{s.market.Rate.Other, s.market.low, s.market.high} {
			if other.IsPositive() {
				least, most = decimal.Min(least, other), decimal.Max(most, other)
			}
		}
		if s.inverted {
			rate, least, most = inverse(rate), inverse(most), inverse(least)
		}
		if i == 0 {
			mid, low, high = shortened(rate), shortened(least), shortened(most)
		} else {
			mid, low, high = product(mid, rate), product(low, least), product(high, most)
		}
	}
	return mid, low, high
}

// uncertainty is the confidence of a known route as a part of its price: the sum of the
// uncertainties of its legs.
func (r route) uncertainty() decimal.Decimal {
	sum := decimal.Zero
	for _, s := range r {
		sum = sum.Add(ratioUp(s.market.Rate.Confidence, s.market.Rate.Mid))
	}
	return sum
}

// confidence is the half-width of the uncertainty of the mid, in the counter currency: the
// confidence of a single market, or else the relative uncertainty times the mid, rounded up to 12
// significant digits.
func (r route) confidence(mid, uncertainty decimal.Decimal) decimal.Decimal {
	if len(r) == 1 && !r[0].inverted {
		return r[0].market.Rate.Confidence
	}
	return upTo12(mid.Mul(uncertainty))
}

// input collects what decides the status of a price along a known route.
func (l *listing) input(way route, now time.Time) *input {
	in := &input{now: now, rules: l.rules, uncertainty: way.uncertainty()}
	for i, s := range way {
		m := s.market
		if !m.apart.IsZero() {
			in.contest(m.apart, way[i:i+1])
		}
		in.depegged = in.depegged || slices.ContainsFunc(m.coins, func(coin *market) bool { return coin.broken(now) })
		if m.fixed {
			continue
		}
		m.describe(in)
		current := m.Rate.Current
		fresh, stale := current.Add(l.class.Fresh), current.Add(l.class.Stale)
		if m.class.MaxAge >= stepping {
			fresh = expiry(current, m.class.MaxAge)
			stale = fresh.Add(l.class.Stale - l.class.Fresh)
			in.closed = in.closed || closed(now)
		}
		in.freshUntil, in.staleUntil = earlier(in.freshUntil, fresh), earlier(in.staleUntil, stale)
		in.ahead = in.ahead || current.After(now.Add(skew))
	}
	return in
}

// choose returns the route in least trouble, the preferred one among equals, with the input of its
// price; nil if no route is known.
func (l *listing) choose(now time.Time) (best route, in *input) {
	least := 0
	for _, way := range l.routes {
		if !way.known() {
			continue
		}
		candidate := l.input(way, now)
		v := judge(candidate)
		if in == nil || v.severity() < least {
			best, in, least = way, candidate, v.severity()
		}
		if least == 0 {
			break
		}
	}
	return best, in
}
