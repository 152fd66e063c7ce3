package app

import (
	"maps"
	"testing"
	"testing/synctest"
	"time"

	"causeway/core"
	"causeway/core/pairs"
	"causeway/simulator/faults"
	"causeway/simulator/input"
	"causeway/simulator/market"
)

// TestPrices_Cases checks prices over the wire of the simulated venues and the production adapters,
// in cases that the scenarios of the simulator do not have.
func TestPrices_Cases(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]func(*testing.T, *marketFixture){
		"2 venues 8 % apart":     caseTwoApart,
		"one source answers 429": caseThrottled,
		"delisted market":        caseDelisted,
		"venue in maintenance":   caseVenueDown,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				mf := newMarketFixture(t, "causeway", "BTC", "ETH", "USDT", "USD", "NGN")
				mf.run(t, 20*time.Second, pollStep, nil)
				test(t, mf)
			})
		})
	}
}

func venuesWith(v market.VenueSetting, names ...string) market.Setting {
	s := market.Setting{Venues: map[string]market.VenueSetting{}}
	for _, name := range names {
		s.Venues[name] = v
	}
	return s
}

// votes checks how many sources make the price, why others do not, and that the price is within 1 %
// of each vote.
func votes(t *testing.T, q *pairs.Quote, used int, out map[string]pairs.Reason) {
	t.Helper()
	if got := excluded(q); len(q.Legs[0].Rate.Used) != used || !maps.Equal(got, out) {
		t.Errorf("%s is made of %d votes, excluded are %v; want %d and %v", q.ID, len(q.Legs[0].Rate.Used), got, used, out)
	}
	for _, v := range q.Legs[0].Rate.Used {
		near(t, q.ID+" and "+v.Source, q.Mid, v.Mid, "0.01")
	}
}

func caseTwoApart(t *testing.T, mf *marketFixture) {
	before := *mf.Snapshot().Quote("USDTNGN")
	two := venuesWith(market.VenueSetting{State: market.Absent}, "luno")
	mf.set(t, "USDT/NGN", two)
	mf.run(t, 130*time.Second, 10*time.Second, nil) // until its last vote is gone
	two.Venues["quidax"] = market.VenueSetting{OffsetBPS: 800}
	mf.set(t, "USDT/NGN", two)
	mf.run(t, 12*time.Second, pollStep, nil)
	mf.run(t, 20*time.Second, pollStep, func() {
		q := mf.want(t, "USDTNGN", pairs.Halted, pairs.Disputed)
		near(t, "USDTNGN", q.Mid, before.Mid, "0.01")
		if got := excluded(q); len(got) != 3 {
			t.Errorf("excluded %v", got)
		}
	})
}

func caseThrottled(t *testing.T, mf *marketFixture) {
	mf.addFault(t, "okx", faults.Effect{
		Kind: faults.Status, Status: 429,
		RetryAfter: input.Duration(20 * time.Second),
	})
	polls := mf.source(t, "okx").Polls
	mf.run(t, 100*time.Second, pollStep, func() { mf.want(t, "BTCUSDT", pairs.Fresh, "") })
	votes(t, mf.want(t, "BTCUSDT", pairs.Fresh, ""), 3, map[string]pairs.Reason{"okx": pairs.Unreachable})
	if s := mf.source(t, "okx"); s.LastError != core.Unavailable || s.Polls-polls > 6 {
		t.Errorf("okx was asked %d times, although it asked for pauses of 20 s", s.Polls-polls)
	}
}

func caseDelisted(t *testing.T, mf *marketFixture) {
	mf.set(t, "BTC/USDT", venuesWith(market.VenueSetting{State: market.Absent}, "kraken"))
	mf.run(t, 40*time.Second, pollStep, func() { mf.want(t, "BTCUSDT", pairs.Fresh, "") })
	votes(t, mf.want(t, "BTCUSDT", pairs.Fresh, ""), 3, map[string]pairs.Reason{"kraken": pairs.Absent})
	votes(t, mf.want(t, "ETHUSDT", pairs.Fresh, ""), 4, nil) // the source still has its other markets
}

func caseVenueDown(t *testing.T, mf *marketFixture) {
	mf.set(t, "BTC/USDT", venuesWith(market.VenueSetting{State: market.Down}, "binance"))
	mf.run(t, 45*time.Second, pollStep, func() { mf.want(t, "BTCUSDT", pairs.Fresh, "") })
	votes(t, mf.want(t, "BTCUSDT", pairs.Fresh, ""), 3, map[string]pairs.Reason{"binance": pairs.Unreachable})
}
