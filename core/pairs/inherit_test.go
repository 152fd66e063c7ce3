package pairs_test

import (
	"context"
	"encoding/json"
	"math"
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
	out := new(pairs.Snapshot)
	if err := json.Unmarshal([]byte(encoded(t, s)), out); err != nil {
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
	return &fixture{Service: service, clock: s.clock, venues: s.venues, market: s.market, id: s.id}
}

func TestPublish_OtherProcess(t *testing.T) {
	t.Parallel()
	leader := start(t, config())
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

// TestPublish_TakeOver lets a second service continue from the last snapshot of a first one.
func TestPublish_TakeOver(t *testing.T) {
	t.Parallel()
	const s = time.Second
	for _, test := range []struct {
		name, market, class string
		acknowledge         string
		before, after       []step
	}{
		{
			name: "votes", market: "BTC/USD", class: "major", before: []step{{say: "100 101 102", want: "fresh 101"}},
			after: []step{{say: "down down", times: 5, want: "fresh 101"}},
		},
		{
			name: "age", market: "BTC/USD", class: "major", before: []step{{want: "fresh"}},
			after: []step{
				{say: "down down down", wait: 10 * s, want: "fresh"}, {want: "stale aging"}, {wait: 50 * s, want: "halted expired"},
			},
		},
		{
			name: "unconfirmed jump", market: "BTC/USD", class: "major",
			before: []step{{say: "100 100.1 100.2", want: "fresh"}, {say: "110 110.1 down", wait: 31 * s, want: "stale jump"}},
			after:  []step{{times: 14, want: "stale jump 100.1"}, {wait: 3 * s, want: "fresh 110.05"}},
		},
		{
			name: "lost quorum", market: "BTC/USD", class: "major",
			before: []step{{want: "fresh"}, {say: "- down down", wait: 40 * s, want: "stale degraded"}},
			after:  []step{{wait: 30 * s, times: 2, want: "stale degraded 100"}, {want: "halted no_quorum"}},
		},
		{
			name: "acknowledged depeg", market: "USDT/USD", class: "stablecoin", acknowledge: "USDT",
			before: []step{
				{say: "1 1 1", want: "fresh"},
				{say: "0.97 0.97 0.97", want: "fresh"},
				{say: "0.94 0.94 0.94", wait: 12 * s, want: "halted depegged"},
			},
			after: []step{{want: "fresh"}},
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			cfg := panelConfig(test.market, test.class, 3)
			if test.acknowledge != "" {
				cfg.Markets[0].Peg = dec("1")
			}
			before := openPanel(t, cfg)
			before.play(t, test.before)
			if test.acknowledge != "" {
				before.acknowledge(t, test.acknowledge)
				before.step(t, 2*time.Second)
			}
			after := before.twin(t, cfg)
			after.Publish(t.Context(), received(t, before.Snapshot()))
			after.Resume()
			after.play(t, test.after)
		})
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
		"":                    func(*pairs.Snapshot) {},
		"future":              func(s *pairs.Snapshot) { s.At = s.At.Add(2*time.Second + 1) },
		"ID of an attacker":   func(s *pairs.Snapshot) { s.ID = math.MaxInt64 },
		"sell above buy":      func(s *pairs.Snapshot) { q := &s.Quotes[1]; q.Buy, q.Sell = q.Sell, q.Buy },
		"empty limits":        func(s *pairs.Snapshot) { s.Quotes[1].MinBuy = s.Quotes[1].MaxBuy },
		"no legs":             func(s *pairs.Snapshot) { s.Quotes[1].Legs = nil },
		"leg without rate":    func(s *pairs.Snapshot) { s.Quotes[1].Legs[0].Rate = nil },
		"market without rate": func(s *pairs.Snapshot) { s.Markets[0].Rate = nil },
	} {
		s := received(t, start(t, config()).Snapshot())
		spoil(s)
		if err := s.Check(noon); (err == nil) != (name == "") {
			t.Errorf("%s: got %v", name, err)
		}
	}
}
