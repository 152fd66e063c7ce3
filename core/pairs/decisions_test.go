package pairs_test

import (
	"slices"
	"testing"
	"time"

	"causeway/core"
	"causeway/core/pairs"
)

// acknowledge must succeed.
func (s *fixture) acknowledge(t tb, what string) {
	t.Helper()
	if err := s.Acknowledge(what); err != nil {
		t.Fatal(err)
	}
}

func pegged(t tb) *fixture {
	cfg := panelConfig("USDT/USD", "stablecoin", 3)
	cfg.Markets[0].Peg = dec("1")
	cfg.Markets = append(cfg.Markets, core.Market{Pair: pair("USD/NGN"), Class: "official", Sources: []string{"bank"}})
	cfg.Listings = append(cfg.Listings, core.Listing{Pair: pair("USDT/NGN"), Via: "USD", Class: "crypto"},
		core.Listing{Pair: pair("USD/NGN"), Class: "fiat"})
	s := openPanel(t, cfg)
	s.venues["bank"].set("USD/NGN", "1500")
	return s
}

func TestPeg(t *testing.T) {
	t.Parallel()
	s := pegged(t)
	depegged := func(want ...pairs.Depeg) {
		t.Helper()
		equal := func(a, b pairs.Depeg) bool { return a.Mid.Equal(b.Mid) && a.Acknowledged == b.Acknowledged }
		if got := s.Snapshot().Depegged; !slices.EqualFunc(got, want, equal) {
			t.Errorf("depegged: %+v, want %+v", got, want)
		}
	}
	s.play(t, []step{{say: "1 1 1", want: "fresh"}, {say: "0.949 0.949 0.949", want: "halted depegged 0.949"}})
	s.want(t, "USDTNGN", pairs.Halted, pairs.Depegged)
	s.want(t, "USDNGN", pairs.Fresh, "")
	s.play(t, []step{{say: "0.94 0.94 0.94", want: "halted depegged 0.94"}})
	depegged(pairs.Depeg{Mid: dec("0.94")})
	if err := s.Acknowledge("BTC"); core.CodeOf(err) != core.NotFound {
		t.Errorf("BTC has no peg: %v", err)
	}
	s.acknowledge(t, "USDT")
	s.play(t, []step{{want: "fresh"}})
	depegged(pairs.Depeg{Mid: dec("0.94"), Acknowledged: true})
	s.acknowledge(t, "USDT") // again
	s.play(t, []step{
		{say: "0.97 0.97 0.97", want: "fresh"}, // not yet within half the limit
		{say: "0.94 0.94 0.94", want: "fresh"},
		{say: "0.98 0.98 0.98", want: "fresh"}, // back: the acknowledgement is used up
		{say: "0.94 0.94 0.94", want: "halted depegged"},
		{say: "0.99 0.99 0.99", want: "fresh"},
	})
	depegged()
}

func TestAcknowledge_DepegHasFloorAndExpires(t *testing.T) {
	t.Parallel()
	s := pegged(t)
	s.play(t, []step{{say: "0.9 0.9 0.9", want: "halted depegged"}})
	s.acknowledge(t, "USDT")
	s.play(t, []step{
		{say: "0.88 0.88 0.88", want: "fresh"},
		{say: "0.85 0.85 0.85", want: "halted depegged"}, // 5 % below the acknowledged price
	})
	s.acknowledge(t, "USDT")
	s.play(t, []step{{want: "fresh"}, {wait: 25 * time.Hour, want: "halted depegged"}})
}

// TestPeg_AlongCross loses the market that shows what a coin is worth. The route that replaces it
// shows that the coin is off its peg.
func TestPeg_AlongCross(t *testing.T) {
	t.Parallel()
	cfg := panelConfig("USDT/USD", "stablecoin", 1)
	cfg.Markets[0].Peg = dec("1")
	cfg.Markets = append(cfg.Markets,
		core.Market{Pair: pair("USDT/EUR"), Class: "major", Sources: []string{"b"}},
		core.Market{Pair: pair("EUR/USD"), Class: "major", Sources: []string{"c"}})
	cfg.Listings = []core.Listing{{Pair: pair("USDT/USD"), Via: "EUR", Direct: true, Class: "crypto"}}
	s := openPanel(t, cfg)
	price := func(p string) {
		s.venues["b"].set("USDT/EUR", p)
		s.venues["c"].set("EUR/USD", "1")
	}
	price("1")
	s.play(t, []step{{say: "1", want: "fresh"}, {say: "down", times: 5, want: "fresh"}})
	for range 60 {
		s.step(t, 2*time.Second)
	}
	for _, acknowledged := range []bool{true, false} { // it does not last for the second time
		price("0.8")
		for range 20 {
			s.step(t, 2*time.Second)
		}
		s.expect(t, step{want: "halted depegged 0.8"})
		if acknowledged {
			s.acknowledge(t, "USDT")
			s.play(t, []step{{want: "fresh"}})
			price("1")
			s.play(t, []step{{want: "fresh"}})
		}
	}
}

func TestAcknowledge_Dispute(t *testing.T) {
	t.Parallel()
	s := panel(t, "BTC/USD", "major", 4)
	s.play(t, []step{{want: "fresh"}, {say: "- - 110 110", want: "halted disputed"}})
	if got := s.Snapshot().Held; len(got) != 1 || got[0] != pair("BTC/USD") {
		t.Errorf("waiting for the operator: %v", got)
	}
	s.acknowledge(t, "BTC/USD")
	s.play(t, []step{{want: "stale disputed"}})
	if q := s.quote(t, s.id); q.Buy.LessThan(dec("110")) || q.Sell.GreaterThan(dec("100")) {
		t.Errorf("bought at %s and sold at %s, want both sides of the dispute covered", q.Buy, q.Sell)
	}
	s.play(t, []step{{say: "- - 100 100", times: 2, want: "stale disputed"}})
	s.play(t, []step{
		{want: "fresh"},
		{say: "- - 110 110", want: "halted disputed"}, // the acknowledgement ended with the dispute
	})
}

// TestJump_LoneOfficialSource checks that the only source of a rate does not confirm its own jump.
func TestJump_LoneOfficialSource(t *testing.T) {
	t.Parallel()
	panel(t, "USD/EUR", "official", 1).play(t, []step{
		{say: "0.8", want: "fresh"},
		{say: "800", wait: time.Hour, times: 6, want: "halted jump 0.8"},
		{say: "0.85", wait: time.Hour, want: "halted jump 0.8"}, // beyond the band
		{say: "0.82", wait: time.Hour, want: "fresh 0.82"},
	})
	panel(t, "USD/EUR", "official", 2).play(t, []step{{say: "0.8 0.8", want: "fresh 0.8"}, {say: "1.2 1.2", wait: time.Hour, want: "fresh 1.2"}})
}

// TestAcknowledge_Jump accepts a devaluation. The next one is held again.
func TestAcknowledge_Jump(t *testing.T) {
	t.Parallel()
	s := panel(t, "USD/EUR", "official", 1)
	s.play(t, []step{{say: "0.8", want: "fresh"}})
	if err := s.Acknowledge("USD/EUR"); core.CodeOf(err) != core.NotFound {
		t.Errorf("before any jump: %v", err)
	}
	for _, rate := range []string{"1.2", "1.8"} {
		s.play(t, []step{{say: rate, wait: time.Hour, times: 2, want: "halted jump"}})
		s.acknowledge(t, "USD/EUR")
		s.play(t, []step{{wait: time.Second, want: "fresh " + rate}})
		if got := s.Snapshot().Held; got != nil {
			t.Errorf("still held: %v", got)
		}
	}
}
