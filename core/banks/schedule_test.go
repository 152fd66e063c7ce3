package banks_test

import (
	"context"
	"errors"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"causeway/core"
	"causeway/core/banks"
	"causeway/ports"
)

// asked is a directory of a country that notes when it is asked.
type asked struct {
	name   string
	answer func(ctx context.Context, n int) ([]core.Bank, error) // the n-th question, from 0

	mu    sync.Mutex
	times []time.Time
}

func (a *asked) Name() string      { return a.name }
func (*asked) Countries() []string { return []string{"NG"} }
func (a *asked) Banks(ctx context.Context, _ string) ([]core.Bank, error) {
	a.mu.Lock()
	n := len(a.times)
	a.times = append(a.times, time.Now())
	a.mu.Unlock()
	return a.answer(ctx, n)
}

// waits are the times between questions.
func (a *asked) waits() []time.Duration {
	a.mu.Lock()
	defer a.mu.Unlock()
	var out []time.Duration
	for i := 1; i < len(a.times); i++ {
		out = append(out, a.times[i].Sub(a.times[i-1]))
	}
	return out
}

// running is a service that runs for so long in the bubble, and what it reported.
func running(t *testing.T, d time.Duration, entropy core.Entropy, directories ...ports.BankDirectory) (*banks.Service, []banks.State) {
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

// everything is what a directory that works lists.
func everything(name string) func(context.Context, int) ([]core.Bank, error) {
	return func(context.Context, int) ([]core.Bank, error) {
		_, all := numbered(40, 40)
		for i := range all {
			all[i].Codes = map[string]string{name: all[i].Code}
		}
		return all, nil
	}
}

var errDown = core.Errorf(core.Unavailable, "down")

const threeDays = 72 * time.Hour

// TestThreeDays runs the schedule for three days: a directory that works, one that fails for an
// afternoon, one that never answers and one whose list is cut short for a night.
func TestThreeDays(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		during := func(from, to time.Duration) bool {
			now := time.Since(start)
			return now >= from && now < to
		}
		draw := uint64(0)
		var mu sync.Mutex
		entropy := func() uint64 {
			mu.Lock()
			defer mu.Unlock()
			draw += 0x9E3779B97F4A7C15
			return draw
		}
		good := &asked{name: "good", answer: everything("good")}
		fails := &asked{name: "fails", answer: func(ctx context.Context, n int) ([]core.Bank, error) {
			if during(30*time.Hour, 34*time.Hour) {
				return nil, errDown
			}
			return everything("fails")(ctx, n)
		}}
		hangs := &asked{name: "hangs", answer: func(ctx context.Context, _ int) ([]core.Bank, error) {
			<-ctx.Done()
			return nil, core.Errorf(core.Unavailable, "no answer").With(ctx.Err())
		}}
		short := &asked{name: "paystack", answer: func(context.Context, int) ([]core.Bank, error) {
			_, all := numbered(40, 40)
			if during(40*time.Hour, 48*time.Hour) {
				return all[:30], nil
			}
			return all, nil
		}}
		s, reports := running(t, threeDays, entropy, good, fails, hangs, short)

		if n := len(good.times); n < 70 || n > 75 || !good.times[0].Equal(start) {
			t.Errorf("good was asked %d times in three days, first after %s", n, good.times[0].Sub(start))
		}
		waits := good.waits()
		for _, w := range waits {
			if w < 54*time.Minute || w > 66*time.Minute+5*time.Second {
				t.Errorf("good was asked again after %s", w)
			}
		}
		if slices.Min(waits) == slices.Max(waits) {
			t.Error("good is always asked after the same time")
		}
		if n := len(fails.times); n < 75 || n > 95 {
			t.Errorf("fails was asked %d times: too often, or not until it was well again", n)
		}
		if n := len(hangs.times); n < 250 || n > 340 {
			t.Errorf("hangs was asked %d times: it has a quarter of an hour between", n)
		}
		for _, st := range s.States() {
			if hung := st.Directory == "hangs"; hung != (st.LastError != nil) || hung != st.LastSuccess.IsZero() || hung != s.Awaits(st.Directory, "NG") {
				t.Errorf("%s at the end: %+v", st.Directory, st)
			}
			if st.Directory == "paystack" && (st.Held == 0 || st.HeldBack != nil || len(st.Gone) != 0 || st.Joined != 40) {
				t.Errorf("paystack at the end: %+v", st)
			}
		}
		held := slices.ContainsFunc(reports, func(r banks.State) bool { return r.HeldBack != nil && len(r.HeldBack.Missing) == 10 })
		failed := slices.ContainsFunc(reports, func(r banks.State) bool { return r.Directory == "fails" && errors.Is(r.LastError, errDown) })
		if total := len(good.times) + len(fails.times) + len(hangs.times) + len(short.times); !held || !failed || len(reports) < total-4 || len(reports) > total {
			t.Errorf("%d reports of %d questions; held back: %t, failed: %t", len(reports), total, held, failed)
		}
		if n := len(s.List().Entries()); n != 40 {
			t.Errorf("%d institutions", n)
		}
	})
}

func TestBackOff(t *testing.T) {
	t.Parallel()
	minutes := func(n ...float64) []time.Duration {
		var out []time.Duration
		for _, m := range n {
			out = append(out, time.Duration(m*float64(time.Minute)))
		}
		return out
	}
	for _, c := range []struct {
		name   string
		answer func(ctx context.Context, n int) ([]core.Bank, error)
		want   []time.Duration // before the tenth that is taken off when nothing is drawn
	}{
		{
			"that has never answered is asked again soon", func(context.Context, int) ([]core.Bank, error) { return nil, errDown },
			minutes(5./60, 10./60, 20./60, 40./60, 80./60, 160./60, 320./60, 640./60, 15, 15),
		},
		{"that has answered is asked again in minutes", func(ctx context.Context, n int) ([]core.Bank, error) {
			if n == 0 {
				return everything("paystack")(ctx, n)
			}
			return nil, errDown
		}, minutes(60, 1, 2, 4, 8, 15, 15)},
		{"that lists nothing is no better", func(ctx context.Context, n int) ([]core.Bank, error) {
			if n == 0 {
				return everything("paystack")(ctx, n)
			}
			return []core.Bank{}, nil
		}, minutes(60, 1, 2)},
		{"that is well again has its hour", func(ctx context.Context, n int) ([]core.Bank, error) {
			if n == 1 {
				return nil, errDown
			}
			return everything("paystack")(ctx, n)
		}, minutes(60, 1, 60, 60)},
		{"that says when is not asked before, but within the hour", func(_ context.Context, n int) ([]core.Bank, error) {
			return nil, errDown.Retry([]time.Duration{20 * time.Minute, 24 * time.Hour, time.Second, time.Second}[min(n, 3)])
		}, minutes(20, 60, 20./60, 40./60)},
	} {
		t.Run("a directory "+c.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				d := &asked{name: "paystack", answer: c.answer}
				running(t, 5*time.Hour, func() uint64 { return 0 }, d)
				got := d.waits()
				for i, want := range c.want {
					if want = want * 9 / 10; i >= len(got) || got[i] != want {
						t.Fatalf("got %v, want %v, each a tenth less", got[:min(len(got), len(c.want))], c.want)
					}
				}
			})
		})
	}
}

// A directory that is asked while the process is leaving, or that has no time left at the start,
// has not failed.
func TestWhoeverLeavesSaysNothingAboutTheDirectory(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		d := &asked{name: "paystack", answer: func(ctx context.Context, n int) ([]core.Bank, error) {
			if n > 0 {
				return everything("paystack")(ctx, n)
			}
			<-ctx.Done()
			return nil, ctx.Err()
		}}
		cfg := configured(catalog(), d)
		cfg.Report = func(s banks.State) {
			if s.Failed > 0 {
				t.Errorf("reported %+v", s)
			}
		}
		s, err := banks.New(cfg)
		if err != nil {
			t.Fatal(err)
		}
		short, done := context.WithTimeout(t.Context(), 3*time.Second)
		defer done()
		s.Tick(short)
		if st := s.States()[0]; st.Failed != 0 || st.Failures != 0 || !s.Awaits("paystack", "NG") {
			t.Errorf("got %+v", st)
		}
		s.Tick(t.Context()) // too early
		<-time.NewTimer(5 * time.Second).C
		s.Tick(t.Context())
		if st := s.States()[0]; st.Answered != 1 || len(d.times) != 2 {
			t.Errorf("got %+v after %d questions", st, len(d.times))
		}
	})
}

// A directory that hangs delays no other one, and is asked once at a time, by Run and Tick
// together.
func TestAHangingDirectoryDelaysNobody(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		hangs := &asked{name: "a", answer: func(ctx context.Context, _ int) ([]core.Bank, error) {
			<-ctx.Done()
			return nil, errDown
		}}
		good := &asked{name: "paystack", answer: everything("paystack")}
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
			t.Error("paystack waits for the other one")
		}
		all.Go(func() { s.Tick(ctx) })
		synctest.Wait()
		if len(hangs.times) != 1 || len(good.times) != 1 {
			t.Errorf("asked %d and %d times", len(hangs.times), len(good.times))
		}
		stop()
		all.Wait()
	})
}
