package recipients_test

import (
	"context"
	"errors"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"causeway/core"
	"causeway/core/recipients"
)

// slowly answers after a second, or when it is told to stop, and counts how often it was asked and told to stop.
func slowly(asked, stopped *atomic.Int64, holder core.Private, err error) resolver {
	return resolver{name: "slowly", resolves: always, resolve: func(ctx context.Context, _ core.AccountQuery) (core.Private, error) {
		asked.Add(1)
		select {
		case <-time.NewTimer(time.Second).C:
			return holder, err
		case <-ctx.Done():
			stopped.Add(1)
			return "", ctx.Err()
		}
	}}
}

func TestIdenticalQuestionsShareOneLookup(t *testing.T) {
	t.Parallel()
	for name, says := range map[string]struct {
		holder core.Private
		err    error
		code   core.Code
	}{
		"found":       {"ADA OBI", nil, ""},
		"not found":   {"", core.Errorf(core.NotFound, "No account"), core.NotFound},
		"cannot tell": {"", core.Errorf(core.Unavailable, "down"), core.Unavailable},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				var asked, stopped atomic.Int64
				s := service(t, slowly(&asked, &stopped, says.holder, says.err))
				var work sync.WaitGroup
				for i := range 100 {
					work.Go(func() {
						req := nigerian()
						if i%2 == 0 {
							req.Claimed = "Ada Obi" // everybody's own, whoever began
						}
						got, err := s.Resolve(t.Context(), req)
						if core.CodeOf(err) != says.code || got.Holder != says.holder || err == nil && (got.Match == core.Match) != (i%2 == 0) {
							t.Errorf("got %q, %q, %v", got.Holder.Reveal(), got.Match, err)
						}
					})
				}
				work.Wait()
				if asked.Load() != 1 {
					t.Errorf("asked %d times", asked.Load())
				}
				if _, err := s.Resolve(t.Context(), nigerian()); core.CodeOf(err) != says.code || asked.Load() != 2 {
					t.Errorf("afterwards: %v, asked %d times; want a lookup of its own", err, asked.Load())
				}
			})
		})
	}
}

func TestWhoSharesALookup(t *testing.T) {
	t.Parallel()
	together := func(t *testing.T, reqs ...recipients.Request) int64 {
		t.Helper()
		var asked, stopped atomic.Int64
		s := service(t, slowly(&asked, &stopped, "ADA OBI", nil))
		var work sync.WaitGroup
		for _, req := range reqs {
			work.Go(func() {
				if _, err := s.Resolve(t.Context(), req); err != nil {
					t.Error(err)
				}
			})
		}
		work.Wait()
		return asked.Load()
	}
	with := func(change func(*recipients.Request)) recipients.Request {
		req := nigerian()
		change(&req)
		return req
	}
	for name, c := range map[string]struct {
		other recipients.Request
		want  int64
	}{
		"the same question":    {nigerian(), 1},
		"in another spelling":  {with(func(r *recipients.Request) { r.BankCode, r.AccountNumber = "000013", "012 345 6789" }), 1},
		"of another caller":    {with(func(r *recipients.Request) { r.Caller = "b" }), 2},
		"of another number":    {with(func(r *recipients.Request) { r.AccountNumber = "0123456788" }), 2},
		"of another bank":      {with(func(r *recipients.Request) { r.BankCode = "100004" }), 2},
		"of another channel":   {with(func(r *recipients.Request) { r.Channel = "mobile_money" }), 2},
		"with a name to check": {with(func(r *recipients.Request) { r.Claimed = "Ada Obi" }), 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				if got := together(t, nigerian(), c.other); got != c.want {
					t.Errorf("asked %d times, want %d", got, c.want)
				}
			})
		})
	}
}

// Who leaves takes nobody along; the last one who leaves ends the lookup, and who comes after that has a new one.
func TestLeavingASharedLookup(t *testing.T) {
	t.Parallel()
	t.Run("the one who began it leaves", func(t *testing.T) {
		t.Parallel()
		synctest.Test(t, func(t *testing.T) {
			var asked, stopped atomic.Int64
			s := service(t, slowly(&asked, &stopped, "ADA OBI", nil))
			ctx, cancel := context.WithCancel(t.Context())
			var work sync.WaitGroup
			work.Go(func() {
				if _, err := s.Resolve(ctx, nigerian()); !errors.Is(err, context.Canceled) {
					t.Errorf("who left got %v", err)
				}
			})
			synctest.Wait()
			work.Go(func() {
				if got, err := s.Resolve(t.Context(), nigerian()); err != nil || got.Holder != "ADA OBI" {
					t.Errorf("who stayed got %q, %v", got.Holder.Reveal(), err)
				}
			})
			synctest.Wait()
			cancel()
			work.Wait()
			if asked.Load() != 1 || stopped.Load() != 0 {
				t.Errorf("asked %d times, stopped %d times", asked.Load(), stopped.Load())
			}
		})
	})
	t.Run("all leave", func(t *testing.T) {
		t.Parallel()
		synctest.Test(t, func(t *testing.T) {
			var asked, stopped atomic.Int64
			s := service(t, slowly(&asked, &stopped, "ADA OBI", nil))
			ctx, cancel := context.WithCancel(t.Context())
			var work sync.WaitGroup
			for range 3 {
				work.Go(func() { _, _ = s.Resolve(ctx, nigerian()) })
			}
			synctest.Wait()
			cancel()
			work.Wait()
			if got, err := s.Resolve(t.Context(), nigerian()); err != nil || got.Holder != "ADA OBI" {
				t.Errorf("who came afterwards got %q, %v", got.Holder.Reveal(), err)
			}
			if asked.Load() != 2 || stopped.Load() != 1 {
				t.Errorf("asked %d times, stopped %d times; want 2 and 1", asked.Load(), stopped.Load())
			}
		})
	})
	t.Run("one has no more time", func(t *testing.T) {
		t.Parallel()
		synctest.Test(t, func(t *testing.T) {
			var asked, stopped atomic.Int64
			ctx, cancel := context.WithTimeout(t.Context(), 500*time.Millisecond)
			defer cancel()
			_, err := service(t, slowly(&asked, &stopped, "ADA OBI", nil)).Resolve(ctx, nigerian())
			if e, ok := errors.AsType[*core.Error](err); !ok || e.Code != core.Unavailable || e.RetryAfter <= 0 {
				t.Errorf("got %v, want unavailable", err)
			}
		})
	})
}

// A defect of an adapter is no answer, and does not end the process; the number that it may have thrown is nowhere.
func TestAProviderThatPanics(t *testing.T) {
	t.Parallel()
	broken := resolver{name: "broken", resolves: always, resolve: func(_ context.Context, q core.AccountQuery) (core.Private, error) {
		panic("cannot handle " + q.Number.Reveal())
	}}
	var told []recipients.Attempt
	cfg := configOf(countries(), broken, answers("sound", "ADA OBI", nil))
	cfg.Events.Attempt = func(_ context.Context, a recipients.Attempt) { told = append(told, a) }
	if got, err := open(t, cfg).Resolve(t.Context(), nigerian()); err != nil || got.Holder != "ADA OBI" {
		t.Errorf("got %q, %v", got.Holder.Reveal(), err)
	}
	if len(told) != 2 || told[0].Outcome != recipients.Panicked || !strings.Contains(string(told[0].Stack), "flight_test.go") || told[1].Outcome != recipients.Found {
		t.Errorf("told %+v", told)
	}
	_, err := service(t, broken).Resolve(t.Context(), nigerian())
	if core.CodeOf(err) != core.Unavailable || strings.Contains(err.Error()+string(told[0].Stack), "0123456789") {
		t.Errorf("got %v", err)
	}
}

// So is a defect of a cache, but that one is the service's own.
func TestAVaultThatPanics(t *testing.T) {
	t.Parallel()
	cfg := configOf(countries(), unasked(t))
	cfg.Cache = (*nameCache)(nil)
	if _, err := open(t, cfg).Resolve(t.Context(), nigerian()); core.CodeOf(err) != core.Internal {
		t.Errorf("got %v, want internal", err)
	}
}
