package porttest

import (
	"sync/atomic"
	"testing"
	"time"

	"causeway/core"
	"causeway/ports"
)

// tenPerMinute is the limit of the suite.
func tenPerMinute() core.RateLimit { return core.RateLimit{Calls: 10, Per: time.Minute} }

// limiterSuite opens a new limiter. pass advances its clock.
type limiterSuite func(t *testing.T) (limiter ports.RateLimiter, pass func(time.Duration))

// RateLimiter checks the contract of ports.RateLimiter. open opens a new limiter; pass advances its
// clock.
func RateLimiter(t *testing.T, open func(t *testing.T) (limiter ports.RateLimiter, pass func(time.Duration))) {
	t.Helper()
	s := limiterSuite(open)
	run(t, map[string]func(*testing.T){
		"burst": s.burst, "refill": s.refill, "refused call": s.refused, "separate callers": s.callers,
		"no limit": s.unlimited, "concurrent use": s.concurrent,
	})
}

func take(t *testing.T, l ports.RateLimiter, caller string, limit core.RateLimit, cost int) core.Allowance {
	t.Helper()
	a, err := l.Take(t.Context(), caller, limit, cost)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func (open limiterSuite) burst(t *testing.T) {
	limit := tenPerMinute()
	l, _ := open(t)
	for i := range limit.Calls {
		if a := take(t, l, "a", limit, 1); !a.OK || a.Remaining != limit.Calls-1-i {
			t.Fatalf("call %d: got %+v, want it allowed", i+1, a)
		}
	}
	a := take(t, l, "a", limit, 1)
	if a.OK || a.Remaining != 0 || a.RetryAfter <= 0 || a.RetryAfter > 6*time.Second {
		t.Errorf("call 11: got %+v, want a refusal for at most 6s", a)
	}
	if a.Reset < 54*time.Second || a.Reset > time.Minute {
		t.Errorf("got reset %s, want about a minute", a.Reset)
	}
}

func (open limiterSuite) refill(t *testing.T) {
	limit := tenPerMinute()
	l, pass := open(t)
	take(t, l, "a", limit, limit.Calls)
	pass(6*time.Second + 10*time.Millisecond)
	if a := take(t, l, "a", limit, 1); !a.OK {
		t.Errorf("after 6s: got %+v, want the first call allowed", a)
	}
	if a := take(t, l, "a", limit, 1); a.OK {
		t.Errorf("after 6s: got %+v, want the second call refused", a)
	}
	pass(time.Hour)
	if a := take(t, l, "a", limit, limit.Calls); !a.OK || a.Remaining != 0 {
		t.Errorf("after an hour: got %+v, want 10 calls allowed", a)
	}
	if a := take(t, l, "a", limit, 1); a.OK {
		t.Errorf("after an hour: got %+v, want call 11 refused", a)
	}
}

func (open limiterSuite) refused(t *testing.T) {
	limit := tenPerMinute()
	l, _ := open(t)
	take(t, l, "a", limit, 8)
	if a := take(t, l, "a", limit, 5); a.OK || a.Remaining != 2 {
		t.Fatalf("got %+v, want a refusal with 2 remaining", a)
	}
	if a := take(t, l, "a", limit, 2); !a.OK {
		t.Errorf("got %+v, want it allowed", a)
	}
}

func (open limiterSuite) callers(t *testing.T) {
	limit := tenPerMinute()
	l, _ := open(t)
	take(t, l, "a", limit, limit.Calls)
	if a := take(t, l, "b", limit, 1); !a.OK || a.Remaining != limit.Calls-1 {
		t.Errorf("got %+v, want the whole limit of another caller", a)
	}
}

func (open limiterSuite) unlimited(t *testing.T) {
	l, _ := open(t)
	for range 100 {
		if a := take(t, l, "a", core.RateLimit{}, 1); !a.OK {
			t.Fatalf("got %+v, want it allowed", a)
		}
	}
}

func (open limiterSuite) concurrent(t *testing.T) {
	limit := tenPerMinute()
	l, _ := open(t)
	var allowed atomic.Int64
	concurrently(func() {
		for range 10 {
			if take(t, l, "a", limit, 1).OK {
				allowed.Add(1)
			}
		}
	})
	if got := allowed.Load(); got < 10 || got > 11 { // a real clock may refill one
		t.Errorf("got %d allowed calls, want 10", got)
	}
}
