package pairs

import "github.com/shopspring/decimal"

// Leg is one step of the route that a price was made along.
type Leg struct {
	Rate     *Rate
	Inverted bool // the price was divided by the rate, not multiplied by it
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

// legs are the rates along a known route.
func (r route) legs() []Leg {
	legs := make([]Leg, len(r))
	for i, s := range r {
		legs[i] = Leg{Rate: s.market.rate, Inverted: s.inverted}
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
	ratio := decimal.Zero
	for _, s := range r {
		ratio = ratio.Add(s.market.doubt())
	}
	return upTo12(mid.Mul(ratio))
}
