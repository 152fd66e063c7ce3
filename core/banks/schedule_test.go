package banks_test

import (
	"context"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"causeway/core"
	"causeway/core/banks"
	"causeway/ports"
)

// recorder is a directory of Nigeria that records the times of requests.
type recorder struct {
	name    string
	respond func(ctx context.Context, n int) ([]core.Bank, error) // to the n-th request, from 0

	mu    sync.Mutex
	times []time.Time
}

func (r *recorder) Name() string      { return r.name }
func (*recorder) Countries() []string { return []string{"NG"} }
func (r *recorder) Banks(ctx context.Context, _ string) ([]core.Bank, error) {
	r.mu.Lock()
	n := len(r.times)
	r.times = append(r.times, time.Now())
	r.mu.Unlock()
	return r.respond(ctx, n)
}

// waits returns the times between requests.
func (r *recorder) waits() []time.Duration {
	r.mu.Lock()
	defer r.mu.Unlock()
	var out []time.Duration
	for i := 1; i < len(r.times); i++ {
		out = append(out, r.times[i].Sub(r.times[i-1]))
	}
	return out
}

// run runs a service for a duration and returns it with its reports.
func run(t *testing.T, d time.Duration, entropy core.Entropy, directories ...ports.BankDirectory) (*banks.Service, []banks.State) {
	t.Helper()
	var mu sync.Mutex
	var reports []banks.State
	known, _ := numbered(40, 40)
	cfg := configured(known, directories...)
	cfg.Entropy = entropy
	cfg.Report = func(s banks.State) {
		mu.Lock()
		defer mu.Unlock()
		reports = append(reports, s)
	}
	s, err := banks.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithTimeout(t.Context(), d)
	defer stop()
	s.Run(ctx)
	mu.Lock()
	defer mu.Unlock()
	return s, reports
}

// complete responds with the whole list.
func complete(name string) func(context.Context, int) ([]core.Bank, error) {
	return func(context.Context, int) ([]core.Bank, error) {
		_, all := numbered(40, 40)
		for i := range all {
			all[i].Codes = map[string]string{name: all[i].Code}
		}
		return all, nil
	}
}

// hang responds when ctx is done.
func hang(ctx context.Context, _ int) ([]core.Bank, error) {
	<-ctx.Done()
	return nil, core.Errorf(core.Unavailable, "no response").With(ctx.Err())
}

var errDown = core.Errorf(core.Unavailable, "down")

// TestRun runs the schedule for three days with a directory that works, one that never responds and one
// whose list is truncated for a night.
func TestRun(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		draw := uint64(0)
		var mu sync.Mutex
		entropy := func() uint64 {
			mu.Lock()
			defer mu.Unlock()
			draw += 0x9E3779B97F4A7C15
			return draw
		}
		good := &recorder{name: "good", respond: complete("good")}
		hangs := &recorder{name: "hangs", respond: hang}
		truncated := &recorder{name: "paystack", respond: func(context.Context, int) ([]core.Bank, error) {
			_, all := numbered(40, 40)
			if d := time.Since(start); d >= 40*time.Hour && d < 48*time.Hour {
				return all[:30], nil
			}
			return all, nil
		}}
		s, reports := run(t, 72*time.Hour, entropy, good, hangs, truncated)

		if n := len(good.times); n < 70 || n > 75 || !good.times[0].Equal(start) {
			t.Errorf("good: got %d requests, the first after %s; want 70 to 75, at once", n, good.times[0].Sub(start))
		}
		waits := good.waits()
		shortest, longest := slices.Min(waits), slices.Max(waits)
		if shortest < 54*time.Minute || longest > 66*time.Minute+5*time.Second || shortest == longest {
			t.Errorf("good: got waits of %s to %s, want an hour plus or minus 10 %%", shortest, longest)
		}
		if n := len(hangs.times); n < 250 || n > 340 {
			t.Errorf("hangs: got %d requests, want one in 15 minutes", n)
		}
		for _, st := range s.States() {
			if hung := st.Directory == "hangs"; hung != (st.LastError != nil) || hung != st.LastSuccess.IsZero() || hung != s.Awaits(st.Directory, "NG") {
				t.Errorf("%s: got %+v", st.Directory, st)
			}
			if st.Directory == "paystack" && (st.Held == 0 || st.HeldBack != nil || len(st.Gone) != 0 || st.Joined != 40) {
				t.Errorf("paystack: got %+v, want lists held back and 40 joined", st)
			}
		}
		held := slices.ContainsFunc(reports, func(r banks.State) bool { return r.HeldBack != nil && len(r.HeldBack.Missing) == 10 })
		if total := len(good.times) + len(hangs.times) + len(truncated.times); !held || len(reports) < total-3 || len(reports) > total {
			t.Errorf("got %d reports of %d requests, one of a list held back: %t", len(reports), total, held)
		}
	})
}

func TestRun_Retry(t *testing.T) {
	t.Parallel()
	minutes := func(n ...float64) []time.Duration {
		var out []time.Duration
		for _, m := range n {
			out = append(out, time.Duration(m*float64(time.Minute)))
		}
		return out
	}
	for _, c := range []struct {
		name    string
		respond func(ctx context.Context, n int) ([]core.Bank, error)
		want    []time.Duration // entropy 0 makes each a tenth shorter
	}{
		{
			"before the first list", func(context.Context, int) ([]core.Bank, error) { return nil, errDown },
			minutes(5./60, 10./60, 20./60, 40./60, 80./60, 160./60, 320./60, 640./60, 15, 15),
		},
		{"after a list", func(ctx context.Context, n int) ([]core.Bank, error) {
			if n == 0 {
				return complete("paystack")(ctx, n)
			}
			return nil, errDown
		}, minutes(60, 1, 2, 4, 8, 15, 15)},
		{"empty list", func(ctx context.Context, n int) ([]core.Bank, error) {
			if n == 0 {
				return complete("paystack")(ctx, n)
			}
			return []core.Bank{}, nil
		}, minutes(60, 1, 2)},
		{"after recovery", func(ctx context.Context, n int) ([]core.Bank, error) {
			if n == 1 {
				return nil, errDown
			}
			return complete("paystack")(ctx, n)
		}, minutes(60, 1, 60, 60)},
		{"Retry-After, at most an hour", func(_ context.Context, n int) ([]core.Bank, error) {
			return nil, errDown.Retry([]time.Duration{20 * time.Minute, 24 * time.Hour, time.Second, time.Second}[min(n, 3)])
		}, minutes(20, 60, 20./60, 40./60)},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				d := &recorder{name: "paystack", respond: c.respond}
				run(t, 5*time.Hour, func() uint64 { return 0 }, d)
				got := d.waits()
				for i, want := range c.want {
					if want = want * 9 / 10; i >= len(got) || got[i] != want {
						t.Fatalf("got %v, want 90 %% of %v", got[:min(len(got), len(c.want))], c.want)
					}
				}
			})
		})
	}
}

// A request that the caller cancels is not a failure of the directory.
func TestTick_Cancelled(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		d := &recorder{name: "paystack", respond: func(ctx context.Context, n int) ([]core.Bank, error) {
			if n > 0 {
				return complete("paystack")(ctx, n)
			}
			return hang(ctx, n)
		}}
		cfg := configured(catalog(), d)
		cfg.Report = func(s banks.State) {
			if s.Failed > 0 {
				t.Errorf("got report %+v, want no failure", s)
			}
		}
		s, err := banks.New(cfg)
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), 3*time.Second)
		defer cancel()
		s.Tick(ctx)
		if st := s.States()[0]; st.Failed != 0 || st.Failures != 0 || !s.Awaits("paystack", "NG") {
			t.Errorf("got %+v, want no failure", st)
		}
		s.Tick(t.Context()) // not due yet
		<-time.NewTimer(5 * time.Second).C
		s.Tick(t.Context())
		if st := s.States()[0]; st.Succeeded != 1 || len(d.times) != 2 {
			t.Errorf("got %+v after %d requests, want 1 list after 2", st, len(d.times))
		}
	})
}

// A hanging directory does not delay the others, and Run and Tick together send one request at a time.
func TestRun_HangingDirectory(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		hangs := &recorder{name: "a", respond: hang}
		good := &recorder{name: "paystack", respond: complete("paystack")}
		known, _ := numbered(40, 40)
		s, err := banks.New(configured(known, hangs, good))
		if err != nil {
			t.Fatal(err)
		}
		ctx, stop := context.WithCancel(t.Context())
		var all sync.WaitGroup
		all.Go(func() { s.Run(ctx) })
		synctest.Wait()
		if s.Awaits("paystack", "NG") || !s.Awaits("a", "NG") {
			t.Errorf("got awaits paystack %t, a %t; want only a", s.Awaits("paystack", "NG"), s.Awaits("a", "NG"))
		}
		all.Go(func() { s.Tick(ctx) })
		synctest.Wait()
		if len(hangs.times) != 1 || len(good.times) != 1 {
			t.Errorf("got %d and %d requests, want 1 each", len(hangs.times), len(good.times))
		}
		stop()
		all.Wait()
	})
}
