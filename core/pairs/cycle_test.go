package pairs_test

import (
	"fmt"
	"math/big"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"causeway/core"
	"causeway/core/pairs"
	_ "causeway/test/fixedseed"
)

// profit returns the most that a cycle of conversions over the quotes returns for one unit put in,
// by trying every simple cycle.
func profit(quotes []pairs.Quote) *big.Rat {
	type edge struct {
		to   string
		rate *big.Rat
	}
	edges, currencies := map[string][]edge{}, []string{}
	for i := range quotes {
		q := &quotes[i]
		for _, code := range []string{q.Pair.Base, q.Pair.Counter} {
			if !slices.Contains(currencies, code) {
				currencies = append(currencies, code)
			}
		}
		if q.Status != pairs.Halted {
			edges[q.Pair.Base] = append(edges[q.Pair.Base], edge{q.Pair.Counter, q.Sell.Rat()})
			edges[q.Pair.Counter] = append(edges[q.Pair.Counter], edge{q.Pair.Base, new(big.Rat).Inv(q.Buy.Rat())})
		}
	}
	best := new(big.Rat)
	var walk func(start, at string, got *big.Rat, path []string)
	walk = func(start, at string, got *big.Rat, path []string) {
		for _, e := range edges[at] {
			sum := new(big.Rat).Mul(got, e.rate)
			if e.to == start {
				if sum.Cmp(best) > 0 {
					best = sum
				}
				continue
			}
			if !slices.Contains(path, e.to) {
				walk(start, e.to, sum, append(path, e.to))
			}
		}
	}
	for _, c := range currencies {
		walk(c, c, big.NewRat(1, 1), []string{c})
	}
	return best
}

// square lists four currencies in a circle, each pair from a market of its own, with a margin. No market has a witness,
// which would show what is wrong before a cycle of conversions does.
func square(margin int64) pairs.Config {
	cfg := config()
	cfg.Currencies = []core.Currency{
		{Code: "USD", Decimals: 2}, {Code: "B", Decimals: 6}, {Code: "C", Decimals: 6}, {Code: "D", Decimals: 6},
	}
	cfg.Markets, cfg.Listings = nil, nil
	for i, m := range []string{"B/USD", "D/USD", "C/B", "C/D"} {
		cfg.Markets = append(cfg.Markets, core.Market{Pair: pair(m), Class: "street", Sources: []string{venueName(i)}})
		cfg.Listings = append(cfg.Listings, core.Listing{Pair: pair(m), Class: "crypto"})
	}
	cfg.MarketClasses[1].Jump = dec("0")
	cfg.ListingClasses[0].MarginBPS = margin
	return cfg
}

func TestCycle_HaltsLeastCertainPair(t *testing.T) {
	t.Parallel()
	s := open(t, square(100))
	s.venues["a"].set("B/USD", "2")
	s.venues["b"].set("D/USD", "9.999", "10.001")
	s.venues["d"].set("C/D", "1")
	s.venues["c"].set("C/B", "4.99", "5.01")
	s.Tick(t.Context())
	good := s.quote(t, "CB")
	s.venues["c"].set("C/B", "5.24", "5.26") // 10 USD buy 1 D, 1 C, 5.25 B, 10.5 USD, less 4 %
	s.step(t, 10*time.Second)
	q := s.want(t, "CB", pairs.Halted, pairs.Arbitrage)
	if !q.Buy.Equal(good.Buy) || !q.UpdatedAt.Equal(noon) {
		t.Errorf("shown at %s, updated at %s, want the last good price", q.Buy, q.UpdatedAt)
	}
	s.want(t, "BUSD", pairs.Fresh, "")
	s.want(t, "DUSD", pairs.Fresh, "")
	s.step(t, 2*time.Second)
	if got := s.Stats().Cycles; got != 2 {
		t.Errorf("counted %d cycles, want 2", got)
	}
	s.venues["c"].set("C/B", "5.04", "5.06")
	s.step(t, 2*time.Second)
	same(t, "afterwards", s.want(t, "CB", pairs.Fresh, "").Mid, "5.05")
}

// TestCycle_NoFalseAlarm checks that a cycle is found if it is profitable, and only if it is within
// a rounding error of it.
func TestCycle_NoFalseAlarm(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		quotes := drawQuotes(t)
		cycle, best := pairs.Free(quotes), profit(quotes)
		if best.Cmp(big.NewRat(1, 1)) > 0 && cycle == nil || best.Cmp(big.NewRat(999_999_999, 1_000_000_000)) < 0 && cycle != nil {
			t.Fatalf("found %v, and the best cycle makes %s of 1", cycle, profit(quotes).FloatString(40))
		}
	})
}

// drawQuotes draws prices so close to a consistent book that only exact arithmetic tells which side
// they are on.
func drawQuotes(t *rapid.T) []pairs.Quote {
	n := rapid.IntRange(2, 5).Draw(t, "currencies")
	places := int32(rapid.IntRange(0, 18).Draw(t, "places"))
	var quotes []pairs.Quote
	for i := range n {
		for j := range i {
			mid := dec(fmt.Sprint(i+1)).DivRound(dec(fmt.Sprint(j+1)), places)
			tick := dec("1").Shift(-places)
			sell := mid.Sub(tick.Mul(dec(fmt.Sprint(rapid.IntRange(-1, 2).Draw(t, "sell")))))
			buy := mid.Add(tick.Mul(dec(fmt.Sprint(rapid.IntRange(-1, 2).Draw(t, "buy")))))
			if !sell.IsPositive() || !buy.IsPositive() {
				continue
			}
			p := core.Pair{Base: fmt.Sprintf("K%d", i), Counter: fmt.Sprintf("K%d", j)}
			q := pairs.Quote{ID: p.ID(), Pair: p, Sell: sell, Buy: buy, Status: pairs.Fresh}
			if rapid.IntRange(0, 9).Draw(t, "status") == 0 {
				q.Status = pairs.Halted
			}
			quotes = append(quotes, q)
		}
	}
	return quotes
}
