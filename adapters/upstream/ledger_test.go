package upstream_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/jarcoal/httpmock"
	"go.uber.org/zap"
	"pgregory.net/rapid"

	"causeway/adapters/upstream"
	"causeway/core"
)

// limited makes a client of the provider "bank" with limits.
func (w *world) limited(t testing.TB, limits ...upstream.Limit) *upstream.Client {
	t.Helper()
	c, err := w.factory.Client(upstream.Provider{Name: "bank", BaseURL: base, Limits: limits})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// poll asks in the background, hurry for a client who waits; both return how long they are to wait, 0 where they were answered.
func poll(t testing.TB, c *upstream.Client) time.Duration {
	t.Helper()
	return cost(t, c, upstream.Question{Op: "poll", Path: "/thing"})
}

func hurry(t testing.TB, c *upstream.Client) time.Duration {
	t.Helper()
	return cost(t, c, upstream.Question{Op: "hurry", Path: "/thing", Urgent: true})
}

func cost(t testing.TB, c *upstream.Client, q upstream.Question) time.Duration {
	t.Helper()
	err := c.Do(t.Context(), q, upstream.Answer.Fault)
	if err == nil {
		return 0
	}
	failure, ok := errors.AsType[*upstream.Failure](err)
	told, told2 := errors.AsType[*core.Error](err)
	if !ok || !told2 || failure.Outcome != upstream.Quota || told.Code != core.Unavailable || told.RetryAfter <= 0 {
		t.Fatalf("got %v, want a refusal for want of quota, and when to come back", err)
	}
	return told.RetryAfter
}

func TestLimits(t *testing.T) {
	t.Parallel()
	minute := func(calls int) upstream.Limit { return upstream.Limit{Calls: calls, Per: time.Minute} }
	fill := func(t *testing.T, c *upstream.Client, n int) {
		t.Helper()
		for i := range n {
			if wait := poll(t, c); wait != 0 {
				t.Fatalf("call %d is to wait %s", i+1, wait)
			}
		}
	}
	t.Run("polling uses four fifths, and a client's question the rest", func(t *testing.T) {
		t.Parallel()
		w := open(t)
		w.says(http.StatusOK, "{}")
		c := w.limited(t, minute(10))
		fill(t, c, 8)
		if wait := poll(t, c); wait != 60600*time.Millisecond {
			t.Errorf("the ninth is to wait %s, want a minute and a hundredth", wait)
		}
		for range 2 {
			if wait := hurry(t, c); wait != 0 {
				t.Errorf("an urgent question is to wait %s", wait)
			}
		}
		if wait := hurry(t, c); wait == 0 {
			t.Error("an urgent question passed the limit")
		}
		w.asked(t, 10)
		if got := w.metric(t, "causeway_upstream_requests_total", "op=poll", "outcome=quota"); got != 1 {
			t.Errorf("counted %v refusals, want 1", got)
		}
		if got := w.metric(t, "causeway_upstream_quota_used_ratio", "provider=bank", "window=1m0s"); got != 1 {
			t.Errorf("got the ratio %v, want 1", got)
		}
		w.advance(60600 * time.Millisecond)
		if got := w.metric(t, "causeway_upstream_quota_used_ratio", "provider=bank", "window=1m0s"); got != 0 {
			t.Errorf("got the ratio %v after a minute, want 0", got)
		}
	})
	t.Run("a refusal says nothing against the provider", func(t *testing.T) {
		t.Parallel()
		w := open(t)
		w.says(http.StatusOK, "{}")
		c := w.limited(t, minute(10))
		fill(t, c, 8)
		for range 50 {
			poll(t, c)
		}
		if got := w.metric(t, "causeway_upstream_breaker_state"); got != 0 {
			t.Errorf("the breaker is in state %v", got)
		}
	})
	t.Run("each of several limits holds", func(t *testing.T) {
		t.Parallel()
		w := open(t)
		w.says(http.StatusOK, "{}")
		c := w.limited(t, minute(10), upstream.Limit{Calls: 20, Per: time.Hour})
		fill(t, c, 8)
		w.advance(2 * time.Minute)
		fill(t, c, 8)
		if wait := poll(t, c); wait < 58*time.Minute || wait > time.Hour {
			t.Errorf("the seventeenth of the hour is to wait %s", wait)
		}
	})
	t.Run("a question counts what it costs, and one that costs more than there is is never asked", func(t *testing.T) {
		t.Parallel()
		w := open(t)
		w.says(http.StatusOK, "{}")
		c := w.limited(t, minute(10))
		for _, step := range []struct {
			cost   int
			urgent bool
			waits  bool
		}{{4, false, false}, {4, false, false}, {1, false, true}, {9, false, true}, {11, true, true}, {2, true, false}, {1, true, true}} {
			if wait := cost(t, c, upstream.Question{Op: "op", Path: "/thing", Cost: step.cost, Urgent: step.urgent}); (wait > 0) != step.waits {
				t.Errorf("%+v is to wait %s", step, wait)
			}
		}
	})
	t.Run("a limit of one is one, without a reserve", func(t *testing.T) {
		t.Parallel()
		w := open(t)
		w.says(http.StatusOK, "{}")
		c := w.limited(t, minute(1))
		fill(t, c, 1)
		if poll(t, c) == 0 || hurry(t, c) == 0 {
			t.Error("a second call passed")
		}
	})
	t.Run("all clients of a provider share its limits, those of others do not", func(t *testing.T) {
		t.Parallel()
		w := open(t)
		w.says(http.StatusOK, "{}")
		a, b, none := w.limited(t, minute(10)), w.limited(t, minute(10)), w.limited(t)
		fill(t, a, 3)
		fill(t, b, 3)
		fill(t, none, 2)
		for _, c := range []*upstream.Client{a, b, none} {
			if poll(t, c) == 0 {
				t.Error("the ninth passed")
			}
		}
		other, err := w.factory.Client(upstream.Provider{Name: "other", BaseURL: base, Limits: []upstream.Limit{minute(10)}})
		if err != nil {
			t.Fatal(err)
		}
		fill(t, other, 8)
	})
	t.Run("a question that is asked again is counted again, and not asked again where there is no room", func(t *testing.T) {
		t.Parallel()
		w := open(t)
		w.follows(failing(errors.New("lost")))
		c := w.limited(t, minute(5))
		for _, calls := range []int{2, 4, 4} {
			err := c.Do(t.Context(), upstream.Question{Op: "poll", Path: "/thing"}, upstream.Answer.Fault)
			unavailable(t, err)
			w.asked(t, calls)
		}
		c = w.limited(t)
		w.advance(2 * time.Minute)
		hurry3 := upstream.Question{Op: "hurry", Path: "/thing", Cost: 3, Urgent: true}
		unavailable(t, c.Do(t.Context(), hurry3, upstream.Answer.Fault))
		w.asked(t, 5)
	})
	t.Run("a world without limits has none", func(t *testing.T) {
		t.Parallel()
		mock := httpmock.NewMockTransport()
		mock.RegisterResponder(http.MethodGet, base+"/thing", httpmock.NewStringResponder(http.StatusOK, "{}"))
		f, err := upstream.New(upstream.Default(), upstream.Outside{
			Transport: mock, Clock: func() time.Time { return noon }, Entropy: func() uint64 { return 0 }, Unlimited: true,
		}, zap.NewNop(), nil)
		if err != nil {
			t.Fatal(err)
		}
		c, err := f.Client(upstream.Provider{Name: "bank", BaseURL: base, Limits: []upstream.Limit{minute(1)}})
		if err != nil || c.Fits(time.Second, 100, 1) != nil {
			t.Fatalf("got %v", err)
		}
		fill(t, c, 100)
	})
	t.Run("refuses limits that make no sense, and two sets of them", func(t *testing.T) {
		t.Parallel()
		for want, limits := range map[string][]upstream.Limit{
			"a limit of 0 calls in 1m0s":                 {minute(0)},
			"a limit of 1 calls in 999ms":                {{Calls: 1, Per: 999 * time.Millisecond}},
			"a limit of 1 calls in 9000h0m0s":            {{Calls: 1, Per: 9000 * time.Hour}},
			"two limits for 1m0s":                        {minute(1), minute(2)},
			"different limits [{2 1m0s}] and [{1 1m0s}]": {minute(2)},
		} {
			w := open(t)
			if strings.Contains(want, "different") {
				w.limited(t, minute(1))
			}
			_, err := w.factory.Client(upstream.Provider{Name: "bank", BaseURL: base, Limits: limits})
			if err == nil || !strings.Contains(err.Error(), "bank: "+want) {
				t.Errorf("got %v, want %s", err, want)
			}
		}
	})
}

func TestAThrottledProviderHasUsedUpItsLimits(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		limit time.Duration
		told  string
		want  time.Duration
	}{
		"for as long as it told":                        {time.Second, "90", 90 * time.Second},
		"for its shortest limit where it told nothing":  {10 * time.Second, "", 10 * time.Second},
		"for its shortest limit where it told less":     {10 * time.Second, "2", 10 * time.Second},
		"but a month's limit says nothing about a hold": {upstream.Month, "", time.Minute},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := open(t)
			w.follows(httpmock.NewStringResponder(http.StatusTooManyRequests, "").HeaderSet(http.Header{"Retry-After": {c.told}}),
				httpmock.NewStringResponder(http.StatusOK, "{}"))
			client := w.limited(t, upstream.Limit{Calls: 100, Per: c.limit}, upstream.Limit{Calls: 1000, Per: 365 * 24 * time.Hour})
			ask := func() error {
				return client.Do(t.Context(), upstream.Question{Op: "op", Path: "/thing", Urgent: true}, upstream.Answer.Fault)
			}
			unavailable(t, ask())
			w.advance(c.want - 1)
			if wait := unavailable(t, ask()); wait != 1 {
				t.Errorf("is to wait %s more, want 1ns", wait)
			}
			w.outcome(t, upstream.Quota)
			if got := w.metric(t, "causeway_upstream_quota_used_ratio"); got != 2 {
				t.Errorf("got ratios of %v in all, want 1 for each of two limits", got)
			}
			w.advance(1)
			if err := ask(); err != nil {
				t.Error(err)
			}
		})
	}
}

func TestTurns(t *testing.T) {
	t.Parallel()
	// at is when, after the start, each of many questions at once was asked; those that were not are not in it.
	at := func(t *testing.T, n int, limit upstream.Limit, q upstream.Question, budget time.Duration) (asked []time.Duration, errs []error) {
		t.Helper()
		start := time.Now()
		mock := httpmock.NewMockTransport()
		times := make(chan time.Duration, n)
		mock.RegisterResponder(http.MethodGet, base+"/thing", func(*http.Request) (*http.Response, error) {
			times <- time.Since(start)
			return httpmock.NewStringResponse(http.StatusOK, "{}"), nil
		})
		f, err := upstream.New(upstream.Default(), upstream.Outside{Transport: mock, Clock: time.Now, Entropy: func() uint64 { return 0 }}, zap.NewNop(), nil)
		if err != nil {
			t.Fatal(err)
		}
		c, err := f.Client(upstream.Provider{Name: "bank", BaseURL: base, Limits: []upstream.Limit{limit}})
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), budget)
		defer cancel()
		errs = together(n, func(int) error { return c.Do(ctx, q, upstream.Answer.Fault) })
		close(times)
		for d := range times {
			asked = append(asked, d.Truncate(100*time.Millisecond))
		}
		slices.Sort(asked)
		return asked, errs
	}
	seconds := func(counts ...int) (out []time.Duration) {
		for i, n := range counts {
			out = append(out, slices.Repeat([]time.Duration{time.Duration(i) * time.Second}, n)...)
		}
		return out
	}
	second := upstream.Limit{Calls: 10, Per: time.Second}
	background, urgent := upstream.Question{Op: "op", Path: "/thing"}, upstream.Question{Op: "op", Path: "/thing", Urgent: true}
	for name, c := range map[string]struct {
		limit  upstream.Limit
		q      upstream.Question
		budget time.Duration
		want   []time.Duration
	}{
		"polling waits for its turn a second":            {second, background, 10 * time.Second, seconds(8, 8, 8, 1)},
		"as long as its time lasts":                      {second, background, 2500 * time.Millisecond, seconds(8, 8, 8)},
		"and not at all if its time ends before":         {second, background, 500 * time.Millisecond, seconds(8)},
		"a client's question does not wait":              {second, urgent, 10 * time.Second, seconds(10)},
		"nobody waits for a limit of more than a second": {upstream.Limit{Calls: 10, Per: 2 * time.Second}, background, 10 * time.Second, seconds(8)},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				start := time.Now()
				asked, errs := at(t, 25, c.limit, c.q, c.budget)
				if !slices.Equal(asked, c.want) {
					t.Errorf("asked at %v, want %v", asked, c.want)
				}
				failed := 0
				for _, err := range errs {
					if err != nil {
						failed++
						unavailable(t, err)
					}
				}
				if failed != 25-len(c.want) {
					t.Errorf("%d failed, want %d", failed, 25-len(c.want))
				}
				if took := time.Since(start); took > c.budget {
					t.Errorf("took %s of %s", took, c.budget)
				}
			})
		})
	}
	t.Run("who goes away while waiting is let go at once", func(t *testing.T) {
		t.Parallel()
		synctest.Test(t, func(t *testing.T) {
			ctx, cancel := context.WithCancel(t.Context())
			w := open(t)
			w.says(http.StatusOK, "{}")
			c := w.limited(t, upstream.Limit{Calls: 1, Per: time.Second})
			if err := c.GetJSON(ctx, "op", "/thing", nil, &struct{}{}); err != nil {
				t.Error(err)
			}
			time.AfterFunc(300*time.Millisecond, cancel)
			start := time.Now()
			err := c.GetJSON(ctx, "op", "/thing", nil, &struct{}{})
			if !errors.Is(err, context.Canceled) || time.Since(start) != 300*time.Millisecond {
				t.Errorf("got %v after %s", err, time.Since(start))
			}
			w.outcome(t, upstream.Canceled)
		})
	})
}

// step is time that passes, and then a question.
type step struct {
	pass   time.Duration
	cost   int
	urgent bool
}

// book is a plain list of the calls that were made, to hold a client against.
type book struct {
	limits []upstream.Limit
	at     []int64 // nanoseconds since 1970
	cost   []int
}

// allowed is what a question may find used at most, and be asked.
func allowed(l upstream.Limit, s step) int {
	if s.urgent {
		return l.Calls - max(1, s.cost)
	}
	return max(1, l.Calls*8/10) - max(1, s.cost)
}

// room reports whether a question fits all limits, each stretched by a hundredth if so wanted.
func (b *book) room(now int64, s step, stretched bool) bool {
	for _, l := range b.limits {
		span, used := l.Per, 0
		if stretched {
			span += l.Per / 100
		}
		for i, at := range b.at {
			if now-at < int64(span) {
				used += b.cost[i]
			}
		}
		if used > allowed(l, s) {
			return false
		}
	}
	return true
}

// go through the steps and return what went wrong.
func (b *book) follow(t *testing.T, w *world, c *upstream.Client, steps []step) string {
	t.Helper()
	ask := func(s step) time.Duration {
		wait := cost(t, c, upstream.Question{Op: "op", Path: "/thing", Cost: s.cost, Urgent: s.urgent})
		if wait == 0 {
			b.at, b.cost = append(b.at, w.now.Load()), append(b.cost, max(1, s.cost))
		}
		return wait
	}
	for _, s := range steps {
		w.advance(s.pass)
		roomy, tight := b.room(w.now.Load(), s, false), b.room(w.now.Load(), s, true)
		wait := ask(s)
		if wait == 0 && !roomy {
			return fmt.Sprintf("%+v was asked beyond the limits", s)
		}
		if wait > 0 && tight {
			return fmt.Sprintf("%+v is to wait %s, and there is room", s, wait)
		}
		if wait == 0 || slices.ContainsFunc(b.limits, func(l upstream.Limit) bool { return allowed(l, s) < 0 }) {
			continue // asked, or never to be
		}
		w.advance(wait)
		if again := ask(s); again != 0 {
			return fmt.Sprintf("after %s %+v is to wait %s more", wait, s, again)
		}
	}
	return ""
}

// TestLimitsProperty shows that no span of a limit's length ever has more calls than may be, that a call which would fit into a hundredth more than
// that span is not refused, and that there is room after the wait that was told.
func TestLimitsProperty(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		limits := []upstream.Limit{
			{Calls: rapid.IntRange(1, 30).Draw(rt, "calls"), Per: time.Duration(rapid.Int64Range(1e9, 200e9).Draw(rt, "per"))},
			{Calls: rapid.IntRange(10, 60).Draw(rt, "more"), Per: time.Hour},
		}
		steps := make([]step, rapid.IntRange(1, 60).Draw(rt, "steps"))
		for i := range steps {
			steps[i] = step{
				pass: time.Duration(rapid.Int64Range(0, 30e9).Draw(rt, "pass")),
				cost: rapid.IntRange(0, 3).Draw(rt, "cost"), urgent: rapid.Bool().Draw(rt, "urgent"),
			}
		}
		wrong := ""
		synctest.Test(t, func(t *testing.T) { // for pauses that take no time; the world's clock is ours
			w := open(t)
			w.says(http.StatusOK, "{}")
			wrong = (&book{limits: limits}).follow(t, w, w.limited(t, limits...), steps)
		})
		if wrong != "" {
			rt.Fatal(wrong)
		}
	})
}

// TestLimitsWhenTheClockIsSetBack checks that nobody is kept out for ever, and that a small correction forgets nothing.
func TestLimitsWhenTheClockIsSetBack(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		back time.Duration
		wait bool
	}{"a little": {30 * time.Second, true}, "far": {1000 * time.Hour, false}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := open(t)
			w.says(http.StatusOK, "{}")
			client := w.limited(t, upstream.Limit{Calls: 1, Per: time.Minute})
			poll(t, client)
			w.advance(-c.back)
			wait := poll(t, client)
			if (wait > 0) != c.wait || wait > c.back+61*time.Second {
				t.Errorf("is to wait %s", wait)
			}
			w.advance(max(wait, 61*time.Second))
			if wait := poll(t, client); wait != 0 {
				t.Errorf("is to wait %s more", wait)
			}
		})
	}
}

func TestFits(t *testing.T) {
	t.Parallel()
	month := []upstream.Limit{{Calls: 1000, Per: upstream.Month}}
	second := []upstream.Limit{{Calls: 10, Per: time.Second}}
	for name, c := range map[string]struct {
		limits      []upstream.Limit
		interval    time.Duration
		calls, cost int
		want        string // "": it fits
	}{
		"no limits":                     {nil, time.Millisecond, 1000, 1, ""},
		"every hour of a month":         {month, time.Hour, 1, 1, ""},
		"every ten minutes of a month":  {month, 10 * time.Minute, 1, 0, "bank: polled every 10m0s it would use 4464 calls of 1000 in 744h0m0s; 80 % may be used: poll every 56m0s or less often"},
		"what that says fits":           {month, 56 * time.Minute, 1, 1, ""},
		"a minute less does not":        {month, 55 * time.Minute, 1, 1, "would use 812 calls of 1000"},
		"three calls":                   {month, time.Hour, 3, 1, "would use 2232 calls of 1000 in 744h0m0s; 80 % may be used: poll every 2h48m0s or less often"},
		"a weight":                      {[]upstream.Limit{{Calls: 6000, Per: time.Minute}}, 2 * time.Second, 1, 4, ""},
		"a weight too many":             {[]upstream.Limit{{Calls: 100, Per: time.Minute}}, 2 * time.Second, 1, 4, "would use 120 calls of 100 in 1m0s; 80 % may be used: poll every 3s or less often"},
		"25 a second, spread over 4 s":  {second, 4 * time.Second, 25, 1, ""},
		"25 a second, spread over 3 s":  {second, 3 * time.Second, 25, 1, "would use 9 calls of 10 in 1s; 80 % may be used: poll every 4s or less often"},
		"what cannot be spread":         {[]upstream.Limit{{Calls: 10, Per: time.Minute}}, time.Hour, 25, 1, "bank: one poll would use 25 calls of 10 in 1m0s; 80 % may be used"},
		"no interval":                   {second, 0, 1, 1, "would use 11 calls of 10"},
		"no interval with a long limit": {month, 0, 1, 1, "would use 1001 calls of 1000"},
		"the second of two limits":      {append(slices.Clone(second), month...), time.Minute, 1, 1, "polled every 1m0s it would use 44640 calls of 1000"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			err := upstream.Fits("bank", c.limits, c.interval, c.calls, c.cost)
			if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
				t.Errorf("got %v, want %q", err, c.want)
			}
		})
	}
	t.Run("the interval that a refusal names fits", func(t *testing.T) {
		t.Parallel()
		rapid.Check(t, func(rt *rapid.T) {
			limits := []upstream.Limit{{Calls: rapid.IntRange(1, 1e6).Draw(rt, "limit"), Per: time.Duration(rapid.Int64Range(1e9, int64(upstream.Month)).Draw(rt, "per"))}}
			interval := time.Duration(rapid.Int64Range(1, int64(time.Hour)).Draw(rt, "interval"))
			calls, weight := rapid.IntRange(1, 50).Draw(rt, "calls"), rapid.IntRange(0, 5).Draw(rt, "cost")
			err := upstream.Fits("bank", limits, interval, calls, weight)
			if err == nil {
				return
			}
			_, named, ok := strings.Cut(err.Error(), "poll every ")
			if !ok {
				return
			}
			least, parsed := time.ParseDuration(strings.TrimSuffix(named, " or less often"))
			if parsed != nil || least <= interval || upstream.Fits("bank", limits, least, calls, weight) != nil {
				rt.Errorf("%v names %s, of which: %v", err, least, upstream.Fits("bank", limits, least, calls, weight))
			}
		})
	})
	t.Run("a client knows its provider's limits", func(t *testing.T) {
		t.Parallel()
		c := open(t).limited(t, month...)
		if c.Fits(time.Hour, 1, 1) != nil || c.Fits(time.Minute, 1, 1) == nil {
			t.Error("got the wrong verdict")
		}
	})
}
