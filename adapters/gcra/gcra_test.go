package gcra_test

import (
	"strconv"
	"sync/atomic"
	"testing"
	"time"

	"pgregory.net/rapid"

	"causeway/adapters/gcra"
	"causeway/core"
	"causeway/ports"
	"causeway/ports/porttest"
	_ "causeway/test/fixedseed"
)

// timepiece is a clock that is moved by hand.
type timepiece struct{ since atomic.Int64 }

func (c *timepiece) now() time.Time {
	return time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC).Add(time.Duration(c.since.Load()))
}

func (c *timepiece) pass(d time.Duration) { c.since.Add(int64(d)) }

func TestLimiter_Contract(t *testing.T) {
	t.Parallel()
	porttest.RateLimiter(t, func(*testing.T) (ports.RateLimiter, func(time.Duration)) {
		clock := new(timepiece)
		return gcra.New(clock.now), clock.pass
	})
}

// A caller is allowed at most the limit and what is refilled meanwhile, and at least what Remaining said.
func TestLimiter_Bounds(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		clock := new(timepiece)
		limiter := gcra.New(clock.now)
		limit := core.RateLimit{
			Calls: rapid.IntRange(1, 1000).Draw(rt, "calls"),
			Per:   time.Duration(rapid.IntRange(1, 3600).Draw(rt, "seconds")) * time.Second,
		}
		allowed, promised := 0, limit.Calls
		for range rapid.IntRange(1, 60).Draw(rt, "steps") {
			clock.pass(time.Duration(rapid.IntRange(0, 10_000).Draw(rt, "milliseconds")) * time.Millisecond)
			cost := rapid.IntRange(1, 20).Draw(rt, "cost")
			a, err := limiter.Take(t.Context(), "a", limit, cost)
			if err != nil {
				rt.Fatal(err)
			}
			if cost <= promised && !a.OK {
				rt.Fatalf("%d calls were promised, and %d refused: %+v", promised, cost, a)
			}
			if promised = a.Remaining; a.OK {
				allowed += cost
			} else if a.RetryAfter <= 0 {
				rt.Fatalf("refused without saying for how long: %+v", a)
			}
			if most := limit.Calls + int(clock.since.Load()/int64(limit.Per/time.Duration(limit.Calls))); allowed > most {
				rt.Fatalf("%d calls were allowed, %d are the most", allowed, most)
			}
		}
	})
}

func TestLimiter_ClockSetBack(t *testing.T) {
	t.Parallel()
	clock := new(timepiece)
	limiter, limit := gcra.New(clock.now), core.RateLimit{Calls: 1, Per: time.Second}
	if _, err := limiter.Take(t.Context(), "a", limit, 1); err != nil {
		t.Fatal(err)
	}
	clock.pass(-time.Hour)
	if a, err := limiter.Take(t.Context(), "a", limit, 1); err != nil || !a.OK {
		t.Errorf("an hour earlier: %+v, %v; a clock that was set back must not lock a caller out", a, err)
	}
}

func BenchmarkTake(b *testing.B) {
	limiter, limit := gcra.New(time.Now), core.RateLimit{Calls: 1_000_000, Per: time.Second}
	callers := make([]string, 1000)
	for i := range callers {
		callers[i] = "caller " + strconv.Itoa(i)
	}
	b.ReportAllocs()
	b.RunParallel(func(pb *testing.PB) {
		for i := 0; pb.Next(); i++ {
			if a, err := limiter.Take(b.Context(), callers[i%len(callers)], limit, 1); err != nil || !a.OK {
				b.Errorf("%+v, %v", a, err)
			}
		}
	})
}
