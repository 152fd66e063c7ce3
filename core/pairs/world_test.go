package pairs_test

import (
	"crypto/sha256"
	"fmt"
	"math/big"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/shopspring/decimal"

	"causeway/core"
	"causeway/core/pairs"
)

// randomMarkets is a world of five venues, of which any may lie, pause, fail or come back at any
// time, over markets that wander.
type randomMarkets struct {
	*fixture
	cfg    pairs.Config
	dice   *rand.Rand
	prices map[string]int64 // in 10^-6
	lies   map[string]int   // by venue and market: which
	honest map[string]int   // by market: for how many turns most venues have told the truth
}

// markets of randomMarkets, with what they start from in 10^-6.
func startPrices() map[string]int64 {
	return map[string]int64{"BTC/USD": 67_000_000_000, "BTC/USDT": 67_010_000_000, "USDT/USD": 999_900, "SHIB/USD": 5_800_000, "USDT/NGN": 1_380_000_000, "USD/EUR": 855_000, "BTC/EUR": 57_300_000_000}
}

func newRandomMarkets(t tb, seed uint64) *randomMarkets {
	cfg := config()
	cfg.MarketClasses = append(cfg.MarketClasses, panelConfig("X/USD", "major", 1).MarketClasses[4])
	cfg.Markets, cfg.Listings = nil, nil
	b := &randomMarkets{dice: rand.New(rand.NewPCG(seed, 1)), prices: startPrices(), lies: map[string]int{}, honest: map[string]int{}}
	for _, m := range b.markets() {
		market := core.Market{Pair: pair(m), Class: "major", Sources: []string{"alpha", "beta", "gamma", "delta", "epsilon"}, Quorum: 2}
		switch m {
		case "USDT/USD":
			market.Class, market.Peg = "stablecoin", dec("1")
		case "USDT/NGN", "SHIB/USD":
			market.Class = "street"
		}
		cfg.Markets = append(cfg.Markets, market)
		cfg.Listings = append(cfg.Listings, core.Listing{Pair: pair(m), Class: "crypto"})
	}
	cfg.Listings = append(cfg.Listings, core.Listing{Pair: pair("BTC/NGN"), Via: "USDT", Class: "crypto"}, core.Listing{Pair: pair("USD/NGN"), Via: "USDT", Class: "fiat"})
	cfg.Entropy = b.dice.Uint64
	b.cfg, b.fixture = cfg, open(t, cfg)
	return b
}

// markets are in a fixed order.
func (b *randomMarkets) markets() []string {
	return []string{"BTC/USD", "BTC/USDT", "USDT/USD", "SHIB/USD", "USDT/NGN", "USD/EUR", "BTC/EUR"}
}

// turn lets two seconds pass: prices wander, venues go wrong and right again.
func (b *randomMarkets) turn(t tb) {
	for _, m := range b.markets() {
		b.prices[m] += b.prices[m] * (b.dice.Int64N(41) - 20) / 100_000
	}
	if b.dice.IntN(60) == 0 { // a crash of everything in coins
		for _, m := range []string{"BTC/USD", "BTC/USDT", "BTC/EUR", "SHIB/USD"} {
			b.prices[m] = b.prices[m] * 3 / 4
		}
	}
	honest := map[string]int{}
	for _, name := range []string{"alpha", "beta", "gamma", "delta", "epsilon"} {
		v := b.venues[name]
		if b.dice.IntN(40) == 0 {
			v.fail(outage.Retry(time.Duration(b.dice.IntN(20)) * time.Second))
		} else if b.dice.IntN(8) == 0 {
			v.fail(nil)
		}
		answers := b.answers(name)
		for _, m := range b.markets() {
			if b.dice.IntN(100) == 0 {
				b.lies[name+m] = b.dice.IntN(8)
			} else if b.dice.IntN(12) == 0 {
				b.lies[name+m] = 0
			}
			if lie := b.lies[name+m]; answers && (lie == 0 || lie == 7) {
				honest[m]++
			}
			b.setQuote(v, m, b.prices[m]+b.prices[m]*(b.dice.Int64N(11)-5)/100_000, b.lies[name+m])
		}
	}
	for _, m := range b.markets() {
		if b.honest[m]++; honest[m] < 3 {
			b.honest[m] = 0
		}
	}
	b.step(t, 2*time.Second)
}

// answers reports whether a venue will answer in this turn.
func (b *randomMarkets) answers(name string) bool {
	for _, s := range b.Sources() {
		if s.Name == name {
			return b.venues[name].err == nil && !s.NextPoll.After(b.clock.Now().Add(2*time.Second))
		}
	}
	return false
}

// setQuote sets what a venue quotes for a market: the truth, or one of the errors that venues make.
func (b *randomMarkets) setQuote(v *venue, market string, price int64, lie int) {
	bid, ask := decimal.New(price, -6), decimal.New(price+price/5000, -6)
	switch lie {
	case 1: // the wrong unit
		bid, ask = bid.Shift(3), ask.Shift(3)
	case 2: // 30 % up
		bid, ask = bid.Mul(dec("1.3")), ask.Mul(dec("1.3"))
	case 3: // it pauses with its last value
		return
	case 4: // the pair the other way round
		bid, ask = dec("1").DivRound(ask, 12), dec("1").DivRound(bid, 12)
	case 5:
		bid, ask = ask, bid
	case 6:
		bid = decimal.Zero
	case 7: // by a little
		bid, ask = bid.Mul(dec("1.004")), ask.Mul(dec("1.004"))
	}
	v.set(market, bid.String(), ask.String())
}

// TestSnapshots_RandomMarkets runs through everything that goes wrong at venues, checks the
// invariants on every snapshot, and gets the same snapshots, byte by byte, from the same seed.
func TestSnapshots_RandomMarkets(t *testing.T) {
	t.Parallel()
	for _, seed := range []uint64{1, 3} {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			first, statuses := runRandomMarkets(t, seed)
			again, _ := runRandomMarkets(t, seed)
			if first != again {
				t.Error("two runs of one seed differ")
			}
			if other, _ := runRandomMarkets(t, seed+100); other == first {
				t.Error("two seeds give the same: nothing is compared")
			}
			for _, s := range []pairs.Status{pairs.Fresh, pairs.Halted} {
				if statuses[s] < 3 {
					t.Errorf("only %d quotes are %s: the run says too little", statuses[s], s)
				}
			}
		})
	}
}

// TestPublish_RandomMarkets is TestSnapshots_RandomMarkets with three services that take turns,
// sometimes without the last snapshots of the service before.
func TestPublish_RandomMarkets(t *testing.T) {
	t.Parallel()
	for _, seed := range []uint64{0, 1} {
		b := newRandomMarkets(t, seed)
		services := []*fixture{b.fixture, b.twin(t, b.cfg), b.twin(t, b.cfg)}
		statuses := map[pairs.Status]int{}
		for _, service := range services {
			service.Subscribe(func(s *pairs.Snapshot) { b.check(t, s, statuses) })
		}
		for range 80 {
			b.turn(t)
			lost := b.dice.IntN(10) == 0
			for _, other := range services {
				if newest := b.Snapshot(); other != b.fixture && !lost && newest != nil {
					other.Publish(t.Context(), received(t, newest))
				}
			}
			if b.dice.IntN(10) == 0 {
				b.fixture = services[b.dice.IntN(3)]
				b.Resume()
			}
		}
		if statuses[pairs.Fresh] < 3 || statuses[pairs.Halted] < 3 {
			t.Errorf("%v: the run covers too little", statuses)
		}
	}
}

func runRandomMarkets(t *testing.T, seed uint64) (digest [32]byte, statuses map[pairs.Status]int) {
	t.Helper()
	b := newRandomMarkets(t, seed)
	hash := sha256.New()
	statuses = map[pairs.Status]int{}
	seen := dates{}
	b.Subscribe(func(s *pairs.Snapshot) {
		seen.see(t, s)
		hash.Write([]byte(encoded(t, s)))
		b.check(t, s, statuses)
	})
	for range 80 {
		b.turn(t)
	}
	hash.Sum(digest[:0])
	return digest, statuses
}

// check checks the invariants of a snapshot and counts its quotes by status.
func (b *randomMarkets) check(t *testing.T, s *pairs.Snapshot, statuses map[pairs.Status]int) {
	t.Helper()
	if p := profit(s.Quotes); p.Cmp(big.NewRat(1, 1)) > 0 {
		t.Errorf("snapshot %d makes %s of 1", s.ID, p.FloatString(12))
	}
	for i := range s.Quotes {
		q := &s.Quotes[i]
		statuses[q.Status]++
		if !q.Sell.IsPositive() || !q.Sell.LessThan(q.Mid) || !q.Mid.LessThan(q.Buy) {
			t.Errorf("%s: %s, %s, %s", q.ID, q.Sell, q.Mid, q.Buy)
		}
		b.sane(t, q)
		margined(t, b.cfg, q)
	}
}

// sane checks that a fresh price is near the true one, whatever the venues said, where most of them
// have told the truth for half a minute: what they said before may be used for so long.
func (b *randomMarkets) sane(t *testing.T, q *pairs.Quote) {
	t.Helper()
	truth, known := b.prices[q.Pair.String()]
	if !known || q.Status != pairs.Fresh || q.Reason != "" || b.honest[q.Pair.String()] < 15 {
		return
	}
	if off := q.Mid.Div(decimal.New(truth, -6)).Sub(dec("1")).Abs(); off.GreaterThan(dec("0.03")) {
		t.Errorf("%s: %s is fresh at %s, and worth %s", b.clock.Now().Sub(noon), q.ID, q.Mid, decimal.New(truth, -6))
	}
}

// margined checks that a tradable price has the margin of its class, twice that while it is stale,
// and three times while it is below its quorum.
func margined(t tb, cfg pairs.Config, q *pairs.Quote) {
	t.Helper()
	if q.Status == pairs.Halted {
		return
	}
	times := int64(1)
	switch {
	case q.Reason == pairs.Degraded:
		times = cfg.Rules.DegradedMargin
	case q.Status == pairs.Stale:
		times = 2
	}
	for _, class := range cfg.ListingClasses {
		if want := decimal.New(times*class.MarginBPS, -4); class.Name == q.Class && q.BuyMargin.LessThan(want) {
			t.Errorf("%s is %s %q at a margin of %s, want %s", q.ID, q.Status, q.Reason, q.BuyMargin, want)
		}
	}
	one := dec("1")
	if q.Buy.LessThan(q.High.Mul(one.Add(q.BuyMargin)).Add(q.Confidence)) || q.Sell.GreaterThan(q.Low.Mul(one.Sub(q.SellMargin)).Sub(q.Confidence)) {
		t.Errorf("%s: %s and %s are not %s ± %s and a margin of %s", q.ID, q.Buy, q.Sell, q.Mid, q.Confidence, q.BuyMargin)
	}
}
