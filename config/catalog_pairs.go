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

	Sources        []sourceRow      `yaml:"sources"`
	Rules          rulesRow         `yaml:"rules"`
	MarketClasses  []marketClassRow `yaml:"market_classes"`
	Markets        []marketRow
	ListingClasses []listingClassRow `yaml:"listing_classes"`
	Listings       []listingRow
}

type sourceRow struct {
	Name     string
	Family   string
	Kind     core.SourceKind
	Interval time.Duration
}

type rulesRow struct {
	ReadmitSamples int           `yaml:"readmit_samples"`
	StallMove      string        `yaml:"stall_move"`
	DegradedFor    time.Duration `yaml:"degraded_for"`
	DegradedMargin int64         `yaml:"degraded_margin"`
	JumpWithin     time.Duration `yaml:"jump_within"`
	JumpHold       time.Duration `yaml:"jump_hold"`
	JumpFamilies   int           `yaml:"jump_families"`
	JumpConfidence string        `yaml:"jump_confidence"`
	Wide           string
	LegsApart      time.Duration `yaml:"legs_apart"`
}

type marketClassRow struct {
	Name      string
	MaxAge    time.Duration `yaml:"max_age"`
	MaxSpread string        `yaml:"max_spread"`
	Quorum    int
	Families  int
	Band      string
	Jump      string
	Stall     time.Duration
	Depeg     string
	Bound     string
}

type marketRow struct {
	Pair     string
	Class    string
	Sources  []string
	Families int
	Fixed    string
	Quorum   int
	Peg      string
	Bound    string
	StandIn  bool `yaml:"stand_in"`
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
	Pair   string
	Class  string
	Via    string
	Else   string
	Direct bool
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
