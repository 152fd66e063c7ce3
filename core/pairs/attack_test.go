package pairs_test

import (
	"context"
	"fmt"
	"math"
	"testing"
	"time"

	"github.com/shopspring/decimal"

	"causeway/adapters/storage"
	"causeway/core"
	"causeway/core/pairs"
)

// An attack measures what a client who knows the true price gains by trading at the published ones.
type attack struct {
	*fixture
	t     *testing.T
	id    string  // of the attacked pair
	truth float64 // what one unit of the base is worth

	edge     float64       // the largest gain so far, as a part of the order
	lasted   time.Duration // how long trading was profitable
	total    time.Duration
	tradable time.Duration
}

// step lets time pass and measures the published price.
func (a *attack) step(d time.Duration) {
	a.t.Helper()
	a.fixture.step(a.t, d)
	a.total += d
	if a.Snapshot() == nil {
		return
	}
	q := a.Snapshot().Quote(a.id)
	if q == nil || q.Status == pairs.Halted {
		return
	}
	a.tradable += d
	edge := max(a.truth/q.Buy.InexactFloat64(), q.Sell.InexactFloat64()/a.truth) - 1
	a.edge = max(a.edge, edge)
	if edge > 0 {
		a.lasted += d
	}
}

// say sets the price of a market at one venue.
func (a *attack) say(venue, market string, price float64) {
	a.venues[venue].set(market, fmt.Sprintf("%.9f", price))
}

// TestAttacks plays attacks on the engine. A client must not gain more than allowed, and the price must stay tradable
// for the given part of the time. Run with -v to print the results.
func TestAttacks(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name     string
		id       string
		cfg      func() pairs.Config
		truth    float64
		play     func(*attack)
		tradable float64 // at least this part of the time
	}{
		{name: "unconfirmed jump of -20 %", id: "BTCUSD", cfg: func() pairs.Config { return panelConfig("BTC/USD", "major", 4) }, truth: 100, play: playJump},
		{name: "one of two street sources drifts", id: "USDTNGN", cfg: streetConfig, truth: 1500, play: playDrift},
		{name: "one street source fails, the other drifts", id: "USDTNGN", cfg: streetConfig, truth: 1500, play: playOutage},
		{name: "two of four stablecoin venues drift", id: "DAIUSD", cfg: func() pairs.Config { return panelConfig("DAI/USD", "stablecoin", 4) }, truth: 1, play: playStablecoin},
		{name: "ten minutes of lies by one of three venues", id: "BTCUSD", cfg: func() pairs.Config { return panelConfig("BTC/USD", "major", 3) }, truth: 100, play: playLies, tradable: 0.99},
		{name: "first sheet off by ten after a restart", id: "USDNGN", cfg: sheetConfig, truth: 1490, play: playSheet},
		{name: "official rate moves 2 % within its day", id: "USDTNGN", cfg: agingConfig, truth: 1490, play: playOfficial, tradable: 1},
		{name: "dealer reprices every 15 minutes", id: "USDTNGN", cfg: dealerConfig, truth: 1500, play: playDealer, tradable: 0.9},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			a := &attack{fixture: open(t, test.cfg()), t: t, id: test.id, truth: test.truth}
			test.play(a)
			t.Logf("%-42s edge %6.2f %% for %4.0f s, tradable %3.0f %% of the time", test.name, 100*a.edge, a.lasted.Seconds(), 100*part(a))
			if a.edge > 0 {
				t.Errorf("a client gains %.2f %%", 100*a.edge)
			}
			if part(a) < test.tradable {
				t.Errorf("tradable for %.0f %% of the time, want %.0f %%", 100*part(a), 100*test.tradable)
			}
		})
	}
}

func part(a *attack) float64 {
	return float64(a.tradable) / float64(max(a.total, 1))
}

func streetConfig() pairs.Config {
	cfg := panelConfig("USDT/NGN", "street", 2)
	cfg.ListingClasses[0].MarginBPS = 60
	cfg.Markets = append(cfg.Markets, core.Market{Pair: pair("USDT/USD"), Class: "major", Sources: []string{"alpha"}})
	return cfg
}

// dealerConfig is streetConfig with a source that changes its quote rarely and stands by it in between.
func dealerConfig() pairs.Config {
	cfg := streetConfig()
	cfg.Sources = append(cfg.Sources, core.Source{
		Name: "a", Family: "a", Kind: core.StreetSource, Interval: 2 * time.Second, Validity: 20 * time.Minute,
	})
	return cfg
}

func sheetConfig() pairs.Config {
	cfg := config()
	cfg.Markets = []core.Market{{Pair: pair("USD/NGN"), Class: "official", Sources: []string{"bank", "sheet"}}}
	cfg.Sources = append(cfg.Sources, core.Source{Name: "sheet", Family: "sheet", Kind: core.OfficialSource, Interval: time.Hour})
	cfg.MarketClasses[2].Jump = dec("0.15")
	cfg.Listings = []core.Listing{{Pair: pair("USD/NGN"), Class: "fiat"}}
	history := storage.NewHistory(nil, nil, nil, nil)
	if err := history.Record(context.Background(), noon.Add(-time.Hour), []core.PairMid{{Pair: pair("USD/NGN"), Mid: dec("1490")}}); err != nil {
		panic(err)
	}
	cfg.History = history
	return cfg
}

func agingConfig() pairs.Config {
	cfg := config()
	cfg.Markets = []core.Market{
		{Pair: pair("USDT/USD"), Class: "major", Sources: []string{"alpha", "beta"}},
		{Pair: pair("USD/NGN"), Class: "official", Sources: []string{"bank"}},
	}
	cfg.ListingClasses[1].MarginBPS = 60
	cfg.MarketClasses[2].MarginFloorBPS, cfg.MarketClasses[2].Volatility = 100, dec("0.01")
	cfg.Listings = []core.Listing{{Pair: pair("USDT/NGN"), Via: "USD", Class: "tail"}}
	return cfg
}

// playJump lets a market fall while two of its four sources cannot be reached.
func playJump(a *attack) {
	for _, venue := range []string{"a", "b", "c", "d"} {
		a.say(venue, "BTC/USD", 100)
	}
	a.Tick(a.t.Context())
	a.venues["c"].fail(outage)
	a.venues["d"].fail(outage)
	for range 17 {
		a.step(2 * time.Second)
	}
	a.say("a", "BTC/USD", 80)
	a.say("b", "BTC/USD", 80)
	a.truth = 80
	for range 30 {
		a.step(2 * time.Second)
	}
}

// start gives both street sources the true price.
func (a *attack) start() {
	a.say("a", "USDT/NGN", a.truth)
	a.say("b", "USDT/NGN", a.truth)
	a.say("alpha", "USDT/USD", 1)
	a.Tick(a.t.Context())
}

func playDrift(a *attack) {
	a.start()
	for i := range 120 {
		a.say("b", "USDT/NGN", a.truth*(1+0.001*float64(i)))
		a.step(2 * time.Second)
	}
}

func playOutage(a *attack) {
	a.start()
	a.venues["a"].fail(outage)
	for range 58 {
		a.step(2 * time.Second)
	}
	for i := range 120 {
		a.say("b", "USDT/NGN", a.truth*(1+0.002*float64(i)))
		a.step(2 * time.Second)
	}
}

func playStablecoin(a *attack) {
	for _, venue := range []string{"a", "b", "c", "d"} {
		a.say(venue, "DAI/USD", 1)
	}
	a.Tick(a.t.Context())
	for i := range 80 {
		a.say("c", "DAI/USD", 1-0.0005*float64(i))
		a.say("d", "DAI/USD", 1-0.0005*float64(i))
		for range 5 {
			a.step(2 * time.Second)
		}
	}
}

// playLies lets each venue lie for ten minutes: far off, a little off, with another unit or not at all.
func playLies(a *attack) {
	for i := range 900 {
		for v := range 3 {
			price := a.truth * (1 + 0.0001*float64((i+v)%5))
			if v == i/300 {
				price *= []float64{1, 1.3, 0.7, 1.009, 0.991, 1000, 0.001, -1, 0}[i%9]
			}
			a.say(venueName(v), "BTC/USD", price)
		}
		a.step(2 * time.Second)
	}
}

func playSheet(a *attack) {
	a.venues["bank"].set("USD/NGN", "1490")
	a.venues["bank"].lag = 120 * time.Hour
	a.venues["sheet"].set("USD/NGN", "149")
	a.Tick(a.t.Context())
	for range 60 {
		a.step(time.Minute)
	}
}

// playOfficial moves the true rate by 2 % between two publications.
func playOfficial(a *attack) {
	published := noon
	a.venues["bank"].observe = func(context.Context, []core.Pair) ([]core.Observation, error) {
		return []core.Observation{{Pair: pair("USD/NGN"), Bid: dec("1490"), Ask: dec("1490"), At: published, Source: "bank"}}, nil
	}
	a.say("alpha", "USDT/USD", 1)
	a.say("beta", "USDT/USD", 1)
	a.Tick(a.t.Context())
	for i := range 24 * 60 {
		if i%30 == 0 {
			a.say("alpha", "USDT/USD", 1+0.00001*float64(i%60))
		}
		a.truth = 1490 * (1 + 0.02*float64(i)/(24*60))
		a.step(time.Minute)
	}
}

// playDealer lets a dealer reprice every 15 minutes and stamp its quotes with the time of repricing.
func playDealer(a *attack) {
	a.start()
	var quoted core.Observation
	a.venues["a"].observe = func(context.Context, []core.Pair) ([]core.Observation, error) { return []core.Observation{quoted}, nil }
	for i := range 3600 {
		a.truth = 1500 * (1 + 0.004*math.Sin(float64(i)/300))
		a.say("b", "USDT/NGN", a.truth)
		if i%450 == 0 {
			mid := decimal.NewFromFloat(a.truth)
			quoted = core.Observation{Pair: pair("USDT/NGN"), Bid: mid, Ask: mid, At: a.clock.Now(), Source: "a"}
		}
		a.step(2 * time.Second)
	}
}

// TestAttacks_Cycle shifts a direct market at all its venues, so that a cycle of conversions through it is profitable.
// It contradicts USDT/NGN, and nothing shows which of them is right: both are halted. BTC/USDT has another witness.
func TestAttacks_Cycle(t *testing.T) {
	t.Parallel()
	cfg := config()
	cfg.Markets = append(cfg.Markets, core.Market{Pair: pair("BTC/USDT"), Class: "major", Sources: []string{"alpha", "beta"}},
		core.Market{Pair: pair("BTC/NGN"), Class: "street", Sources: []string{"gamma"}})
	cfg.Listings = append(cfg.Listings, core.Listing{Pair: pair("BTC/USDT"), Class: "crypto"}, core.Listing{Pair: pair("BTC/NGN"), Class: "crypto"},
		core.Listing{Pair: pair("USDT/USD"), Class: "crypto"})
	s := openQuoted(t, cfg)
	for _, v := range s.venues {
		v.set("BTC/USDT", "99990", "100010")
		v.set("BTC/NGN", "149500000", "150500000")
	}
	s.Tick(t.Context())
	shift := 1.09
	s.venues["gamma"].set("BTC/NGN", fmt.Sprint(int(149500000*shift)), fmt.Sprint(int(150500000*shift)))
	most := 0
	for range 60 {
		s.step(t, 2*time.Second)
		halted := 0
		for _, q := range s.Snapshot().Quotes {
			if q.Status == pairs.Halted {
				halted++
			}
		}
		most = max(most, halted)
		if p, _ := profit(s.Snapshot().Quotes).Float64(); p > 1 {
			t.Errorf("a cycle returns %.4f of 1", p)
		}
	}
	t.Logf("shifted direct market: %d of %d listings halted", most, len(s.Snapshot().Quotes))
	if most != 2 {
		t.Errorf("%d listings are halted, want BTC/NGN and USDT/NGN", most)
	}
}
