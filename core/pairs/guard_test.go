package pairs_test

import (
	"context"
	"testing"
	"time"

	"causeway/core"
	"causeway/core/pairs"
)

func TestRate_OneVotePerFamily(t *testing.T) {
	t.Parallel()
	cfg := panelConfig("BTC/USD", "major", 3)
	cfg.Sources = append(cfg.Sources,
		core.Source{Name: "a", Family: "twins", Kind: core.BookSource, Interval: 2 * time.Second},
		core.Source{Name: "b", Family: "twins", Kind: core.BookSource, Interval: 2 * time.Second})
	s := open(t, cfg)
	s.say("BTC/USD", "100", "100.5", "100.2")
	s.venues["a"].lag = time.Second
	s.Tick(t.Context())
	q := s.want(t, "BTCUSD", pairs.Fresh, "")
	same(t, "mid", q.Mid, "100.35")
	if got := s.excluded(t, "BTCUSD"); len(got) != 1 || got["a"] != pairs.SameFamily {
		t.Errorf("excluded %v", got)
	}
	if used := q.Legs[0].Rate.Used; used[0].Family != "twins" || q.Legs[0].Rate.Quorum != 2 {
		t.Errorf("used %+v, quorum %d", used[0], q.Legs[0].Rate.Quorum)
	}
	s.venues["a"].lag = 0
	s.step(t, 10*time.Second) // as new as each other: the first by name speaks
	if got := s.excluded(t, "BTCUSD"); len(got) != 1 || got["b"] != pairs.SameFamily {
		t.Errorf("excluded then %v", got)
	}
	s.venues["c"].fail(outage)
	s.step(t, 40*time.Second)
	s.want(t, "BTCUSD", pairs.Stale, pairs.Degraded) // two sources, one family
}

func TestRate_LastResort(t *testing.T) {
	t.Parallel()
	cfg := panelConfig("BTC/USD", "major", 2)
	cfg.Markets[0].Quorum = 1
	cfg.Sources = append(cfg.Sources, core.Source{Name: "b", Family: "b", Kind: core.MidSource, Interval: 2 * time.Second})
	s := open(t, cfg)
	s.say("BTC/USD", "100", "100.5")
	s.Tick(t.Context())
	same(t, "mid", s.want(t, "BTCUSD", pairs.Fresh, "").Mid, "100")
	if got := s.excluded(t, "BTCUSD"); got["b"] != pairs.LastResort {
		t.Errorf("excluded %v", got)
	}
	s.venues["a"].fail(outage)
	s.step(t, 32*time.Second)
	same(t, "then", s.want(t, "BTCUSD", pairs.Fresh, "").Mid, "100.5")
}

func TestRate_Readmission(t *testing.T) {
	t.Parallel()
	s := panel(t, "BTC/USD", "major", 3)
	s.say("BTC/USD", "", "", "102")
	s.Tick(t.Context())
	for i, step := range []struct {
		price string
		want  pairs.Reason
	}{
		{"100.7", pairs.Outlier}, // within the band, not within half of it
		{"100.4", pairs.Outlier},
		{"100.4", pairs.Outlier},
		{"100.7", pairs.Outlier}, // once more from the start
		{"100.4", pairs.Outlier},
		{"100.41", pairs.Outlier},
		{"100.42", ""},
		{"100.9", ""},
		{"101.1", pairs.Outlier},
	} {
		s.say("BTC/USD", "100", "100", step.price)
		for range 1 {
			s.clock.advance(11 * time.Second) // so that every consensus is published
			s.Tick(t.Context())
		}
		if got := s.excluded(t, "BTCUSD")["c"]; got != step.want {
			t.Errorf("step %d, %s: %q, want %q", i, step.price, got, step.want)
		}
	}
}

func TestPeg_Halts(t *testing.T) {
	t.Parallel()
	cfg := panelConfig("USDT/USD", "stablecoin", 3)
	cfg.Markets[0].Peg = dec("1")
	cfg.Markets = append(cfg.Markets, core.Market{Pair: pair("USD/NGN"), Class: "official", Sources: []string{"bank"}})
	cfg.Listings = append(cfg.Listings, core.Listing{Pair: pair("USDT/NGN"), Via: "USD", Class: "crypto"}, core.Listing{Pair: pair("USD/NGN"), Class: "fiat"})
	s := open(t, cfg)
	s.venues["bank"].set("USD/NGN", "1500")
	quote := func(price string) {
		s.say("USDT/USD", price, price, price)
		s.step(t, 2*time.Second)
	}
	quote("1")
	s.want(t, "USDTUSD", pairs.Fresh, "")
	quote("0.949")
	same(t, "shown", s.want(t, "USDTUSD", pairs.Halted, pairs.Depegged).Mid, "0.949")
	s.want(t, "USDTNGN", pairs.Halted, pairs.Depegged)
	s.want(t, "USDNGN", pairs.Fresh, "")
	quote("0.94")
	q := s.want(t, "USDTUSD", pairs.Halted, pairs.Depegged)
	same(t, "followed", q.Mid, "0.94")
	if old := s.Snapshot().At.Sub(q.UpdatedAt); old < 4*time.Second {
		t.Errorf("two polls after the peg broke its price is dated %s ago", old)
	}
	depegged := func(acknowledged bool) {
		t.Helper()
		got := s.Snapshot().Depegged
		if len(got) != 1 || got[0].Market != pair("USDT/USD") || !got[0].Peg.Equal(dec("1")) || !got[0].Mid.Equal(dec("0.94")) || got[0].Acknowledged != acknowledged {
			t.Errorf("depegged: %+v, want it acknowledged: %t", got, acknowledged)
		}
	}
	depegged(false)
	if err := s.Acknowledge("BTC"); core.CodeOf(err) != core.NotFound {
		t.Errorf("BTC has no peg: %v", err)
	}
	if err := s.Acknowledge("USDT"); err != nil {
		t.Fatal(err)
	}
	s.step(t, time.Second)
	s.want(t, "USDTUSD", pairs.Fresh, "")
	depegged(true)
	if err := s.Acknowledge("USDT"); err != nil {
		t.Errorf("said twice: %v", err)
	}
	quote("0.97") // not yet within half the limit
	quote("0.94")
	s.want(t, "USDTUSD", pairs.Fresh, "")
	quote("0.98") // back; the word is used up
	quote("0.94")
	s.want(t, "USDTUSD", pairs.Halted, pairs.Depegged)
	quote("0.99")
	s.want(t, "USDTNGN", pairs.Fresh, "")
	if got := s.Snapshot().Depegged; got != nil {
		t.Errorf("back at its peg: %+v", got)
	}
}

func TestStatus_Wide(t *testing.T) {
	t.Parallel()
	s := panel(t, "BTC/USD", "street", 2)
	s.Tick(t.Context())
	s.say("BTC/USD", "100", "104")
	s.step(t, 2*time.Second)
	same(t, "±2 of 102 is within 2 %", s.want(t, "BTCUSD", pairs.Fresh, "").Mid, "102")
	s.say("BTC/USD", "100", "104.2")
	s.step(t, 2*time.Second)
	q := s.want(t, "BTCUSD", pairs.Halted, pairs.Wide)
	same(t, "the last price", q.Mid, "102")
	fresh := q.UpdatedAt
	for range 3 {
		s.step(t, 2*time.Second)
		if got := s.want(t, "BTCUSD", pairs.Halted, pairs.Wide).UpdatedAt; !got.Equal(fresh) {
			t.Errorf("the old price is dated %s, want %s, when it was fresh last", got, fresh)
		}
	}
}

func TestStatus_OffBounds(t *testing.T) {
	t.Parallel()
	cfg := config()
	cfg.MarketClasses[1].Bound = dec("0.25")
	cfg.Markets[2].Bound = "USD"
	s := open(t, cfg)
	quoted(s.venues) // 1490 officially
	s.Tick(t.Context())
	for _, step := range []struct {
		price  string
		status pairs.Status
		reason pairs.Reason
		mid    string
	}{{"1500", pairs.Fresh, "", "1500"}, {"1700", pairs.Fresh, "", "1700"}, {"1862.5", pairs.Fresh, "", "1862.5"}, {"1863", pairs.Halted, pairs.OffBounds, "1862.5"}, {"1600", pairs.Fresh, "", "1600"}} {
		s.venues["beta"].set("USDT/NGN", step.price)
		s.step(t, 62*time.Second)
		same(t, step.price, s.want(t, "USDTNGN", step.status, step.reason).Mid, step.mid)
	}
}

func TestRoute_DirectMarket(t *testing.T) {
	t.Parallel()
	cfg := config()
	cfg.Markets = append(cfg.Markets, core.Market{Pair: pair("BTC/NGN"), Class: "street", Sources: []string{"dealer", "friend"}, Quorum: 2})
	cfg.Listings = append(cfg.Listings, core.Listing{Pair: pair("BTC/NGN"), Via: "USD", Direct: true, Class: "crypto"})
	s := open(t, cfg)
	quoted(s.venues)
	s.venues["dealer"].set("BTC/NGN", "151000000")
	s.venues["friend"].set("BTC/NGN", "151000000")
	s.Tick(t.Context())
	if q := s.want(t, "BTCNGN", pairs.Fresh, ""); len(q.Legs) != 1 || !q.Mid.Equal(dec("151000000")) {
		t.Errorf("got %s along %d legs", q.Mid, len(q.Legs))
	}
	s.venues["friend"].fail(outage)
	s.step(t, 2*time.Second)
	s.step(t, 122*time.Second)
	if q := s.want(t, "BTCNGN", pairs.Fresh, ""); len(q.Legs) != 2 || !q.Mid.Equal(dec("149000000")) {
		t.Errorf("without its quorum: got %s along %d legs", q.Mid, len(q.Legs))
	}
}

// crossed is BTC/USD of two venues, with BTC/USDT × USDT/USD to fall back on.
func crossed(t tb) *fixture {
	cfg := config()
	cfg.MarketClasses = append(cfg.MarketClasses, core.MarketClass{
		Name: "stablecoin", MaxAge: 30 * time.Second, Quorum: 1, Band: dec("0.005"), MaxSpread: dec("0.01"), Depeg: dec("0.05"),
	})
	cfg.Markets = []core.Market{
		{Pair: pair("BTC/USD"), Class: "street", Sources: []string{"alpha", "beta"}, Quorum: 2},
		{Pair: pair("BTC/USDT"), Class: "major", Sources: []string{"gamma"}},
		{Pair: pair("USDT/USD"), Class: "stablecoin", Sources: []string{"delta"}, Peg: dec("1")},
	}
	cfg.Listings = []core.Listing{{Pair: pair("BTC/USD"), Via: "USDT", Direct: true, Class: "crypto"}, {Pair: pair("BTC/USDT"), Class: "crypto"}}
	s := open(t, cfg)
	for _, name := range []string{"alpha", "beta", "gamma", "delta"} {
		s.venues[name].set("BTC/USD", "100000")
		s.venues[name].set("BTC/USDT", "102000")
		s.venues[name].set("USDT/USD", "1")
	}
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
		"the coin in the middle is depegged":  {func(s *fixture) { s.venues["delta"].set("USDT/USD", "0.9") }, "100000", pairs.Fresh, ""},
		"disputed, and by way of a lost coin": {func(s *fixture) { s.venues["delta"].set("USDT/USD", "0.9"); s.venues["alpha"].set("BTC/USD", "80000") }, "91800", pairs.Halted, pairs.Depegged},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := crossed(t)
			s.Tick(t.Context())
			test.happens(s)
			for range 61 {
				s.step(t, 2*time.Second)
			}
			same(t, "mid", s.want(t, "BTCUSD", test.status, test.reason).Mid, test.mid)
		})
	}
}

// TestRoute_OverTime lets the direct market fall silent: its votes live for two minutes, and nothing is the matter
// with it but its age.
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
		"a leg of the cross is as old": {[]string{"alpha", "beta", "gamma"}, nil, []moment{
			{20 * time.Second, "100000", pairs.Stale, pairs.Aging},
			{60 * time.Second, "100000", pairs.Stale, pairs.Aging},
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
			s.Tick(t.Context())
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

func TestService_NoPriceBeforeFirstQuorum(t *testing.T) {
	t.Parallel()
	s := crossed(t)
	s.venues["beta"].fail(outage)
	s.venues["gamma"].fail(outage)
	s.Tick(t.Context())
	if got := s.Snapshot(); got != nil && got.Quote("BTCUSD") != nil {
		t.Errorf("a price was made of one venue: %v", got.Quote("BTCUSD"))
	}
}

func TestRate_FirstMover(t *testing.T) {
	t.Parallel()
	cfg := panelConfig("BTC/USD", "major", 3)
	cfg.Sources = append(cfg.Sources,
		core.Source{Name: "b", Family: "b", Kind: core.BookSource, Interval: 3 * time.Second},
		core.Source{Name: "c", Family: "c", Kind: core.BookSource, Interval: 4 * time.Second})
	s := open(t, cfg)
	s.say("BTC/USD", "100", "100", "100")
	s.Tick(t.Context())
	s.say("BTC/USD", "75", "75", "75")
	for range 3 { // one after the other tells of the crash
		s.step(t, time.Second)
		same(t, "not yet", s.want(t, "BTCUSD", pairs.Fresh, "").Mid, "100")
	}
	s.step(t, time.Second)
	if q := s.want(t, "BTCUSD", pairs.Fresh, ""); !q.Mid.Equal(dec("75")) || !q.Legs[0].Rate.Jumped || len(q.Legs[0].Rate.Used) != 3 {
		t.Errorf("got %s from %d votes", q.Mid, len(q.Legs[0].Rate.Used))
	}
	s.say("BTC/USD", "", "", "90") // alone, and the others say so
	for range 16 {                 // to the next heartbeat
		s.step(t, time.Second)
	}
	if got := s.excluded(t, "BTCUSD")["c"]; got != pairs.Outlier {
		t.Errorf("a liar is %q", got)
	}
}

func TestVotes_OfSilentSourceExpire(t *testing.T) {
	t.Parallel()
	cfg := panelConfig("BTC/USD", "major", 3)
	for _, name := range []string{"b", "c"} {
		cfg.Sources = append(cfg.Sources, core.Source{Name: name, Family: name, Kind: core.BookSource, Interval: 25 * time.Second})
	}
	s := open(t, cfg)
	s.say("BTC/USD", "100", "100", "100")
	s.Tick(t.Context())
	s.say("BTC/USD", "90")
	s.step(t, 2*time.Second)
	same(t, "awaited", s.want(t, "BTCUSD", pairs.Fresh, "").Mid, "100")
	s.step(t, 5*time.Second)
	s.step(t, 5*time.Second) // published at the heartbeat
	if got := s.excluded(t, "BTCUSD"); got["a"] != pairs.Outlier {
		t.Errorf("excluded %v", got)
	}
}

// officialConfig has one official market, of banks that publish daily.
func officialConfig(banks ...string) pairs.Config {
	cfg := config()
	m := core.Market{Pair: pair("USD/EUR"), Class: "official", Sources: banks}
	cfg.Markets = []core.Market{m}
	cfg.Listings = []core.Listing{{Pair: pair("USD/EUR"), Class: "fiat"}}
	for i := range cfg.MarketClasses {
		if cfg.MarketClasses[i].Name == "official" {
			cfg.MarketClasses[i].Jump = dec("0.15")
		}
	}
	for _, name := range banks {
		if name != "bank" {
			cfg.Sources = append(cfg.Sources, core.Source{Name: name, Family: name, Kind: core.OfficialSource, Interval: time.Hour})
		}
	}
	return cfg
}

// TestJump_LoneOfficialSource has the only source of a rate err by a factor of a thousand, for hours.
func TestJump_LoneOfficialSource(t *testing.T) {
	t.Parallel()
	s := open(t, officialConfig("bank"))
	s.venues["bank"].set("USD/EUR", "0.8")
	s.Tick(t.Context())
	s.venues["bank"].set("USD/EUR", "800")
	s.step(t, time.Hour)
	for range 5 {
		s.step(t, time.Hour)
		same(t, "never accepted", s.want(t, "USDEUR", pairs.Halted, pairs.Jump).Mid, "0.8")
	}
	s.venues["bank"].set("USD/EUR", "0.85")
	s.step(t, time.Hour)
	same(t, "when it is right again", s.want(t, "USDEUR", pairs.Fresh, "").Mid, "0.85")
}

// A devaluation that one source alone tells is taken once the operator says that it is real, and the next one waits for him again.
func TestJump_Acknowledged(t *testing.T) {
	t.Parallel()
	s := open(t, officialConfig("bank"))
	s.venues["bank"].set("USD/EUR", "0.8")
	s.Tick(t.Context())
	if err := s.Acknowledge("USD/EUR"); core.CodeOf(err) != core.NotFound {
		t.Errorf("before any jump: %v", err)
	}
	for _, rate := range []string{"1.2", "1.8"} {
		s.venues["bank"].set("USD/EUR", rate)
		s.step(t, time.Hour)
		s.step(t, time.Hour)
		s.want(t, "USDEUR", pairs.Halted, pairs.Jump)
		if got := s.Snapshot().Held; len(got) != 1 || got[0] != pair("USD/EUR") {
			t.Errorf("held: %v", got)
		}
		if err := s.Acknowledge("USD/EUR"); err != nil {
			t.Fatal(err)
		}
		s.step(t, time.Second)
		same(t, "at once", s.want(t, "USDEUR", pairs.Fresh, "").Mid, rate)
		if got := s.Snapshot().Held; got != nil {
			t.Errorf("still held: %v", got)
		}
	}
}

func TestJump_TwoOfficialSources(t *testing.T) {
	t.Parallel()
	s := open(t, officialConfig("bank", "treasury"))
	for _, rate := range []string{"0.8", "1.2"} {
		s.venues["bank"].set("USD/EUR", rate)
		s.venues["treasury"].set("USD/EUR", rate)
		s.step(t, time.Hour)
		same(t, "mid", s.want(t, "USDEUR", pairs.Fresh, "").Mid, rate)
	}
}

// TestRate_ReadmissionOfDailySource has one of two sources err for an hour. The other one has nothing new to say before the
// next day, and stands by its rate.
func TestRate_ReadmissionOfDailySource(t *testing.T) {
	t.Parallel()
	s := open(t, officialConfig("bank", "treasury"))
	s.venues["bank"].set("USD/EUR", "0.8")
	s.venues["treasury"].observe = func(context.Context, []core.Pair) ([]core.Observation, error) {
		return []core.Observation{{Pair: pair("USD/EUR"), Bid: dec("0.801"), Ask: dec("0.801"), At: noon, Source: "treasury"}}, nil
	}
	s.Tick(t.Context())
	s.want(t, "USDEUR", pairs.Fresh, "")
	s.venues["bank"].set("USD/EUR", "8")
	s.step(t, time.Hour)
	s.want(t, "USDEUR", pairs.Halted, pairs.Disputed)
	s.venues["bank"].set("USD/EUR", "0.8")
	for range 2 {
		s.step(t, time.Hour)
		s.want(t, "USDEUR", pairs.Halted, pairs.Disputed)
	}
	s.step(t, time.Hour) // the third sample of both
	s.want(t, "USDEUR", pairs.Fresh, "")
}
