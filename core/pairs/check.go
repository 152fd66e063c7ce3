package pairs

import (
	"strconv"

	"causeway/core"
)

// checkDependencies checks what the engine is given besides the catalog. The catalog loader checks
// the numbers of the catalog; the engine checks that its parts fit together.
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

func (c *compiler) addCurrencies(currencies []core.Currency) {
	for _, currency := range currencies {
		if _, twice := c.currencies[currency.Code]; twice || currency.Code == "" {
			c.faultf("currency %q: every currency needs a code of its own", currency.Code)
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
	}
	for _, class := range cfg.ListingClasses {
		if _, twice := c.listingClasses[class.Name]; twice {
			c.faultf("listing class %q: it is there twice", class.Name)
		}
		c.listingClasses[class.Name] = class
		c.checkListingClass(class)
	}
}

func (c *compiler) checkListingClass(class core.ListingClass) {
	c.checkMargins("listing class "+strconv.Quote(class.Name), tiersOf(class, core.Margin{}))
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

// checkMarket reports whether a market can be compiled: its pair, class and origin are sound, and
// it is the only market of its pair or the only stand-in.
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
