package market_test

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/shopspring/decimal"
	"pgregory.net/rapid"

	"causeway/core"
	"causeway/simulator/market"
)

// put sets something for a pair, from an instant on.
func put(t testing.TB, m *market.Market, pair string, s market.Setting, from time.Time) {
	t.Helper()
	if err := m.Set(pairOf(pair), s, from, time.Time{}); err != nil {
		t.Fatal(err)
	}
}

// priced is a reference price as text.
func priced(t testing.TB, m *market.Market, pair string, at time.Time) string {
	t.Helper()
	p, ok := m.Reference(pairOf(pair), at)
	if !ok {
		t.Fatalf("%s has no price", pair)
	}
	return p.String()
}

// ratio is what a price is to another one, for statistics alone.
func ratio(t testing.TB, m *market.Market, pair string, at, to time.Time) float64 {
	t.Helper()
	return reference(t, m, pairOf(pair), at) / reference(t, m, pairOf(pair), to)
}

func within(t testing.TB, what string, got, want, part float64) {
	t.Helper()
	if math.Abs(got/want-1) > part {
		t.Errorf("%s: got %g, want %g", what, got, want)
	}
}

func TestSet_Pin(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ pair, pin string }{
		{"BTC/USDT", "99999.5"},
		{"USDT/NGN", "1400.5"},
		{"USDC/USDT", "0.65"},
		{"EUR/USD", "1.5"},
		{"ETH/BTC", "0.05"},
		{"SHIB/USD", "0.0000123"},
		{"USDT/EUR", "0.8"},
		{"CNGN/NGN", "0.5"},
		{"BTC/NGN", "100000000"},
	} {
		t.Run(c.pair, func(t *testing.T) {
			t.Parallel()
			m := newMarket(t, "causeway")
			put(t, m, c.pair, market.Setting{Pin: c.pin}, noon)
			for _, after := range []time.Duration{0, time.Microsecond, time.Second, time.Hour, 1000 * time.Hour} {
				at := noon.Add(after)
				if got := priced(t, m, c.pair, at); got != c.pin {
					t.Errorf("after %s it is %s, want %s", after, got, c.pin)
				}
				for _, venue := range append(venues, market.Quidax, market.Busha) {
					if b, listed := m.Book(venue, pairOf(c.pair), at); listed {
						bid, ask, pin := float(t, b.Bid), float(t, b.Ask), float(t, decimal.RequireFromString(c.pin))
						if bid > pin*1.002 || ask < pin*0.998 || bid < pin*0.96 || ask > pin*1.04 {
							t.Errorf("after %s %s has %s to %s, want it around %s", after, venue, b.Bid, b.Ask, c.pin)
						}
					}
				}
			}
			if got := priced(t, m, c.pair, noon.Add(-time.Microsecond)); got == c.pin {
				t.Errorf("it was %s before it was pinned: the past is changed", got)
			}
			if err := m.Lift(pairOf(c.pair), noon.Add(time.Hour)); err != nil {
				t.Fatal(err)
			}
			if got := priced(t, m, c.pair, noon.Add(2*time.Hour)); got == c.pin {
				t.Error("it is pinned after it was lifted")
			}
		})
	}
}

// TestSet_NoArbitrage does anything to any pair, and goes round by way of USD.
func TestSet_NoArbitrage(t *testing.T) {
	t.Parallel()
	codes := newMarket(t, "causeway").Codes()
	rapid.Check(t, func(rt *rapid.T) {
		m := newMarket(t, "causeway")
		for range rapid.IntRange(1, 5).Draw(rt, "settings") {
			venue := rapid.SampledFrom(venues).Draw(rt, "venue")
			pair := rapid.SampledFrom(m.Listed(venue)).Draw(rt, "pair")
			var s market.Setting
			switch rapid.IntRange(0, 3).Draw(rt, "kind") {
			case 0:
				p, _ := m.Reference(pair, noon)
				s.Pin = p.DivRound(decimal.New(3, 0), -p.Exponent()).String()
			case 1:
				s.JumpBPS = rapid.Int64Range(-5000, 20000).Draw(rt, "jump")
			case 2:
				s.Drift = new(rapid.Int64Range(-500, 500).Draw(rt, "drift"))
			case 3:
				s.Volatility = new(rapid.Int64Range(0, 500).Draw(rt, "volatility"))
			}
			if err := m.Set(pair, s, noon.Add(time.Duration(rapid.Int64Range(0, int64(time.Hour)).Draw(rt, "from"))), time.Time{}); err != nil {
				rt.Fatal(err)
			}
		}
		a, b := rapid.SampledFrom(codes).Draw(rt, "a"), rapid.SampledFrom(codes).Draw(rt, "b")
		at := noon.Add(time.Duration(rapid.Int64Range(-int64(time.Hour), int64(3*time.Hour)).Draw(rt, "at")))
		round := reference(t, m, core.Pair{Base: a, Counter: "USD"}, at) / reference(t, m, core.Pair{Base: b, Counter: "USD"}, at)
		if cross := reference(t, m, core.Pair{Base: a, Counter: b}, at); math.Abs(cross/round-1) > 1e-9 {
			rt.Fatalf("%s/%s is %.12g, by way of USD %.12g", a, b, cross, round)
		}
	})
}

func TestSet_JumpDriftVolatility(t *testing.T) {
	t.Parallel()
	m := newMarket(t, "causeway")
	const pair = "BTC/USDT"
	put(t, m, pair, market.Setting{JumpBPS: -2500}, noon)
	within(t, "the jump", ratio(t, m, pair, noon, noon.Add(-time.Microsecond)), 0.75, 1e-6)
	within(t, "then", ratio(t, m, pair, noon.Add(time.Hour), noon), 1, 0.03)
	later := noon.Add(time.Hour)
	before := reference(t, m, pairOf(pair), later)
	put(t, m, pair, market.Setting{Drift: new(int64(100))}, later)
	within(t, "where the drift begins", reference(t, m, pairOf(pair), later), before, 1e-9)
	within(t, "after ten minutes of 1 %", ratio(t, m, pair, later.Add(10*time.Minute), later), math.Exp(0.1), 0.01)
	still := later.Add(10 * time.Minute)
	before = reference(t, m, pairOf(pair), still)
	put(t, m, pair, market.Setting{Volatility: new(int64(0))}, still)
	for _, after := range []time.Duration{0, time.Minute, 24 * time.Hour} {
		within(t, "calm", reference(t, m, pairOf(pair), still.Add(after)), before, 1e-9)
	}
	wild := still.Add(24 * time.Hour)
	put(t, m, pair, market.Setting{Volatility: new(int64(1000))}, wild)
	within(t, "where it goes wild", reference(t, m, pairOf(pair), wild), before, 1e-9)
	var moved float64
	for i := range 200 {
		moved = max(moved, math.Abs(ratio(t, m, pair, wild.Add(time.Duration(i)*time.Minute), wild)-1))
	}
	if moved < 0.02 {
		t.Errorf("in three wild hours it moved by %.4f", moved)
	}
	put(t, m, pair, market.Setting{JumpBPS: 10_000, Drift: new(int64(0))}, wild.Add(4*time.Hour))
	within(t, "a jump upwards", ratio(t, m, pair, wild.Add(4*time.Hour), wild.Add(4*time.Hour-time.Microsecond)), 2, 1e-6)
}

func TestSet_PriceLimits(t *testing.T) {
	t.Parallel()
	m := newMarket(t, "causeway")
	put(t, m, "TRX/USDT", market.Setting{Drift: new(int64(-10_000))}, noon)
	within(t, "after two minutes", ratio(t, m, "TRX/USDT", noon.Add(2*time.Minute), noon), math.Exp(-2), 0.01)
	within(t, "after a year", ratio(t, m, "TRX/USDT", noon.AddDate(1, 0, 0), noon), 1e-4, 0.2)
	if b, ok := m.Book(market.Binance, pairOf("TRX/USDT"), noon.AddDate(1, 0, 0)); !ok || !b.Bid.IsPositive() || !b.Ask.GreaterThan(b.Bid) {
		t.Errorf("its book is %+v", b)
	}
	put(t, m, "TRX/USDT", market.Setting{Drift: new(int64(100_000))}, noon)
	within(t, "the other way, after a year", ratio(t, m, "TRX/USDT", noon.AddDate(1, 0, 0), noon), 1e4, 0.2)
}

func TestSet_Venues(t *testing.T) {
	t.Parallel()
	plain, m := newMarket(t, "causeway"), newMarket(t, "causeway")
	const pair = "BTC/USDT"
	put(t, m, pair, market.Setting{SpreadBPS: 100, Venues: map[string]market.VenueSetting{
		market.Kraken:  {OffsetBPS: 3000},
		market.Binance: {State: market.Paused},
		market.OKX:     {State: market.Absent},
		market.Bybit:   {LagMS: new(int64(60_000))},
	}}, noon)
	at := noon.Add(37 * time.Minute)
	mid := func(m *market.Market, venue string, at time.Time) float64 {
		b, _ := m.Book(venue, pairOf(pair), at)
		return (float(t, b.Bid) + float(t, b.Ask)) / 2
	}
	within(t, "an offset", mid(m, market.Kraken, at), 1.3*mid(plain, market.Kraken, at), 1e-5)
	within(t, "before", mid(m, market.Kraken, noon.Add(-time.Microsecond)), mid(plain, market.Kraken, noon.Add(-time.Microsecond)), 1e-9)
	b, _ := m.Book(market.Kraken, pairOf(pair), at)
	within(t, "a spread", float(t, b.Ask)-float(t, b.Bid), 0.01*mid(m, market.Kraken, at), 0.01)
	paused := func(at time.Time) market.Book {
		book, _ := m.Book(market.Binance, pairOf(pair), at)
		if !book.Made.Equal(at) {
			t.Errorf("a paused venue repeats the price of %s as one of %s", at, book.Made)
		}
		book.Made = noon
		return book
	}
	first := paused(noon)
	if last := paused(at); !same(last, first) {
		t.Errorf("a paused venue went from %+v to %+v", first, last)
	}
	within(t, "a lag", mid(m, market.Bybit, at), reference(t, plain, pairOf(pair), at.Add(-time.Minute)), 0.0010)
	if slices.Contains(m.Traded(market.OKX, at), pairOf(pair)) || !slices.Contains(m.Traded(market.OKX, noon.Add(-1)), pairOf(pair)) || !slices.Contains(m.Listed(market.OKX), pairOf(pair)) {
		t.Error("an absent pair is traded, or was not before, or is not listed at all")
	}
	if m.State(market.OKX, pairOf(pair), at) != market.Absent || m.State(market.OKX, pairOf("ETH/USDT"), at) != market.Up || m.Down(market.OKX, at) {
		t.Error("the states are wrong")
	}
	// Set anew, a pause goes on from where it was; what is not named any more is over.
	put(t, m, pair, market.Setting{Drift: new(int64(50)), Venues: map[string]market.VenueSetting{
		market.Binance: {State: market.Paused}, market.Bybit: {State: market.Down},
	}}, at)
	if last := paused(at.Add(time.Hour)); !same(last, first) {
		t.Errorf("a pause that went on went from %+v to %+v", first, last)
	}
	if !m.Down(market.Bybit, at) || m.Down(market.Bybit, at.Add(-1)) || m.Down("nowhere", at) || !slices.Contains(m.Traded(market.OKX, at), pairOf(pair)) {
		t.Error("who is down, and who is back, is wrong")
	}
	if got := m.Settings(at); len(got) != 1 || *got[pairOf(pair)].Drift != 50 || len(got[pairOf(pair)].Venues) != 2 {
		t.Errorf("settings: %+v", got)
	}
	if got := m.Settings(noon.Add(-1)); len(got) != 0 {
		t.Errorf("settings before: %+v", got)
	}
}

// TestSet_NoVenueLag looks at venues with their own lags, an instant after a jump.
func TestSet_NoVenueLag(t *testing.T) {
	t.Parallel()
	m := newMarket(t, "causeway")
	put(t, m, "BTC/USDT", market.Setting{JumpBPS: -2500}, noon)
	for _, venue := range []string{market.Kraken, market.Binance, market.OKX, market.Bybit} {
		before, _ := m.Book(venue, pairOf("BTC/USDT"), noon.Add(-time.Microsecond))
		after, _ := m.Book(venue, pairOf("BTC/USDT"), noon)
		within(t, venue, float(t, after.Bid), 0.75*float(t, before.Bid), 0.005)
	}
}

func TestSet_NewestWins(t *testing.T) {
	t.Parallel()
	m := newMarket(t, "causeway")
	put(t, m, "BTC/USDT", market.Setting{Pin: "50000"}, noon)
	put(t, m, "BTC/EUR", market.Setting{Pin: "40000"}, noon.Add(time.Minute))
	if got := priced(t, m, "BTC/EUR", noon.Add(2*time.Minute)); got != "40000" {
		t.Errorf("BTC/EUR is %s", got)
	}
	if got := priced(t, m, "BTC/USDT", noon.Add(2*time.Minute)); got == "50000" {
		t.Error("two pins of one coin hold at once")
	}
	if err := m.Lift(pairOf("BTC/EUR"), noon.Add(3*time.Minute)); err != nil {
		t.Fatal(err)
	}
	if got := priced(t, m, "BTC/USDT", noon.Add(4*time.Minute)); got == "50000" {
		t.Error("what gave way is back")
	}
	put(t, m, "USDT/USD", market.Setting{Pin: "0.9"}, noon.Add(5*time.Minute))
	put(t, m, "BTC/USDT", market.Setting{Pin: "50000"}, noon.Add(5*time.Minute))
	if got := priced(t, m, "BTC/USD", noon.Add(6*time.Minute)); got != "45000" {
		t.Errorf("BTC/USD is %s, want 50000 coins of 0.9", got)
	}
	put(t, m, "EUR/USD", market.Setting{Pin: "2"}, noon.Add(5*time.Minute))
	if got := priced(t, m, "USD/XOF", noon.Add(6*time.Minute)); got != "327.9785" {
		t.Errorf("USD/XOF is %s: a franc is not tied to the euro any more", got)
	}
}

func TestSet_Invalid(t *testing.T) {
	t.Parallel()
	m := newMarket(t, "causeway")
	before, _ := m.Book(market.Kraken, pairOf("BTC/USDT"), noon)
	venue := func(name string, v market.VenueSetting) market.Setting {
		return market.Setting{Venues: map[string]market.VenueSetting{name: v}}
	}
	for _, c := range []struct {
		name, pair string
		setting    market.Setting
		want       []string
	}{
		{"an unknown pair", "BTC/XYZ", market.Setting{}, []string{`pair "BTC/XYZ" has no book`, "BTC/EUR, BTC/GBP, BTC/GHS, BTC/NGN"}},
		{"an unknown base", "NOPE/USD", market.Setting{}, []string{"accepted: pairs of AAVE, ADA"}},
		{"an official rate", "USD/KES", market.Setting{Pin: "130"}, []string{"has no book"}},
		{"a pair the other way round", "USDT/BTC", market.Setting{Pin: "130"}, []string{"has no book"}},
		{"a pin that is no number", "BTC/USDT", market.Setting{Pin: "1,5"}, []string{"pin 1,5; accepted: a decimal from 6.7 to 670000000"}},
		{"a pin of another world", "BTC/USDT", market.Setting{Pin: "1"}, []string{"pin 1; accepted"}},
		{"a negative pin", "BTC/USDT", market.Setting{Pin: "-67000"}, []string{"pin -67000; accepted"}},
		{"a pin and a jump", "BTC/USDT", market.Setting{Pin: "67000", JumpBPS: 5}, []string{"jump_bps 5; accepted: either"}},
		{"too deep a jump", "BTC/USDT", market.Setting{JumpBPS: -10_000}, []string{"jump_bps -10000; accepted: -9900 to 1000000"}},
		{"too much drift", "BTC/USDT", market.Setting{Drift: new(int64(100_001))}, []string{"drift 100001; accepted"}},
		{"negative volatility", "BTC/USDT", market.Setting{Volatility: new(int64(-1))}, []string{"volatility -1; accepted: 0 to 1000"}},
		{"a negative spread", "BTC/USDT", market.Setting{SpreadBPS: -1}, []string{"spread_bps -1; accepted"}},
		{"an unknown venue", "BTC/USDT", venue("mtgox", market.VenueSetting{}), []string{"venues.mtgox it has no book of BTC/USDT; accepted: binance, bitstamp, bybit, coinbase, gemini, kraken, okx, quidax"}},
		{"a venue without the pair", "BTC/USD", venue("okx", market.VenueSetting{}), []string{"venues.okx"}},
		{"an unknown state", "BTC/USDT", venue("okx", market.VenueSetting{State: "asleep"}), []string{"venues.okx.state asleep; accepted: up, down, paused, absent"}},
		{"an offset of everything", "BTC/USDT", venue("okx", market.VenueSetting{OffsetBPS: -10_000}), []string{"venues.okx.offset_bps"}},
		{"a negative lag", "BTC/USDT", venue("okx", market.VenueSetting{LagMS: new(int64(-1))}), []string{"venues.okx.lag_ms"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			err := m.Set(pairOf(c.pair), c.setting, noon, time.Time{})
			if core.CodeOf(err) != core.Invalid {
				t.Fatalf("got %v", err)
			}
			for _, want := range c.want {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("got %v, want it to say %q", err, want)
				}
			}
			if after, _ := m.Book(market.Kraken, pairOf("BTC/USDT"), noon); !same(after, before) || len(m.Settings(noon)) != 0 {
				t.Error("something was changed")
			}
		})
	}
	if err := m.Lift(pairOf("BTC/USDT"), noon); core.CodeOf(err) != core.NotFound {
		t.Errorf("lifting nothing: %v", err)
	}
	if pair, err := m.Pair("BTCUSDT"); err != nil || pair != pairOf("BTC/USDT") {
		t.Errorf("BTCUSDT is %v, %v", pair, err)
	}
}

func TestSet_Limit(t *testing.T) {
	t.Parallel()
	const most = 500
	m := newMarket(t, "causeway")
	var changes []market.Change
	for i := range most {
		from := noon.Add(time.Duration(i) * time.Second)
		changes = append(changes, market.Change{
			Pair: pairOf("BTC/USDT"), Setting: market.Setting{Pin: fmt.Sprint(60_000 + i)}, From: from, Until: from.Add(time.Second),
		})
	}
	if err := m.Apply(changes); err != nil {
		t.Fatal(err)
	}
	err := m.Set(pairOf("ETH/USDT"), market.Setting{Pin: "2000"}, noon, time.Time{})
	if core.CodeOf(err) != core.Invalid || !strings.Contains(err.Error(), "500 settings") {
		t.Errorf("a setting beyond the limit: %v", err)
	}
	put(t, m, "BTC/USDT", market.Setting{Pin: "70000"}, noon.Add(most*time.Second))
	if got := priced(t, m, "BTC/USDT", noon); got == "60000" {
		t.Error("ended settings were not removed")
	}
}

// TestSet_Concurrent is for the race detector, and checks that every answer is one of before or after.
func TestSet_Concurrent(t *testing.T) {
	t.Parallel()
	m := newMarket(t, "causeway")
	free := priced(t, m, "BTC/USDT", noon)
	var wg sync.WaitGroup
	for range 2 {
		wg.Go(func() {
			for range 50 {
				if err := m.Set(pairOf("BTC/USDT"), market.Setting{Pin: "60000"}, noon, time.Time{}); err != nil {
					t.Error(err)
				}
				_ = m.Lift(pairOf("BTC/USDT"), noon) // the other one may have been first
			}
		})
		wg.Go(func() {
			for range 2000 {
				if p, _ := m.Reference(pairOf("BTC/USDT"), noon); p.String() != free && p.String() != "60000" {
					t.Errorf("it is %s", p)
				}
				m.Book(market.Kraken, pairOf("BTC/USDT"), noon)
				m.Settings(noon)
			}
		})
	}
	wg.Wait()
}
