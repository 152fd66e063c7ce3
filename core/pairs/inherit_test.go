package pairs_test

import (
	"context"
	"encoding/json"
	"fmt"
	"math/big"
	"testing"
	"testing/synctest"
	"time"

	"causeway/core"
	"causeway/core/pairs"
	"causeway/ports"
)

// received returns a snapshot as another process receives it.
func received(t tb, s *pairs.Snapshot) *pairs.Snapshot {
	t.Helper()
	text, err := json.Marshal(s)
	if err != nil {
		t.Fatal(err)
	}
	out := new(pairs.Snapshot)
	if err := json.Unmarshal(text, out); err != nil {
		t.Fatal(err)
	}
	return out
}

// twin makes another service with the same configuration, venues and clock.
func (s *fixture) twin(t tb, cfg pairs.Config) *fixture {
	t.Helper()
	var sources []ports.RateSource
	for _, v := range s.venues {
		sources = append(sources, v)
	}
	service, err := pairs.New(tabled(cfg), sources, s.clock.Now)
	if err != nil {
		t.Fatal(err)
	}
	return &fixture{Service: service, clock: s.clock, venues: s.venues}
}

// handOver restores the newest snapshot of one service in another one, which resumes.
func handOver(t tb, from, to *fixture) *fixture {
	t.Helper()
	to.Publish(t.Context(), received(t, from.Snapshot()))
	to.Resume()
	return to
}

func TestPublish_OtherProcess(t *testing.T) {
	t.Parallel()
	leader := start(t)
	follower := leader.twin(t, config())
	published := 0
	follower.Subscribe(func(*pairs.Snapshot) { published++ })
	want := received(t, leader.Snapshot())
	follower.Publish(t.Context(), want)
	if follower.Snapshot() != want || published != 1 {
		t.Errorf("the snapshot of another process is not shown, or was published %d times", published)
	}
	for _, s := range follower.Sources() {
		if s.Polls != 0 {
			t.Errorf("Publish polled %s %d times", s.Name, s.Polls)
		}
	}
}

func TestPublish_ContinuesFromVotes(t *testing.T) {
	t.Parallel()
	before := start(t)
	after := handOver(t, before, before.twin(t, config()))
	for _, name := range []string{"alpha", "gamma", "bank"} {
		after.venues[name].fail(outage)
	}
	last := before.Snapshot()
	got := after.step(t, 2*time.Second)
	for _, q := range got.Quotes {
		if q.Status != pairs.Fresh || q.Reason != "" || !q.Buy.Equal(last.Quote(q.ID).Buy) {
			t.Errorf("%s is %s %q at %s", q.ID, q.Status, q.Reason, q.Buy)
		}
	}
	for elapsed, want := range []int{3, 1} { // the restored votes expire after 30 s
		if used := after.quote(t, "BTCUSD").Legs[0].Rate.Used; len(used) != want {
			t.Errorf("%d votes at step %d, want %d", len(used), elapsed, want)
		}
		after.step(t, 29*time.Second)
	}
}

func TestPublish_PricesAge(t *testing.T) {
	t.Parallel()
	before := start(t)
	after := handOver(t, before, before.twin(t, config()))
	for _, v := range after.venues {
		v.fail(outage)
	}
	for _, c := range []struct {
		wait   time.Duration
		status pairs.Status
		reason pairs.Reason
	}{{10 * time.Second, pairs.Fresh, ""}, {2 * time.Second, pairs.Stale, pairs.Aging}, {50 * time.Second, pairs.Halted, pairs.Expired}} {
		after.step(t, c.wait)
		after.want(t, "BTCUSD", c.status, c.reason)
	}
	if got := after.quote(t, "EURUSD").Status; got != pairs.Fresh {
		t.Errorf("a daily rate is %s", got)
	}
}

func TestPublish_HoldsUnconfirmedJump(t *testing.T) {
	t.Parallel()
	cfg := panelConfig("BTC/USD", "major", 3)
	before := open(t, cfg)
	before.say("BTC/USD", "100", "100.1", "100.2")
	before.Tick(t.Context())
	before.say("BTC/USD", "110", "110.1", "")
	before.venues["c"].fail(outage)
	before.step(t, 31*time.Second) // the vote of c expires: two of three have jumped
	before.want(t, "BTCUSD", pairs.Stale, pairs.Jump)
	after := handOver(t, before, before.twin(t, cfg))
	for range 14 {
		after.step(t, 2*time.Second)
	}
	same(t, "held", after.want(t, "BTCUSD", pairs.Stale, pairs.Jump).Mid, "100.1")
	after.step(t, 3*time.Second) // more than JumpHold after the first service saw it
	same(t, "accepted", after.quote(t, "BTCUSD").Mid, "110.05")
}

func TestPublish_LostQuorum(t *testing.T) {
	t.Parallel()
	cfg := panelConfig("BTC/USD", "major", 3)
	a := open(t, cfg)
	b := a.twin(t, cfg)
	a.say("BTC/USD", "100", "100", "100")
	a.Tick(t.Context())
	a.venues["b"].fail(outage)
	a.venues["c"].fail(outage)
	for range 20 {
		a.step(t, 2*time.Second)
	}
	a.want(t, "BTCUSD", pairs.Stale, pairs.Degraded) // since 30 s after the start
	handOver(t, a, b)
	for range 24 {
		b.step(t, 2*time.Second)
	}
	b.want(t, "BTCUSD", pairs.Stale, pairs.Degraded)
	for range 3 {
		b.step(t, 2*time.Second)
	}
	b.want(t, "BTCUSD", pairs.Halted, pairs.NoQuorum)
	handOver(t, b, a).step(t, 2*time.Second)
	a.want(t, "BTCUSD", pairs.Halted, pairs.NoQuorum)
}

func TestPublish_PegAndAcknowledgement(t *testing.T) {
	t.Parallel()
	cfg := panelConfig("USDT/USD", "stablecoin", 3)
	cfg.Markets[0].Peg = dec("1")
	a := open(t, cfg)
	b := a.twin(t, cfg)
	a.say("USDT/USD", "1", "1", "1")
	a.Tick(t.Context())
	for _, p := range []string{"0.97", "0.94"} {
		a.say("USDT/USD", p, p, p)
		for range 5 {
			a.step(t, 12*time.Second)
		}
	}
	a.want(t, "USDTUSD", pairs.Halted, pairs.Depegged)
	handOver(t, a, b).step(t, 2*time.Second)
	b.want(t, "USDTUSD", pairs.Halted, pairs.Depegged)
	if err := b.Acknowledge("USDT"); err != nil {
		t.Fatal(err)
	}
	b.step(t, 2*time.Second)
	b.want(t, "USDTUSD", pairs.Fresh, "")
	handOver(t, b, a).step(t, 2*time.Second)
	a.want(t, "USDTUSD", pairs.Fresh, "")
	if off := a.Snapshot().Depegged; len(off) != 1 || !off[0].Acknowledged {
		t.Errorf("depegged: %+v", off)
	}
}

// A dispute of two against two is not over while one source has not been polled again.
func TestPublish_DisputeLasts(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		cfg := tabled(panelConfig("BTC/USD", "major", 4))
		venues, sources := venuesOf(cfg, time.Now)
		var services [2]*fixture
		for i := range services {
			service, err := pairs.New(cfg, sources, time.Now)
			if err != nil {
				t.Fatal(err)
			}
			services[i] = &fixture{Service: service, venues: venues}
		}
		a, b := services[0], services[1]
		a.say("BTC/USD", "100", "100", "100", "100")
		running(t, a.Service, func() {
			time.Sleep(10 * time.Second)
			a.say("BTC/USD", "", "", "103", "103")
			time.Sleep(20 * time.Second)
			synctest.Wait()
		})
		a.want(t, "BTCUSD", pairs.Halted, pairs.Disputed)
		venues["d"].observe = func(context.Context, []core.Pair) ([]core.Observation, error) {
			time.Sleep(3 * time.Second)
			return []core.Observation{{Pair: pair("BTC/USD"), Bid: dec("103"), Ask: dec("103"), At: time.Now(), Source: "d"}}, nil
		}
		b.Publish(t.Context(), received(t, a.Snapshot()))
		b.Subscribe(func(s *pairs.Snapshot) {
			if q := s.Quote("BTCUSD"); q.Status != pairs.Halted || q.Reason != pairs.Disputed {
				t.Errorf("%s %q at %s", q.Status, q.Reason, q.Mid)
			}
		})
		running(t, b.Service, func() { time.Sleep(20 * time.Second) })
	})
}

func TestSnapshot_Check(t *testing.T) {
	t.Parallel()
	for name, spoil := range map[string]func(*pairs.Snapshot){
		"":                       func(*pairs.Snapshot) {},
		"future":                 func(s *pairs.Snapshot) { s.At = s.At.Add(2*time.Second + 1) },
		"pair twice":             func(s *pairs.Snapshot) { s.Quotes[1] = s.Quotes[0] },
		"sell above buy":         func(s *pairs.Snapshot) { q := &s.Quotes[1]; q.Buy, q.Sell = q.Sell, q.Buy },
		"empty limits":           func(s *pairs.Snapshot) { s.Quotes[1].MinBuy = s.Quotes[1].MaxBuy },
		"unknown status":         func(s *pairs.Snapshot) { s.Quotes[1].Status = "good" },
		"halted and supported":   func(s *pairs.Snapshot) { s.Quotes[1].Status = pairs.Halted },
		"fresh and unsupported":  func(s *pairs.Snapshot) { s.Quotes[1].SellSupported = false },
		"no legs":                func(s *pairs.Snapshot) { s.Quotes[1].Legs = nil },
		"leg without rate":       func(s *pairs.Snapshot) { s.Quotes[1].Legs[0].Rate = nil },
		"negative rate":          func(s *pairs.Snapshot) { s.Quotes[1].Legs[0].Rate.Mid = dec("-1") },
		"missing vote":           func(s *pairs.Snapshot) { s.Quotes[1].Legs[0].Rate.Used[0] = nil },
		"vote with bid over ask": func(s *pairs.Snapshot) { s.Quotes[1].Legs[0].Rate.Used[0].Ask = dec("1") },
		"market without rate":    func(s *pairs.Snapshot) { s.Markets[0].Rate = nil },
	} {
		s := received(t, start(t).Snapshot())
		spoil(s)
		if err := s.Check(noon); (err == nil) != (name == "") {
			t.Errorf("%s: got %v", name, err)
		}
	}
}

// TestPublish_RandomMarkets is TestSnapshots_RandomMarkets with three services that take turns, sometimes
// without the last snapshots of the one before.
func TestPublish_RandomMarkets(t *testing.T) {
	t.Parallel()
	for _, seed := range []uint64{0, 1} {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			b := newRandomMarkets(t, seed)
			services := []*fixture{b.fixture, b.twin(t, b.cfg), b.twin(t, b.cfg)}
			statuses := map[pairs.Status]int{}
			for _, service := range services {
				service.Subscribe(func(s *pairs.Snapshot) {
					if p := profit(s.Quotes); p.Cmp(big.NewRat(1, 1)) > 0 {
						t.Errorf("snapshot %d makes %s of 1", s.ID, p.FloatString(12))
					}
					for i := range s.Quotes {
						statuses[s.Quotes[i].Status]++
						b.sane(t, &s.Quotes[i])
						margined(t, b.cfg, &s.Quotes[i])
					}
				})
			}
			for range 120 {
				b.turn(t)
				lost := b.dice.IntN(10) == 0
				for _, other := range services {
					if newest := b.Snapshot(); other != b.fixture && !lost && newest != nil {
						other.Publish(t.Context(), received(t, newest))
					}
				}
				if b.dice.IntN(10) == 0 {
					b.fixture = services[b.dice.IntN(3)]
					b.Resume()
				}
			}
			if statuses[pairs.Fresh] < 3 || statuses[pairs.Halted] < 3 {
				t.Errorf("%v: the run covers too little", statuses)
			}
		})
	}
}
