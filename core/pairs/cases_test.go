package pairs_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"causeway/core"
	"causeway/core/pairs"
)

// panel opens one market with so many books of a class, a quorum of two, and a listing of it.
func panel(t tb, market, class string, n int) *fixture {
	t.Helper()
	s := open(t, panelConfig(market, class, n))
	for i := range n {
		s.venues[venueName(i)].set(market, "100")
	}
	return s
}

func venueName(i int) string { return string(rune('a' + i)) }

func panelConfig(market, class string, n int) pairs.Config {
	cfg := config()
	of := pair(market)
	for _, code := range []string{of.Base, of.Counter} {
		if !slices.ContainsFunc(cfg.Currencies, func(c core.Currency) bool { return c.Code == code }) {
			cfg.Currencies = append(cfg.Currencies, core.Currency{Code: code, Name: code, Type: core.Crypto, Decimals: 8})
		}
	}
	cfg.MarketClasses = append(cfg.MarketClasses, core.MarketClass{
		Name: "stablecoin", MaxAge: 30 * time.Second, MaxSpread: dec("0.01"), Quorum: 1, Band: dec("0.005"), Jump: dec("0.01"), Stall: 40 * time.Second, Depeg: dec("0.05"),
	})
	m := core.Market{Pair: of, Class: class, Quorum: min(n, 2)}
	for i := range n {
		m.Sources = append(m.Sources, venueName(i))
	}
	cfg.Markets = []core.Market{m}
	cfg.Listings = []core.Listing{{Pair: of, Class: "crypto"}}
	return cfg
}

// say sets what every venue quotes, in the order of their names; an empty text leaves one as it is.
func (s *fixture) say(market string, prices ...string) {
	for i, p := range prices {
		if p != "" {
			s.venues[venueName(i)].set(market, p)
		}
	}
}

// excluded returns why the sources of a pair's first leg have no vote.
func (s *fixture) excluded(t tb, id string) map[string]pairs.Reason {
	t.Helper()
	out := map[string]pairs.Reason{}
	for _, x := range s.quote(t, id).Legs[0].Rate.Excluded {
		out[x.Source] = x.Reason
	}
	return out
}

// want checks the state of a pair.
func (s *fixture) want(t tb, id string, status pairs.Status, reason pairs.Reason) *pairs.Quote {
	t.Helper()
	q := s.quote(t, id)
	if q.Status != status || q.Reason != reason {
		t.Errorf("%s: %s is %s %q, want %s %q", s.clock.Now().Sub(noon), id, q.Status, q.Reason, status, reason)
	}
	if q.BuySupported != (q.Status != pairs.Halted) || q.SellSupported != q.BuySupported {
		t.Errorf("%s is %s, and tradable %t and %t", id, q.Status, q.BuySupported, q.SellSupported)
	}
	return q
}

// TestCases is the table of prices.md, section 8.
func TestCases(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]func(*testing.T){
		"DAI at 1.30 on one of 4":                caseDAI,
		"one of 3 is x 1000 (unit error)":        caseUnits,
		"USDe 0.65 on one of 3":                  caseUSDe,
		"2 of 4 at +30 %":                        caseTwoOfFour,
		"2 venues 8 % apart":                     caseTwoApart,
		"all 400 s old":                          caseOld,
		"real -25 % everywhere":                  caseCrash,
		"lies are rejected at the door":          caseLies,
		"a feed pauses with its last value":      casePause,
		"luna-2022":                              caseLuna,
		"one source down, or answering 429":      caseOutage,
		"all gone: stale, then halted, listed":   caseGone,
		"below the quorum: degraded for 60 s":    caseQuorum,
		"one unconfirmed jump is held 30 s":      caseJump,
		"a jump back within the hold is no news": caseJumpBack,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(t)
		})
	}
}

func caseDAI(t *testing.T) {
	s := panel(t, "DAI/USD", "stablecoin", 4)
	s.say("DAI/USD", "1", "1.0002", "0.9999", "1.0001")
	s.Tick(t.Context())
	s.say("DAI/USD", "", "", "", "1.30")
	s.step(t, 10*time.Second)
	q := s.want(t, "DAIUSD", pairs.Fresh, "")
	if r := q.Legs[0].Rate; len(r.Used) != 3 || s.excluded(t, "DAIUSD")["d"] != pairs.Outlier {
		t.Errorf("used %d, excluded %v", len(r.Used), r.Excluded)
	}
	same(t, "mid", q.Mid, "1")
}

func caseUnits(t *testing.T) {
	s := panel(t, "BTC/USD", "major", 3)
	s.say("BTC/USD", "100", "100.1", "100000")
	s.Tick(t.Context())
	q := s.want(t, "BTCUSD", pairs.Fresh, "")
	same(t, "mid", q.Mid, "100.05")
	if s.excluded(t, "BTCUSD")["c"] != pairs.Outlier {
		t.Errorf("excluded %v", q.Legs[0].Rate.Excluded)
	}
}

func caseUSDe(t *testing.T) {
	s := panel(t, "USDE/USD", "stablecoin", 3)
	s.say("USDE/USD", "1", "0.65", "0.9995")
	s.Tick(t.Context())
	q := s.want(t, "USDEUSD", pairs.Fresh, "")
	same(t, "mid", q.Mid, "0.99975")
}

func caseTwoOfFour(t *testing.T) {
	s := panel(t, "BTC/USD", "major", 4)
	s.Tick(t.Context())
	good := *s.quote(t, "BTCUSD")
	s.say("BTC/USD", "", "", "130", "130")
	for range 60 { // and it does not heal by waiting: those who stand still are no liars
		s.step(t, 2*time.Second)
		q := s.want(t, "BTCUSD", pairs.Halted, pairs.Disputed)
		if !q.Buy.Equal(good.Buy) || len(s.excluded(t, "BTCUSD")) != 4 {
			t.Fatalf("shown at %s, excluded %v", q.Buy, q.Legs[0].Rate.Excluded)
		}
	}
	s.say("BTC/USD", "", "", "100", "100")
	s.step(t, 2*time.Second)
	s.step(t, 2*time.Second)
	s.want(t, "BTCUSD", pairs.Halted, pairs.Disputed)
	s.step(t, 2*time.Second) // the third sample near the median
	s.want(t, "BTCUSD", pairs.Fresh, "")
}

func caseTwoApart(t *testing.T) {
	s := panel(t, "BTC/USD", "major", 2)
	s.Tick(t.Context())
	s.say("BTC/USD", "", "108")
	s.step(t, 2*time.Second)
	same(t, "shown", s.want(t, "BTCUSD", pairs.Halted, pairs.Disputed).Mid, "100")
	fresh := panel(t, "BTC/USD", "major", 2)
	fresh.say("BTC/USD", "100", "108")
	fresh.Tick(t.Context())
	if got := fresh.Snapshot(); got != nil {
		t.Errorf("a price was made of a dispute: %v", got.Quotes)
	}
}

func caseOld(t *testing.T) {
	s := panel(t, "BTC/USD", "major", 3)
	s.Tick(t.Context())
	good := *s.quote(t, "BTCUSD")
	for _, v := range s.venues {
		v.lag = 400 * time.Second
	}
	s.step(t, 400*time.Second)
	q := s.want(t, "BTCUSD", pairs.Halted, pairs.Expired)
	if !q.Buy.Equal(good.Buy) || s.Sources()[0].Rejected[pairs.Old] != 1 && s.excluded(t, "BTCUSD")["a"] != pairs.Old {
		t.Errorf("shown at %s, excluded %v", q.Buy, q.Legs[0].Rate.Excluded)
	}
}

func caseCrash(t *testing.T) {
	s := panel(t, "BTC/USD", "major", 3)
	s.Tick(t.Context())
	s.say("BTC/USD", "75", "75.1", "74.9")
	s.step(t, 2*time.Second)
	q := s.want(t, "BTCUSD", pairs.Fresh, "")
	same(t, "mid", q.Mid, "75")
	if !q.Legs[0].Rate.Jumped {
		t.Error("the jump is not marked as confirmed")
	}
}

func caseLies(t *testing.T) {
	s := panel(t, "BTC/USD", "major", 4)
	s.Tick(t.Context())
	s.say("BTC/USD", "0", "-1")
	s.venues["c"].set("BTC/USD", "101", "100")
	s.step(t, 2*time.Second)
	for name, want := range map[string]pairs.Reason{"a": pairs.NotPositive, "b": pairs.NotPositive, "c": pairs.Inverted} {
		i := slices.IndexFunc(s.Sources(), func(x pairs.SourceState) bool { return x.Name == name })
		if got := s.Sources()[i].Rejected; got[want] != 1 {
			t.Errorf("%s: counted %v, want one %s", name, got, want)
		}
	}
	same(t, "mid", s.want(t, "BTCUSD", pairs.Fresh, "").Mid, "100")

	s.say("BTC/USD", "100", "100", "0.01") // the pair the other way round: a price, and not of this pair
	s.venues["a"].lag = -time.Hour
	s.venues["b"].lag = time.Duration(noon.Unix()/1000*999) * time.Second // seconds taken for milliseconds
	s.step(t, 10*time.Second)
	want := map[string]pairs.Reason{"a": pairs.Future, "b": pairs.Old, "c": pairs.Outlier}
	for name, reason := range want {
		if i := slices.IndexFunc(s.Sources(), func(x pairs.SourceState) bool { return x.Name == name }); reason != pairs.Outlier && s.Sources()[i].Rejected[reason] != 1 {
			t.Errorf("%s: counted %v, want one %s", name, s.Sources()[i].Rejected, reason)
		}
	}
	if got := s.excluded(t, "BTCUSD"); got["a"] != pairs.Future || got["b"] != pairs.Old || got["c"] != pairs.Outlier {
		t.Errorf("excluded %v", got)
	}
	same(t, "mid", s.want(t, "BTCUSD", pairs.Stale, pairs.Aging).Mid, "100") // the vote that completes the quorum is old
}

func casePause(t *testing.T) {
	s := panel(t, "BTC/USD", "major", 3)
	s.Tick(t.Context())
	for i := range 30 { // a minute; the others drift by 0.3 %
		p := fmt.Sprintf("100.%02d", i+1)
		s.say("BTC/USD", p, p)
		s.step(t, 2*time.Second)
		want := pairs.Reason("")
		if i >= 25 {
			want = pairs.Stalled
		}
		if got := s.excluded(t, "BTCUSD")["c"]; got != want && (i < 19 || i >= 25) { // a snapshot may be 10 s old
			t.Fatalf("after %d s: c is %q, want %q", 2*(i+1), got, want)
		}
		s.want(t, "BTCUSD", pairs.Fresh, "")
	}
	s.say("BTC/USD", "", "", "100.3")
	s.step(t, 10*time.Second)
	if len(s.excluded(t, "BTCUSD")) != 0 {
		t.Errorf("it moves again, and is excluded: %v", s.excluded(t, "BTCUSD"))
	}
}

func caseLuna(t *testing.T) {
	s := panel(t, "LUNA/USD", "street", 3)
	s.Tick(t.Context())
	price := 100_000_000
	fall := func(steps, percent int, venues ...int) {
		for range steps {
			price -= price * percent / 100
			for _, v := range venues {
				s.venues[venueName(v)].set("LUNA/USD", fmt.Sprintf("0.%09d", price))
			}
			s.step(t, 2*time.Second)
		}
	}
	s.say("LUNA/USD", "0.1", "0.1", "0.1")
	s.step(t, time.Hour)
	fall(90, 5, 0, 1, 2) // down 99 % in three minutes
	q := s.want(t, "LUNAUSD", pairs.Fresh, "")
	same(t, "followed down", q.Mid, fmt.Sprintf("0.%09d", price))
	if !q.Mid.LessThan(dec("0.001")) {
		t.Fatalf("it fell to %s only", q.Mid)
	}
	fall(25, 1, 0, 1)
	s.want(t, "LUNAUSD", pairs.Fresh, "")
	if got := s.excluded(t, "LUNAUSD"); got["c"] != pairs.Stalled || len(got) != 1 {
		t.Errorf("the first pause: excluded %v", got)
	}
	fall(1, 1, 0)
	for range 22 { // slowly: within the band of the one that stands still
		price -= price / 1000
		s.venues["a"].set("LUNA/USD", fmt.Sprintf("0.%09d", price))
		s.step(t, 2*time.Second)
	}
	if got := s.excluded(t, "LUNAUSD"); got["b"] != pairs.Stalled || got["c"] != pairs.Stalled {
		t.Errorf("the second pause: excluded %v", got)
	}
	s.want(t, "LUNAUSD", pairs.Stale, pairs.Degraded)
	fall(35, 1, 0)
	s.want(t, "LUNAUSD", pairs.Halted, pairs.NoQuorum)
}

func caseOutage(t *testing.T) {
	s := panel(t, "BTC/USD", "major", 3)
	s.Tick(t.Context())
	s.venues["b"].fail(outage.Retry(time.Minute))
	for range 40 {
		s.step(t, 2*time.Second)
		s.want(t, "BTCUSD", pairs.Fresh, "")
	}
	if got := s.excluded(t, "BTCUSD"); got["b"] != pairs.Unreachable || len(got) != 1 {
		t.Errorf("excluded %v", got)
	}
}

func caseGone(t *testing.T) {
	s := panel(t, "BTC/USD", "major", 3)
	s.Tick(t.Context())
	for _, v := range s.venues {
		v.fail(outage)
	}
	for range 50 {
		s.step(t, 2*time.Second)
		q, age := s.quote(t, "BTCUSD"), s.clock.Now().Sub(noon)
		want := pairs.Fresh
		switch {
		case age > time.Minute:
			want = pairs.Halted
		case age > 10*time.Second:
			want = pairs.Stale
		}
		if q.Status != want {
			t.Fatalf("at an age of %s it is %s, want %s", age, q.Status, want)
		}
	}
}

func caseQuorum(t *testing.T) {
	s := panel(t, "BTC/USD", "major", 2)
	s.Tick(t.Context())
	s.venues["b"].fail(outage)
	s.step(t, 32*time.Second) // its last vote is gone, and with it the quorum
	for range 30 {
		q := s.want(t, "BTCUSD", pairs.Stale, pairs.Degraded)
		same(t, "margin", q.BuyMargin, "0.045")
		s.step(t, 2*time.Second)
	}
	s.want(t, "BTCUSD", pairs.Stale, pairs.Degraded) // 60 s: the last instant
	s.step(t, 2*time.Second)
	s.want(t, "BTCUSD", pairs.Halted, pairs.NoQuorum)
	s.venues["b"].fail(nil)
	s.step(t, 2*time.Minute)
	s.want(t, "BTCUSD", pairs.Fresh, "")
}

func caseJump(t *testing.T) {
	s := panel(t, "BTC/USD", "major", 4)
	s.Tick(t.Context())
	s.venues["c"].fail(outage)
	s.venues["d"].fail(outage)
	s.step(t, 32*time.Second) // two of four are left: a quorum, and too few to confirm a jump
	s.say("BTC/USD", "90", "90")
	for range 15 {
		s.step(t, 2*time.Second)
		same(t, "held", s.want(t, "BTCUSD", pairs.Stale, pairs.Jump).Mid, "100")
	}
	s.step(t, 2*time.Second)
	s.step(t, 2*time.Second) // 30 s are over, and the quorum stands by it
	same(t, "accepted", s.want(t, "BTCUSD", pairs.Fresh, "").Mid, "90")

	alone := panel(t, "BTC/USD", "major", 4)
	alone.Tick(t.Context())
	for _, name := range []string{"b", "c", "d"} {
		alone.venues[name].fail(outage)
	}
	alone.step(t, 30*time.Second)
	alone.step(t, 2*time.Second)
	alone.say("BTC/USD", "90")
	alone.step(t, 2*time.Second)
	alone.want(t, "BTCUSD", pairs.Halted, pairs.NoQuorum)
	for range 60 {
		alone.step(t, 2*time.Second)
	}
	same(t, "never accepted", alone.want(t, "BTCUSD", pairs.Halted, pairs.NoQuorum).Mid, "100")
}

func caseJumpBack(t *testing.T) {
	s := panel(t, "BTC/USD", "major", 4)
	s.Tick(t.Context())
	s.venues["c"].fail(outage)
	s.venues["d"].fail(outage)
	s.step(t, 32*time.Second)
	s.say("BTC/USD", "106", "106")
	s.step(t, 2*time.Second)
	s.want(t, "BTCUSD", pairs.Stale, pairs.Jump)
	s.say("BTC/USD", "104", "104")
	s.step(t, 2*time.Second)
	same(t, "within the limit", s.want(t, "BTCUSD", pairs.Fresh, "").Mid, "104")
}
