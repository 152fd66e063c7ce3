package upstream_test

import (
	"context"
	"errors"
	"math"
	"net/http"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/jarcoal/httpmock"
	"pgregory.net/rapid"

	"causeway/adapters/upstream"
)

func TestRetry(t *testing.T) {
	t.Parallel()
	ok := httpmock.NewStringResponder(http.StatusOK, "{}")
	status := func(code int) httpmock.Responder { return httpmock.NewStringResponder(code, "") }
	told := func(seconds string) httpmock.Responder {
		return status(http.StatusServiceUnavailable).HeaderSet(http.Header{"Retry-After": {seconds}})
	}
	lost := failing(errors.New("lost"))
	cases := map[string]struct {
		answers []httpmock.Responder
		budget  time.Duration // the caller's; 0: none
		calls   int
		waited  time.Duration // between the attempts: a quarter of the ceiling
		works   bool
	}{
		"a lost connection is tried again":      {[]httpmock.Responder{lost, ok}, 0, 2, 100 * time.Millisecond, true},
		"half a body is tried again":            {[]httpmock.Responder{brokenBody("{"), ok}, 0, 2, 100 * time.Millisecond, true},
		"502 is tried again":                    {[]httpmock.Responder{status(502), ok}, 0, 2, 100 * time.Millisecond, true},
		"503 is tried again":                    {[]httpmock.Responder{status(503), ok}, 0, 2, 100 * time.Millisecond, true},
		"504 is tried again":                    {[]httpmock.Responder{status(504), ok}, 0, 2, 100 * time.Millisecond, true},
		"once, not more":                        {[]httpmock.Responder{status(503), lost, ok}, 0, 2, 100 * time.Millisecond, false},
		"500 is an answer":                      {[]httpmock.Responder{status(500), ok}, 0, 1, 0, false},
		"404 is an answer":                      {[]httpmock.Responder{status(404), ok}, 0, 1, 0, false},
		"429 is not pressed":                    {[]httpmock.Responder{status(429), ok}, 0, 1, 0, false},
		"401 is an answer":                      {[]httpmock.Responder{status(401), ok}, 0, 1, 0, false},
		"HTML is an answer":                     {[]httpmock.Responder{httpmock.NewStringResponder(200, "<html>"), ok}, 0, 1, 0, false},
		"Retry-After is waited for":             {[]httpmock.Responder{told("3"), ok}, 0, 2, 3 * time.Second, true},
		"Retry-After is waited for in budget":   {[]httpmock.Responder{told("3"), ok}, 8 * time.Second, 2, 3 * time.Second, true},
		"not when Retry-After is long":          {[]httpmock.Responder{told("5"), ok}, 0, 1, 0, false},
		"not when Retry-After is past budget":   {[]httpmock.Responder{told("4"), ok}, 4 * time.Second, 1, 0, false},
		"not when too little time would remain": {[]httpmock.Responder{status(503), ok}, time.Second, 1, 0, false},
		"when enough time would remain":         {[]httpmock.Responder{status(503), ok}, 1101 * time.Millisecond, 2, 100 * time.Millisecond, true},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				w := open(t)
				w.entropy = math.MaxUint64/4 + 1
				w.follows(c.answers...)
				ctx := t.Context()
				if c.budget > 0 {
					var cancel context.CancelFunc
					ctx, cancel = context.WithTimeout(ctx, c.budget)
					defer cancel()
				}
				start := time.Now()
				err := w.client(t, false).GetJSON(ctx, "op", "/thing", nil, &struct{}{})
				if (err == nil) != c.works {
					t.Errorf("got %v, want success: %v", err, c.works)
				}
				if w.calls() != c.calls || time.Since(start) != c.waited {
					t.Errorf("got %d calls in %s, want %d in %s", w.calls(), time.Since(start), c.calls, c.waited)
				}
				if got := w.metric(t, "causeway_upstream_retries_total"); got != float64(c.calls-1) {
					t.Errorf("counted %v retries, want %d", got, c.calls-1)
				}
				if got := w.metric(t, "causeway_upstream_requests_total"); got != 1 {
					t.Errorf("counted %v questions, want 1", got)
				}
			})
		})
	}
	t.Run("reports each try", func(t *testing.T) {
		t.Parallel()
		synctest.Test(t, func(t *testing.T) {
			w := open(t)
			w.follows(told("3"), ok)
			err := w.client(t, false).GetJSON(t.Context(), "op", "/thing", nil, &struct{}{})
			if err != nil || w.calls() != 2 {
				t.Errorf("got %v after %d calls", err, w.calls())
			}
			if want := []upstream.Try{
				{Provider: "bank", Op: "op", Number: 1, Outcome: upstream.Unavailable, Status: http.StatusServiceUnavailable, Breaker: "closed"},
				{Provider: "bank", Op: "op", Number: 2, Outcome: upstream.OK, Status: http.StatusOK, Breaker: "closed"},
			}; !slices.Equal(w.tries, want) {
				t.Errorf("got %+v, want %+v", w.tries, want)
			}
		})
	})
	t.Run("a caller who goes away while it waits is let go at once", func(t *testing.T) {
		t.Parallel()
		synctest.Test(t, func(t *testing.T) {
			w := open(t)
			w.follows(told("3"), ok)
			ctx, cancel := context.WithCancel(t.Context())
			time.AfterFunc(time.Second, cancel)
			start := time.Now()
			err := w.client(t, false).GetJSON(ctx, "op", "/thing", nil, &struct{}{})
			if !errors.Is(err, context.Canceled) || time.Since(start) != time.Second || w.calls() != 1 {
				t.Errorf("got %v after %s and %d calls", err, time.Since(start), w.calls())
			}
		})
	})
}

func TestFullJitter(t *testing.T) {
	t.Parallel()
	// waits are those between the attempts of a question whose connection is always lost.
	waits := func(t *testing.T, retries int, delay time.Duration, entropy uint64) (waited []time.Duration) {
		t.Helper()
		synctest.Test(t, func(t *testing.T) {
			w := open(t, func(c *upstream.Config) { c.Retries, c.RetryDelay = retries, delay })
			w.entropy = entropy
			last := time.Now()
			w.follows(func(*http.Request) (*http.Response, error) {
				waited, last = append(waited, time.Since(last)), time.Now()
				return nil, errors.New("lost")
			})
			unavailable(t, w.client(t, false).GetJSON(t.Context(), "op", "/thing", nil, &struct{}{}))
		})
		return waited[1:]
	}
	for name, c := range map[string]struct {
		entropy uint64
		want    []time.Duration
	}{
		"the least is nothing": {0, []time.Duration{0, 0, 0, 0, 0}},
		"the middle":           {1 << 63, []time.Duration{250 * time.Millisecond, 500 * time.Millisecond, time.Second, 2 * time.Second, 2 * time.Second}},
		"the most is short of a ceiling that doubles up to 4s": {math.MaxUint64, []time.Duration{500*time.Millisecond - 1, time.Second - 1, 2*time.Second - 1, 4*time.Second - 1, 4*time.Second - 1}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := waits(t, 5, 500*time.Millisecond, c.entropy); !slices.Equal(got, c.want) {
				t.Errorf("got %v, want %v", got, c.want)
			}
		})
	}
	rapid.Check(t, func(rt *rapid.T) {
		delay := time.Duration(rapid.Int64Range(1, int64(time.Minute)).Draw(rt, "delay"))
		for n, got := range waits(t, rapid.IntRange(0, 5).Draw(rt, "retries"), delay, rapid.Uint64().Draw(rt, "entropy")) {
			if ceiling := min(delay<<n, 4*time.Second); got < 0 || got >= ceiling {
				rt.Errorf("wait %d was %s, and its ceiling is %s", n, got, ceiling)
			}
		}
	})
}
