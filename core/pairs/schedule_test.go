package pairs_test

import (
	"context"
	"errors"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/shopspring/decimal"

	"causeway/core"
	"causeway/core/pairs"
)

func TestSchedule_Intervals(t *testing.T) {
	t.Parallel()
	cfg := config()
	cfg.Sources[2].Interval, cfg.Sources[3].Interval = 5*time.Second, 5*time.Minute
	s := start(t, cfg)
	for range 5 * 60 {
		s.step(t, time.Second)
	}
	for name, want := range map[string]int{"alpha": 151, "beta": 151, "gamma": 61, "bank": 2} {
		if got := s.venues[name].polled(); got != want {
			t.Errorf("%s was polled %d times in five minutes, want %d", name, got, want)
		}
	}
}

func TestSchedule_Streamed(t *testing.T) {
	t.Parallel()
	s := openQuoted(t, config())
	alpha, beta := s.venues["alpha"], s.venues["beta"]
	for _, v := range []*venue{alpha, beta} {
		v.observe = func(_ context.Context, markets []core.Pair) ([]core.Observation, error) {
			var out []core.Observation
			for i, m := range markets {
				streamed := v == alpha || i > 0 // beta polls one of its markets
				out = append(out, core.Observation{
					Pair: m, Bid: decimal.NewFromInt(1), Ask: decimal.NewFromInt(1), At: v.clock(), Source: v.name, Streamed: streamed,
				})
			}
			return out, nil
		}
	}
	s.Tick(t.Context())
	for range 80 {
		s.step(t, 250*time.Millisecond)
	}
	if alpha.polled() != 81 || beta.polled() != 11 {
		t.Errorf("read %d and %d times in 20 s, want 81 and 11", alpha.polled(), beta.polled())
	}
}

// pauses fails alpha, or the bank with an interval, n times and returns the pauses after each
// failure.
func pauses(t *testing.T, n int, entropy uint64, err error, interval time.Duration) []time.Duration {
	t.Helper()
	cfg := config()
	cfg.Entropy = func() uint64 { return entropy }
	if interval > 0 {
		cfg.Markets = cfg.Markets[4:]
		cfg.Listings = cfg.Listings[4:]
		cfg.Sources[3].Interval = interval
	}
	s := openQuoted(t, cfg)
	name := "alpha"
	if interval > 0 {
		name = "bank"
	}
	s.venues[name].fail(err)
	var out []time.Duration
	for range n {
		s.Tick(t.Context())
		i := slices.IndexFunc(s.Sources(), func(x pairs.SourceState) bool { return x.Name == name })
		out = append(out, s.Sources()[i].NextPoll.Sub(s.clock.Now()))
		s.clock.advance(out[len(out)-1])
	}
	return out
}

func TestSchedule_Backoff(t *testing.T) {
	t.Parallel()
	const s = time.Second
	for name, test := range map[string]struct {
		entropy  uint64
		err      error
		interval time.Duration
		want     []time.Duration
	}{
		"the least jitter":                 {0, outage, 0, []time.Duration{2 * s, 2 * s, 2 * s, 2 * s}},
		"a jitter of a second":             {uint64(s), outage, 0, []time.Duration{3 * s, 3 * s, 3 * s}},
		"of 50 s, as the ceiling allows":   {uint64(50 * s), outage, 0, []time.Duration{2 * s, 4 * s, 4 * s, 4 * s, 20 * s, 52 * s, 52 * s}},
		"an hourly one, up to its hour":    {uint64(3599 * s), outage, time.Hour, []time.Duration{3 * s, 5 * s, 9 * s, 17 * s, 17 * s, 17 * s, 17 * s, 17 * s, 17 * s, 529 * s, 1553 * s, 3601 * s, 3601 * s}},
		"as long as the source requires":   {0, outage.Retry(90 * s), 0, []time.Duration{90 * s, 90 * s}},
		"a shorter wish changes nothing":   {0, outage.Retry(s), 0, []time.Duration{2 * s}},
		"at most three days":               {0, outage.Retry(9999 * time.Hour), 0, []time.Duration{72 * time.Hour}},
		"an error that says nothing of it": {0, errors.New("boom"), 0, []time.Duration{2 * s}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := pauses(t, len(test.want), test.entropy, test.err, test.interval); !slices.Equal(got, test.want) {
				t.Fatalf("got pauses %v, want %v", got, test.want)
			}
		})
	}
}

func TestSchedule_BackoffReset(t *testing.T) {
	t.Parallel()
	cfg := config()
	cfg.Entropy = func() uint64 { return uint64(50*time.Second) + 1 }
	s := openQuoted(t, cfg)
	fail := func(times int) (pause time.Duration) {
		s.venues["alpha"].fail(outage)
		for range times {
			s.step(t, time.Hour)
			pause = s.Sources()[0].NextPoll.Sub(s.clock.Now())
		}
		s.venues["alpha"].fail(nil)
		return pause
	}
	if got := fail(6); got != 52*time.Second+1 {
		t.Errorf("after six failures: got a pause of %s", got)
	}
	s.step(t, time.Hour)
	if got := fail(1); got != 2*time.Second+1 {
		t.Errorf("after a success and a failure: got a pause of %s", got)
	}
}

func TestSchedule_Deterministic(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		clock, drawn := &manualClock{now: noon}, uint64(0)
		cfg := config()
		cfg.Entropy = func() uint64 { drawn++; return drawn }
		venues, sources := venuesOf(cfg, clock.Now)
		for name, takes := range map[string]time.Duration{"alpha": 3, "bank": 2, "beta": 1, "gamma": 0} {
			venues[name].observe = func(context.Context, []core.Pair) ([]core.Observation, error) {
				time.Sleep(takes) // the last one answers first
				return nil, outage
			}
		}
		s, err := pairs.New(cfg, sources, clock.Now)
		if err != nil {
			t.Fatal(err)
		}
		s.Tick(t.Context())
		for i, state := range s.Sources() {
			if want := noon.Add(2*time.Second + time.Duration(i+1)); !state.NextPoll.Equal(want) {
				t.Errorf("%s: next poll at %s, want %s", state.Name, state.NextPoll, want)
			}
		}
	})
}

func TestSources(t *testing.T) {
	t.Parallel()
	s := openQuoted(t, config())
	s.venues["alpha"].observe = func(_ context.Context, markets []core.Pair) ([]core.Observation, error) {
		s.clock.advance(300 * time.Millisecond)
		return []core.Observation{{Pair: markets[0], Bid: dec("-1"), Ask: dec("1"), At: noon, Source: "alpha"}}, nil
	}
	s.venues["beta"].fail(outage)
	s.Tick(t.Context())
	alpha, beta := s.Sources()[0], s.Sources()[2]
	after := noon.Add(300 * time.Millisecond)
	want := pairs.SourceState{
		Source: config().Sources[0], LastPoll: noon, LastSuccess: after, NextPoll: noon.Add(2 * time.Second),
		Latency: 300 * time.Millisecond, Polls: 1, Rejected: map[pairs.Reason]uint64{pairs.NotPositive: 1, pairs.Absent: 2}, // of the three markets
	}
	none := cmpopts.IgnoreMapEntries(func(_ pairs.Reason, n uint64) bool { return n == 0 })
	if diff := cmp.Diff(want, alpha, none); diff != "" {
		t.Errorf("alpha, want -, got +:\n%s", diff)
	}
	if len(beta.Rejected) != 9 || beta.Rejected[pairs.Inverted] != 0 {
		t.Errorf("the counters of rejections do not start at zero: %v", beta.Rejected)
	}
	if beta.Name != "beta" || beta.Polls != 1 || beta.Failures != 1 || beta.LastError != core.Unavailable || !beta.LastSuccess.IsZero() {
		t.Errorf("beta: got %+v", beta)
	}
	alpha.Rejected[pairs.NotPositive] = 77
	if got := s.Sources()[0].Rejected[pairs.NotPositive]; got != 1 {
		t.Errorf("the engine's counts can be changed from outside: got %d", got)
	}
}

func TestPoll_Canceled(t *testing.T) {
	t.Parallel()
	s := open(t, config())
	ctx, cancel := context.WithCancel(t.Context())
	s.venues["alpha"].observe = func(ctx context.Context, _ []core.Pair) ([]core.Observation, error) {
		cancel()
		<-ctx.Done()
		return nil, ctx.Err()
	}
	s.Tick(ctx)
	if got := s.Sources()[0]; got.Polls != 0 || got.Failures != 0 || !got.NextPoll.IsZero() {
		t.Errorf("got %+v", got)
	}
}
