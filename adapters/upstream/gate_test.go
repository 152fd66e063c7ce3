package upstream_test

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/zap/zapcore"

	"causeway/adapters/upstream"
)

// TestBreaker runs steps against one provider: a letter sends a request that the provider answers
// with "." 200, "x" 500, "t" 429, "k" 401, "n" 404; digits before it repeat it, and A, B and so on
// before it name its scope. "+" lets ten seconds pass, "-" sets the clock back. "!" follows a
// request that must not be sent.
func TestBreaker(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		steps string
		state float64 // of the metric afterwards
	}{
		"failures in a row open it":              {"9x . 10x .!", 2},
		"a success in between":                   {"9x . 9x .", 0},
		"other answers do not open it":           {"30k 30n .", 0},
		"throttling is no evidence":              {"9x 30t x .!", 2},
		"one probe every ten seconds":            {"10x + x .! + x .!", 2},
		"a probe closes it":                      {"10x + . . 9x .", 0},
		"a throttled probe decides nothing":      {"10x + t .! + .", 0},
		"a clock that is set back":               {"10x - .", 0},
		"a failing bank":                         {"10Ax A.! B. .", 0},
		"a bank that recovers":                   {"10Ax + A. A. 9Ax A.", 0},
		"two failing banks":                      {"10Ax 10Bx A.! B.! C.", 0},
		"three failing banks":                    {"4Ax 4Bx 2Cx D.! .!", 2},
		"three failing banks among working ones": {"4Ax D. 4Bx D. 4Cx D. 4Ax D.", 0},
		"a provider that recovers, a bank not":   {"10Ax 4Bx 2Cx D.! + D. Ax A.! D.", 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := open(t)
			for step := range strings.FieldsSeq(c.steps) {
				w.breakerStep(t, step)
			}
			if got := w.metric(t, "breaker_state", "provider=bank"); got != c.state {
				t.Errorf("got state %v, want %v", got, c.state)
			}
		})
	}
}

func (w *world) breakerStep(t *testing.T, step string) {
	t.Helper()
	switch step {
	case "+":
		w.advance(10 * time.Second)
		return
	case "-":
		w.advance(-1000 * time.Hour)
		return
	}
	rest, rejected := strings.CutSuffix(step, "!")
	times := 0
	for rest[0] >= '0' && rest[0] <= '9' {
		times, rest = times*10+int(rest[0]-'0'), rest[1:]
	}
	kind := rest[len(rest)-1:]
	code := map[string]int{".": 200, "x": 500, "t": 429, "k": 401, "n": 404}[kind]
	w.respond(text(code, "{}"))
	for range max(1, times) {
		before := w.calls()
		err := w.client.Do(t.Context(), upstream.Request{Op: "op", Path: "/", Scope: strings.TrimSuffix(rest, kind)}, readObject)
		if sent := w.calls() > before; sent == rejected {
			t.Fatalf("%s: sent: %v, %v", step, sent, err)
		}
		if rejected {
			if wait := unavailable(t, err); wait <= 0 || wait > 10*time.Second {
				t.Errorf("%s: got Retry-After %s", step, wait)
			}
		}
	}
}

func TestBreaker_Report(t *testing.T) {
	t.Parallel()
	w := open(t)
	w.breakerStep(t, "10Ax")
	if got := w.metric(t, "breaker_open_scopes"); got != 1 {
		t.Errorf("got %v open scopes, want 1", got)
	}
	w.breakerStep(t, "6x")
	w.advance(10 * time.Second)
	w.breakerStep(t, "A.")
	if got := w.metric(t, "breaker_open_scopes"); got != 0 {
		t.Errorf("got %v open scopes, want 0", got)
	}
	if got, want := w.metric(t, "breaker_changed_timestamp_seconds"), float64(noon.Unix()+10); got != want {
		t.Errorf("got the time %v, want %v", got, want)
	}
	var logged []string
	for _, entry := range w.logs.All() {
		logged = append(logged, entry.Message)
		if entry.ContextMap()["provider"] != "bank" {
			t.Errorf("got %v", entry)
		}
	}
	if got := strings.Join(logged, ", "); got != "circuit breaker opened, circuit breaker closed" {
		t.Errorf("logged %s", got)
	}
}

// TestBreaker_ShortDeadline checks that a provider is not blamed for callers without time.
func TestBreaker_ShortDeadline(t *testing.T) {
	t.Parallel()
	for budget, want := range map[time.Duration]float64{900 * time.Millisecond: 0, 1100 * time.Millisecond: 2} {
		synctest.Test(t, func(t *testing.T) {
			w := open(t)
			w.respond(text(200, "{}").Delay(time.Hour))
			for range 10 {
				ctx, cancel := context.WithTimeout(t.Context(), budget)
				unavailable(t, w.get(ctx))
				cancel()
			}
			if got := w.metric(t, "breaker_state"); got != want {
				t.Errorf("callers with %s: got state %v, want %v", budget, got, want)
			}
		})
	}
}

func TestClient_RefusedCredentials(t *testing.T) {
	t.Parallel()
	w := open(t)
	w.respond(status(401))
	for range 20 {
		unavailable(t, w.get(t.Context()))
	}
	logged := w.logs.FilterLevelExact(zapcore.ErrorLevel).All()
	if len(logged) != 1 {
		t.Fatalf("got %d errors, want 1", len(logged))
	}
	if f := logged[0].ContextMap(); f["provider"] != "bank" || f["op"] != "look" || f["status"] != int64(401) || len(f) != 3 {
		t.Errorf("got %v", f)
	}
	w.advance(time.Minute)
	unavailable(t, w.get(t.Context()))
	if got := w.logs.FilterLevelExact(zapcore.ErrorLevel).Len(); got != 2 {
		t.Errorf("got %d errors after a minute, want 2", got)
	}
}

func TestLimits(t *testing.T) {
	t.Parallel()
	tenPerSecond := upstream.Limit{Calls: 10, Per: time.Second}
	for name, c := range map[string]struct {
		limits []upstream.Limit
		cost   int
		urgent bool
		calls  int
		budget time.Duration
		sent   int
	}{
		"a fifth at once":               {[]upstream.Limit{{Calls: 1000, Per: upstream.Month}}, 1, false, 300, time.Second, 200},
		"four fifths per period":        {[]upstream.Limit{tenPerSecond}, 1, false, 100, 1900 * time.Millisecond, 17},
		"cost":                          {[]upstream.Limit{{Calls: 6000, Per: time.Minute}}, 4, false, 400, time.Millisecond, 300},
		"cost above the burst":          {[]upstream.Limit{tenPerSecond}, 7, false, 1, time.Millisecond, 1},
		"two limits":                    {[]upstream.Limit{tenPerSecond, {Calls: 25, Per: time.Hour}}, 1, false, 100, 2 * time.Second, 5},
		"calls that a client waits for": {[]upstream.Limit{{Calls: 1, Per: time.Hour}}, 1, true, 50, time.Second, 50},
		"no limits":                     {nil, 1, false, 50, time.Second, 50},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				w := open(t, c.limits...)
				w.respond(text(200, "{}"))
				ctx, cancel := context.WithTimeout(t.Context(), c.budget)
				defer cancel()
				for range c.calls {
					err := w.client.Do(ctx, upstream.Request{Op: "op", Cost: c.cost, Urgent: c.urgent}, readObject)
					if err != nil && unavailable(t, err) <= 0 && ctx.Err() == nil {
						t.Errorf("no Retry-After: %v", err)
					}
				}
				if w.calls() != c.sent {
					t.Errorf("sent %d of %d calls, want %d", w.calls(), c.calls, c.sent)
				}
				if got := w.metric(t, "requests_total", "outcome=quota"); (got > 0) != (c.sent < c.calls) {
					t.Errorf("got %v calls with outcome quota", got)
				}
				if got := w.metric(t, "quota_used_ratio"); c.sent < c.calls && got < 1 {
					t.Errorf("got a used share of %v", got)
				}
			})
		})
	}
}

func TestLimits_Throttled(t *testing.T) {
	t.Parallel()
	w := open(t, upstream.Limit{Calls: 100, Per: time.Minute})
	w.respond(text(200, "{}"), status(429), text(200, "{}"))
	for i, want := range []float64{0.04, 1, 0.12} { // 1, 2 and 3 of the 20 calls at once, at most 0.8
		_ = w.get(t.Context())
		if got := w.metric(t, "quota_used_ratio", "provider=bank", "window=1m0s"); got < want-0.01 || got > want {
			t.Errorf("call %d: got a used share of %v, want %v", i+1, got, want)
		}
	}
}

func TestClient_MinInterval(t *testing.T) {
	t.Parallel()
	w := open(t, upstream.Limit{Calls: 10, Per: 10 * time.Second}, upstream.Limit{Calls: 10_000, Per: upstream.Month})
	for name, c := range map[string]struct {
		calls, cost int
		want        time.Duration
	}{
		"month":        {1, 0, 335 * time.Second}, // of 2,678,400 s, for 8,000 calls
		"several":      {2, 1, 670 * time.Second},
		"costly calls": {1, 3, 1005 * time.Second},
	} {
		if got := w.client.MinInterval(c.calls, c.cost); got != c.want {
			t.Errorf("%s: got %v, want %v", name, got, c.want)
		}
	}
	if got := open(t).client.MinInterval(1, 1); got != 0 {
		t.Errorf("without limits: got %v", got)
	}
}
