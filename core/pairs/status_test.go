package pairs_test

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"causeway/core"
	"causeway/core/pairs"
)

// TestRules_Docs checks that docs/prices.md shows the table that decides the status of a price.
func TestRules_Docs(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../docs/prices.md")
	if err != nil {
		t.Fatal(err)
	}
	var table strings.Builder
	table.WriteString("| reason | status | margin | when |\n|---|---|---|---|\n")
	for _, r := range pairs.Rules() {
		fmt.Fprintf(&table, "| `%s` | %s | %s | %s |\n", r.Reason, r.Status, r.Margin, r.Meaning)
	}
	if !strings.Contains(string(text), table.String()) {
		t.Errorf("docs/prices.md does not contain this table:\n%s", table.String())
	}
}

func TestRate_AsOfCompletesQuorum(t *testing.T) {
	t.Parallel()
	s := panel(t, "BTC/USD", "street", 3)
	for i, lag := range []time.Duration{time.Second, 7 * time.Second, 30 * time.Second} {
		s.venues[venueName(i)].lag = lag
	}
	s.Tick(t.Context())
	if got := s.quote(t, "BTCUSD").Legs[0].Rate.AsOf; !got.Equal(noon.Add(-7 * time.Second)) {
		t.Errorf("as of %s, want the second newest vote, 7 s before noon", got)
	}
}

func TestMarket_Range(t *testing.T) {
	t.Parallel()
	cfg := officialConfig("bank")
	cfg.Markets[0].Low, cfg.Markets[0].High = dec("0.6"), dec("1.2")
	s := open(t, cfg)
	s.venues["bank"].set("USD/EUR", "8")
	s.Tick(t.Context())
	if s.Snapshot() != nil && s.Snapshot().Quote("USDEUR") != nil {
		t.Error("a first rate outside the range was accepted")
	}
	s.venues["bank"].set("USD/EUR", "0.8")
	s.step(t, time.Hour)
	s.want(t, "USDEUR", pairs.Fresh, "")
	s.venues["bank"].set("USD/EUR", "0.08")
	s.step(t, time.Hour)
	same(t, "last good", s.want(t, "USDEUR", pairs.Halted, pairs.OffBounds).Mid, "0.8")
}

func TestStatus_MarketClosed(t *testing.T) {
	t.Parallel()
	s := open(t, officialConfig("bank"))
	s.venues["bank"].set("USD/EUR", "0.8")
	s.clock.advance(5 * 24 * time.Hour) // Saturday
	s.venues["bank"].lag = 24 * time.Hour
	s.Tick(t.Context())
	q := s.want(t, "USDEUR", pairs.Fresh, pairs.MarketClosed)
	if got := q.Legs[0].Rate.AsOf; !got.Equal(s.clock.Now().Add(-24 * time.Hour)) {
		t.Errorf("as of %s, want the time of the sheet", got)
	}
}

func TestExcluded_RejectedResponse(t *testing.T) {
	t.Parallel()
	s := panel(t, "BTC/USD", "major", 3)
	s.Tick(t.Context())
	s.venues["c"].set("BTC/USD", "101", "100")
	s.step(t, 2*time.Second)
	s.say("BTC/USD", "100.2", "100.2")
	s.step(t, 2*time.Second)
	if got := s.excluded(t, "BTCUSD")["c"]; got != pairs.Inverted {
		t.Errorf("c is excluded because of %q, want the reason of its latest response", got)
	}
}

func TestAcknowledge_DepegHasFloorAndExpires(t *testing.T) {
	t.Parallel()
	cfg := panelConfig("DAI/USD", "stablecoin", 3)
	cfg.Markets[0].Peg = dec("1")
	s := open(t, cfg)
	step := func(price string, d time.Duration) {
		s.say("DAI/USD", price, price, price)
		s.step(t, d)
	}
	step("0.9", 2*time.Second)
	s.want(t, "DAIUSD", pairs.Halted, pairs.Depegged)
	acknowledge := func() {
		t.Helper()
		if err := s.Acknowledge("DAI"); err != nil {
			t.Fatal(err)
		}
	}
	acknowledge()
	step("0.88", 2*time.Second)
	s.want(t, "DAIUSD", pairs.Fresh, "")
	step("0.85", 2*time.Second) // 5 % below the acknowledged price
	s.want(t, "DAIUSD", pairs.Halted, pairs.Depegged)
	acknowledge()
	step("0.85", 2*time.Second)
	s.want(t, "DAIUSD", pairs.Fresh, "")
	step("0.85", 25*time.Hour)
	s.want(t, "DAIUSD", pairs.Halted, pairs.Depegged)
}

func TestAcknowledge_Dispute(t *testing.T) {
	t.Parallel()
	s := panel(t, "BTC/USD", "major", 4)
	s.Tick(t.Context())
	s.say("BTC/USD", "", "", "110", "110")
	s.step(t, 2*time.Second)
	s.want(t, "BTCUSD", pairs.Halted, pairs.Disputed)
	if got := s.Snapshot().Held; len(got) != 1 || got[0] != pair("BTC/USD") {
		t.Errorf("waiting for the operator: %v", got)
	}
	if err := s.Acknowledge("BTC/USD"); err != nil {
		t.Fatal(err)
	}
	s.step(t, 2*time.Second)
	q := s.want(t, "BTCUSD", pairs.Stale, pairs.Disputed)
	if q.Buy.LessThan(dec("110")) || q.Sell.GreaterThan(dec("100")) {
		t.Errorf("bought at %s and sold at %s, want both sides of the dispute covered", q.Buy, q.Sell)
	}
	s.say("BTC/USD", "100", "100", "100", "100")
	for range 4 {
		s.step(t, 2*time.Second)
	}
	s.want(t, "BTCUSD", pairs.Fresh, "")
	s.say("BTC/USD", "", "", "110", "110")
	s.step(t, 2*time.Second)
	s.want(t, "BTCUSD", pairs.Halted, pairs.Disputed) // the acknowledgement ended with the dispute
}

func TestMargins(t *testing.T) {
	t.Parallel()
	tiers := []core.MarginTier{
		{UpToUSD: dec("1000"), Margin: core.Margin{BuyBPS: 200, SellBPS: 100}}, {Margin: core.Margin{BuyBPS: 120, SellBPS: 300}},
	}
	for _, test := range []struct {
		name      string
		change    func(*pairs.Config)
		buy, sell string
		tiers     int
	}{
		{"class", func(*pairs.Config) {}, "0.015", "0.015", 0},
		{"riskiest leg", func(c *pairs.Config) { c.MarketClasses[0].MarginFloorBPS = 250 }, "0.025", "0.025", 0},
		{"by side", func(c *pairs.Config) { c.ListingClasses[0].Margin = core.Margin{BuyBPS: 50, SellBPS: 70} }, "0.005", "0.007", 0},
		{"by pair", func(c *pairs.Config) { c.Listings[0].Margin = core.Margin{BuyBPS: 30, SellBPS: 40} }, "0.003", "0.004", 0},
		{"by size", func(c *pairs.Config) { c.ListingClasses[0].Tiers = tiers }, "0.02", "0.03", 2},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			cfg := config()
			test.change(&cfg)
			s := open(t, cfg)
			quoted(s.venues)
			s.Tick(t.Context())
			q := s.quote(t, "BTCUSD")
			same(t, "buy margin", q.BuyMargin, test.buy)
			same(t, "sell margin", q.SellMargin, test.sell)
			if len(q.Tiers) != test.tiers {
				t.Fatalf("%d tiers, want %d", len(q.Tiers), test.tiers)
			}
			for _, tier := range q.Tiers {
				if tier.Buy.GreaterThan(q.Buy) || tier.Sell.LessThan(q.Sell) {
					t.Errorf("tier up to %s: %s and %s are worse than the listed %s and %s", tier.UpTo, tier.Buy, tier.Sell, q.Buy, q.Sell)
				}
			}
			if test.tiers > 0 {
				same(t, "first tier", q.Tiers[0].UpTo, "0.01")
			}
		})
	}
}

func TestLimits_Payable(t *testing.T) {
	t.Parallel()
	s := start(t)
	for _, q := range s.Snapshot().Quotes {
		decimals := map[string]int32{"USD": 2, "EUR": 2, "NGN": 2, "XOF": 0}[q.Pair.Counter]
		for _, l := range []pairs.Limit{q.MinBuy, q.MaxBuy, q.MinSell, q.MaxSell} {
			if !l.Counter.Equal(l.Counter.Truncate(decimals)) || !l.Base.Equal(l.Base.Truncate(q.BaseDecimals)) {
				t.Errorf("%s: the limit of %s for %s cannot be paid", q.ID, l.Base, l.Counter)
			}
		}
	}
}
