package pairs_test

import (
	"testing"
	"time"

	"causeway/core/pairs"
)

// dates follows when every pair of a service was fresh last, as its snapshots say.
type dates map[string]*pairs.Quote

// see checks when a snapshot says that its pairs were fresh: now, where they are; else no later than they were published, or than that publication
// said, and whatever happens to them meanwhile, always the same.
func (d dates) see(t tb, s *pairs.Snapshot) {
	t.Helper()
	for i := range s.Quotes {
		q := &s.Quotes[i]
		before := d[q.ID]
		switch {
		case q.Status == pairs.Fresh:
			if !q.UpdatedAt.Equal(s.At) {
				t.Errorf("%s is fresh, and dated %s in a snapshot of %s", q.ID, q.UpdatedAt, s.At)
			}
		case before == nil:
			if newest := q.Legs[0].Rate.AsOf; q.UpdatedAt.After(newest) {
				t.Errorf("%s never was fresh, and is dated %s, its votes %s", q.ID, q.UpdatedAt, newest)
			}
			continue
		case before.Status == pairs.Fresh:
			if q.UpdatedAt.After(before.FreshUntil) || q.UpdatedAt.Before(before.UpdatedAt) {
				t.Errorf("%s was fresh at %s until %s, and is dated %s", q.ID, before.UpdatedAt, before.FreshUntil, q.UpdatedAt)
			}
		case !q.UpdatedAt.Equal(before.UpdatedAt):
			t.Errorf("%s was fresh last at %s, and then at %s, while it was %s", q.ID, before.UpdatedAt, q.UpdatedAt, q.Status)
		}
		d[q.ID] = q
	}
}

func TestUpdatedAt_LastFresh(t *testing.T) {
	t.Parallel()
	s := panel(t, "BTC/USD", "street", 2)
	s.Tick(t.Context())
	s.venues["a"].fail(outage)
	s.venues["b"].fail(outage)
	dated := func(status pairs.Status, reason pairs.Reason) {
		t.Helper()
		if q := s.want(t, "BTCUSD", status, reason); !q.UpdatedAt.Equal(noon.Add(10 * time.Second)) {
			t.Errorf("at %s it is dated %s, want 10 s", s.clock.Now().Sub(noon), q.UpdatedAt.Sub(noon))
		}
	}
	s.step(t, 8*time.Second)
	s.step(t, 4*time.Second)
	dated(pairs.Stale, pairs.Aging)
	s.step(t, 200*time.Second)
	dated(pairs.Halted, pairs.Expired)
	s.venues["a"].fail(nil)
	for range 20 { // one of two is no quorum, and whatever it says makes nothing fresh
		s.step(t, 10*time.Second)
		if q := s.quote(t, "BTCUSD"); q.Status == pairs.Fresh {
			t.Fatal("it is fresh")
		}
		dated(s.quote(t, "BTCUSD").Status, s.quote(t, "BTCUSD").Reason)
	}
	dated(pairs.Halted, pairs.NoQuorum)
	s.say("BTC/USD", "150")
	s.step(t, 10*time.Second)
	dated(pairs.Halted, s.quote(t, "BTCUSD").Reason)
	s.venues["b"].fail(nil)
	s.say("BTC/USD", "100")
	for range 4 {
		s.step(t, 10*time.Second)
	}
	if q := s.want(t, "BTCUSD", pairs.Fresh, ""); !q.UpdatedAt.Equal(s.Snapshot().At) {
		t.Errorf("afterwards it is dated %s", q.UpdatedAt)
	}
}

func TestUpdatedAt_NeverFresh(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		market, class string
		bid, ask      string
		reason        pairs.Reason
		moves         bool // with every vote, since its price does
	}{
		"a price in doubt": {"BTC/USD", "street", "100", "104.2", pairs.Wide, false},
		"a lost peg":       {"USDT/USD", "stablecoin", "0.9", "0.9", pairs.Depegged, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			cfg := panelConfig(test.market, test.class, 2)
			cfg.Markets[0].Peg = dec("1")
			if test.class == "street" {
				cfg.Markets[0].Peg = dec("0")
			}
			s := open(t, cfg)
			s.say(test.market, test.bid, test.ask)
			for _, v := range s.venues {
				v.lag = 3 * time.Second
			}
			s.Tick(t.Context())
			for range 5 {
				want := noon.Add(-3 * time.Second)
				if test.moves {
					want = s.Snapshot().At.Add(-3 * time.Second)
				}
				if q := s.want(t, cfg.Listings[0].Pair.ID(), pairs.Halted, test.reason); !q.UpdatedAt.Equal(want) {
					t.Errorf("%s after noon it is dated %s", s.clock.Now().Sub(noon), q.UpdatedAt.Sub(noon))
				}
				s.step(t, 10*time.Second)
			}
		})
	}
}
