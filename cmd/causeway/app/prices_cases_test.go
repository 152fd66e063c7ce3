package app

import (
	"maps"
	"testing"
	"testing/synctest"
	"time"

	"causeway/core"
	"causeway/core/pairs"
	"causeway/simulator"
)

// TestPrices_Cases checks prices over the wire of the simulated venues and the production adapters.
// USDC/USDT (four venues) stands for DAI and USDe, TRX/USDT (three) for LUNA.
func TestPrices_Cases(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]func(*testing.T, *marketFixture){
		"DAI at 1.30 on one of 4": caseDAI,
		"one of 3 is x 1000":      caseUnits,
		"USDe 0.65 on one of 3":   caseUSDe,
		"2 of 4 at +30 %":         caseTwoOfFour,
		"2 venues 8 % apart":      caseTwoApart,
		"all 400 s old":           caseOld,
		"real -25 % everywhere":   caseCrash,
		"paused feed":             casePause,
		"one source is down":      caseDown,
		"one source answers 429":  caseThrottled,
		"pinned market":           casePin,
		"delisted market":         caseDelisted,
		"venue in maintenance":    caseVenueDown,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				mf := newMarketFixture(t, "causeway", "BTC", "ETH", "TRX", "USDT", "USDC", "USD", "EUR", "GBP", "NGN")
				mf.run(t, 20*time.Second, pollStep, nil)
				test(t, mf)
			})
		})
	}
}

func venuesWith(v simulator.VenueSetting, names ...string) simulator.Setting {
	s := simulator.Setting{Venues: map[string]simulator.VenueSetting{}}
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

func caseDAI(t *testing.T, mf *marketFixture) {
	mf.set(t, "USDC/USDT", venuesWith(simulator.VenueSetting{OffsetBPS: 3000}, "okx"))
	mf.run(t, 6*time.Second, pollStep, nil)
	mf.run(t, 20*time.Second, pollStep, func() {
		votes(t, mf.want(t, "USDCUSDT", pairs.Fresh, ""), 3, map[string]pairs.Reason{"okx": pairs.Outlier})
	})
}

func caseUnits(t *testing.T, mf *marketFixture) {
	before := *mf.Snapshot().Quote("TRXUSDT")
	mf.addFault(t, "okx", simulator.Effect{Kind: simulator.FaultTimes1000})
	mf.run(t, 6*time.Second, pollStep, nil)
	mf.run(t, 20*time.Second, pollStep, func() {
		q := mf.want(t, "TRXUSDT", pairs.Fresh, "")
		votes(t, q, 2, map[string]pairs.Reason{"okx": pairs.Outlier})
		near(t, "TRXUSDT", q.Mid, before.Mid, "0.01")
	})
}

func caseUSDe(t *testing.T, mf *marketFixture) {
	three := venuesWith(simulator.VenueSetting{State: simulator.VenueAbsent}, "bybit")
	mf.set(t, "USDC/USDT", three)
	mf.run(t, 35*time.Second, pollStep, nil) // its last vote is gone
	votes(t, mf.want(t, "USDCUSDT", pairs.Fresh, ""), 3, map[string]pairs.Reason{"bybit": pairs.Absent})
	three.Venues["binance"] = simulator.VenueSetting{OffsetBPS: -3500}
	mf.set(t, "USDC/USDT", three)
	mf.run(t, 6*time.Second, pollStep, nil)
	mf.run(t, 20*time.Second, pollStep, func() {
		votes(t, mf.want(t, "USDCUSDT", pairs.Fresh, ""), 2,
			map[string]pairs.Reason{"binance": pairs.Outlier, "bybit": pairs.Absent})
	})
}

func caseTwoOfFour(t *testing.T, mf *marketFixture) {
	before := *mf.Snapshot().Quote("BTCUSDT")
	mf.set(t, "BTC/USDT", venuesWith(simulator.VenueSetting{OffsetBPS: 3000}, "binance", "okx"))
	mf.run(t, 8*time.Second, pollStep, nil)
	mf.run(t, 30*time.Second, pollStep, func() {
		q := mf.want(t, "BTCUSDT", pairs.Halted, pairs.Disputed)
		near(t, "BTCUSDT", q.Mid, before.Mid, "0.01")
		if got := excluded(q); len(got) != 4 || got["kraken"] != pairs.Outlier {
			t.Errorf("excluded %v", got)
		}
	})
	mf.lift(t, "BTC/USDT")
	mf.run(t, 20*time.Second, pollStep, nil)
	votes(t, mf.want(t, "BTCUSDT", pairs.Fresh, ""), 4, nil)
}

func caseTwoApart(t *testing.T, mf *marketFixture) {
	before := *mf.Snapshot().Quote("USDTNGN")
	mf.set(t, "USDT/NGN", venuesWith(simulator.VenueSetting{OffsetBPS: 800}, "quidax"))
	mf.run(t, 12*time.Second, pollStep, nil)
	mf.run(t, 20*time.Second, pollStep, func() {
		q := mf.want(t, "USDTNGN", pairs.Halted, pairs.Disputed)
		near(t, "USDTNGN", q.Mid, before.Mid, "0.01")
		if got := excluded(q); len(got) != 2 {
			t.Errorf("excluded %v", got)
		}
	})
}

func caseOld(t *testing.T, mf *marketFixture) {
	before := *mf.Snapshot().Quote("BTCUSDT")
	stale := simulator.Effect{Kind: simulator.FaultStaleTimestamp, By: simulator.Duration(400 * time.Second)}
	for _, name := range []string{"okx", "bybit", "quidax", "coingecko"} {
		mf.addFault(t, name, stale)
	}
	// these sources send no times: their last quotes age
	for _, name := range []string{"kraken", "binance", "coinbase", "busha"} {
		mf.addFault(t, name, simulator.Effect{Kind: simulator.FaultHang})
	}
	mf.run(t, 400*time.Second, 2*pollStep, nil)
	q := mf.want(t, "BTCUSDT", pairs.Halted, pairs.Expired)
	near(t, "BTCUSDT", q.Mid, before.Mid, "0.001")
	if age := mf.world.Now().Sub(q.Legs[0].Rate.AsOf); age < 400*time.Second {
		t.Errorf("its newest vote is %s old", age)
	}
	if got := excluded(q); got["okx"] != pairs.Old || got["bybit"] != pairs.Old || got["kraken"] != pairs.Unreachable {
		t.Errorf("excluded %v", got)
	}
	if n := mf.source(t, "okx").Rejected[pairs.Old]; n < 50 {
		t.Errorf("okx: %d observations are counted as old", n)
	}
}

func caseCrash(t *testing.T, mf *marketFixture) {
	before := *mf.Snapshot().Quote("BTCUSDT")
	mf.set(t, "BTC/USDT", simulator.Setting{JumpBPS: -2500})
	jumped := false
	mf.run(t, 4*time.Second, pollStep, func() {
		q := mf.want(t, "BTCUSDT", pairs.Fresh, "")
		jumped = jumped || q.Legs[0].Rate.Jumped
	})
	q := mf.want(t, "BTCUSDT", pairs.Fresh, "")
	near(t, "BTCUSDT", q.Mid.Div(before.Mid), dec("0.75"), "0.01")
	votes(t, q, 4, nil)
	if !jumped {
		t.Error("the jump is not marked as confirmed")
	}
	for _, id := range []string{"BTCUSD", "BTCNGN"} { // it fell everywhere
		mf.run(t, 5*time.Second, pollStep, nil)
		if q := mf.Snapshot().Quote(id); q.Status == pairs.Halted {
			t.Errorf("%s is %s %q", id, q.Status, q.Reason)
		}
	}
}

func casePause(t *testing.T, mf *marketFixture) {
	drift := int64(30)
	paused := venuesWith(simulator.VenueSetting{State: simulator.VenuePaused}, "kraken")
	paused.Drift = &drift
	mf.set(t, "BTC/USDT", paused)
	mf.run(t, 70*time.Second, pollStep, func() { mf.want(t, "BTCUSDT", pairs.Fresh, "") })
	votes(t, mf.want(t, "BTCUSDT", pairs.Fresh, ""), 3, map[string]pairs.Reason{"kraken": pairs.Stalled})
	mf.set(t, "BTC/USDT", simulator.Setting{Drift: &drift})
	mf.run(t, 10*time.Second, pollStep, nil)
	votes(t, mf.want(t, "BTCUSDT", pairs.Fresh, ""), 4, nil)
}

func caseDown(t *testing.T, mf *marketFixture) {
	for _, e := range []simulator.Effect{{Kind: simulator.FaultRefuse}, {Kind: simulator.FaultHang}} {
		end := mf.addFault(t, "bybit", e)
		mf.run(t, 45*time.Second, pollStep, func() { mf.want(t, "BTCUSDT", pairs.Fresh, "") })
		votes(t, mf.want(t, "BTCUSDT", pairs.Fresh, ""), 3, map[string]pairs.Reason{"bybit": pairs.Unreachable})
		end()
		for range 90 {
			if len(excluded(mf.Snapshot().Quote("BTCUSDT"))) == 0 {
				break
			}
			mf.run(t, pollStep, pollStep, nil)
		}
		votes(t, mf.want(t, "BTCUSDT", pairs.Fresh, ""), 4, nil)
	}
}

func caseThrottled(t *testing.T, mf *marketFixture) {
	mf.addFault(t, "okx", simulator.Effect{
		Kind: simulator.FaultStatus, Status: 429,
		RetryAfter: simulator.Duration(20 * time.Second),
	})
	polls := mf.source(t, "okx").Polls
	mf.run(t, 100*time.Second, pollStep, func() { mf.want(t, "BTCUSDT", pairs.Fresh, "") })
	votes(t, mf.want(t, "BTCUSDT", pairs.Fresh, ""), 3, map[string]pairs.Reason{"okx": pairs.Unreachable})
	if s := mf.source(t, "okx"); s.LastError != core.Unavailable || s.Polls-polls > 6 {
		t.Errorf("okx was asked %d times, although it asked for pauses of 20 s", s.Polls-polls)
	}
}

func casePin(t *testing.T, mf *marketFixture) {
	mf.set(t, "BTC/USDT", simulator.Setting{Pin: "99999.5"})
	mf.run(t, 4*time.Second, pollStep, nil)
	near(t, "BTCUSDT", mf.want(t, "BTCUSDT", pairs.Fresh, "").Mid, dec("99999.5"), "0.001")
	mf.run(t, 20*time.Second, pollStep, func() {
		near(t, "BTCUSDT", mf.want(t, "BTCUSDT", pairs.Fresh, "").Mid, dec("99999.5"), "0.001")
	})
	near(t, "BTCNGN", mf.Snapshot().Quote("BTCNGN").Mid, dec("99999.5").Mul(mf.Snapshot().Quote("USDTNGN").Mid), "0.02")
	mf.set(t, "USDT/NGN", simulator.Setting{Pin: "1450.50"})
	mf.run(t, 10*time.Second, pollStep, nil)
	near(t, "USDTNGN", mf.want(t, "USDTNGN", pairs.Fresh, "").Mid, dec("1450.50"), "0.005")
}

func caseDelisted(t *testing.T, mf *marketFixture) {
	for _, name := range []string{"binance", "kraken"} {
		mf.set(t, "BTC/USDT", venuesWith(simulator.VenueSetting{State: simulator.VenueAbsent}, name))
		mf.run(t, 40*time.Second, pollStep, func() { mf.want(t, "BTCUSDT", pairs.Fresh, "") })
		votes(t, mf.want(t, "BTCUSDT", pairs.Fresh, ""), 3, map[string]pairs.Reason{name: pairs.Absent})
		votes(t, mf.want(t, "ETHUSDT", pairs.Fresh, ""), 4, nil) // one symbol costs no other
	}
}

func caseVenueDown(t *testing.T, mf *marketFixture) {
	mf.set(t, "BTC/USDT", venuesWith(simulator.VenueSetting{State: simulator.VenueDown}, "binance"))
	mf.run(t, 45*time.Second, pollStep, func() { mf.want(t, "BTCUSDT", pairs.Fresh, "") })
	votes(t, mf.want(t, "BTCUSDT", pairs.Fresh, ""), 3, map[string]pairs.Reason{"binance": pairs.Unreachable})
}
