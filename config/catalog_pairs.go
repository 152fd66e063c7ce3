package config

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/shopspring/decimal"

	"causeway/core"
)

type currencyTable struct {
	head `yaml:",inline"`

	Fiat       []currencyRow
	Stablecoin []currencyRow
	Crypto     []currencyRow
}

type currencyRow struct {
	Code     string
	Name     string
	Decimals int32
	Rank     int
	Networks []string // the first one is the default
}

func (l *loader) addCurrencies(t currencyTable, c *Catalog) {
	l.currencies = map[string]core.CurrencyType{}
	l.addKind(core.Fiat, t.Fiat, c)
	l.addKind(core.Stablecoin, t.Stablecoin, c)
	l.addKind(core.Crypto, t.Crypto, c)
}

func (l *loader) addKind(kind core.CurrencyType, rows []currencyRow, c *Catalog) {
	const maxDecimals = 18 // of an amount in the API
	for i, row := range rows {
		at := place{currenciesFile, string(kind), i, row.Code}
		l.want(codePattern.MatchString(row.Code) && !blank(row.Name), at,
			"code %q, name %q; accepted: capital letters, digits and hyphens, and a name", row.Code, row.Name)
		l.want(l.currencies[row.Code] == "", at, "is there twice")
		l.want(row.Decimals >= 0 && row.Decimals <= maxDecimals, at,
			"decimals is %d; accepted: 0 to %d", row.Decimals, maxDecimals)
		l.currencies[row.Code] = kind
		currency := core.Currency{
			Code: row.Code, Name: row.Name, Type: kind, Decimals: row.Decimals, Rank: row.Rank, Networks: row.Networks,
		}
		if len(row.Networks) > 0 {
			currency.DefaultNetwork = row.Networks[0]
		}
		c.Currencies = append(c.Currencies, currency)
	}
}

type pairTable struct {
	head `yaml:",inline"`

	Sources        []sourceRow
	Rules          rulesRow
	MarketClasses  []marketClassRow `yaml:"market_classes"`
	Markets        []marketRow
	ListingClasses []listingClassRow `yaml:"listing_classes"`
	Listings       []listingRow
}

// sourceRow has the fields of core.Source.
type sourceRow struct {
	Name     string
	Family   string
	Kind     core.SourceKind
	Interval time.Duration
	MaxAge   time.Duration `yaml:"max_age"`
	Validity time.Duration
}

// rulesRow has the fields of core.PriceRules.
type rulesRow struct {
	ReadmitSamples int             `yaml:"readmit_samples"`
	StallMove      decimal.Decimal `yaml:"stall_move"`
	DegradedFor    time.Duration   `yaml:"degraded_for"`
	DegradedMargin int64           `yaml:"degraded_margin"`
	DisputeHold    time.Duration   `yaml:"dispute_hold"`
	JumpWithin     time.Duration   `yaml:"jump_within"`
	JumpHold       time.Duration   `yaml:"jump_hold"`
	JumpFamilies   int             `yaml:"jump_families"`
	JumpConfidence decimal.Decimal `yaml:"jump_confidence"`
	Wide           decimal.Decimal
}

// marketClassRow has the fields of core.MarketClass.
type marketClassRow struct {
	Name           string
	MaxAge         time.Duration   `yaml:"max_age"`
	MaxSpread      decimal.Decimal `yaml:"max_spread"`
	Quorum         int
	Band           decimal.Decimal
	Jump           decimal.Decimal
	Stall          time.Duration
	Depeg          decimal.Decimal
	Bound          decimal.Decimal
	MarginFloorBPS int64 `yaml:"margin_floor_bps"`
	Volatility     decimal.Decimal
}

type marketRow struct {
	Pair    string
	Class   string
	Sources []string
	Fixed   decimal.Decimal
	Quorum  int
	Peg     decimal.Decimal
	Bound   string
	Range   []decimal.Decimal // lowest and highest rate
	Known   decimal.Decimal
	KnownOn time.Time `yaml:"known_on"`
	Gap     decimal.Decimal
	StandIn bool `yaml:"stand_in"`
}

type listingClassRow struct {
	Name      string
	MarginBPS int64 `yaml:"margin_bps"`
	Tiers     []struct {
		UpToUSD   decimal.Decimal `yaml:"up_to_usd"`
		marginRow `yaml:",inline"`
	}
	MinUSD decimal.Decimal `yaml:"min_usd"`
	MaxUSD decimal.Decimal `yaml:"max_usd"`
	Fresh  time.Duration
	Stale  time.Duration
}

type listingRow struct {
	Pair   string
	Class  string
	Via    string
	Else   string
	Direct bool
	Margin marginRow
}

// marginRow has the fields of core.Margin.
type marginRow struct {
	BuyBPS  int64 `yaml:"buy_bps"`
	SellBPS int64 `yaml:"sell_bps"`
}

func (l *loader) addPairs(t pairTable, c *Catalog) {
	l.addSources(t, c)
	l.addRules(core.PriceRules(t.Rules), c)
	l.addMarketClasses(t, c)
	l.addListingClasses(t, c)
	l.addMarkets(t, c)
	l.addListings(t, c)
}

func (l *loader) addSources(t pairTable, c *Catalog) {
	kinds := []core.SourceKind{core.BookSource, core.StreetSource, core.OfficialSource, core.MidSource}
	for i, row := range t.Sources {
		at := place{pairsFile, "sources", i, row.Name}
		l.want(!blank(row.Name) && c.source(row.Name) < 0, at, "name %q is missing or there twice", row.Name)
		l.want(!blank(row.Family), at, "family %q; accepted: the name of the owner of the data", row.Family)
		l.want(slices.Contains(kinds, row.Kind), at, "kind %q; accepted: %v", row.Kind, kinds)
		l.want(row.Interval >= time.Second, at, "interval %s; accepted: 1s or longer", row.Interval)
		l.want(row.Validity >= 0 && row.Validity <= time.Hour, at, "validity %s; accepted: 0s to 1h", row.Validity)
		l.want(row.MaxAge >= 0 && row.MaxAge <= time.Hour, at, "max_age %s; accepted: 0s to 1h", row.MaxAge)
		c.Sources = append(c.Sources, core.Source(row))
	}
}

func (l *loader) addRules(row core.PriceRules, c *Catalog) {
	at := place{pairsFile, "rules", 0, "all markets"}
	c.Rules = row
	l.part(at, "stall_move", row.StallMove)
	l.part(at, "jump_confidence", row.JumpConfidence)
	l.part(at, "wide", row.Wide)
	for key, d := range map[string]time.Duration{
		"degraded_for": row.DegradedFor, "dispute_hold": row.DisputeHold,
		"jump_within": row.JumpWithin, "jump_hold": row.JumpHold,
	} {
		l.want(d >= time.Second, at, "%s is %s; accepted: 1s or longer", key, d)
	}
	l.want(row.ReadmitSamples > 0, at, "readmit_samples is %d; accepted: 1 or more", row.ReadmitSamples)
	l.want(row.JumpFamilies > 0, at, "jump_families is %d; accepted: 1 or more", row.JumpFamilies)
	l.want(row.DegradedMargin >= 1 && row.DegradedMargin <= 10, at,
		"degraded_margin is %d; accepted: 1 to 10", row.DegradedMargin)
}

// part checks a number between 0 and 1.
func (l *loader) part(at place, key string, value decimal.Decimal) {
	ok := value.IsPositive() && value.LessThan(decimal.New(1, 0))
	l.want(ok, at, "%s is %s; accepted: a decimal between 0 and 1", key, value)
}

func (l *loader) addMarketClasses(t pairTable, c *Catalog) {
	for i, row := range t.MarketClasses {
		at := place{pairsFile, "market_classes", i, row.Name}
		l.want(!blank(row.Name) && c.marketClass(row.Name) < 0, at, "name %q is missing or there twice", row.Name)
		c.MarketClasses = append(c.MarketClasses, core.MarketClass(row))
		if row.MaxAge == 0 {
			l.want(row.Quorum == 0 && row.Stall == 0 && row.Band.IsZero() && row.MaxSpread.IsZero(), at,
				"a class without max_age is for rates fixed by treaty, and has nothing but a name")
			continue
		}
		l.part(at, "max_spread", row.MaxSpread)
		l.part(at, "band", row.Band)
		for key, value := range map[string]decimal.Decimal{
			"jump": row.Jump, "depeg": row.Depeg, "bound": row.Bound, "volatility": row.Volatility,
		} {
			if !value.IsZero() {
				l.part(at, key, value)
			}
		}
		l.want(row.MaxAge > 0 && row.Stall >= 0, at, "max_age %s, stall %s; accepted: none below zero", row.MaxAge, row.Stall)
		l.want(row.Quorum > 0, at, "quorum is %d; accepted: 1 or more", row.Quorum)
	}
}

func (l *loader) addListingClasses(t pairTable, c *Catalog) {
	for i, row := range t.ListingClasses {
		at := place{pairsFile, "listing_classes", i, row.Name}
		l.want(!blank(row.Name) && c.listingClass(row.Name) < 0, at, "name %q is missing or there twice", row.Name)
		most := largestMargin(c.Rules)
		l.want(row.MarginBPS > 0 && row.MarginBPS <= most, at, "margin_bps is %d; accepted: 1 to %d", row.MarginBPS, most)
		class := core.ListingClass{
			Name: row.Name, MarginBPS: row.MarginBPS, MinUSD: row.MinUSD, MaxUSD: row.MaxUSD, Fresh: row.Fresh, Stale: row.Stale,
		}
		for n, tier := range row.Tiers {
			margin := core.Margin(tier.marginRow)
			class.Tiers = append(class.Tiers, core.MarginTier{UpToUSD: tier.UpToUSD, Margin: margin})
			l.checkMargin(at, margin, most)
			last := n == len(row.Tiers)-1
			ascends := n == 0 || row.Tiers[n-1].UpToUSD.LessThan(tier.UpToUSD)
			l.want(last && tier.UpToUSD.IsZero() || !last && tier.UpToUSD.IsPositive() && ascends, at,
				"tier %d is up to %s USD; accepted: ascending sizes, and none for the last tier", n+1, tier.UpToUSD)
		}
		l.want(row.MinUSD.IsPositive() && row.MinUSD.LessThan(row.MaxUSD), at,
			"min_usd %s, max_usd %s; accepted: 0 < min < max", row.MinUSD, row.MaxUSD)
		l.want(row.Fresh > 0 && row.Stale >= row.Fresh, at,
			"fresh %s, stale %s; accepted: 0 < fresh <= stale", row.Fresh, row.Stale)
		c.ListingClasses = append(c.ListingClasses, class)
	}
}

// largestMargin returns the largest margin in basis points that leaves something of a degraded price,
// which has several times the margin.
func largestMargin(rules core.PriceRules) int64 { return 10_000/max(rules.DegradedMargin, 2) - 1 }

func (l *loader) checkMargin(at place, m core.Margin, most int64) {
	l.want(min(m.BuyBPS, m.SellBPS) >= 0 && max(m.BuyBPS, m.SellBPS) <= most, at,
		"margin is %d and %d basis points; accepted: 0 to %d", m.BuyBPS, m.SellBPS, most)
}

func (l *loader) addMarkets(t pairTable, c *Catalog) {
	l.markets = make(map[core.Pair]bool, len(t.Markets))
	for i, row := range t.Markets {
		at := place{pairsFile, "markets", i, row.Pair}
		market := core.Market{
			Pair: l.pair(at, row.Pair), Class: row.Class, Sources: row.Sources, Fixed: row.Fixed, Quorum: row.Quorum,
			Peg: row.Peg, Bound: row.Bound, Known: row.Known, KnownOn: row.KnownOn, Gap: row.Gap, StandIn: row.StandIn,
		}
		if len(row.Range) > 0 {
			market.Low, market.High = row.Range[0], row.Range[len(row.Range)-1]
			l.want(len(row.Range) == 2 && market.Low.IsPositive() && market.Low.LessThan(market.High), at,
				"range is %v; accepted: the lowest and the highest rate", row.Range)
		}
		l.checkMarket(at, market, c)
		if inverse := market.Pair.Inverse(); row.StandIn {
			l.want(l.markets[inverse], at, "stand_in; accepted behind the market %s, which it replaces", inverse)
			l.want(!l.markets[market.Pair], at, "is there twice")
		} else {
			l.want(!l.quoted(market.Pair.Base, market.Pair.Counter), at, "is there twice, in this orientation or the other")
		}
		l.markets[market.Pair] = true
		c.Markets = append(c.Markets, market)
	}
	for i, market := range c.Markets {
		if market.Bound != "" {
			at := place{pairsFile, "markets", i, market.Pair.String()}
			l.checkRoute(at, []string{market.Pair.Base, market.Bound, market.Pair.Counter})
		}
	}
}

func (l *loader) checkMarket(at place, m core.Market, c *Catalog) {
	for i, name := range m.Sources {
		l.want(!slices.Contains(m.Sources[:i], name), at, "source %q is there twice", name)
		l.want(c.source(name) >= 0, at, "source %q is not one of sources", name)
	}
	fixed, i := !m.Fixed.IsZero(), c.marketClass(m.Class)
	l.want(!m.Fixed.IsNegative(), at, "fixed is %s; accepted: a rate above zero", m.Fixed)
	l.want(fixed == (len(m.Sources) == 0), at,
		"sources %v, fixed %t; accepted: one or more sources, or a fixed rate", m.Sources, fixed)
	if i < 0 {
		l.fault(at, "class %q is not one of market_classes", m.Class)
		return
	}
	class := c.MarketClasses[i]
	l.want(fixed == (class.MaxAge == 0), at,
		"class %q: fixed rates have a class without max_age, all others one with it", m.Class)
	quorum, families := cmp.Or(m.Quorum, class.Quorum), c.families(m)
	l.want(fixed || quorum > 0 && quorum <= families, at,
		"a quorum of %d is larger than its %d families; a market of fewer sources has a quorum of its own",
		quorum, families)
	l.want(m.Peg.IsZero() || m.Peg.IsPositive() && !class.Depeg.IsZero(), at,
		"peg is %s; accepted: a price, in a class with depeg", m.Peg)
	l.want(m.Known.IsPositive() != m.KnownOn.IsZero() && !m.Known.IsNegative(), at,
		"known is %s on %s; accepted: a rate and its day, or neither", m.Known, m.KnownOn)
	if !m.Gap.IsZero() {
		l.part(at, "gap", m.Gap)
	}
	l.want(m.Bound == "" || !class.Bound.IsZero(), at, "bound is %q, and class %q has no limit for one", m.Bound, m.Class)
}

// quoted reports whether a market quotes the pair, in either orientation.
func (l *loader) quoted(base, counter string) bool {
	pair := core.Pair{Base: base, Counter: counter}
	return l.markets[pair] || l.markets[pair.Inverse()]
}

func (l *loader) addListings(t pairTable, c *Catalog) {
	ids := make(map[string]core.Pair, len(t.Listings))
	for i, row := range t.Listings {
		at := place{pairsFile, "listings", i, row.Pair}
		pair := l.pair(at, row.Pair)
		listing := core.Listing{
			Pair: pair, Class: row.Class, Via: row.Via, Else: row.Else, Direct: row.Direct, Margin: core.Margin(row.Margin),
		}
		other, duplicate := ids[pair.ID()]
		l.want(!duplicate, at, "its id %s is already the id of %s", pair.ID(), other)
		ids[pair.ID()] = pair
		l.checkMargin(at, listing.Margin, largestMargin(c.Rules))
		l.want(c.listingClass(row.Class) >= 0, at, "class %q is not one of listing_classes", row.Class)
		l.want(l.currencies[pair.Base] != core.Fiat || l.currencies[pair.Counter] == core.Fiat, at,
			"a fiat currency is the base only where the counter is fiat too")
		for _, route := range listing.Routes() {
			l.checkRoute(at, route)
		}
		l.want(l.hasUSDPrice(pair.Base), at,
			"%s has no price in USD along at most two markets: its limits cannot be set", pair.Base)
		c.Listings = append(c.Listings, listing)
	}
}

// checkRoute checks that every leg of a route has a market.
func (l *loader) checkRoute(at place, route []string) {
	for i, from := range route[:len(route)-1] {
		to := route[i+1]
		l.want(from != to, at, "via %s is one of its own sides: the route is a cycle", to)
		l.want(from == to || l.quoted(from, to), at, "leg %s/%s has no market", from, to)
	}
}

// hasUSDPrice reports whether a currency can be valued in USD along at most two markets. Limits are in USD.
func (l *loader) hasUSDPrice(currency string) bool {
	const usd = "USD"
	if currency == usd || l.quoted(currency, usd) {
		return true
	}
	for between := range l.currencies {
		if l.quoted(currency, between) && l.quoted(between, usd) {
			return true
		}
	}
	return false
}

// pair parses a pair such as "BTC/USD" and checks that both sides are currencies.
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

func (c *Catalog) source(name string) int {
	return index(c.Sources, func(s core.Source) string { return s.Name }, name)
}

func (c *Catalog) marketClass(name string) int {
	return index(c.MarketClasses, func(m core.MarketClass) string { return m.Name }, name)
}

func (c *Catalog) listingClass(name string) int {
	return index(c.ListingClasses, func(l core.ListingClass) string { return l.Name }, name)
}
