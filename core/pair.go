package core

import (
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

// Observation is what one source says of one market at one instant. A source that knows a middle price
// only gives it as both sides.
type Observation struct {
	Pair   Pair
	Bid    decimal.Decimal // what buyers of Base pay, in Counter
	Ask    decimal.Decimal // what sellers of Base want, in Counter
	At     time.Time       // when it was so at the source; the instant of receipt where the source does not say
	Source string          // name of the source
}

// SourceKind says what a source's numbers are.
type SourceKind string

// The kinds of sources.
const (
	BookSource     SourceKind = "book"     // the top of a venue's order book
	StreetSource   SourceKind = "street"   // dealers' rates of a currency that is not traded at its official rate
	OfficialSource SourceKind = "official" // rates of central banks and their aggregators, published in steps
	// middle prices of an aggregator, used only where no other source is live
	MidSource SourceKind = "mid"
)

// Source is what is known of a rate source before it says anything.
type Source struct {
	Name     string
	Family   string // sources that share data or an operator are one family, and have one vote
	Kind     SourceKind
	Interval time.Duration // between two polls
	MaxAge   time.Duration `yaml:"max_age"` // of its observations, if longer than that of the market class
	// a dealer stands by a quote for so long without changing it. Zero: a source that quotes
	// continuously
	Validity time.Duration
}

// Market is a rate that sources quote directly: one leg of a price.
type Market struct {
	Pair    Pair
	Class   string          // of MarketClass, for example "major"
	Sources []string        // names of the rate sources that quote it
	Fixed   decimal.Decimal // a rate fixed by treaty (EUR/XOF); then there are no sources. Zero: none
	// families that must agree, where the market cannot have as many as its class wants. Zero: the
	// class's
	Quorum int
	Peg    decimal.Decimal // what Base is meant to be worth in Counter, for a stablecoin. Zero: nothing
	Bound  string          // the currency in the middle of the two-leg route that the rate is held against. Empty: none
	Low    decimal.Decimal // a rate below is not accepted. Zero: no limit
	High   decimal.Decimal // a rate above is not accepted. Zero: no limit
	// there is a market of the same pair in the other orientation, and this one is used only where no
	// way with that is well
	StandIn bool
}

// MarketClass says what the sources of a market must be like to be believed. Ratios are parts of one: 0.01 is 1 %.
type MarketClass struct {
	Name      string
	MaxAge    time.Duration   // an older observation is not used
	MaxSpread decimal.Decimal // (ask-bid)/mid above this is refused
	Quorum    int             // families that must agree
	Band      decimal.Decimal // a family further than this from the median of all is rejected; it is back below half of it
	// a larger change within PriceRules.JumpWithin is believed only when confirmed. Zero: every change
	// is
	Jump decimal.Decimal
	// unchanged for longer while the others moved is no price any more. Zero: sources that publish in
	// steps
	Stall time.Duration
	// further from its Peg than this a stablecoin is not traded. Zero: no market of the class has a
	// peg
	Depeg decimal.Decimal
	// further than this from the route through Market.Bound the rate is not believed. Zero: none is
	// held against one
	Bound decimal.Decimal

	MarginFloorBPS int64 // smallest margin of a price along a route through the market, in basis points
	// of a rate published in steps: expected move in a day, added to the margin times √(age in days)
	Volatility decimal.Decimal
}

// PriceRules are the numbers that all markets share. Ratios are parts of one.
type PriceRules struct {
	// observations below half the band, one after the other, that bring a rejected family back
	ReadmitSamples int
	StallMove      decimal.Decimal // by so much the others moved, when a source that did not is stalled
	DegradedFor    time.Duration   // a price below its quorum is served for so long
	DegradedMargin int64           // at so many times the margin
	JumpWithin     time.Duration   // MarketClass.Jump is measured over this time
	JumpHold       time.Duration   // the last good price stands in for an unconfirmed jump for so long
	JumpFamilies   int             // families that confirm a jump, or all of the market's where it has fewer
	JumpConfidence decimal.Decimal // they confirm it with a confidence below this part of the price
	Wide           decimal.Decimal // a price whose confidence is a larger part of it is not traded
}

// Listing is a pair that is offered to customers, with the route its price is made along.
type Listing struct {
	Pair  Pair
	Class string // of ListingClass
	Via   string // the currency in the middle of a two-leg route; empty: the market Pair itself
	Else  string // the same of another route, or DirectRoute, used while those before it are in trouble; empty: none
	// beside Via: the market Pair itself is preferred as long as it has its quorum and is no older
	// than fresh
	Direct bool

	Margin Margin // replaces that of the class; zero: the class's
}

// DirectRoute as Listing.Else is the market of the pair itself.
const DirectRoute = "direct"

// ListingClass carries what the pairs of a class share.
type ListingClass struct {
	Name      string
	MarginBPS int64           // basis points on either side of the mid
	Margin    Margin          // by side, in place of MarginBPS. Zero: MarginBPS on both sides
	Tiers     []MarginTier    // by size of the order, ascending; the last has no limit. Empty: one margin for all sizes
	MinUSD    decimal.Decimal // smallest order, as a notional in USD
	MaxUSD    decimal.Decimal // largest order
	Fresh     time.Duration   // a price as old as this is fresh
	Stale     time.Duration   // a price as old as this is stale: served, margin doubled; older: halted
}

// Margin is a margin in basis points for each side of a price.
type Margin struct {
	BuyBPS  int64 `yaml:"buy_bps"`
	SellBPS int64 `yaml:"sell_bps"`
}

// MarginTier is the margin of orders up to a size.
type MarginTier struct {
	UpToUSD decimal.Decimal `yaml:"up_to_usd"` // zero: no limit
	Margin  `yaml:",inline"`
}

// PairMid is a pair with its middle price, in the counter currency.
type PairMid struct {
	Pair Pair
	Mid  decimal.Decimal
}

// PricePoint is what a pair was worth at an instant: its middle price, in the counter currency.
type PricePoint struct {
	At  time.Time
	Mid decimal.Decimal
}
