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

// limiterSuite opens a fresh limiter, and a function that lets its time pass.
type limiterSuite func(t *testing.T) (limiter ports.RateLimiter, pass func(time.Duration))

// RateLimiter checks the contract of ports.RateLimiter. open makes a fresh one, and a function that
// lets its time pass.
func RateLimiter(t *testing.T, open func(t *testing.T) (limiter ports.RateLimiter, pass func(time.Duration))) {
	t.Helper()
	s := limiterSuite(open)
	t.Run("allows as many calls at once as the limit says, and tells what is left", s.atOnce)
	t.Run("gives the limit back evenly, and no more than the whole", s.givesBack)
	t.Run("counts nothing for a refused call", s.refusals)
	t.Run("keeps callers apart", s.apart)
	t.Run("limits nothing where there is no limit", s.unlimited)
	t.Run("is safe for concurrent use", s.concurrent)
}

func take(t *testing.T, l ports.RateLimiter, caller string, limit core.RateLimit, cost int) core.Allowance {
	t.Helper()
	a, err := l.Take(t.Context(), caller, limit, cost)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func (open limiterSuite) atOnce(t *testing.T) {
	t.Parallel()
	limit := tenPerMinute()
	l, _ := open(t)
	for i := range limit.Calls {
		if a := take(t, l, "a", limit, 1); !a.OK || a.Remaining != limit.Calls-1-i {
			t.Fatalf("call %d: %+v", i+1, a)
		}
	}
	a := take(t, l, "a", limit, 1)
	if a.OK || a.Remaining != 0 || a.RetryAfter <= 0 || a.RetryAfter > 6*time.Second {
		t.Errorf("one too many: %+v, want a refusal for at most 6s", a)
	}
	if a.Reset < 54*time.Second || a.Reset > time.Minute {
		t.Errorf("the limit is whole again in %s, want about a minute", a.Reset)
	}
}

func (open limiterSuite) givesBack(t *testing.T) {
	t.Parallel()
	limit := tenPerMinute()
	l, pass := open(t)
	take(t, l, "a", limit, limit.Calls)
	pass(6*time.Second + 10*time.Millisecond)
	if a := take(t, l, "a", limit, 1); !a.OK {
		t.Errorf("a tenth of the time later: %+v", a)
	}
	if a := take(t, l, "a", limit, 1); a.OK {
		t.Errorf("and a second call: %+v", a)
	}
	pass(time.Hour)
	if a := take(t, l, "a", limit, limit.Calls); !a.OK || a.Remaining != 0 {
		t.Errorf("after an hour: %+v, want the whole limit", a)
	}
	if a := take(t, l, "a", limit, 1); a.OK {
		t.Errorf("and one more: %+v", a)
	}
}

func (open limiterSuite) refusals(t *testing.T) {
	t.Parallel()
	limit := tenPerMinute()
	l, _ := open(t)
	take(t, l, "a", limit, 8)
	if a := take(t, l, "a", limit, 5); a.OK || a.Remaining != 2 {
		t.Fatalf("%+v, want a refusal that leaves 2", a)
	}
	if a := take(t, l, "a", limit, 2); !a.OK {
		t.Errorf("%+v", a)
	}
}

func (open limiterSuite) apart(t *testing.T) {
	t.Parallel()
	limit := tenPerMinute()
	l, _ := open(t)
	take(t, l, "a", limit, limit.Calls)
	if a := take(t, l, "b", limit, 1); !a.OK || a.Remaining != limit.Calls-1 {
		t.Errorf("%+v", a)
	}
}

func (open limiterSuite) unlimited(t *testing.T) {
	t.Parallel()
	l, _ := open(t)
	for range 100 {
		if a := take(t, l, "a", core.RateLimit{}, 1); !a.OK {
			t.Fatalf("%+v", a)
		}
	}
}

func (open limiterSuite) concurrent(t *testing.T) {
	t.Parallel()
	limit := tenPerMinute()
	l, _ := open(t)
	var allowed atomic.Int64
	together(func() {
		for range 10 {
			if take(t, l, "a", limit, 1).OK {
				allowed.Add(1)
			}
		}
	})
	if got := allowed.Load(); got < 10 || got > 11 { // real time may give one back meanwhile
		t.Errorf("%d calls were allowed, want 10", got)
	}
}
