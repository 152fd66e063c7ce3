package pairs

import (
	"github.com/shopspring/decimal"

	"causeway/core"
)

// priceRules checks the numbers that all markets share.
func (c *compiler) priceRules(r core.PriceRules) {
	for what, part := range map[string]decimal.Decimal{"stall move": r.StallMove, "jump confidence": r.JumpConfidence, "wide": r.Wide} {
		if !proper(part) {
			c.faultf("rules: %s, %s, is not between 0 and 1", what, part)
		}
	}
	if r.ReadmitSamples < 1 || r.JumpFamilies < 1 {
		c.faultf("rules: %d samples, %d families: both must be above zero", r.ReadmitSamples, r.JumpFamilies)
	}
	if r.DegradedMargin < 1 || r.DegradedMargin > 10 {
		c.faultf("rules: %d times the margin of a degraded price is not between 1 and 10", r.DegradedMargin)
	}
	if r.DegradedFor <= 0 || r.JumpWithin < guardBuckets || r.JumpHold <= 0 || r.LegsApart <= 0 {
		c.faultf("rules: degraded for %s, jumps within %s, held for %s, legs %s apart: all must be above zero", r.DegradedFor, r.JumpWithin, r.JumpHold, r.LegsApart)
	}
}

// termsOf checks the numbers of a class and makes them ready for use.
func (c *compiler) termsOf(class core.MarketClass) *terms {
	t := &terms{rules: &c.book.rules}
	limit := func(what string, part decimal.Decimal, optional bool) ratio {
		if part.IsZero() && optional {
			return ratio{}
		}
		if !proper(part) {
			c.faultf("market class %q: the %s %s is not a ratio between 0 and 1", class.Name, what, part)
			return ratio{}
		}
		return ratioOf(part)
	}
	observed := class.MaxAge > 0
	limit("max spread", class.MaxSpread, true)
	t.band = limit("band", class.Band, !observed)
	t.readmit = limit("band", half(class.Band), !observed)
	t.jump = limit("jump", class.Jump, true)
	t.depeg, t.repeg = limit("depeg", class.Depeg, true), limit("depeg", half(class.Depeg), true)
	t.bound = limit("bound", class.Bound, true)
	t.stall = limit("stall move", c.book.rules.StallMove, true)
	if class.Stall < 0 {
		c.faultf("market class %q: stalled after %s, which is below zero", class.Name, class.Stall)
	}
	return t
}

// proper reports whether a part of one is above zero and below one.
func proper(part decimal.Decimal) bool { return part.IsPositive() && part.LessThan(decimal.New(1, 0)) }
