package pairs_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"causeway/core/pairs"
)

func TestPublish_Heartbeat(t *testing.T) {
	t.Parallel()
	s := start(t, config())
	var seconds []int
	s.Subscribe(func(snapshot *pairs.Snapshot) { seconds = append(seconds, int(snapshot.At.Sub(noon)/time.Second)) })
	for range 40 {
		s.step(t, time.Second)
	}
	if !slices.Equal(seconds, []int{0, 10, 20, 30, 40}) {
		t.Errorf("got %v", seconds)
	}
}

func TestPublish_Threshold(t *testing.T) {
	t.Parallel()
	for price, want := range map[string]int{
		"100040": 1,
		"100050": 2,
		"99950":  2,
	} {
		t.Run(price, func(t *testing.T) {
			t.Parallel()
			cfg := config()
			cfg.Markets[0].Sources = []string{"alpha"}
			cfg.ListingClasses[0].MarginBPS = 0
			s := open(t, cfg)
			s.venues["alpha"].set("BTC/USD", "100000")
			s.Tick(t.Context())
			published := 0
			s.Subscribe(func(*pairs.Snapshot) { published++ })
			s.venues["alpha"].set("BTC/USD", price)
			s.step(t, 2*time.Second)
			if published != want {
				t.Errorf("%d publications, want %d", published, want)
			}
		})
	}
}

func TestPublish_StatusAndNewPairs(t *testing.T) {
	t.Parallel()
	s := openQuoted(t, config())
	s.venues["bank"].fail(outage)
	s.Tick(t.Context())
	s.venues["bank"].fail(nil)
	s.venues["alpha"].lag = 3 * time.Second
	if got := s.step(t, 3*time.Second); !got.At.Equal(noon.Add(3*time.Second)) || got.Quote("EURUSD") == nil {
		t.Errorf("a new pair: got the snapshot of %s", got.At)
	}
	s.hush()
	s.step(t, 7*time.Second)
	if got := s.step(t, time.Second); !got.At.Equal(noon.Add(11*time.Second)) || got.Quote("SHIBUSD").Status != pairs.Stale {
		t.Errorf("stale: got the snapshot of %s", got.At)
	}
}

func TestRecompute_Pace(t *testing.T) {
	t.Parallel()
	cfg := config()
	cfg.Sources[0].Interval = 100 * time.Millisecond
	s := start(t, cfg)
	for i := range 40 {
		s.venues["alpha"].set("SHIB/USD", fmt.Sprintf("0.%05d", i+1))
		s.step(t, 100*time.Millisecond)
	}
	if got := s.Stats(); got.Recomputed != 5 || got.Published != 5 {
		t.Errorf("got %d recomputations and %d publications in 4 s, want 5 and 5", got.Recomputed, got.Published)
	}
}

func TestSubscribe_BeforeReaders(t *testing.T) {
	t.Parallel()
	s := openQuoted(t, config())
	var seen []*pairs.Snapshot
	s.Subscribe(func(snapshot *pairs.Snapshot) {
		if s.Snapshot() == snapshot {
			t.Error("it is public already")
		}
		seen = append(seen, snapshot)
	})
	s.Tick(t.Context())
	if len(seen) != 1 || seen[0] != s.Snapshot() {
		t.Errorf("got %d publications", len(seen))
	}
	late := 0
	s.Subscribe(func(snapshot *pairs.Snapshot) {
		if snapshot == s.Snapshot() {
			late++
		}
	})
	if late != 1 {
		t.Error("a late subscriber does not get the current snapshot")
	}
}

func TestSnapshot_FreshUntil(t *testing.T) {
	t.Parallel()
	s := openQuoted(t, config())
	s.venues["alpha"].lag = 3 * time.Second
	s.Tick(t.Context())
	if got := s.Snapshot().FreshUntil; !got.Equal(noon.Add(7 * time.Second)) { // SHIB/USD has alpha alone
		t.Errorf("got %s", got)
	}
	if !slices.IsSortedFunc(s.Snapshot().Quotes, func(a, b pairs.Quote) int { return slices.Compare([]byte(a.ID), []byte(b.ID)) }) {
		t.Error("the quotes are not sorted by id")
	}
	for _, v := range s.venues {
		v.fail(outage)
	}
	if got := s.step(t, 48*time.Hour); !got.FreshUntil.Equal(got.At.Add(pairs.Heartbeat)) {
		t.Errorf("with treaties only: got %s", got.FreshUntil)
	}
}

func TestPublish_EndOfFreshness(t *testing.T) {
	t.Parallel()
	s := openQuoted(t, config())
	s.venues["alpha"].lag = 8 * time.Second
	s.Tick(t.Context())
	s.venues["alpha"].lag = 0
	got := s.step(t, 2*time.Second)
	if !got.At.Equal(noon.Add(2*time.Second)) || !got.FreshUntil.Equal(noon.Add(12*time.Second)) {
		t.Errorf("got the snapshot of %s, fresh until %s", got.At, got.FreshUntil)
	}
}

func TestStatus_Refused(t *testing.T) {
	t.Parallel()
	cfg := config()
	cfg.MarketClasses[0].Band, cfg.MarketClasses[0].Jump = dec("0.99"), dec("0")
	s := start(t, cfg)
	good := *s.quote(t, "BTCUSD")
	s.venues["alpha"].set("BTC/USD", "1100")
	s.venues["gamma"].set("BTC/USD", "198900") // so wide that nothing is left to pay a seller
	s.step(t, 2*time.Second)
	s.step(t, 8*time.Second)
	q := s.quote(t, "BTCUSD")
	if !q.Buy.Equal(good.Buy) || !q.Sell.Equal(good.Sell) || q.Status != pairs.Halted || q.Reason != pairs.Refused || !q.UpdatedAt.Equal(noon) {
		t.Errorf("got %s and %s, %s %q", q.Buy, q.Sell, q.Status, q.Reason)
	}
	if got := s.Stats().Refused; got != 4 { // of BTC/USD and BTC/EUR
		t.Errorf("got %d refusals, want 4", got)
	}
}

func TestChange24h(t *testing.T) {
	t.Parallel()
	s := start(t, config())
	for _, step := range []struct {
		wait        time.Duration
		price, want string
	}{
		{23 * time.Hour, "100000", "0"},
		{time.Hour, "101234.5", "1.23"},
		{2 * time.Second, "50000", "-50"},
		{50 * time.Minute, "50000", "-50"}, // compared with the nearest price within the hour before
		{40 * time.Minute, "50000", "0"},   // the history has nothing older than 25 hours
	} {
		s.quoteAll("BTC/USD", step.price)
		s.step(t, step.wait)
		same(t, step.price+" after "+step.wait.String(), s.quote(t, "BTCUSD").Change24h, step.want)
	}
}

func TestSnapshotID(t *testing.T) {
	t.Parallel()
	s := start(t, config())
	first := s.Snapshot().ID
	if first != uint64(noon.UnixMicro()) {
		t.Errorf("got %d, want the microseconds since 1970", first)
	}
	if got := s.step(t, -time.Hour).ID; got != first+1 {
		t.Errorf("after the clock was set back: %d, want %d", got, first+1)
	}
}
