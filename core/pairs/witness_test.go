package pairs_test

import (
	"slices"
	"testing"
	"time"

	"causeway/core"
	"causeway/core/pairs"
)

// routed opens a coin with two routes: its market against USD and, through USDT, its market against USDT.
func routed(t tb) *fixture {
	cfg := config()
	cfg.Rules.DisputeHold = 10 * time.Second
	cfg.Markets = nil
	for m, sources := range map[string][]string{
		"BTC/USD": {"a", "b"}, "BTC/USDT": {"c", "d"}, "USDT/USD": {"e", "f"}, "EUR/USD": {"a", "b"}, "USDT/EUR": {"c", "d"},
	} {
		cfg.Markets = append(cfg.Markets, core.Market{Pair: pair(m), Class: "major", Sources: sources, Quorum: 2})
	}
	cfg.Listings = []core.Listing{
		{Pair: pair("BTC/USD"), Via: "USDT", Direct: true, Class: "crypto"},
		{Pair: pair("USDT/USD"), Class: "crypto"},
		{Pair: pair("EUR/USD"), Via: "USDT", Direct: true, Class: "fiat"},
		{Pair: pair("BTC/EUR"), Via: "USDT", Class: "crypto"},
	}
	s := open(t, cfg)
	s.market, s.id = "BTC/USD", "BTCUSD"
	s.quoteAll("BTC/USD", "100")
	s.quoteAll("BTC/USDT", "100")
	s.quoteAll("USDT/USD", "1")
	s.quoteAll("EUR/USD", "1")
	s.quoteAll("USDT/EUR", "1")
	s.Tick(t.Context())
	return s
}

// quoteAll sets the price of a market at all venues.
func (s *fixture) quoteAll(market, price string) {
	for _, v := range s.venues {
		v.set(market, price)
	}
}

func TestWitness_Dispute(t *testing.T) {
	t.Parallel()
	s := routed(t)
	covered := func(low, high string) {
		t.Helper()
		if q := s.quote(t, s.id); q.Buy.LessThan(dec(high)) || q.Sell.GreaterThan(dec(low)) {
			t.Errorf("%s: bought at %s and sold at %s, want %s and %s covered", s.clock.Now().Sub(noon), q.Buy, q.Sell, low, high)
		}
	}
	s.quoteAll("BTC/USD", "102.5") // within the bands
	s.play(t, []step{{times: 10, want: "fresh 102.5"}})
	covered("100", "102.5")
	s.quoteAll("BTC/USD", "108")
	s.play(t, []step{{want: "stale disputed 108"}})
	covered("100", "108")
	s.play(t, []step{{times: 5, want: "stale disputed 108"}, {want: "halted disputed 108"}})
	s.want(t, "BTCEUR", pairs.Halted, pairs.Disputed) // its only route leads through BTC/USDT
	s.want(t, "USDTUSD", pairs.Fresh, "")             // its other witness agrees
	if got := s.Snapshot().Held; !slices.Equal(got, []core.Pair{pair("BTC/USD"), pair("BTC/USDT")}) {
		t.Errorf("waiting for the operator: %v", got)
	}
	s.acknowledge(t, "BTC/USD")
	s.play(t, []step{{times: 20, want: "stale disputed 108"}})
	covered("100", "108")
	s.quoteAll("BTC/USDT", "108")
	s.play(t, []step{{times: 2, want: "fresh 108"}})
	s.quoteAll("BTC/USDT", "100")
	s.play(t, []step{{times: 6, want: "stale disputed 108"}, {want: "halted disputed 108"}}) // the acknowledgement is used up
	s.quoteAll("BTC/USD", "100")
	s.play(t, []step{{want: "fresh 100"}})
}

// TestWitness_RealMove lets a price fall everywhere. One route follows four seconds later.
func TestWitness_RealMove(t *testing.T) {
	t.Parallel()
	s := routed(t)
	s.quoteAll("BTC/USD", "75")
	s.play(t, []step{{times: 2, want: "stale disputed 75"}})
	s.quoteAll("BTC/USDT", "75")
	s.play(t, []step{{times: 60, want: "fresh 75"}})
	if q := s.quote(t, s.id); !q.High.Equal(q.Mid) {
		t.Errorf("it still covers %s", q.High)
	}
}

// lone opens a rate with one official source, and a street rate.
func lone(t tb, change func(*core.Market)) *fixture {
	cfg := config()
	cfg.Rules.DisputeHold = 10 * time.Second
	cfg.MarketClasses[2].Volatility, cfg.MarketClasses[2].MarginFloorBPS = dec("0.01"), 100
	cfg.Markets = []core.Market{
		{Pair: pair("USD/NGN"), Class: "official", Sources: []string{"bank"}},
		{Pair: pair("USDT/USD"), Class: "major", Sources: []string{"alpha"}},
		{Pair: pair("USDT/NGN"), Class: "street", Sources: []string{"beta"}},
	}
	change(&cfg.Markets[0])
	cfg.Listings = []core.Listing{{Pair: pair("USD/NGN"), Via: "USDT", Direct: true, Class: "fiat"}}
	s := open(t, cfg)
	s.market, s.id = "USD/NGN", "USDNGN"
	s.quoteAll("USDT/USD", "1")
	return s
}

func TestWitness_LoneOfficialSource(t *testing.T) {
	t.Parallel()
	s := lone(t, func(*core.Market) {})
	s.quoteAll("USD/NGN", "1500")
	s.quoteAll("USDT/NGN", "1500")
	s.play(t, []step{{want: "fresh 1500"}})
	s.quoteAll("USD/NGN", "1650")
	s.play(t, []step{{wait: time.Hour, want: "stale disputed 1500"}, {wait: time.Hour, want: "halted disputed 1500"}})
	s.quoteAll("USDT/NGN", "1650")
	s.play(t, []step{{wait: time.Hour, times: 2, want: "fresh 1650"}})
	s.quoteAll("USD/NGN", "1725")
	s.venues["beta"].silence("USDT/NGN")
	s.play(t, []step{{wait: 3 * time.Minute, want: "fresh 1650"}})
	s.play(t, []step{{wait: time.Hour, want: "halted jump 1650"}})
}

// TestWitness_KnownRate starts without a history: a lone official source is compared with a dated rate.
func TestWitness_KnownRate(t *testing.T) {
	t.Parallel()
	for rate, want := range map[string]string{"1600": "fresh 1600", "1700": ""} { // 3 % and 1 % × √25
		s := lone(t, func(m *core.Market) { m.Known, m.KnownOn = dec("1500"), noon.Add(-25*24*time.Hour) })
		s.quoteAll("USD/NGN", rate)
		s.play(t, []step{{want: want}})
		if rate == "1700" {
			if got := s.Missing(s.id); !slices.Contains(got, pairs.Exclusion{Source: "bank", Reason: pairs.Jump}) {
				t.Errorf("missing because of %v", got)
			}
			s.acknowledge(t, "USD/NGN")
			s.play(t, []step{{want: "fresh 1700"}})
		}
	}
}

// TestWitness_Gap loses the official rate on a Friday. The margin covers the largest known move, unless a live rate agrees.
func TestWitness_Gap(t *testing.T) {
	t.Parallel()
	for street, want := range map[string]string{"": "0.08", "1500": "0.0187"} {
		s := lone(t, func(m *core.Market) { m.Gap = dec("0.1") })
		s.clock.advance(4*24*time.Hour + 6*time.Hour)
		s.quoteAll("USD/NGN", "1500")
		s.play(t, []step{{want: "fresh 1500"}})
		s.venues["bank"].fail(outage)
		if street != "" {
			s.quoteAll("USDT/NGN", street)
		}
		s.play(t, []step{{wait: 18 * time.Hour, want: "fresh market_closed 1500"}})
		same(t, "margin", s.quote(t, s.id).BuyMargin, want)
	}
}
