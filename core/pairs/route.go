package pairs

import (
	"time"

	"github.com/shopspring/decimal"
)

// Leg is one step of the route that a price was made along.
type Leg struct {
	Rate     *Rate
	Inverted bool // the price was divided by the rate, not multiplied by it

	market *market // whose rate it is
}

// step is a leg of a route: a market, forwards or backwards.
type step struct {
	market   *market
	inverted bool
}

// mid is the middle rate in the direction of the step.
func (s step) mid() decimal.Decimal {
	if s.inverted {
		return s.market.backwards()
	}
	return s.market.rate.Mid
}

// route leads from one currency to another along at most two markets; no step at all leads a currency to itself.
type route []step

// known reports whether every market along the route has a rate.
func (r route) known() bool {
	for _, s := range r {
		if s.market.rate == nil {
			return false
		}
	}
	return true
}

// trouble is what keeps a route from being taken, from nothing to the worst.
type trouble int

const (
	none     trouble = iota
	passing          // its price is served for a short time yet
	offPeg           // its price is shown, and not traded: a stablecoin on the way is off its peg
	lasting          // its price is halted
	rateless         // a market never had a rate
)

// trouble is what would become of a price along a route at an instant. Where its legs differ too much in age the last good price would stand in.
func (l *listing) trouble(way route, now time.Time) trouble {
	if !way.known() {
		return rateless
	}
	var legs [2]Leg
	s := l.standing(way.along(legs[:0]), now)
	switch apart := way.apart(l.rules.LegsApart); {
	case s.status == Halted && s.reason != Depegged:
	case compare(way.doubt(), l.rules.Wide) > 0, apart && l.last == nil:
		return lasting
	case apart:
		s = l.standing(l.last.Legs, now)
	}
	switch {
	case s.reason == Depegged:
		return offPeg
	case s.status == Halted:
		return lasting
	case s.status == Stale:
		return passing
	default:
		return none
	}
}

// apart reports whether the legs of a known route differ in age by more than they may. Rates fixed by treaty have no age, and
// those that step are as young as they can be.
func (r route) apart(most time.Duration) bool {
	var oldest, newest time.Time
	for _, s := range r {
		if s.market.fixed || s.market.class.MaxAge >= stepping {
			continue
		}
		at := s.market.rate.AsOf
		oldest = earlier(oldest, at)
		if at.After(newest) {
			newest = at
		}
	}
	return newest.Sub(oldest) > most
}

// legs are the rates along a known route.
func (r route) legs() []Leg { return r.along(make([]Leg, 0, len(r))) }

// along appends the legs of a known route.
func (r route) along(legs []Leg) []Leg {
	for _, s := range r {
		legs = append(legs, Leg{Rate: s.market.rate, Inverted: s.inverted, market: s.market})
	}
	return legs
}

// mid is the middle price along a known route, to the significant digits.
func (r route) mid() decimal.Decimal {
	switch len(r) {
	case 0:
		return decimal.New(1, 0)
	case 1:
		return r[0].mid()
	default:
		return product(r[0].mid(), r[1].mid())
	}
}

// confidence is the half-width of the uncertainty of the mid of a known route, in the counter currency: a single market's own, else
// the sum of the relative ones times the mid, rounded up to 12 significant digits.
func (r route) confidence(mid decimal.Decimal) decimal.Decimal {
	if len(r) == 1 && !r[0].inverted {
		return r[0].market.rate.Confidence
	}
	return upTo12(mid, r.doubt())
}

// doubt is the uncertainty of a known route as a part of its price: the sum of its legs'.
func (r route) doubt() decimal.Decimal {
	ratio := decimal.Zero
	for _, s := range r {
		ratio = plus(ratio, s.market.doubt())
	}
	return ratio
}
