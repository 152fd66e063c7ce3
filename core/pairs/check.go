package pairs

import (
	"time"

	"github.com/shopspring/decimal"

	"causeway/core"
)

// checkDependencies checks what the engine is given besides the catalog.
func (c *compiler) checkDependencies(cfg Config, clock core.Clock) {
	if clock == nil {
		c.faultf("there is no clock")
	}
	if cfg.Entropy == nil {
		c.faultf("there is no entropy")
	}
	if cfg.Timeout < 0 {
		c.faultf("the timeout of polls, %s, is below zero", cfg.Timeout)
	}
	if len(cfg.Listings) == 0 {
		c.faultf("there are no listings: nothing to price")
	}
}

// checkRules checks the numbers that all markets share.
func (c *compiler) checkRules(r core.PriceRules) {
	for what, part := range map[string]decimal.Decimal{"stall move": r.StallMove, "jump confidence": r.JumpConfidence, "wide": r.Wide} {
		if !isPart(part) {
			c.faultf("rules: %s, %s, is not between 0 and 1", what, part)
		}
	}
	if r.ReadmitSamples < 1 || r.JumpFamilies < 1 {
		c.faultf("rules: %d samples, %d families: both must be above zero", r.ReadmitSamples, r.JumpFamilies)
	}
	if r.DegradedMargin < 1 || r.DegradedMargin > 10 {
		c.faultf("rules: %d times the margin of a degraded price is not between 1 and 10", r.DegradedMargin)
	}
	if r.DegradedFor <= 0 || r.JumpWithin <= 0 || r.JumpHold <= 0 {
		c.faultf("rules: degraded for %s, jumps within %s, held for %s: all must be above zero", r.DegradedFor, r.JumpWithin, r.JumpHold)
	}
}

func (c *compiler) addCurrencies(currencies []core.Currency) {
	for _, currency := range currencies {
		if _, twice := c.currencies[currency.Code]; twice || currency.Code == "" {
			c.faultf("currency %q: every currency needs a code of its own", currency.Code)
		}
		if currency.Decimals < 0 || currency.Decimals > maxPlaces {
			c.faultf("currency %s: %d decimals are not between 0 and %d", currency.Code, currency.Decimals, maxPlaces)
		}
		c.currencies[currency.Code] = currency
	}
}

func (c *compiler) addClasses(cfg Config) {
	for _, class := range cfg.MarketClasses {
		if _, twice := c.marketClasses[class.Name]; twice {
			c.faultf("market class %q: it is there twice", class.Name)
		}
		c.marketClasses[class.Name] = class
		c.checkMarketClass(class)
	}
	for _, class := range cfg.ListingClasses {
		if _, twice := c.listingClasses[class.Name]; twice {
			c.faultf("listing class %q: it is there twice", class.Name)
		}
		c.listingClasses[class.Name] = class
		c.checkListingClass(class)
	}
}

func (c *compiler) checkMarketClass(class core.MarketClass) {
	if class.MaxAge > 0 && class.Band.IsZero() {
		c.faultf("market class %q: the band 0 is not a ratio between 0 and 1", class.Name)
	}
	for what, part := range map[string]decimal.Decimal{
		"max spread": class.MaxSpread, "band": class.Band, "jump": class.Jump, "depeg": class.Depeg, "bound": class.Bound,
		"volatility": class.Volatility,
	} {
		if !part.IsZero() && !isPart(part) {
			c.faultf("market class %q: the %s %s is not a ratio between 0 and 1", class.Name, what, part)
		}
	}
	if class.Stall < 0 {
		c.faultf("market class %q: stalled after %s, which is below zero", class.Name, class.Stall)
	}
	if most := c.mostMargin(); class.MarginFloorBPS < 0 || class.MarginFloorBPS >= most {
		c.faultf("market class %q: a margin of %d basis points is not between 0 and %d", class.Name, class.MarginFloorBPS, most-1)
	}
}

func (c *compiler) checkListingClass(class core.ListingClass) {
	what := "listing class " + `"` + class.Name + `"`
	c.checkMargins(what, tiersOf(class, core.Margin{}))
	if !class.MinUSD.IsPositive() || !class.MinUSD.LessThan(class.MaxUSD) {
		c.faultf("%s: the smallest order, %s USD, is not above zero and below the largest, %s USD", what, class.MinUSD, class.MaxUSD)
	}
	if class.Fresh <= 0 || class.Fresh >= class.Stale || class.Stale > 365*24*time.Hour {
		c.faultf("%s: fresh for %s and stale for %s: the first must be above zero and below the second", what, class.Fresh, class.Stale)
	}
}

// mostMargin is the smallest margin in basis points that leaves nothing of a degraded price.
func (c *compiler) mostMargin() int64 { return 10_000 / max(c.book.rules.DegradedMargin, 2) }

func (c *compiler) checkMargins(what string, tiers []core.MarginTier) {
	for i, t := range tiers {
		for _, bps := range []int64{t.BuyBPS, t.SellBPS} {
			if most := c.mostMargin(); bps < 0 || bps >= most {
				c.faultf("%s: a margin of %d basis points is not between 0 and %d", what, bps, most-1)
			}
		}
		last := i == len(tiers)-1
		if t.UpToUSD.IsPositive() == last || i > 0 && !last && !tiers[i-1].UpToUSD.LessThan(t.UpToUSD) {
			c.faultf("%s: tier %d is up to %s USD; tiers must ascend, and the last one has no limit", what, i+1, t.UpToUSD)
		}
	}
}

// checkMarket reports whether a market can be compiled: its pair, class and origin are sound, and it is the only market of
// its pair or the only stand-in.
func (c *compiler) checkMarket(m core.Market, class core.MarketClass, known bool) bool {
	sound := c.checkPair("market", m.Pair) && known
	switch {
	case !known:
		c.faultf("market %s: class %q does not exist", m.Pair, m.Class)
	case m.Fixed.IsZero() && class.MaxAge <= 0:
		c.faultf("market %s: class %q has no max age", m.Pair, m.Class)
	}
	other := c.markets[m.Pair.Inverse()]
	switch {
	case c.markets[m.Pair] != nil, other != nil && (other.StandIn || !m.StandIn):
		c.faultf("market %s: it is there already, in this orientation or the other", m.Pair)
		return false
	case m.StandIn && other == nil:
		c.faultf("market %s: there is no market %s before it to stand in for", m.Pair, m.Pair.Inverse())
	}
	switch {
	case m.Fixed.IsZero() && len(m.Sources) == 0:
		c.faultf("market %s: it has neither sources nor a fixed rate", m.Pair)
		return false
	case !m.Fixed.IsZero() && len(m.Sources) > 0:
		c.faultf("market %s: it has a fixed rate and sources as well", m.Pair)
		return false
	case !m.Fixed.IsZero() && (!m.Fixed.IsPositive() || !inRange(m.Fixed)):
		c.faultf("market %s: the fixed rate %s is no price", m.Pair, m.Fixed)
		return false
	}
	if !m.Peg.IsZero() && (!m.Peg.IsPositive() || !inRange(m.Peg) || class.Depeg.IsZero()) {
		c.faultf("market %s: the peg %s is no price, or its class %q has no limit for one", m.Pair, m.Peg, m.Class)
	}
	if m.Low.IsNegative() || m.High.IsNegative() || m.High.IsPositive() && !m.Low.LessThan(m.High) {
		c.faultf("market %s: the range %s to %s is empty", m.Pair, m.Low, m.High)
	}
	return sound
}

// checkPair reports whether both sides are currencies, and different ones.
func (c *compiler) checkPair(what string, p core.Pair) bool {
	sound := p.Base != p.Counter
	if !sound {
		c.faultf("%s %s: both sides are the same", what, p)
	}
	for _, code := range []string{p.Base, p.Counter} {
		if _, known := c.currencies[code]; !known {
			c.faultf("%s %s: currency %q does not exist", what, p, code)
			sound = false
		}
	}
	return sound
}
