package pairs_test

import (
	"testing"
	"time"

	"causeway/core"
	"causeway/core/pairs"
)

// TestRoute_Order prices EUR/NGN by way of USD, of USDT where USD/NGN is gone, and along the official rate of the
// euro where its book is: never before a way that needs nobody's stand-in.
func TestRoute_Order(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		gone []string
		legs []string
		mid  string
	}{
		"all are well":               {nil, []string{"EUR/USD", "USD/NGN"}, "1875"},
		"the first way is lost":      {[]string{"alpha"}, []string{"USDT/EUR", "USDT/NGN"}, "2000"},
		"the first two are lost":     {[]string{"alpha", "beta"}, []string{"USD/EUR", "USD/NGN"}, "2250"},
		"none is left but the first": {[]string{"beta", "bank"}, []string{"EUR/USD", "USD/NGN"}, "1875"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			cfg := config()
			cfg.Markets = []core.Market{
				{Pair: pair("EUR/USD"), Class: "major", Sources: []string{"alpha"}},
				{Pair: pair("USD/EUR"), Class: "official", Sources: []string{"bank"}, StandIn: true},
				{Pair: pair("USD/NGN"), Class: "street", Sources: []string{"gamma"}},
				{Pair: pair("USDT/EUR"), Class: "street", Sources: []string{"beta"}},
				{Pair: pair("USDT/NGN"), Class: "street", Sources: []string{"gamma"}},
			}
			cfg.Listings = []core.Listing{{Pair: pair("EUR/NGN"), Via: "USD", Else: "USDT", Class: "fiat"}}
			s := open(t, cfg)
			for _, v := range s.venues {
				v.set("EUR/USD", "1.25")
				v.set("USD/EUR", "0.66666666666666666667")
				v.set("USD/NGN", "1500")
				v.set("USDT/EUR", "0.75")
				v.set("USDT/NGN", "1500")
			}
			s.Tick(t.Context())
			for _, name := range test.gone {
				s.venues[name].fail(outage)
			}
			for range 100 {
				s.step(t, 2*time.Second)
			}
			q := s.want(t, "EURNGN", pairs.Fresh, "")
			if !q.Mid.Round(6).Equal(dec(test.mid)) || len(q.Legs) != 2 || q.Legs[0].Rate.Pair.String() != test.legs[0] || q.Legs[1].Rate.Pair.String() != test.legs[1] {
				t.Errorf("got %s along %s and %s, want %s along %v", q.Mid, q.Legs[0].Rate.Pair, q.Legs[1].Rate.Pair, test.mid, test.legs)
			}
		})
	}
}

// TestPeg_AlongCross: the market that shows what a coin is worth is gone, and the way that stands in for it shows the coin lost.
func TestPeg_AlongCross(t *testing.T) {
	t.Parallel()
	cfg := config()
	cfg.MarketClasses = append(cfg.MarketClasses, core.MarketClass{
		Name: "stablecoin", MaxAge: 30 * time.Second, Quorum: 1, Band: dec("0.005"), MaxSpread: dec("0.01"), Depeg: dec("0.05"),
	})
	cfg.Markets = []core.Market{
		{Pair: pair("SHIB/USD"), Class: "stablecoin", Sources: []string{"alpha"}, Peg: dec("1")}, // for once a stablecoin
		{Pair: pair("SHIB/USDT"), Class: "stablecoin", Sources: []string{"beta"}},
		{Pair: pair("USDT/USD"), Class: "stablecoin", Sources: []string{"gamma"}, Peg: dec("1")},
	}
	cfg.Listings = []core.Listing{{Pair: pair("SHIB/USD"), Via: "USDT", Direct: true, Class: "crypto"}}
	s := open(t, cfg)
	s.venues["alpha"].set("SHIB/USD", "1")
	s.venues["beta"].set("SHIB/USDT", "1")
	s.venues["gamma"].set("USDT/USD", "1")
	s.Tick(t.Context())
	pass := func() {
		for range 61 {
			s.step(t, 2*time.Second)
		}
	}
	s.venues["alpha"].fail(outage)
	pass()
	s.want(t, "SHIBUSD", pairs.Fresh, "")
	s.venues["beta"].set("SHIB/USDT", "0.8")
	pass()
	same(t, "a lost coin", s.want(t, "SHIBUSD", pairs.Halted, pairs.Depegged).Mid, "0.8")
	if err := s.Acknowledge("SHIB"); err != nil {
		t.Fatal(err)
	}
	pass()
	s.want(t, "SHIBUSD", pairs.Fresh, "")
	s.venues["beta"].set("SHIB/USDT", "1")
	pass()
	s.venues["beta"].set("SHIB/USDT", "0.8")
	pass()
	s.want(t, "SHIBUSD", pairs.Halted, pairs.Depegged) // what the operator said was about the time before
}
