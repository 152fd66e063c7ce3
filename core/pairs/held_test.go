package pairs_test

import (
	"testing"
	"time"

	"github.com/shopspring/decimal"

	"causeway/core"
	"causeway/core/pairs"
)

// margined checks a quote against prices.md, 5 and 6: what is tradable has its class's margin, twice that while it is stale, three times while
// a leg is below its quorum, and prices and limits no better for the customer than that margin makes them.
func margined(t tb, cfg pairs.Config, q *pairs.Quote) {
	t.Helper()
	if q.Status == pairs.Halted {
		return
	}
	times := int64(1)
	if q.Status == pairs.Stale {
		times = 2
	}
	for _, leg := range q.Legs {
		if leg.Rate.Reason == pairs.Degraded {
			times = max(times, cfg.Rules.DegradedMargin)
		}
	}
	for _, class := range cfg.ListingClasses {
		if asked := decimal.New(times*class.MarginBPS, -4); class.Name == q.Class && q.Margin.LessThan(asked) {
			t.Errorf("%s is %s %q at a margin of %s, want %s", q.ID, q.Status, q.Reason, q.Margin, asked)
		}
	}
	one := dec("1")
	if q.Buy.LessThan(q.Mid.Mul(one.Add(q.Margin)).Add(q.Confidence)) || q.Sell.GreaterThan(q.Mid.Mul(one.Sub(q.Margin)).Sub(q.Confidence)) {
		t.Errorf("%s: %s and %s are not %s ± %s and a margin of %s", q.ID, q.Buy, q.Sell, q.Mid, q.Confidence, q.Margin)
	}
	if q.MinBuy.Counter.LessThan(q.MinBuy.Base.Mul(q.Buy)) || q.MaxSell.Counter.GreaterThan(q.MaxSell.Base.Mul(q.Sell)) {
		t.Errorf("%s: the limits %v and %v are not those of %s and %s", q.ID, q.MinBuy, q.MaxSell, q.Buy, q.Sell)
	}
}

// naira is config with USD/NGN by way of USDT/USD (alpha) and USDT/NGN (beta).
func naira() pairs.Config {
	cfg := config()
	cfg.Listings = append(cfg.Listings, core.Listing{Pair: pair("USD/NGN"), Via: "USDT", Class: "tail"})
	return cfg
}

func TestAHeldPriceHasTheMarginOfItsState(t *testing.T) {
	t.Parallel()
	type moment struct {
		after             time.Duration
		status            pairs.Status
		reason            pairs.Reason
		margin, buy, sell string
	}
	for name, test := range map[string]struct {
		fails string
		now   []moment
	}{
		"one leg ages": {"beta", []moment{ // 1500 with a confidence of 2 + 0.0002 × 1500, rounded up
			{20 * time.Second, pairs.Fresh, pairs.Apart, "0.025", "1539.81", "1460.19"},
			{62 * time.Second, pairs.Stale, pairs.Aging, "0.05", "1577.31", "1422.69"},
			{120 * time.Second, pairs.Stale, pairs.Aging, "0.05", "1577.31", "1422.69"},
			{122 * time.Second, pairs.Halted, pairs.Expired, "0.05", "1577.31", "1422.69"}, // at the last price shown
		}},
		"one leg is below its quorum": {"alpha", []moment{
			{20 * time.Second, pairs.Fresh, pairs.Apart, "0.025", "1539.81", "1460.19"},
			{32 * time.Second, pairs.Stale, pairs.Degraded, "0.075", "1614.81", "1385.19"},
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := open(t, naira())
			quoted(s.venues)
			s.Tick(t.Context())
			s.venues[test.fails].fail(outage)
			for _, m := range test.now {
				for s.clock.Now().Before(noon.Add(m.after)) {
					s.step(t, 2*time.Second)
				}
				q := s.want(t, "USDNGN", m.status, m.reason)
				same(t, "margin", q.Margin, m.margin)
				same(t, "buy", q.Buy, m.buy)
				same(t, "sell", q.Sell, m.sell)
				same(t, "mid", q.Mid, "1500")
				same(t, "smallest order", q.MinBuy.Counter, dec(m.buy).Mul(q.MinBuy.Base).RoundCeil(2).String())
				same(t, "largest order", q.MaxSell.Counter, dec(m.sell).Mul(q.MaxSell.Base).RoundFloor(2).String())
			}
			s.venues[test.fails].fail(nil)
			s.step(t, 2*time.Minute)
			same(t, "margin afterwards", s.want(t, "USDNGN", pairs.Fresh, "").Margin, "0.025")
		})
	}
}

func TestAKeptBookHasTheMarginsOfItsState(t *testing.T) {
	t.Parallel()
	s := open(t, triangle(100, nil))
	s.venues["a"].set("B/USD", "2")
	s.venues["b"].set("C/USD", "10")
	s.venues["c"].set("C/B", "5")
	s.Tick(t.Context())
	s.venues["c"].set("C/B", "5.4")
	s.step(t, 10*time.Second)
	same(t, "margin", s.want(t, "CB", pairs.Fresh, pairs.Refused).Margin, "0.01")
	s.step(t, 2*time.Second)
	for _, id := range []string{"BUSD", "CB", "CUSD"} {
		same(t, "margin of "+id, s.want(t, id, pairs.Stale, pairs.Aging).Margin, "0.02")
	}
	same(t, "buy", s.quote(t, "CB").Buy, "5.1")
	same(t, "sell", s.quote(t, "CB").Sell, "4.9")
}

func TestAHeldPriceThatHasNoneAtItsMarginIsHalted(t *testing.T) {
	t.Parallel()
	cfg := naira()
	cfg.ListingClasses[1].MarginBPS = 3330 // three times that leaves a thousandth of the price, and its confidence is more
	s := open(t, cfg)
	quoted(s.venues)
	s.Tick(t.Context())
	first := *s.want(t, "USDNGN", pairs.Fresh, "")
	s.venues["alpha"].fail(outage)
	for range 16 {
		s.step(t, 2*time.Second)
	}
	same(t, "shown", s.want(t, "USDNGN", pairs.Halted, pairs.Apart).Buy, first.Buy.String())
}

func TestAFirstPriceInDoubtIsNotTradedWhenItIsHeld(t *testing.T) {
	t.Parallel()
	cfg := naira()
	cfg.MarketClasses[1].MaxSpread = dec("0.1")
	s := open(t, cfg)
	quoted(s.venues)
	s.venues["beta"].set("USDT/NGN", "1440", "1560")
	s.Tick(t.Context())
	s.want(t, "USDNGN", pairs.Halted, pairs.Wide)
	s.venues["beta"].fail(outage)
	for range 10 { // from 6 s on the legs are too far apart in age for a newer price
		s.step(t, 2*time.Second)
		s.want(t, "USDNGN", pairs.Halted, pairs.Wide)
	}
}
