package simulator

import (
	"slices"
	"time"

	"github.com/shopspring/decimal"

	"causeway/core"
)

// MagicPair is a pair whose price does one thing, and that one always. It is a function of the time alone, the same in every world, at books without
// noise and delay. It is there only in a world that asks for it, in the market, in the wire of its venues and in MagicListings.
//
// A price that is disputed from the first moment on is no price, and a pair without one is not listed: the venues of TSPLITNGN agree about
// all time before their world began. World.Begin lets the services of a world look at that time first.
type MagicPair struct {
	ID     string   // "TFLATNGN"
	Code   string   // of the currency that is its base
	Name   string   // of that currency
	Title  string   // what happens, for people
	Venues []string // that quote it, sorted
	Status string   // what a client sees in the end: fresh, stale, halted
	Reason string   // why, as in GET /v1/pairs/{id}/price; empty: an ordinary price

	at     string // in naira, before anything moves: how finely it is quoted
	price  func(time.Time) number
	spread int64 // from bid to ask, in basis points
	apart  map[string]int64
	behind time.Duration // how old the venues say that their price is
	peg    int64         // what it is meant to be worth, in naira; 0: nothing
	quorum int           // venues that must agree; 0: all
}

// magicCounter is what magic pairs are priced in.
const magicCounter = "NGN"

func (p *MagicPair) half() int64 { return p.spread * bp / 2 }

// MagicPairs returns the table of magic pairs, by id.
func MagicPairs() []MagicPair {
	out := slices.Clone(magicPairs)
	slices.SortFunc(out, func(a, b MagicPair) int { return slices.Compare([]byte(a.ID), []byte(b.ID)) })
	return out
}

// Listings are what a price engine must know of pairs: its catalog, or an addition to it.
type Listings struct {
	Currencies     []core.Currency
	MarketClasses  []core.MarketClass
	Markets        []core.Market
	ListingClasses []core.ListingClass
	Listings       []core.Listing
}

// MagicListings returns what the services of a world with magic pairs add to their catalog. Its classes have the numbers of the tail, except that
// markets may be as wide as TWIDENGN is, so that its price is seen and not traded, rather than not seen.
func MagicListings() Listings {
	out := Listings{MarketClasses: slices.Clone(magicMarketClasses), ListingClasses: slices.Clone(magicListingClasses)}
	for _, p := range MagicPairs() {
		pair := core.Pair{Base: p.Code, Counter: magicCounter}
		kind := core.Crypto
		m := core.Market{Pair: pair, Class: magicMarketClasses[0].Name, Sources: slices.Clone(p.Venues), Quorum: p.quorum}
		if p.peg != 0 {
			kind, m.Peg = core.Stablecoin, decimal.New(p.peg, 0)
		}
		out.Currencies = append(out.Currencies, core.Currency{Code: p.Code, Name: p.Name, Type: kind, Decimals: magicDecimals, Rank: magicRank})
		out.Markets = append(out.Markets, m)
		out.Listings = append(out.Listings, core.Listing{Pair: pair, Class: magicListingClasses[0].Name})
	}
	return out
}

// Made is the instant as of which a venue says that its price of a pair is: the one that it is asked at, but for a pair that is never fresh.
func (m *Market) Made(venue string, pair core.Pair, at time.Time) time.Time {
	if b := m.book(venue, pair); b != nil && b.base.magic != nil {
		return at.Add(-b.base.magic.behind)
	}
	return at
}

// constant is a price that never moves.
func constant(naira uint64) func(time.Time) number {
	return func(time.Time) number { return normal(naira, 0) }
}

// rising is a price of 1 at midnight UTC that grows by 1 % a minute until the next midnight, continuously.
func rising(at time.Time) number {
	const perMinute = 10_940_504_473 // ln 1.01 in 2^-noiseBits
	since := at.Sub(midnight(at))
	minutes, rest := since/time.Minute, since%time.Minute
	out := one
	for factor := normal(101, -2); minutes > 0; minutes /= 2 { // 1.01 to the power of the minutes
		if minutes%2 == 1 {
			out = out.times(factor)
		}
		factor = factor.times(factor)
	}
	if rest == 0 {
		return out
	}
	return out.grown(rest.Microseconds() * perMinute / time.Minute.Microseconds())
}

// jumpEvery is how long a price stays between two jumps.
const jumpEvery = 10 * time.Minute

// jumping is a price that jumps every ten minutes, by 17 to 25 %.
func jumping(at time.Time) number {
	steps := [...]uint64{100, 120, 100, 80}
	return normal(steps[uint64(at.Unix()/int64(jumpEvery/time.Second))%uint64(len(steps))], 0) //nolint:gosec // any whole number will do
}
