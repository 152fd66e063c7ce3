package market

import (
	"slices"
	"time"

	"github.com/shopspring/decimal"

	"causeway/core"
)

// MagicPair is a pair with a fixed behavior. Its price is a function of the time alone, and its books have no
// noise and no lag. Only worlds created with magic pairs list them.
//
// A price that is disputed from the first moment on is never published, so the venues of TSPLITNGN agree about
// all time before their world began, and the services of a world look at that time first.
type MagicPair struct {
	ID     string   `json:"id" doc:"ID of the pair" example:"TFLATNGN"`
	Code   string   `json:"-"` // base currency
	Name   string   `json:"-"` // of that currency
	Title  string   `json:"title" doc:"What the pair does"`
	Venues []string `json:"-"` // that quote it, sorted
	Status string   `json:"status" doc:"Final status of its price" example:"fresh"`
	Reason string   `json:"reason,omitempty" doc:"Reason of the status, as in GET /v1/pairs/{id}/price"`

	at     number // reference price in naira, which decides the decimal places
	price  func(time.Time) number
	spread int64            // from bid to ask, in basis points
	apart  map[string]int64 // offsets of venues, in parts per billion
	behind time.Duration    // age of the price that venues report
	peg    int64            // nominal value in naira; 0: none
}

const (
	magicCounter  = "NGN"
	magicDecimals = 6
	magicRank     = 10_000 // after all other currencies
	jumpEvery     = 10 * time.Minute
)

// magicPairs are the magic pairs, sorted by ID.
var magicPairs = []MagicPair{
	{
		ID: "TFLATNGN", Code: "TFLAT", Name: "Test Flat", Title: "constant: 100 naira",
		Venues: []string{Busha, Quidax}, Status: "fresh", at: naira(100), price: constant(100), spread: 50,
	},
	{
		ID: "THALTNGN", Code: "THALT", Name: "Test Halt",
		Title:  "a stablecoin of 100 naira at 80: halted until the operator acknowledges it",
		Venues: []string{Busha, Quidax}, Status: "halted", Reason: "depegged", at: naira(80), price: constant(80),
		spread: 50, peg: 100,
	},
	{
		ID: "TJUMPNGN", Code: "TJUMP", Name: "Test Jump",
		Title:  "100, 120, 100 and 80 naira in turn, ten minutes each: jumps that both venues confirm",
		Venues: []string{Busha, Quidax}, Status: "fresh", at: naira(100), price: jumping, spread: 50,
	},
	{
		ID: "TSPLITNGN", Code: "TSPLIT", Name: "Test Split",
		Title:  "its venues are 10 % apart since the world began: disputed, the last price is shown",
		Venues: []string{Busha, Quidax}, Status: "halted", Reason: "disputed", at: naira(100), price: constant(100),
		spread: 50, apart: map[string]int64{Busha: 500 * bp, Quidax: -500 * bp},
	},
	{
		ID: "TSTALENGN", Code: "TSTALE", Name: "Test Stale",
		Title:  "never fresh: its only venue reports a price that is 90 seconds old",
		Venues: []string{Quidax}, Status: "stale", Reason: "aging", at: naira(100), price: constant(100), spread: 50,
		behind: 90 * time.Second,
	},
	{
		ID: "TUPNGN", Code: "TUP", Name: "Test Up",
		Title:  "rises by 1 % a minute from 1 naira, starting again at midnight UTC",
		Venues: []string{Busha, Quidax}, Status: "fresh", at: naira(1), price: rising, spread: 50,
	},
	{
		ID: "TWIDENGN", Code: "TWIDE", Name: "Test Wide", Title: "8 % between bid and ask: shown, but too uncertain to trade",
		Venues: []string{Busha, Quidax}, Status: "halted", Reason: "wide", at: naira(100), price: constant(100), spread: 800,
	},
}

// MagicPairs returns the magic pairs, sorted by ID.
func MagicPairs() []MagicPair { return slices.Clone(magicPairs) }

// MagicListings returns what the magic pairs add to a catalog. Their class has the limits of the least traded
// pairs, except that markets may be as wide as TWIDENGN, so that its price is published.
func MagicListings() core.PriceCatalog {
	out := core.PriceCatalog{
		MarketClasses: []core.MarketClass{{
			Name: "magic", MaxAge: 120 * time.Second, MaxSpread: decimal.New(1, -1), Quorum: 2, Band: decimal.New(3, -2),
			Jump: decimal.New(15, -2), Stall: 40 * time.Second, Depeg: decimal.New(5, -2),
		}},
		ListingClasses: []core.ListingClass{{
			Name: "magic", MarginBPS: 250, MinUSD: decimal.New(5, 0), MaxUSD: decimal.New(20_000, 0),
			Fresh: 60 * time.Second, Stale: 120 * time.Second,
		}},
	}
	for _, p := range magicPairs {
		pair := core.Pair{Base: p.Code, Counter: magicCounter}
		kind := core.Crypto
		m := core.Market{Pair: pair, Class: "magic", Sources: slices.Clone(p.Venues), Quorum: len(p.Venues)}
		if p.peg != 0 {
			kind, m.Peg = core.Stablecoin, decimal.New(p.peg, 0)
		}
		out.Currencies = append(out.Currencies, core.Currency{
			Code: p.Code, Name: p.Name, Type: kind, Decimals: magicDecimals, Rank: magicRank,
		})
		out.Markets = append(out.Markets, m)
		out.Listings = append(out.Listings, core.Listing{Pair: pair, Class: "magic"})
	}
	return out
}

func naira(n uint64) number { return normal(n, 0) }

func constant(n uint64) func(time.Time) number {
	return func(time.Time) number { return naira(n) }
}

// rising is 1 at midnight UTC and grows by 1 % a minute, continuously.
func rising(at time.Time) number {
	const perMinute = 10_940_504_473 // ln 1.01 in 2^-noiseBits
	since := at.Sub(at.Truncate(24 * time.Hour))
	minutes, rest := since/time.Minute, since%time.Minute
	out := one
	for factor := normal(101, -2); minutes > 0; minutes /= 2 { // 1.01 to the power of the minutes
		if minutes%2 == 1 {
			out = out.times(factor)
		}
		factor = factor.times(factor)
	}
	return out.grown(rest.Microseconds() * perMinute / time.Minute.Microseconds())
}

// jumping jumps every ten minutes, by 17 to 25 %.
func jumping(at time.Time) number {
	steps := [...]uint64{100, 120, 100, 80}
	index := uint64(at.Unix()/int64(jumpEvery/time.Second)) % uint64(len(steps)) //nolint:gosec // any number will do
	return naira(steps[index])
}
