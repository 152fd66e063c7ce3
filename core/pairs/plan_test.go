package pairs_test

import (
	"encoding/json"
	"errors"
	"slices"
	"strconv"
	"testing"
	"time"

	"pgregory.net/rapid"

	"causeway/core"
	"causeway/core/pairs"
)

// replan makes a fixture price by another configuration.
func (s *fixture) replan(t tb, cfg pairs.Config) {
	t.Helper()
	change, err := s.Plan(tabled(cfg).PriceCatalog)
	if err != nil {
		t.Fatal(err)
	}
	change()
}

func TestPlan_Margin(t *testing.T) {
	t.Parallel()
	s := start(t, config())
	before, polls := s.quote(t, "BTCUSD"), s.venues["alpha"].polled()
	cfg := config()
	cfg.ListingClasses[0].MarginBPS = 151
	change, err := s.Plan(cfg.PriceCatalog)
	if err != nil {
		t.Fatal(err)
	}
	if s.step(t, time.Second); s.quote(t, "BTCUSD").BuyMargin.String() != "0.015" {
		t.Error("a plan changed something before it was carried out")
	}
	change()
	after := s.step(t, time.Second).Quote("BTCUSD")
	if after == nil || after.BuyMargin.String() != "0.0151" || !after.Buy.GreaterThan(before.Buy) || !after.Sell.LessThan(before.Sell) || !after.Mid.Equal(before.Mid) {
		t.Errorf("got %+v\nafter %+v", after, before)
	}
	if got := s.venues["alpha"].polled(); got != polls+1 { // two seconds later its time has come
		t.Errorf("the source was polled %d times more, want once", got-polls)
	}
	if got := s.venues["bank"].polled(); got != 1 {
		t.Errorf("an hourly source was polled %d times", got)
	}
}

// TestPlan_Listings removes a pair, and adds one whose source is polled at once.
func TestPlan_Listings(t *testing.T) {
	t.Parallel()
	cfg := config()
	whole := config()
	cfg.Markets = slices.DeleteFunc(cfg.Markets, func(m core.Market) bool { return m.Pair == pair("USD/NGN") })
	s := start(t, cfg)
	whole.Listings = append(whole.Listings[1:], core.Listing{Pair: pair("USD/NGN"), Class: "fiat"})
	s.replan(t, whole)
	if s.Known("BTCUSD") || !s.Known("USDNGN") {
		t.Error("the offered pairs are not the planned ones")
	}
	last := s.step(t, time.Second)
	if last.Quote("BTCUSD") != nil || last.Quote("USDNGN") == nil || last.Quote("SHIBUSD") == nil {
		t.Errorf("got %v", last.Quotes)
	}
	if _, err := s.History(t.Context(), "BTCUSD", "1d"); core.CodeOf(err) != core.NotFound {
		t.Errorf("the history of a removed pair: %v", err)
	}
}

// TestPlan_SameConfig applies the same configuration again at random moments, which changes
// nothing.
func TestPlan_SameConfig(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		cfg := config()
		for i := range cfg.MarketClasses {
			cfg.MarketClasses[i].Stall = 0 // stalled sources are detected anew
			if cfg.MarketClasses[i].Name == "major" {
				cfg.MarketClasses[i].Quorum, cfg.MarketClasses[i].Depeg = 1, dec("0.05")
			}
		}
		cfg.Markets[0].Quorum, cfg.Markets[1].Peg = 2, dec("1")
		left, changed := open(t, cfg), open(t, cfg)
		for _, s := range []*fixture{left, changed} {
			quoted(s.venues)
			s.Tick(rt.Context())
		}
		for step := range rapid.IntRange(1, 12).Draw(rt, "steps") {
			name := rapid.SampledFrom([]string{"alpha", "beta", "gamma"}).Draw(rt, "venue")
			price := strconv.Itoa(100_000 + 500*rapid.IntRange(-40, 40).Draw(rt, "price"))
			fails := rapid.IntRange(0, 4).Draw(rt, "fails") == 0
			for _, s := range []*fixture{left, changed} {
				s.venues[name].set("BTC/USD", price)
				s.venues[name].set("USDT/USD", "0."+price[:3]+"9")
				s.venues[name].fail(nil)
				if fails {
					s.venues[name].fail(errors.New("no"))
				}
			}
			if rapid.Bool().Draw(rt, "change") {
				changed.replan(rt, cfg)
			}
			want, got := left.step(rt, pairs.Heartbeat), changed.step(rt, pairs.Heartbeat)
			if want, got := encoded(rt, want.Quotes), encoded(rt, got.Quotes); got != want {
				rt.Fatalf("step %d: got %s\nwant %s", step, got, want)
			}
			if want, got := len(left.Snapshot().Depegged)+len(left.Snapshot().Held), len(changed.Snapshot().Depegged)+len(changed.Snapshot().Held); got != want {
				rt.Fatalf("step %d: %d doubts, want %d", step, got, want)
			}
		}
	})
}

// TestPlan_Rules relaxes a rule that kept a market from having a price. Its observations are still
// there.
func TestPlan_Rules(t *testing.T) {
	t.Parallel()
	bounded := func(by string) pairs.Config {
		cfg := config()
		cfg.MarketClasses[1].Bound, cfg.Markets[2].Bound = dec(by), "USD"
		return cfg
	}
	s := openQuoted(t, bounded("0.05"))
	s.venues["beta"].silence("USDT/NGN")
	s.Tick(t.Context())
	s.venues["beta"].set("USDT/NGN", "1600") // 1490 officially
	if q := s.step(t, 2*time.Second).Quote("USDTNGN"); q != nil {
		t.Fatalf("got %+v, want no price: it is too far from the official one", q)
	}
	s.replan(t, bounded("0.1"))
	polls := s.venues["beta"].polled()
	if q := s.step(t, time.Second).Quote("USDTNGN"); q == nil || s.venues["beta"].polled() != polls {
		t.Errorf("got %v after %d more questions, want a price without any", q, s.venues["beta"].polled()-polls)
	}
}

// encoded returns a value as JSON.
func encoded(t tb, value any) string {
	t.Helper()
	text, err := json.Marshal(value)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
