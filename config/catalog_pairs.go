package config

import (
	"slices"
	"strings"
	"time"

	"github.com/shopspring/decimal"

	"causeway/core"
)

type pairTable struct {
	head `yaml:",inline"`

	MarketClasses  []marketClassRow `yaml:"market_classes"`
	Markets        []marketRow
	ListingClasses []listingClassRow `yaml:"listing_classes"`
	Listings       []listingRow
}

type marketClassRow struct {
	Name      string
	MaxAge    time.Duration `yaml:"max_age"`
	MaxSpread string        `yaml:"max_spread"`
}

type marketRow struct {
	Pair    string
	Class   string
	Sources []string
	Fixed   string
}

type listingClassRow struct {
	Name      string
	MarginBPS int64  `yaml:"margin_bps"`
	MinUSD    string `yaml:"min_usd"`
	MaxUSD    string `yaml:"max_usd"`
	Fresh     time.Duration
	Stale     time.Duration
}

type listingRow struct {
	Pair  string
	Class string
	Via   string
}

func (l *loader) takePairs(t pairTable, c *Catalog) {
	l.takeMarketClasses(t, c)
	l.takeListingClasses(t, c)
	l.takeMarkets(t, c)
	l.takeListings(t, c)
}

func (l *loader) takeMarketClasses(t pairTable, c *Catalog) {
	for i, row := range t.MarketClasses {
		at := place{pairsFile, "market_classes", i, row.Name}
		class := core.MarketClass{Name: row.Name, MaxAge: row.MaxAge, MaxSpread: l.decimal(at, "max_spread", row.MaxSpread)}
		l.want(!blank(row.Name) && marketClass(c, row.Name) < 0, at, "name %q is missing or there twice", row.Name)
		none := class.MaxAge == 0 && class.MaxSpread.IsZero()
		l.want(none || class.MaxAge > 0 && class.MaxSpread.IsPositive(), at, "max_age %s, max_spread %s; accepted: both above zero, or both zero for rates fixed by treaty", row.MaxAge, class.MaxSpread)
		c.MarketClasses = append(c.MarketClasses, class)
	}
}

func (l *loader) takeListingClasses(t pairTable, c *Catalog) {
	for i, row := range t.ListingClasses {
		at := place{pairsFile, "listing_classes", i, row.Name}
		class := core.ListingClass{
			Name: row.Name, MarginBPS: row.MarginBPS, Fresh: row.Fresh, Stale: row.Stale,
			MinUSD: l.decimal(at, "min_usd", row.MinUSD), MaxUSD: l.decimal(at, "max_usd", row.MaxUSD),
		}
		l.want(!blank(row.Name) && listingClass(c, row.Name) < 0, at, "name %q is missing or there twice", row.Name)
		l.want(class.MarginBPS > 0 && class.MarginBPS < 10_000, at, "margin_bps is %d; accepted: 1 to 9999", class.MarginBPS)
		l.want(class.MinUSD.IsPositive() && class.MinUSD.LessThan(class.MaxUSD), at, "min_usd %s, max_usd %s; accepted: 0 < min < max", class.MinUSD, class.MaxUSD)
		l.want(class.Fresh > 0 && class.Stale >= class.Fresh, at, "fresh %s, stale %s; accepted: 0 < fresh <= stale", class.Fresh, class.Stale)
		c.ListingClasses = append(c.ListingClasses, class)
	}
}

func marketClass(c *Catalog, name string) int {
	return slices.IndexFunc(c.MarketClasses, func(m core.MarketClass) bool { return m.Name == name })
}

func listingClass(c *Catalog, name string) int {
	return slices.IndexFunc(c.ListingClasses, func(m core.ListingClass) bool { return m.Name == name })
}

// pair reads "BTC/USD" and checks that both sides are currencies.
func (l *loader) pair(at place, text string) core.Pair {
	base, counter, ok := strings.Cut(text, "/")
	pair := core.Pair{Base: base, Counter: counter}
	if !ok || base == counter {
		l.fault(at, "pair %q; accepted: two currencies with a slash, such as BTC/USD", text)
		return pair
	}
	for _, currency := range []string{base, counter} {
		l.want(l.currencies[currency] != "", at, "currency %q is not in %s", currency, currenciesFile)
	}
	return pair
}

// decimal reads a number that must be there.
func (l *loader) decimal(at place, key, text string) decimal.Decimal {
	value, err := decimal.NewFromString(text)
	l.want(err == nil, at, "%s is %q; accepted: a plain decimal", key, text)
	return value
}
