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

// TestCasesEndToEnd is the table of prices.md, section 8, over the wire of the simulated venues, through the production adapters.
//
// Where a market of the table is not listed, one of the same class stands in: USDC/USDT (four venues) for DAI and USDe, TRX/USDT (three) for
// LUNA.
func TestCasesEndToEnd(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]func(*testing.T, *theatre){
		"DAI at 1.30 on one of 4":              caseDAI,
		"one of 3 is x 1000 (unit error)":      caseUnits,
		"USDe 0.65 on one of 3":                caseUSDe,
		"2 of 4 at +30 %":                      caseTwoOfFour,
		"2 venues 8 % apart":                   caseTwoApart,
		"all 400 s old":                        caseOld,
		"real -25 % everywhere":                caseCrash,
		"lies are rejected at the door":        caseLies,
		"a feed pauses but answers":            casePause,
		"luna-2022":                            caseLuna,
		"one source is down":                   caseDown,
		"one source answers 429":               caseThrottled,
		"a pin is meant: it is taken at once":  casePin,
		"a market that is gone for good":       caseDelisted,
		"a venue that is down by its own word": caseVenueDown,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				th := stage(t, "causeway", "BTC", "ETH", "TRX", "USDT", "USDC", "USD", "EUR", "GBP", "NGN")
				th.run(t, 20*time.Second, beat, nil)
				test(t, th)
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

// votes checks who made the price and who did not, and that it is within 1 % of each vote.
func votes(t *testing.T, q *pairs.Quote, used int, out map[string]pairs.Reason) {
	t.Helper()
	if got := excluded(q); len(q.Legs[0].Rate.Used) != used || !maps.Equal(got, out) {
		t.Errorf("%s is made of %d votes, excluded are %v; want %d and %v", q.ID, len(q.Legs[0].Rate.Used), got, used, out)
	}
	for _, v := range q.Legs[0].Rate.Used {
		near(t, q.ID+" and "+v.Source, q.Mid, v.Mid, "0.01")
	}
}

func caseDAI(t *testing.T, th *theatre) {
	th.set(t, "USDC/USDT", venuesWith(simulator.VenueSetting{OffsetBPS: 3000}, "okx"))
	th.run(t, 6*time.Second, beat, nil)
	th.run(t, 60*time.Second, beat, func() {
		votes(t, th.want(t, "USDCUSDT", pairs.Fresh, ""), 3, map[string]pairs.Reason{"okx": pairs.Outlier})
	})
}

func caseUnits(t *testing.T, th *theatre) {
	before := *th.Snapshot().Quote("TRXUSDT")
	th.befall(t, "okx", simulator.Effect{Kind: simulator.FaultTimes1000})
	th.run(t, 6*time.Second, beat, nil)
	th.run(t, 60*time.Second, beat, func() {
		q := th.want(t, "TRXUSDT", pairs.Fresh, "")
		votes(t, q, 2, map[string]pairs.Reason{"okx": pairs.Outlier})
		near(t, "TRXUSDT", q.Mid, before.Mid, "0.01")
	})
}

func caseUSDe(t *testing.T, th *theatre) {
	three := venuesWith(simulator.VenueSetting{State: simulator.VenueAbsent}, "bybit")
	th.set(t, "USDC/USDT", three)
	th.run(t, 35*time.Second, beat, nil) // its last vote is gone
	votes(t, th.want(t, "USDCUSDT", pairs.Fresh, ""), 3, map[string]pairs.Reason{"bybit": pairs.Absent})
	three.Venues["binance"] = simulator.VenueSetting{OffsetBPS: -3500}
	th.set(t, "USDC/USDT", three)
	th.run(t, 6*time.Second, beat, nil)
	th.run(t, 60*time.Second, beat, func() {
		votes(t, th.want(t, "USDCUSDT", pairs.Fresh, ""), 2, map[string]pairs.Reason{"binance": pairs.Outlier, "bybit": pairs.Absent})
	})
}

func caseTwoOfFour(t *testing.T, th *theatre) {
	before := *th.Snapshot().Quote("BTCUSDT")
	th.set(t, "BTC/USDT", venuesWith(simulator.VenueSetting{OffsetBPS: 3000}, "binance", "okx"))
	th.run(t, 8*time.Second, beat, nil)
	th.run(t, 120*time.Second, beat, func() {
		q := th.want(t, "BTCUSDT", pairs.Halted, pairs.Disputed)
		near(t, "BTCUSDT", q.Mid, before.Mid, "0.01")
		if got := excluded(q); len(got) != 4 || got["kraken"] != pairs.Outlier {
			t.Errorf("excluded %v", got)
		}
	})
	th.lift(t, "BTC/USDT")
	th.run(t, 20*time.Second, beat, nil)
	votes(t, th.want(t, "BTCUSDT", pairs.Fresh, ""), 4, nil)
}

func caseTwoApart(t *testing.T, th *theatre) {
	before := *th.Snapshot().Quote("USDTNGN")
	th.set(t, "USDT/NGN", venuesWith(simulator.VenueSetting{OffsetBPS: 800}, "quidax"))
	th.run(t, 12*time.Second, beat, nil)
	th.run(t, 60*time.Second, beat, func() {
		q := th.want(t, "USDTNGN", pairs.Halted, pairs.Disputed)
		near(t, "USDTNGN", q.Mid, before.Mid, "0.01")
		if got := excluded(q); len(got) != 2 {
			t.Errorf("excluded %v", got)
		}
	})
}

func caseOld(t *testing.T, th *theatre) {
	before := *th.Snapshot().Quote("BTCUSDT")
	stale := simulator.Effect{Kind: simulator.FaultStaleTimestamp, By: simulator.Duration(400 * time.Second)}
	for _, name := range []string{"okx", "bybit", "quidax", "coingecko"} {
		th.befall(t, name, stale)
	}
	for _, name := range []string{"kraken", "binance", "coinbase", "busha"} { // they tell no times: what they told last grows old
		th.befall(t, name, simulator.Effect{Kind: simulator.FaultHang})
	}
	th.run(t, 400*time.Second, beat, nil)
	q := th.want(t, "BTCUSDT", pairs.Halted, pairs.Expired)
	near(t, "BTCUSDT", q.Mid, before.Mid, "0.001")
	if age := th.world.Now().Sub(q.Legs[0].Rate.AsOf); age < 400*time.Second {
		t.Errorf("its newest vote is %s old", age)
	}
	if got := excluded(q); got["okx"] != pairs.Old || got["bybit"] != pairs.Old || got["kraken"] != pairs.Unreachable {
		t.Errorf("excluded %v", got)
	}
	if n := th.source(t, "okx").Rejected[pairs.Old]; n < 100 {
		t.Errorf("okx: %d observations are counted as old", n)
	}
}

func caseCrash(t *testing.T, th *theatre) {
	before := *th.Snapshot().Quote("BTCUSDT")
	th.set(t, "BTC/USDT", simulator.Setting{JumpBPS: -2500})
	jumped := false
	th.run(t, 4*time.Second, beat, func() {
		q := th.want(t, "BTCUSDT", pairs.Fresh, "")
		jumped = jumped || q.Legs[0].Rate.Jumped
	})
	q := th.want(t, "BTCUSDT", pairs.Fresh, "")
	near(t, "BTCUSDT", q.Mid.Div(before.Mid), dec("0.75"), "0.01")
	votes(t, q, 4, nil)
	if !jumped {
		t.Error("the jump is not marked as confirmed")
	}
	for _, id := range []string{"BTCUSD", "BTCEUR", "BTCGBP", "BTCNGN"} { // it fell everywhere
		th.run(t, 5*time.Second, beat, nil)
		if q := th.Snapshot().Quote(id); q.Status == pairs.Halted {
			t.Errorf("%s is %s %q", id, q.Status, q.Reason)
		}
	}
}

// caseLies is the row about what is rejected at the door; see also TestNoLieOfAnySourceReachesAPrice.
func caseLies(t *testing.T, th *theatre) {
	for _, test := range []struct {
		effect simulator.Effect
		want   pairs.Reason
	}{
		{simulator.Effect{Kind: simulator.FaultInverted}, pairs.Inverted},
		{simulator.Effect{Kind: simulator.FaultZero}, pairs.Absent}, // at a venue, a side of nothing is an empty book
		{simulator.Effect{Kind: simulator.FaultNegative}, pairs.NotPositive},
		{simulator.Effect{Kind: simulator.FaultCommaDecimal}, pairs.Absent}, // it is no number
		{simulator.Effect{Kind: simulator.FaultSecondsForMillis}, pairs.Old},
		{simulator.Effect{Kind: simulator.FaultFutureTimestamp}, pairs.Future},
	} {
		end := th.befall(t, "okx", test.effect)
		counted := th.source(t, "okx").Rejected[test.want]
		th.run(t, 42*time.Second, beat, func() { th.want(t, "BTCUSDT", pairs.Fresh, "") })
		votes(t, th.want(t, "BTCUSDT", pairs.Fresh, ""), 3, map[string]pairs.Reason{"okx": test.want})
		if n := th.source(t, "okx").Rejected[test.want] - counted; n < 10 {
			t.Errorf("%s: %d are counted as %s", test.effect.Kind, n, test.want)
		}
		end()
		th.run(t, 8*time.Second, beat, nil)
		votes(t, th.want(t, "BTCUSDT", pairs.Fresh, ""), 4, nil)
	}
}

func casePause(t *testing.T, th *theatre) {
	drift := int64(30)
	paused := venuesWith(simulator.VenueSetting{State: simulator.VenuePaused}, "kraken")
	paused.Drift = &drift
	th.set(t, "BTC/USDT", paused)
	th.run(t, 70*time.Second, beat, func() { th.want(t, "BTCUSDT", pairs.Fresh, "") })
	votes(t, th.want(t, "BTCUSDT", pairs.Fresh, ""), 3, map[string]pairs.Reason{"kraken": pairs.Stalled})
	th.set(t, "BTC/USDT", simulator.Setting{Drift: &drift})
	th.run(t, 10*time.Second, beat, nil)
	votes(t, th.want(t, "BTCUSDT", pairs.Fresh, ""), 4, nil)
}

func caseLuna(t *testing.T, th *theatre) { th.play(t, "luna-2022", nil) }

func caseDown(t *testing.T, th *theatre) {
	for _, e := range []simulator.Effect{
		{Kind: simulator.FaultRefuse}, {Kind: simulator.FaultReset}, {Kind: simulator.FaultHang}, {Kind: simulator.FaultStatus, Status: 500}, {Kind: simulator.FaultHTML},
	} {
		end := th.befall(t, "bybit", e)
		th.run(t, 45*time.Second, beat, func() { th.want(t, "BTCUSDT", pairs.Fresh, "") })
		votes(t, th.want(t, "BTCUSDT", pairs.Fresh, ""), 3, map[string]pairs.Reason{"bybit": pairs.Unreachable})
		end()
		for range 90 {
			if len(excluded(th.Snapshot().Quote("BTCUSDT"))) == 0 {
				break
			}
			th.run(t, beat, beat, nil)
		}
		votes(t, th.want(t, "BTCUSDT", pairs.Fresh, ""), 4, nil)
	}
}

func caseThrottled(t *testing.T, th *theatre) {
	th.befall(t, "okx", simulator.Effect{Kind: simulator.FaultStatus, Status: 429, RetryAfter: simulator.Duration(20 * time.Second)})
	polls := th.source(t, "okx").Polls
	th.run(t, 100*time.Second, beat, func() { th.want(t, "BTCUSDT", pairs.Fresh, "") })
	votes(t, th.want(t, "BTCUSDT", pairs.Fresh, ""), 3, map[string]pairs.Reason{"okx": pairs.Unreachable})
	if s := th.source(t, "okx"); s.LastError != core.Unavailable || s.Polls-polls > 6 {
		t.Errorf("okx was asked %d times, although it asked for pauses of 20 s", s.Polls-polls)
	}
}

func casePin(t *testing.T, th *theatre) {
	th.set(t, "BTC/USDT", simulator.Setting{Pin: "99999.5"})
	th.run(t, 4*time.Second, beat, nil)
	near(t, "BTCUSDT", th.want(t, "BTCUSDT", pairs.Fresh, "").Mid, dec("99999.5"), "0.001")
	th.run(t, 60*time.Second, beat, func() {
		near(t, "BTCUSDT", th.want(t, "BTCUSDT", pairs.Fresh, "").Mid, dec("99999.5"), "0.001")
	})
	near(t, "BTCNGN", th.Snapshot().Quote("BTCNGN").Mid, dec("99999.5").Mul(th.Snapshot().Quote("USDTNGN").Mid), "0.02")
	th.set(t, "USDT/NGN", simulator.Setting{Pin: "1450.50"})
	th.run(t, 10*time.Second, beat, nil)
	near(t, "USDTNGN", th.want(t, "USDTNGN", pairs.Fresh, "").Mid, dec("1450.50"), "0.005")
}

func caseDelisted(t *testing.T, th *theatre) {
	for _, name := range []string{"binance", "bybit", "kraken", "okx"} {
		th.set(t, "BTC/USDT", venuesWith(simulator.VenueSetting{State: simulator.VenueAbsent}, name))
		th.run(t, 40*time.Second, beat, func() { th.want(t, "BTCUSDT", pairs.Fresh, "") })
		votes(t, th.want(t, "BTCUSDT", pairs.Fresh, ""), 3, map[string]pairs.Reason{name: pairs.Absent})
		votes(t, th.want(t, "ETHUSDT", pairs.Fresh, ""), 4, nil) // one symbol costs no other
	}
}

func caseVenueDown(t *testing.T, th *theatre) {
	th.set(t, "BTC/USDT", venuesWith(simulator.VenueSetting{State: simulator.VenueDown}, "binance"))
	th.run(t, 45*time.Second, beat, func() { th.want(t, "BTCUSDT", pairs.Fresh, "") })
	votes(t, th.want(t, "BTCUSDT", pairs.Fresh, ""), 3, map[string]pairs.Reason{"binance": pairs.Unreachable})
}
