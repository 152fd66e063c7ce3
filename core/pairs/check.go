package pairs

import (
	"maps"
	"slices"
	"time"

	"causeway/core"
	"causeway/ports"
)

// seams checks what the engine is given besides nouns.
func (c *compiler) seams(cfg Config, clock core.Clock) {
	if clock == nil {
		c.faultf("there is no clock")
	}
	if cfg.Entropy == nil {
		c.faultf("there is no entropy")
	}
	if cfg.Timeout < 0 {
		c.faultf("the time-out of polls, %s, is below zero", cfg.Timeout)
	}
	if len(cfg.Listings) == 0 {
		c.faultf("there are no listings: nothing to price")
	}
}

// sources makes a feed of each, with what the table knows of it.
func (c *compiler) sources(cfg Config, sources []ports.RateSource) {
	table := map[string]core.Source{}
	for _, s := range cfg.Sources {
		if _, twice := table[s.Name]; twice {
			c.faultf("source %q: it is there twice", s.Name)
		}
		if s.Family == "" || s.Interval <= 0 {
			c.faultf("source %q: family %q, interval %s: it needs a family, and an interval above zero", s.Name, s.Family, s.Interval)
		}
		table[s.Name] = s
	}
	if len(sources) == 0 {
		c.faultf("there are no rate sources")
	}
	for _, source := range sources {
		name := source.Name()
		if name == "" || c.feeds[name] != nil {
			c.faultf("source %q: every source needs a name of its own", name)
			continue
		}
		f := &feed{source: source, of: table[name], name: name, slots: map[core.Pair]*slot{}, turn: make(chan struct{}, 1)}
		f.state = SourceState{Name: name, Family: f.of.Family, Interval: f.of.Interval, Rejected: map[Reason]uint64{}}
		for _, reason := range rejections() {
			f.state.Rejected[reason] = 0
		}
		c.feeds[name] = f
	}
}

// schedules sorts what every feed is asked for. Its interval must let an observation be replaced before it is too old.
func (c *compiler) schedules() {
	for _, name := range slices.Sorted(maps.Keys(c.feeds)) {
		f := c.feeds[name]
		slices.SortFunc(f.pairs, comparePairs)
		for _, pair := range f.pairs {
			if class := f.slots[pair].market.class; class.MaxAge > 0 && class.MaxAge <= f.state.Interval {
				c.faultf("market %s: polled every %s at %s, its observations would be too old (%s) before the next one", pair, f.state.Interval, name, class.MaxAge)
			}
		}
	}
}

// nouns indexes currencies and classes.
func (c *compiler) nouns(cfg Config) {
	for _, currency := range cfg.Currencies {
		if _, twice := c.currencies[currency.Code]; twice || currency.Code == "" {
			c.faultf("currency %q: every currency needs a code of its own", currency.Code)
		}
		if currency.Decimals < 0 || currency.Decimals > maxPlaces {
			c.faultf("currency %s: %d decimals are not between 0 and %d", currency.Code, currency.Decimals, maxPlaces)
		}
		c.currencies[currency.Code] = currency
	}
	for _, class := range cfg.MarketClasses {
		if _, twice := c.classes[class.Name]; twice {
			c.faultf("market class %q: it is there twice", class.Name)
		}
		c.classes[class.Name] = class
		c.terms[class.Name] = c.termsOf(class)
	}
	for _, class := range cfg.ListingClasses {
		c.tariff(class)
	}
}

// tariff checks and adds a class of listings. The margin of a degraded price must leave something of it.
func (c *compiler) tariff(class core.ListingClass) {
	if c.tariffs[class.Name] != nil {
		c.faultf("listing class %q: it is there twice", class.Name)
	}
	times := max(c.book.rules.DegradedMargin, 2)
	if most := 10_000 / times; class.MarginBPS < 0 || class.MarginBPS >= most {
		c.faultf("listing class %q: a margin of %d basis points is not between 0 and %d", class.Name, class.MarginBPS, most-1)
	}
	if !class.MinUSD.IsPositive() || !class.MinUSD.LessThan(class.MaxUSD) {
		c.faultf("listing class %q: the smallest order, %s USD, is not above zero and below the largest, %s USD", class.Name, class.MinUSD, class.MaxUSD)
	}
	if class.Fresh <= 0 || class.Fresh >= class.Stale || class.Stale > 365*24*time.Hour {
		c.faultf("listing class %q: fresh for %s and stale for %s: the first must be above zero and below the second", class.Name, class.Fresh, class.Stale)
	}
	t := &tariff{ListingClass: class}
	for i := range times {
		t.margins = append(t.margins, marginOf((i+1)*class.MarginBPS))
	}
	c.tariffs[class.Name] = t
}

// pair reports whether both sides are currencies, and two.
func (c *compiler) pair(what string, p core.Pair) bool {
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
