package core

import (
	"slices"
	"time"

	"github.com/shopspring/decimal"
)

// Pair is two currencies: the price of one Base is so many Counter.
type Pair struct {
	Base    string
	Counter string
}

// ID is base and counter joined: "BTCNGN".
func (p Pair) ID() string { return p.Base + p.Counter }

// String is base and counter with a slash: "BTC/NGN".
func (p Pair) String() string { return p.Base + "/" + p.Counter }

// Inverse swaps the two sides.
func (p Pair) Inverse() Pair { return Pair{Base: p.Counter, Counter: p.Base} }

// Observation is the price of a market at one source at one instant. A source that knows only a
// middle price reports it as both sides.
type Observation struct {
	Pair   Pair
	Bid    decimal.Decimal // what buyers of Base pay, in Counter
	Ask    decimal.Decimal // what sellers of Base want, in Counter
	At     time.Time       // when the source made it; the time of receipt if the source does not say
	Source string          // name of the source

	// Streamed is true if the source reads its prices from a subscription: reading them again
	// costs no request.
	Streamed bool
}

// SourceKind is the kind of prices that a source reports.
type SourceKind string

// The kinds of sources.
const (
	BookSource     SourceKind = "book"     // the top of a venue's order book
	StreetSource   SourceKind = "street"   // dealers' rates of a currency that is not traded at its official rate
	OfficialSource SourceKind = "official" // rates of central banks and their aggregators, published in steps
	MidSource      SourceKind = "mid"      // middle prices of an aggregator, used only if no other source is live
)

// PriceCatalog defines what is priced, from which sources and on what terms.
type PriceCatalog struct {
	Currencies     []Currency // fiat, stablecoins, cryptocurrencies
	Sources        []Source
	Rules          PriceRules
	MarketClasses  []MarketClass
	Markets        []Market
	ListingClasses []ListingClass
	Listings       []Listing
}

// With returns the catalog with the rows of another one appended. The rules stay.
func (c PriceCatalog) With(more PriceCatalog) PriceCatalog {
	c.Currencies = slices.Concat(c.Currencies, more.Currencies)
	c.Sources = slices.Concat(c.Sources, more.Sources)
	c.MarketClasses = slices.Concat(c.MarketClasses, more.MarketClasses)
	c.Markets = slices.Concat(c.Markets, more.Markets)
	c.ListingClasses = slices.Concat(c.ListingClasses, more.ListingClasses)
	c.Listings = slices.Concat(c.Listings, more.Listings)
	return c
}

// Source describes a rate source.
type Source struct {
	Name     string
	Family   string // sources that share data or an operator are one family, and have one vote
	Kind     SourceKind
	Interval time.Duration // between two polls
	MaxAge   time.Duration // of its observations, if longer than the maximum age of the market class
	Validity time.Duration // how long a dealer keeps a quote unchanged; zero: a source that quotes continuously
}

// Market is a rate that sources quote directly: one leg of a price. Zero values of the optional
// fields mean none.
type Market struct {
	Pair    Pair
	Class   string
	Sources []string        // names of the rate sources that quote it
	Fixed   decimal.Decimal // a rate fixed by treaty (EUR/XOF), in place of sources
	Quorum  int             // families that must agree, in place of the quorum of the class
	Peg     decimal.Decimal // nominal price of a stablecoin
	Bound   string          // middle currency of the two-leg route that the rate is compared with
	Low     decimal.Decimal // lowest rate that is accepted
	High    decimal.Decimal // highest rate that is accepted

	// Known is the rate on a day, with which the first rate of a lone official source is compared if
	// no history is kept.
	Known   decimal.Decimal
	KnownOn time.Time
	Gap     decimal.Decimal // largest known move of an official rate over days without official rates

	// StandIn marks the second market of a pair, in the other orientation. It is used only if no
	// route through the first one is in order.
	StandIn bool
}

// MarketClass holds what a source and a market must satisfy. Ratios are parts of one: 0.01 is 1 %.
// Zero values of the optional fields switch the rule off.
type MarketClass struct {
	Name      string
	MaxAge    time.Duration   // an older observation is not used; zero: the class of fixed rates
	MaxSpread decimal.Decimal // largest (ask-bid)/mid
	Quorum    int             // families that must agree
	Band      decimal.Decimal // largest distance of a family from the median; it is readmitted below half of it
	Jump      decimal.Decimal // larger changes within PriceRules.JumpWithin must be confirmed
	Stall     time.Duration   // a source unchanged for longer, while the others moved, is excluded
	Depeg     decimal.Decimal // a stablecoin further from its peg is not traded
	Bound     decimal.Decimal // largest distance from the route through Market.Bound

	MarginFloorBPS int64           // smallest margin along a route through the market
	Volatility     decimal.Decimal // expected move in a day; the margin grows by it times √(age in days)
}

// PriceRules are the numbers that all markets share. Ratios are parts of one.
type PriceRules struct {
	ReadmitSamples int             // consecutive ones below half the band readmit a family
	StallMove      decimal.Decimal // move of the others from which a source is stalled
	DegradedFor    time.Duration   // how long a price below its quorum is served
	DegradedMargin int64           // times the margin, meanwhile
	DisputeHold    time.Duration   // how long a price covers routes that contradict each other
	JumpWithin     time.Duration   // MarketClass.Jump is measured over this time
	JumpHold       time.Duration   // how long an unconfirmed jump is held back
	JumpFamilies   int             // that confirm a jump; fewer if the market has fewer
	JumpConfidence decimal.Decimal // below which they confirm it, as a part of the price
	Wide           decimal.Decimal // a price with a larger confidence, as a part of it, is not traded
}

// Listing is a pair that is offered to customers, with the route of its price.
type Listing struct {
	Pair   Pair
	Class  string
	Via    string // middle currency of a two-leg route; empty: the market of the pair itself
	Else   string // the same of a further route, or DirectRoute; empty: none
	Direct bool   // if Via is set: the market of the pair itself is preferred
	Margin Margin // replaces the margin of the class; zero: the margin of the class
}

// DirectRoute as Listing.Else is the market of the pair itself.
const DirectRoute = "direct"

// Routes returns the routes of a listing by preference, each as its currencies from base to counter.
func (l Listing) Routes() (routes [][]string) {
	direct := []string{l.Pair.Base, l.Pair.Counter}
	if l.Direct || l.Via == "" {
		routes = append(routes, direct)
	}
	for _, middle := range []string{l.Via, l.Else} {
		switch middle {
		case "":
		case DirectRoute:
			routes = append(routes, direct)
		default:
			routes = append(routes, []string{l.Pair.Base, middle, l.Pair.Counter})
		}
	}
	return routes
}

// ListingClass holds the terms that listings share.
type ListingClass struct {
	Name      string
	MarginBPS int64           // basis points on either side of the mid
	Tiers     []MarginTier    // in place of MarginBPS by side and size, ascending; the last has no limit
	MinUSD    decimal.Decimal // smallest order, as a notional in USD
	MaxUSD    decimal.Decimal // largest order
	Fresh     time.Duration   // age up to which a price is fresh
	Stale     time.Duration   // age up to which a price is served as stale; older ones are halted
}

// Margin is a margin in basis points for each side of a price.
type Margin struct {
	BuyBPS  int64
	SellBPS int64
}

// MarginTier is the margin of orders up to a size.
type MarginTier struct {
	UpToUSD decimal.Decimal // zero: no limit
	Margin
}

// PairMid is a pair with its middle price, in the counter currency.
type PairMid struct {
	Pair Pair
	Mid  decimal.Decimal
}

// PricePoint is the middle price of a pair at an instant, in the counter currency.
type PricePoint struct {
	At  time.Time
	Mid decimal.Decimal
}
