package pairs_test

import (
	"testing"
	"time"

	"causeway/core"
	"causeway/core/pairs"
)

// crossed is BTC/USD of two venues, with BTC/USDT × USDT/USD to fall back on.
func crossed(t tb) *fixture {
	cfg := config()
	cfg.Markets = []core.Market{
		{Pair: pair("BTC/USD"), Class: "street", Sources: []string{"alpha", "beta"}, Quorum: 2},
		{Pair: pair("BTC/USDT"), Class: "major", Sources: []string{"gamma"}},
		{Pair: pair("USDT/USD"), Class: "stablecoin", Sources: []string{"delta"}, Peg: dec("1")},
	}
	cfg.MarketClasses[4].Jump, cfg.MarketClasses[4].Stall = dec("0"), 0
	cfg.Listings = []core.Listing{
		{Pair: pair("BTC/USD"), Via: "USDT", Direct: true, Class: "crypto"}, {Pair: pair("BTC/USDT"), Class: "crypto"},
	}
	s := open(t, cfg)
	s.market, s.id = "BTC/USD", "BTCUSD"
	for _, v := range s.venues {
		v.set("BTC/USD", "100000")
		v.set("BTC/USDT", "102000")
		v.set("USDT/USD", "1")
	}
	s.Tick(t.Context())
	return s
}

func TestRoute_BestStatus(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		happens func(*fixture)
		mid     string
		status  pairs.Status
		reason  pairs.Reason
	}{
		"nothing":                             {func(*fixture) {}, "100000", pairs.Fresh, ""},
		"the direct one is too uncertain":     {func(s *fixture) { s.venues["alpha"].set("BTC/USD", "97500"); s.venues["beta"].set("BTC/USD", "102500") }, "102000", pairs.Fresh, ""},
		"the direct one is disputed":          {func(s *fixture) { s.venues["alpha"].set("BTC/USD", "80000") }, "102000", pairs.Fresh, ""},
		"both are below their quorum":         {func(s *fixture) { s.venues["alpha"].fail(outage); s.venues["gamma"].fail(outage) }, "100000", pairs.Stale, pairs.Degraded},
		"the coin in the middle is depegged":  {func(s *fixture) { s.venues["delta"].set("USDT/USD", "0.9") }, "100000", pairs.Halted, pairs.Disputed}, // the routes contradict each other
		"disputed, and by way of a lost coin": {func(s *fixture) { s.venues["delta"].set("USDT/USD", "0.9"); s.venues["alpha"].set("BTC/USD", "80000") }, "91800", pairs.Halted, pairs.Depegged},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := crossed(t)
			test.happens(s)
			for range 61 {
				s.step(t, 2*time.Second)
			}
			same(t, "mid", s.want(t, "BTCUSD", test.status, test.reason).Mid, test.mid)
		})
	}
}

// TestRoute_OverTime lets markets age: the votes of the direct one live for two minutes.
func TestRoute_OverTime(t *testing.T) {
	t.Parallel()
	type moment struct {
		after  time.Duration
		mid    string
		status pairs.Status
		reason pairs.Reason
	}
	for name, test := range map[string]struct {
		silent []string // from noon on
		late   []string // from half a minute on
		want   []moment
	}{
		"the direct market is silent": {[]string{"alpha", "beta"}, nil, []moment{
			{10 * time.Second, "100000", pairs.Fresh, ""},
			{12 * time.Second, "102000", pairs.Fresh, ""},
			{90 * time.Second, "102000", pairs.Fresh, ""},
			{200 * time.Second, "102000", pairs.Fresh, ""},
		}},
		"both are as old": {[]string{"alpha", "beta", "gamma", "delta"}, nil, []moment{
			{10 * time.Second, "100000", pairs.Fresh, ""},
			{12 * time.Second, "100000", pairs.Stale, pairs.Aging},
			{30 * time.Second, "100000", pairs.Stale, pairs.Aging},
			{62 * time.Second, "100000", pairs.Halted, pairs.Expired},
		}},
		"the cross is older": {[]string{"gamma", "delta"}, []string{"alpha", "beta"}, []moment{
			{30 * time.Second, "100000", pairs.Fresh, ""},
			{44 * time.Second, "100000", pairs.Stale, pairs.Aging},
			{88 * time.Second, "100000", pairs.Stale, pairs.Aging},
			{94 * time.Second, "100000", pairs.Halted, pairs.Expired},
		}},
		"the cross takes over, and one of its legs falls silent": {[]string{"alpha", "beta"}, []string{"gamma"}, []moment{
			{30 * time.Second, "102000", pairs.Fresh, ""},
			{38 * time.Second, "102000", pairs.Fresh, ""},
			{46 * time.Second, "100000", pairs.Stale, pairs.Aging}, // both are stale: the preferred one
			{64 * time.Second, "102000", pairs.Stale, pairs.Degraded},
			{94 * time.Second, "102000", pairs.Halted, pairs.Expired},
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := crossed(t)
			fail := func(names []string) {
				for _, name := range names {
					s.venues[name].fail(outage)
				}
			}
			fail(test.silent)
			for _, at := range test.want {
				for s.clock.Now().Before(noon.Add(at.after)) {
					if s.step(t, 2*time.Second); s.clock.Now().Equal(noon.Add(30 * time.Second)) {
						fail(test.late)
					}
				}
				same(t, at.after.String(), s.want(t, "BTCUSD", at.status, at.reason).Mid, at.mid)
			}
		})
	}
}

// TestRoute_Order loses the markets of EUR/NGN one after the other. A route with a stand-in comes
// last.
func TestRoute_Order(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		gone []string
		legs []string
		mid  string
	}{
		"all are well":               {nil, []string{"EUR/USD", "USD/NGN"}, "1875"},
		"the first way is lost":      {[]string{"alpha"}, []string{"USDT/EUR", "USDT/NGN"}, "1900"},
		"the first two are lost":     {[]string{"alpha", "beta"}, []string{"USD/EUR", "USD/NGN"}, "1898.734177"},
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
				v.set("USD/EUR", "0.79")
				v.set("USD/NGN", "1500")
				v.set("USDT/EUR", "0.75")
				v.set("USDT/NGN", "1425")
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

// TestStatus_WorstLeg lets one leg of a cross fail: the cross has the status of the leg, and
// once halted it does not follow its living leg.
func TestStatus_WorstLeg(t *testing.T) {
	t.Parallel()
	cfg := config()
	cfg.Listings = append(cfg.Listings, core.Listing{Pair: pair("USD/NGN"), Via: "USDT", Class: "tail"})
	s := start(t, cfg)
	s.venues["alpha"].fail(outage) // USDT/USD
	for range 35 {
		s.step(t, 2*time.Second)
	}
	q := s.want(t, "USDNGN", pairs.Stale, pairs.Degraded)
	if !q.UpdatedAt.Equal(noon.Add(22 * time.Second)) { // when it was published as fresh last
		t.Errorf("updated at %s", q.UpdatedAt)
	}
	s.want(t, "USDTNGN", pairs.Fresh, "")
	s.step(t, time.Minute)
	halted := *s.want(t, "USDNGN", pairs.Halted, pairs.Expired)
	s.venues["beta"].set("USDT/NGN", "2000")
	s.step(t, 20*time.Second)
	if q := s.want(t, "USDNGN", pairs.Halted, pairs.Expired); !q.Buy.Equal(halted.Buy) || !q.Mid.Equal(halted.Mid) {
		t.Errorf("shown at %s, want %s", q.Buy, halted.Buy)
	}
	same(t, "the living leg", s.quote(t, "USDTNGN").Mid, "2000")
}
