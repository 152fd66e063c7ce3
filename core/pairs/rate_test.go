package pairs_test

import (
	"math/big"
	"slices"
	"testing"

	"github.com/shopspring/decimal"
	"pgregory.net/rapid"

	"causeway/core"
	"causeway/core/pairs"
)

// rate publishes BTC/USD from the given books, one a source, and returns its rate.
func rate(t tb, books ...book) *pairs.Rate {
	t.Helper()
	cfg := config()
	cfg.MarketClasses[0].MaxSpread, cfg.MarketClasses[0].Band, cfg.Rules.Wide = dec("0.99"), dec("0.99"), dec("0.99")
	names := []string{"alpha", "beta", "gamma", "delta", "epsilon"}[:len(books)]
	cfg.Markets = []core.Market{{Pair: pair("BTC/USD"), Class: "major", Sources: names}}
	cfg.ListingClasses[0].MinUSD, cfg.ListingClasses[0].MaxUSD = dec("0.0000000001"), dec("10000000000")
	cfg.Currencies[0].Decimals = 18
	cfg.Listings = cfg.Listings[:1]
	s := open(t, cfg)
	for i, b := range books {
		s.venues[names[i]].set("BTC/USD", b.bid, b.ask)
	}
	s.Tick(t.Context())
	return s.quote(t, "BTCUSD").Legs[0].Rate
}

// rationals is the definition of a rate, written again in rationals.
func rationals(votes []*pairs.Vote) (mid, confidence *big.Rat) {
	var all, spreads []*big.Rat
	for _, v := range votes {
		bid, ask := v.Bid.Rat(), v.Ask.Rat()
		middle := new(big.Rat).Add(bid, ask)
		middle.Quo(middle, big.NewRat(2, 1))
		all = append(all, bid, middle, ask)
		spreads = append(spreads, new(big.Rat).Sub(ask, bid))
	}
	middle := func(of []*big.Rat) *big.Rat {
		slices.SortFunc(of, (*big.Rat).Cmp)
		if n := len(of); n%2 == 0 {
			sum := new(big.Rat).Add(of[n/2-1], of[n/2])
			return sum.Quo(sum, big.NewRat(2, 1))
		}
		return of[len(of)/2]
	}
	mid = middle(all)
	confidence = new(big.Rat).Quo(middle(spreads), big.NewRat(2, 1))
	for _, far := range []*big.Rat{all[len(all)/4], all[len(all)-1-len(all)/4]} {
		if d := new(big.Rat).Sub(mid, far); d.Abs(d).Cmp(confidence) > 0 {
			confidence = d
		}
	}
	return mid, confidence
}

// drawBooks draws books around one price, with few digits, many, or some of each.
func drawBooks(t *rapid.T) []book {
	exponent := int32(rapid.IntRange(-12, 6).Draw(t, "exponent"))
	books := make([]book, rapid.IntRange(1, 5).Draw(t, "sources"))
	for i := range books {
		bid := decimal.New(rapid.Int64Range(900_000, 1_100_000).Draw(t, "bid"), exponent)
		ask := bid.Add(decimal.New(rapid.Int64Range(0, 5000).Draw(t, "spread"), exponent))
		if rapid.Bool().Draw(t, "long") {
			dust := decimal.New(rapid.Int64Range(0, 999_999).Draw(t, "dust"), exponent-18)
			bid, ask = bid.Add(dust), ask.Add(dust).Add(decimal.New(1, exponent-20))
		}
		books[i] = book{bid: bid.String(), ask: ask.String()}
	}
	return books
}

func TestRate_Exact(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		r := rate(t, drawBooks(t)...)
		mid, confidence := rationals(r.Used)
		if r.Mid.Rat().Cmp(mid) != 0 || r.Confidence.Rat().Cmp(confidence) != 0 {
			t.Fatalf("got %s ± %s, want %s ± %s", r.Mid, r.Confidence, mid.FloatString(40), confidence.FloatString(40))
		}
		low, high := r.Used[0].Bid, r.Used[0].Ask
		for _, v := range r.Used {
			low, high = decimal.Min(low, v.Bid), decimal.Max(high, v.Ask)
		}
		if r.Mid.LessThan(low) || r.Mid.GreaterThan(high) {
			t.Fatalf("mid %s is outside of %s and %s", r.Mid, low, high)
		}
	})
}
