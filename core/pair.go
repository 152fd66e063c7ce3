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

// Market is a rate that sources quote directly: one leg of a price.
type Market struct {
	Pair    Pair
	Class   string          // of MarketClass, for example "major"
	Sources []string        // names of the rate sources that quote it
	Fixed   decimal.Decimal // a rate fixed by treaty (EUR/XOF); then there are no sources. Zero: none
}

// MarketClass says how old and how wide an observation of a market may be.
type MarketClass struct {
	Name      string
	MaxAge    time.Duration   // an older observation is not used
	MaxSpread decimal.Decimal // (ask-bid)/mid above this is refused; 0.01 is 1 %
}

// Listing is a pair that is offered to customers, with the route its price is made along.
type Listing struct {
	Pair  Pair
	Class string // of ListingClass
	Via   string // the currency in the middle of a two-leg route; empty: the market Pair itself
}

// ListingClass carries what the pairs of a class share.
type ListingClass struct {
	Name      string
	MarginBPS int64           // basis points on either side of the mid
	MinUSD    decimal.Decimal // smallest order, as a notional in USD
	MaxUSD    decimal.Decimal // largest order
	Fresh     time.Duration   // a price as old as this is fresh
	Stale     time.Duration   // a price as old as this is stale: served, margin doubled; older: halted
}
