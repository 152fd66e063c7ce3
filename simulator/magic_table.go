package simulator

import (
	"time"

	"github.com/shopspring/decimal"

	"causeway/core"
)

// magicPairs is the table of magic pairs.
var magicPairs = []MagicPair{
	{
		ID: "TFLATNGN", Code: "TFLAT", Name: "Test Flat", Title: "constant: 100 naira at all times",
		Venues: []string{Busha, Quidax}, Status: "fresh", at: "100", price: constant(100), spread: 50,
	},
	{
		ID: "TUPNGN", Code: "TUP", Name: "Test Up", Title: "rises by 1 % a minute, from 1 naira at midnight UTC until the next",
		Venues: []string{Busha, Quidax}, Status: "fresh", at: "1", price: rising, spread: 50,
	},
	{
		ID: "TJUMPNGN", Code: "TJUMP", Name: "Test Jump", Title: "100, 120, 100 and 80 naira in turn, ten minutes each: a jump that both venues confirm",
		Venues: []string{Busha, Quidax}, Status: "fresh", at: "100", price: jumping, spread: 50,
	},
	{
		ID: "TWIDENGN", Code: "TWIDE", Name: "Test Wide", Title: "8 % between bid and ask: shown, and too uncertain to be traded",
		Venues: []string{Busha, Quidax}, Status: "halted", Reason: "wide", at: "100", price: constant(100), spread: 800,
	},
	{
		ID: "TSTALENGN", Code: "TSTALE", Name: "Test Stale", Title: "never fresh: its one venue tells a price that is 90 seconds old",
		Venues: []string{Quidax}, Status: "stale", Reason: "aging", at: "100", price: constant(100), spread: 50, behind: 90 * time.Second, quorum: 1,
	},
	{
		ID: "TSPLITNGN", Code: "TSPLIT", Name: "Test Split", Title: "its venues are 10 % apart since the world began: disputed, the last price is shown",
		Venues: []string{Busha, Quidax}, Status: "halted", Reason: "disputed", at: "100", price: constant(100), spread: 50,
		apart: map[string]int64{Busha: 500 * bp, Quidax: -500 * bp},
	},
	{
		ID: "THALTNGN", Code: "THALT", Name: "Test Halt", Title: "halted: a stablecoin at 80 naira that is meant to be worth 100, until the operator acknowledges it",
		Venues: []string{Busha, Quidax}, Status: "halted", Reason: "depegged", at: "80", price: constant(80), spread: 50, peg: 100,
	},
}

const (
	magicDecimals = 6
	magicRank     = 10_000 // behind all currencies that there are
)

// The classes of magic pairs. See prices.md 1 to 6 for the numbers of the tail.
var (
	magicMarketClasses = []core.MarketClass{{
		Name: "magic", MaxAge: 120 * time.Second, MaxSpread: decimal.New(1, -1), Quorum: 2, Band: decimal.New(3, -2), Jump: decimal.New(15, -2),
		Stall: 40 * time.Second, Depeg: decimal.New(5, -2),
	}}
	magicListingClasses = []core.ListingClass{{
		Name: "magic", MarginBPS: 250, MinUSD: decimal.New(5, 0), MaxUSD: decimal.New(20_000, 0), Fresh: 60 * time.Second, Stale: 120 * time.Second,
	}}
)
