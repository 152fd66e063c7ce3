package config

import (
	"slices"
	"time"

	"github.com/shopspring/decimal"

	"causeway/core"
)

func (l *loader) takePairs(t pairTable, c *Catalog) {
	l.takeSources(t, c)
	l.takeRules(t, c)
	l.takeMarketClasses(t, c)
	l.takeListingClasses(t, c)
	l.takeMarkets(t, c)
	l.takeListings(t, c)
}

func (l *loader) takeSources(t pairTable, c *Catalog) {
	kinds := []core.SourceKind{core.BookSource, core.StreetSource, core.OfficialSource, core.MidSource}
	for i, row := range t.Sources {
		at := place{pairsFile, "sources", i, row.Name}
		l.want(!blank(row.Name) && source(c, row.Name) < 0, at, "name %q is missing or there twice", row.Name)
		l.want(!blank(row.Family), at, "family %q; accepted: the name of who owns the data", row.Family)
		l.want(slices.Contains(kinds, row.Kind), at, "kind %q; accepted: %v", row.Kind, kinds)
		l.want(row.Interval >= time.Second, at, "interval %s; accepted: 1s or longer", row.Interval)
		c.Sources = append(c.Sources, core.Source(row))
	}
}

func (l *loader) takeRules(t pairTable, c *Catalog) {
	at, row := place{pairsFile, "rules", 0, "all markets"}, t.Rules
	c.Rules = core.PriceRules{
		ReadmitSamples: row.ReadmitSamples, StallMove: l.part(at, "stall_move", row.StallMove),
		DegradedFor: row.DegradedFor, DegradedMargin: row.DegradedMargin,
		JumpWithin: row.JumpWithin, JumpHold: row.JumpHold, JumpFamilies: row.JumpFamilies,
		JumpConfidence: l.part(at, "jump_confidence", row.JumpConfidence),
		Wide:           l.part(at, "wide", row.Wide), LegsApart: row.LegsApart,
	}
	for key, d := range map[string]time.Duration{
		"degraded_for": row.DegradedFor, "jump_within": row.JumpWithin, "jump_hold": row.JumpHold, "legs_apart": row.LegsApart,
	} {
		l.want(d >= time.Second, at, "%s is %s; accepted: 1s or longer", key, d)
	}
	l.want(row.ReadmitSamples > 0, at, "readmit_samples is %d; accepted: 1 or more", row.ReadmitSamples)
	l.want(row.JumpFamilies > 0, at, "jump_families is %d; accepted: 1 or more", row.JumpFamilies)
	l.want(row.DegradedMargin >= 1 && row.DegradedMargin <= 10, at, "degraded_margin is %d; accepted: 1 to 10", row.DegradedMargin)
}

func (l *loader) takeMarketClasses(t pairTable, c *Catalog) {
	l.families = make(map[string]int, len(t.MarketClasses))
	for i, row := range t.MarketClasses {
		at := place{pairsFile, "market_classes", i, row.Name}
		class := core.MarketClass{Name: row.Name, MaxAge: row.MaxAge, Quorum: row.Quorum, Stall: row.Stall}
		l.want(!blank(row.Name) && marketClass(c, row.Name) < 0, at, "name %q is missing or there twice", row.Name)
		if row.MaxAge == 0 {
			l.want(row == marketClassRow{Name: row.Name}, at, "a class without max_age is for rates fixed by treaty, and has nothing but a name")
			c.MarketClasses = append(c.MarketClasses, class)
			continue
		}
		class.MaxSpread, class.Band = l.part(at, "max_spread", row.MaxSpread), l.part(at, "band", row.Band)
		for key, field := range map[string]struct {
			text string
			to   *decimal.Decimal
		}{"jump": {row.Jump, &class.Jump}, "depeg": {row.Depeg, &class.Depeg}, "bound": {row.Bound, &class.Bound}} {
			if field.text != "" {
				*field.to = l.part(at, key, field.text)
			}
		}
		l.want(row.MaxAge > 0 && row.Stall >= 0, at, "max_age %s, stall %s; accepted: none below zero", row.MaxAge, row.Stall)
		l.want(row.Quorum > 0, at, "quorum is %d; accepted: 1 or more", row.Quorum)
		l.want(row.Families == 0 || row.Families >= row.Quorum, at, "families is %d; accepted: the quorum, %d, or more", row.Families, row.Quorum)
		l.families[row.Name] = row.Families
		c.MarketClasses = append(c.MarketClasses, class)
	}
}

// part reads a number between 0 and 1 that must be there.
func (l *loader) part(at place, key, text string) decimal.Decimal {
	value, err := decimal.NewFromString(text)
	ok := err == nil && value.IsPositive() && value.LessThan(decimal.New(1, 0))
	l.want(ok, at, "%s is %q; accepted: a plain decimal between 0 and 1", key, text)
	return value
}

// market reads a market and checks what a row says of itself.
func (l *loader) market(at place, row marketRow, c *Catalog) core.Market {
	market := core.Market{Pair: l.pair(at, row.Pair), Class: row.Class, Sources: row.Sources, Quorum: row.Quorum, Bound: row.Bound, StandIn: row.StandIn}
	families := map[string]bool{}
	for i, name := range row.Sources {
		l.want(!slices.Contains(row.Sources[:i], name), at, "source %q is there twice", name)
		known := source(c, name)
		l.want(known >= 0, at, "source %q is not one of sources", name)
		if known >= 0 && c.Sources[known].Kind != core.MidSource {
			families[c.Sources[known].Family] = true
		}
	}
	class := marketClass(c, row.Class)
	if class < 0 {
		l.fault(at, "class %q is not one of market_classes", row.Class)
		return market
	}
	quorum := c.MarketClasses[class].Quorum
	if row.Quorum != 0 {
		quorum = row.Quorum
	}
	switch {
	case row.Fixed != "":
	case row.Quorum < 0 || quorum > len(families):
		l.fault(at, "a quorum of %d is larger than its %d families; a market of fewer sources has a quorum of its own", quorum, len(families))
	default:
		l.checkFamilies(at, row, len(families))
	}
	if row.Peg != "" {
		market.Peg = l.decimal(at, "peg", row.Peg)
		l.want(market.Peg.IsPositive() && !c.MarketClasses[class].Depeg.IsZero(), at, "peg is %q; accepted: a price, in a class with depeg", row.Peg)
	}
	l.want(row.Bound == "" || !c.MarketClasses[class].Bound.IsZero(), at, "bound is %q, and class %q has no limit for one", row.Bound, row.Class)
	return market
}

// checkFamilies checks that a market has as many families as its class wants, or else admits how many it has.
func (l *loader) checkFamilies(at place, row marketRow, n int) {
	wanted := l.families[row.Class]
	if row.Families == 0 {
		l.want(n >= wanted, at, "has %d families, and class %q wants %d; add a source of another family, or admit what it has: families: %d", n, row.Class, wanted, n)
		return
	}
	l.want(row.Families == n && n < wanted, at, "families is %d; accepted: how many it has, %d, and only where class %q wants more, %d", row.Families, n, row.Class, wanted)
}

func source(c *Catalog, name string) int {
	return slices.IndexFunc(c.Sources, func(s core.Source) bool { return s.Name == name })
}

func marketClass(c *Catalog, name string) int {
	return slices.IndexFunc(c.MarketClasses, func(m core.MarketClass) bool { return m.Name == name })
}
