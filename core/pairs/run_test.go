package pairs_test

import (
	"context"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"causeway/core"
	"causeway/core/pairs"
)

// live opens config over the bubble's own clock.
func live(t *testing.T) (*pairs.Service, map[string]*venue) {
	t.Helper()
	cfg := config()
	venues, sources := venuesOf(cfg, time.Now)
	quoted(venues)
	s, err := pairs.New(cfg, sources, time.Now)
	if err != nil {
		t.Fatal(err)
	}
	return s, venues
}

// hangs until the poll is given up.
func hangs(ctx context.Context, _ []core.Pair) ([]core.Observation, error) {
	<-ctx.Done()
	return nil, core.Errorf(core.Unavailable, "it is unavailable").With(ctx.Err())
}

// running runs the engine for as long as f takes.
func running(t *testing.T, s *pairs.Service, f func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() { defer close(done); s.Run(ctx) }()
	f()
	cancel()
	<-done
}

func TestRun_Publishes(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s, venues := live(t)
		running(t, s, func() {
			synctest.Wait()
			if s.Snapshot() == nil {
				t.Fatal("nothing is published as soon as a source has answered")
			}
			time.Sleep(time.Minute)
			synctest.Wait()
			if got := venues["alpha"].polled(); got != 31 {
				t.Errorf("alpha was polled %d times in a minute, want 31", got)
			}
			if got := venues["bank"].polled(); got != 1 {
				t.Errorf("bank was polled %d times in a minute, want 1", got)
			}
			last := s.Snapshot()
			if q := last.Quote("BTCEUR"); q == nil || q.Status != pairs.Fresh {
				t.Errorf("got %+v", q)
			}
			if got := s.Stats().Recomputed; got > 61 {
				t.Errorf("got %d recomputations in a minute", got)
			}
			if n := s.Stats().Published; n < 6 || n > 9 {
				t.Errorf("got %d publications of a calm minute", n)
			}
		})
	})
}

func TestRun_HangingSource(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s, venues := live(t)
		venues["gamma"].observe = hangs
		running(t, s, func() {
			for range 20 {
				time.Sleep(2 * time.Second)
				synctest.Wait()
				q := s.Snapshot().Quote("BTCUSD")
				if q == nil || q.Status != pairs.Fresh {
					t.Fatalf("got %+v", q)
				}
			}
			if got := venues["alpha"].polled(); got != 21 {
				t.Errorf("alpha was polled %d times in 40 s, want 21", got)
			}
			if got := s.Sources()[3]; got.Name != "gamma" || got.Failures < 3 || got.LastError != core.Unavailable || got.Latency != 5*time.Second {
				t.Errorf("got %+v", got)
			}
		})
	})
}

func TestTick_BesideRun(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s, venues := live(t)
		s.Tick(t.Context())
		running(t, s, func() {
			for range 10 {
				time.Sleep(time.Second)
				s.Tick(t.Context())
			}
		})
		if got := venues["alpha"].polled(); got != 6 {
			t.Errorf("alpha was polled %d times in 10 s, want 6", got)
		}
	})
}

// TestRun_WaitsForPolls checks that nothing outlives Run: a goroutine that does fails the bubble.
func TestRun_WaitsForPolls(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s, venues := live(t)
		polling := false
		venues["gamma"].observe = func(ctx context.Context, m []core.Pair) ([]core.Observation, error) {
			polling = true
			defer func() { polling = false }()
			defer time.Sleep(time.Second) // to clean up
			return hangs(ctx, m)
		}
		running(t, s, synctest.Wait)
		if polling {
			t.Error("a poll outlives Run")
		}
	})
}

func TestTick_Concurrent(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s, venues := live(t)
		for i, name := range []string{"alpha", "beta", "gamma"} {
			venues[name].observe = func(_ context.Context, m []core.Pair) ([]core.Observation, error) {
				time.Sleep(time.Duration(i) * time.Second)
				return []core.Observation{{Pair: m[0], Bid: dec("100000"), Ask: dec("100000"), At: time.Now(), Source: name}}, nil
			}
		}
		var ticks sync.WaitGroup
		for i := range 10 {
			time.Sleep(time.Duration(i%3) * 700 * time.Millisecond)
			ticks.Go(func() { s.Tick(t.Context()) })
		}
		ticks.Wait()
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		before := venues["alpha"].polled()
		time.Sleep(time.Minute)
		for range 20 {
			s.Tick(ctx)
		}
		if venues["alpha"].polled() != before {
			t.Error("a canceled tick polls")
		}
	})
}

func TestRun_ClockJump(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		clock := &manualClock{now: noon}
		cfg := config()
		venues, sources := venuesOf(cfg, clock.Now)
		quoted(venues)
		s, err := pairs.New(cfg, sources, clock.Now)
		if err != nil {
			t.Fatal(err)
		}
		running(t, s, func() {
			time.Sleep(10 * time.Second) // the clock does not move
			if got := venues["alpha"].polled(); got != 1 {
				t.Errorf("alpha was polled %d times at one instant", got)
			}
			clock.advance(3 * time.Hour)
			time.Sleep(2100 * time.Millisecond)
			synctest.Wait()
			if at := s.Snapshot().At; !at.Equal(noon.Add(3 * time.Hour)) {
				t.Errorf("the snapshot is of %s", at)
			}
		})
	})
}

func TestSnapshot_ConcurrentReaders(t *testing.T) {
	t.Parallel()
	s := start(t, config())
	stop := make(chan struct{})
	var readers sync.WaitGroup
	for range 3 {
		readers.Go(func() {
			var last uint64
			for {
				select {
				case <-stop:
					return
				default:
				}
				snapshot := s.Snapshot()
				if snapshot.ID < last || len(snapshot.Quotes) != 7 {
					t.Errorf("snapshot %d after %d, of %d quotes", snapshot.ID, last, len(snapshot.Quotes))
					return
				}
				last = snapshot.ID
				for _, q := range snapshot.Quotes {
					if q.Status == pairs.Fresh && !q.UpdatedAt.Equal(snapshot.At) || !q.Sell.LessThan(q.Buy) {
						t.Errorf("%s of snapshot %d is not of one instant", q.ID, snapshot.ID)
						return
					}
				}
				s.Sources()
				s.Stats()
				s.Known("BTCUSD")
			}
		})
	}
	for range 20 {
		s.step(t, 2*time.Second)
		s.Subscribe(func(*pairs.Snapshot) {})
	}
	close(stop)
	readers.Wait()
}
