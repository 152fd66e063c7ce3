package recipients_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"causeway/core"
	"causeway/core/recipients"
)

// moody is a resolver whose next answer can be set; until then it takes usual for "EVERYBODY".
type moody struct {
	resolver

	mu   sync.Mutex
	next func(ctx context.Context) (core.Private, error)
	seen []error // of the contexts, where they ended before the answer
}

func (m *moody) then(next func(ctx context.Context) (core.Private, error)) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.next = next
}

func newMoody(name string, usual time.Duration) *moody {
	m := &moody{}
	m.resolver = resolver{name: name, resolves: always, resolve: func(ctx context.Context, _ core.AccountQuery) (core.Private, error) {
		m.mu.Lock()
		next := m.next
		m.mu.Unlock()
		if next != nil {
			return next(ctx)
		}
		return m.in(usual, "EVERYBODY", nil)(ctx)
	}}
	return m
}

// in is an answer that takes a while.
func (m *moody) in(wait time.Duration, holder core.Private, err error) func(context.Context) (core.Private, error) {
	return func(ctx context.Context) (core.Private, error) {
		select {
		case <-time.NewTimer(wait).C:
			return holder, err
		case <-ctx.Done():
			m.mu.Lock()
			defer m.mu.Unlock()
			m.seen = append(m.seen, ctx.Err())
			return "", ctx.Err()
		}
	}
}

// hedging is a service of two providers that hedges, and a function that asks about ever other accounts.
type hedging struct {
	*recipients.Service
	first, second *moody
	told          []recipients.Attempt
	count         int
}

func newHedging(t testing.TB, usual time.Duration, hedge ...string) *hedging {
	t.Helper()
	h := &hedging{first: newMoody("first", usual), second: newMoody("second", usual)}
	cfg := configOf(countries(), h.first, h.second)
	cfg.Settings.Hedge = hedge
	cfg.Events.Attempt = func(_ context.Context, a recipients.Attempt) { h.told = append(h.told, a) }
	h.Service = open(t, cfg)
	return h
}

func (h *hedging) ask(t testing.TB) (core.Private, error) {
	t.Helper()
	h.count++
	req := nigerian()
	req.AccountNumber = core.Private(fmt.Sprintf("%010d", h.count))
	got, err := h.Resolve(t.Context(), req)
	return got.Holder, err
}

// warm lets the first provider show how quick it is.
func (h *hedging) warm(t testing.TB, times int) {
	t.Helper()
	for range times {
		if _, err := h.ask(t); err != nil {
			t.Fatal(err)
		}
	}
	h.told = nil
}

func TestHedging(t *testing.T) {
	t.Parallel()
	const usual = 300 * time.Millisecond
	unknown, down := core.Errorf(core.NotFound, "No account"), core.Errorf(core.Unavailable, "down")
	for _, c := range []struct {
		name          string
		hedge         []string
		warm          int
		first, second func(m *moody) func(context.Context) (core.Private, error)
		holder        core.Private
		code          core.Code
		took          time.Duration
		outcomes      []recipients.Outcome // in the order in which they ended
	}{
		{
			name: "a quick first one is alone", hedge: []string{"all"}, warm: 20, holder: "FIRST", took: 299 * time.Millisecond,
			first: func(m *moody) func(context.Context) (core.Private, error) {
				return m.in(299*time.Millisecond, "FIRST", nil)
			},
			outcomes: []recipients.Outcome{recipients.Found},
		},
		{
			name: "a slow first one loses", hedge: []string{"ng_bank_transfer"}, warm: 20, holder: "SECOND", took: 400 * time.Millisecond,
			first: func(m *moody) func(context.Context) (core.Private, error) { return m.in(3*time.Second, "FIRST", nil) },
			second: func(m *moody) func(context.Context) (core.Private, error) {
				return m.in(100*time.Millisecond, "SECOND", nil)
			},
			outcomes: []recipients.Outcome{recipients.Found, recipients.Abandoned},
		},
		{
			name: "a slow first one may still win", hedge: []string{"all"}, warm: 20, holder: "FIRST", took: 350 * time.Millisecond,
			first: func(m *moody) func(context.Context) (core.Private, error) {
				return m.in(350*time.Millisecond, "FIRST", nil)
			},
			second:   func(m *moody) func(context.Context) (core.Private, error) { return m.in(time.Second, "SECOND", nil) },
			outcomes: []recipients.Outcome{recipients.Found, recipients.Abandoned},
		},
		{
			name: "a sure no of the second one is an answer", hedge: []string{"all"}, warm: 20, code: core.NotFound, took: 400 * time.Millisecond,
			first: func(m *moody) func(context.Context) (core.Private, error) { return m.in(3*time.Second, "FIRST", nil) },
			second: func(m *moody) func(context.Context) (core.Private, error) {
				return m.in(100*time.Millisecond, "", unknown)
			},
			outcomes: []recipients.Outcome{recipients.Missing, recipients.Abandoned},
		},
		{
			name: "a second one that cannot tell leaves it to the first", hedge: []string{"all"}, warm: 20, holder: "FIRST", took: time.Second,
			first: func(m *moody) func(context.Context) (core.Private, error) { return m.in(time.Second, "FIRST", nil) },
			second: func(m *moody) func(context.Context) (core.Private, error) {
				return m.in(100*time.Millisecond, "", down)
			},
			outcomes: []recipients.Outcome{recipients.Untold, recipients.Found},
		},
		{
			name: "both cannot tell", hedge: []string{"all"}, warm: 20, code: core.Unavailable, took: time.Second,
			first: func(m *moody) func(context.Context) (core.Private, error) { return m.in(time.Second, "", down) },
			second: func(m *moody) func(context.Context) (core.Private, error) {
				return m.in(100*time.Millisecond, "", down)
			},
			outcomes: []recipients.Outcome{recipients.Untold, recipients.Untold},
		},
		{
			name: "a first one that fails early is followed at once", hedge: []string{"all"}, warm: 20, holder: "SECOND", took: 150 * time.Millisecond,
			first: func(m *moody) func(context.Context) (core.Private, error) { return m.in(50*time.Millisecond, "", down) },
			second: func(m *moody) func(context.Context) (core.Private, error) {
				return m.in(100*time.Millisecond, "SECOND", nil)
			},
			outcomes: []recipients.Outcome{recipients.Untold, recipients.Found},
		},
		{
			name: "not before 20 latencies are known", hedge: []string{"all"}, warm: 19, holder: "FIRST", took: 3 * time.Second,
			first:    func(m *moody) func(context.Context) (core.Private, error) { return m.in(3*time.Second, "FIRST", nil) },
			outcomes: []recipients.Outcome{recipients.Found},
		},
		{
			name: "not where it is not configured", hedge: []string{"gh_bank_transfer"}, warm: 50, holder: "FIRST", took: 3 * time.Second,
			first:    func(m *moody) func(context.Context) (core.Private, error) { return m.in(3*time.Second, "FIRST", nil) },
			outcomes: []recipients.Outcome{recipients.Found},
		},
		{
			name: "both hang", hedge: []string{"all"}, warm: 20, code: core.Unavailable, took: budget,
			first:    func(m *moody) func(context.Context) (core.Private, error) { return m.in(time.Hour, "FIRST", nil) },
			second:   func(m *moody) func(context.Context) (core.Private, error) { return m.in(time.Hour, "SECOND", nil) },
			outcomes: []recipients.Outcome{recipients.Untold, recipients.Untold},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				h := newHedging(t, usual, c.hedge...)
				h.warm(t, c.warm)
				h.first.then(c.first(h.first))
				if c.second != nil {
					h.second.then(c.second(h.second))
				}
				start := time.Now()
				holder, err := h.ask(t)
				if took := time.Since(start); holder != c.holder || core.CodeOf(err) != c.code || took != c.took {
					t.Errorf("got %q, %v after %s; want %q, %q after %s", holder.Reveal(), err, took, c.holder.Reveal(), c.code, c.took)
				}
				var outcomes []recipients.Outcome
				for _, a := range h.told {
					outcomes = append(outcomes, a.Outcome)
					if a.Hedged && a.Provider != "second" {
						t.Errorf("%+v is hedged", a)
					}
				}
				if !slices.Equal(outcomes, c.outcomes) {
					t.Errorf("got %v, want %v", outcomes, c.outcomes)
				}
				synctest.Wait()
				h.first.mu.Lock()
				h.second.mu.Lock()
				defer h.first.mu.Unlock()
				defer h.second.mu.Unlock()
				if slices.Contains(c.outcomes, recipients.Abandoned) && !errors.Is(errors.Join(append(h.first.seen, h.second.seen...)...), context.Canceled) {
					t.Error("the slower one was not cancelled")
				}
			})
		})
	}
}

// How patient one is: 19 of 20 of the latest answers, 100 ms at least, half of a turn at most. Failures do not count, waits that were
// given up do: they were that long at least.
func TestPatience(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name      string
		latencies func(i int) time.Duration
		count     int
		want      time.Duration
	}{
		{"19 of 20", func(i int) time.Duration { return time.Duration(i+1) * 10 * time.Millisecond }, 20, 190 * time.Millisecond},
		{"a floor", func(int) time.Duration { return time.Millisecond }, 30, 100 * time.Millisecond},
		{"a ceiling", func(int) time.Duration { return 3500 * time.Millisecond }, 30, 2 * time.Second},
		{"the latest 200", func(i int) time.Duration { return max(200*time.Millisecond, time.Duration(250-i)*time.Second) }, 450, 200 * time.Millisecond},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				h := newHedging(t, 0, "all")
				h.second.then(h.second.in(time.Hour, "", nil))
				for i := range c.count {
					h.first.then(h.first.in(min(c.latencies(i), 3900*time.Millisecond), "EVERYBODY", nil))
					if _, err := h.ask(t); err != nil {
						t.Fatal(err)
					}
				}
				wantHedgeAfter(t, h, c.want)
			})
		})
	}
	t.Run("failures do not count", func(t *testing.T) {
		t.Parallel()
		synctest.Test(t, func(t *testing.T) {
			h := newHedging(t, 300*time.Millisecond, "all")
			h.warm(t, 20)
			h.first.then(h.first.in(time.Millisecond, "", errors.New("odd")))
			h.warm(t, 200)
			wantHedgeAfter(t, h, 300*time.Millisecond)
		})
	})
	t.Run("what lost against the second one counts: patience does not dwindle", func(t *testing.T) {
		t.Parallel()
		synctest.Test(t, func(t *testing.T) {
			h := newHedging(t, 0, "all")
			h.second.then(h.second.in(time.Millisecond, "EVERYBODY", nil))
			for i := range 2000 { // anything from 100 ms to 1.1 s
				h.first.then(h.first.in(time.Duration(100+i*7919%1000)*time.Millisecond, "EVERYBODY", nil))
				if _, err := h.ask(t); err != nil {
					t.Fatal(err)
				}
			}
			hedged := 0
			for _, a := range h.told[len(h.told)-400:] {
				if a.Hedged {
					hedged++
				}
			}
			if hedged < 10 || hedged > 60 {
				t.Errorf("%d of the last lookups were hedged, want about one in twenty", hedged)
			}
		})
	})
}

// wantHedgeAfter lets the first one hang and looks when the second one is asked.
func wantHedgeAfter(t *testing.T, h *hedging, want time.Duration) {
	t.Helper()
	synctest.Wait() // whoever was asked in vain before is gone: he is not the one that is looked at
	start := time.Now()
	var asked time.Duration
	h.first.then(h.first.in(time.Hour, "", nil))
	h.second.then(func(context.Context) (core.Private, error) {
		asked = time.Since(start)
		return "SECOND", nil
	})
	if _, err := h.ask(t); err != nil {
		t.Fatal(err)
	}
	if asked != want {
		t.Errorf("the second one was asked after %s, want %s", asked, want)
	}
}
