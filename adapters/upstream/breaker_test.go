package upstream_test

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/jarcoal/httpmock"
	"go.uber.org/zap/zapcore"
	"pgregory.net/rapid"

	"causeway/adapters/upstream"
)

// switchable is a provider that works, or does not.
type switchable struct {
	*world
	client *upstream.Client
	status atomic.Int64
}

func openSwitchable(t *testing.T) *switchable {
	t.Helper()
	s := &switchable{world: open(t, never)}
	s.status.Store(http.StatusOK)
	s.transport.RegisterResponder(http.MethodGet, "=~^"+base, func(*http.Request) (*http.Response, error) {
		return httpmock.NewStringResponse(int(s.status.Load()), "{}"), nil
	})
	s.client = s.world.client(t, false)
	return s
}

// ask asks n times while the provider answers with a status, and returns the last error.
func (s *switchable) ask(t *testing.T, status, n int) (err error) {
	t.Helper()
	s.status.Store(int64(status))
	for range n {
		err = s.client.GetJSON(t.Context(), "op", "/thing", nil, &struct{}{})
	}
	return err
}

// works checks that the next n calls are answered.
func (s *switchable) works(t *testing.T, n int) {
	t.Helper()
	for range n {
		if err := s.ask(t, 200, 1); err != nil {
			t.Fatal(err)
		}
	}
}

// The values of the breaker's metric.
const (
	closed = iota
	halfOpen
	opened
)

func (s *switchable) wantState(t *testing.T, want int) {
	t.Helper()
	if got := s.state(t); got != want {
		t.Fatalf("breaker: got state %d, want %d", got, want)
	}
}

// state is the breaker's metric.
func (s *switchable) state(t *testing.T) int {
	t.Helper()
	return int(s.metric(t, "causeway_upstream_breaker_state", "provider=bank"))
}

func TestBreakerOpens(t *testing.T) {
	t.Parallel()

	t.Run("when enough calls failed, and says when to come back", func(t *testing.T) {
		t.Parallel()
		s := openSwitchable(t)
		_ = s.ask(t, 200, 5)
		_ = s.ask(t, 500, 4)
		s.wantState(t, closed)
		s.advance(time.Second)
		_ = s.ask(t, 500, 1)
		s.wantState(t, opened)
		if got, want := s.metric(t, "causeway_upstream_breaker_changed_timestamp_seconds"), float64(noon.Unix()+1); got != want {
			t.Errorf("changed: got %v, want %v", got, want)
		}
		s.advance(3 * time.Second)
		if wait := unavailable(t, s.ask(t, 200, 1)); wait != 7*time.Second {
			t.Errorf("got %s, want 7s", wait)
		}
		s.asked(t, 10)
		s.outcome(t, upstream.Open)
		if logged := s.logs.FilterLevelExact(zapcore.WarnLevel).All(); len(logged) != 1 || logged[0].ContextMap()["provider"] != "bank" {
			t.Errorf("warnings: %v", logged)
		}
	})
	t.Run("not for one failed question", func(t *testing.T) {
		t.Parallel()
		s := openSwitchable(t)
		_ = s.ask(t, 500, 9)
		s.wantState(t, closed)
	})
	t.Run("not for what is older than the window", func(t *testing.T) {
		t.Parallel()
		s := openSwitchable(t)
		_ = s.ask(t, 500, 9)
		s.advance(time.Minute)
		_ = s.ask(t, 500, 9)
		s.wantState(t, closed)
	})
	t.Run("not for answers that are no outage", func(t *testing.T) {
		t.Parallel()
		for _, status := range []int{400, 401, 403, 404, 418, 422, 429, 451} {
			s := openSwitchable(t)
			_ = s.ask(t, status, 30)
			s.wantState(t, closed)
		}
	})
	t.Run("again when a probe fails", func(t *testing.T) {
		t.Parallel()
		s := openSwitchable(t)
		_ = s.ask(t, 500, 10)
		s.advance(10 * time.Second)
		_ = s.ask(t, 200, 1)
		_ = s.ask(t, 500, 1)
		s.wantState(t, opened)
		s.advance(10*time.Second - 1)
		unavailable(t, s.ask(t, 200, 1))
		s.asked(t, 12)
	})
	t.Run("for all clients of a provider, and not for another", func(t *testing.T) {
		t.Parallel()
		s := openSwitchable(t)
		_ = s.ask(t, 500, 10)
		unavailable(t, s.world.client(t, false).GetJSON(t.Context(), "op", "/thing", nil, &struct{}{}))
		s.asked(t, 10)
		other, err := s.factory.Client(upstream.Provider{Name: "exchange", BaseURL: base})
		if err != nil {
			t.Fatal(err)
		}
		_ = other.GetJSON(t.Context(), "op", "/thing", nil, &struct{}{})
		s.asked(t, 11)
	})
}

func TestBreakerCloses(t *testing.T) {
	t.Parallel()
	down := func(t *testing.T) *switchable {
		t.Helper()
		s := openSwitchable(t)
		_ = s.ask(t, 500, 10)
		s.wantState(t, opened)
		return s
	}
	t.Run("when the probes succeed", func(t *testing.T) {
		t.Parallel()
		s := down(t)
		s.advance(10 * time.Second)
		s.works(t, 1)
		s.wantState(t, halfOpen)
		s.works(t, 1)
		s.wantState(t, closed)
		if s.logs.FilterLevelExact(zapcore.InfoLevel).Len() != 1 {
			t.Error("the log does not say that it is back")
		}
	})
	t.Run("and forgets the calls from before", func(t *testing.T) {
		t.Parallel()
		s := down(t)
		s.advance(10 * time.Second)
		s.works(t, 2)
		_ = s.ask(t, 500, 9)
		s.wantState(t, closed)
	})
	t.Run("also after throttled probes, which decide nothing and free their place", func(t *testing.T) {
		t.Parallel()
		s := down(t)
		s.advance(10 * time.Second)
		_ = s.ask(t, 429, 5)
		s.wantState(t, halfOpen)
		s.works(t, 2)
		s.wantState(t, closed)
	})
	t.Run("also after its clock was set back", func(t *testing.T) {
		t.Parallel()
		s := down(t)
		s.advance(-1000 * time.Hour)
		unavailable(t, s.ask(t, 200, 1))
		s.advance(10 * time.Second)
		s.works(t, 2)
		s.wantState(t, closed)
	})
	t.Run("also after a reader that panics", func(t *testing.T) {
		t.Parallel()
		s := down(t)
		s.advance(10 * time.Second)
		s.status.Store(200)
		for range 3 {
			func() {
				defer func() { _ = recover() }()
				_ = s.client.Get(t.Context(), "op", "/thing", nil, func(upstream.Answer) error { panic("defect") })
			}()
		}
		s.works(t, 2)
		s.wantState(t, closed)
	})
}

// hanging makes the provider answer nothing before release.
func hanging(w *world, release <-chan struct{}) {
	w.follows(func(r *http.Request) (*http.Response, error) {
		select {
		case <-release:
			return httpmock.NewStringResponse(http.StatusOK, "{}"), nil
		case <-r.Context().Done():
			return nil, r.Context().Err()
		}
	})
}

func TestBreakerWhileCallsAreInFlight(t *testing.T) {
	t.Parallel()
	t.Run("admits no more probes at once than configured", func(t *testing.T) {
		t.Parallel()
		synctest.Test(t, func(t *testing.T) {
			w := open(t, never)
			w.says(http.StatusInternalServerError, "")
			c := w.client(t, false)
			ask := func() error { return c.GetJSON(t.Context(), "op", "/thing", nil, &struct{}{}) }
			for range 10 {
				_ = ask()
			}
			w.advance(10 * time.Second)
			release := make(chan struct{})
			hanging(w, release)
			before := w.calls()
			var work sync.WaitGroup
			for range 20 {
				work.Go(func() { _ = ask() })
			}
			synctest.Wait()
			if got := w.calls() - before; got != 2 {
				t.Errorf("%d probes in flight, want 2", got)
			}
			close(release)
			work.Wait()
			if got := w.metric(t, "causeway_upstream_breaker_state"); got != 0 {
				t.Errorf("state %v, want closed", got)
			}
		})
	})
	t.Run("a caller who left too little time blames nobody", func(t *testing.T) {
		t.Parallel()
		synctest.Test(t, func(t *testing.T) {
			w := open(t, never)
			hanging(w, nil)
			c := w.client(t, false)
			ask := func(budget time.Duration) {
				ctx, cancel := context.WithTimeout(t.Context(), budget)
				defer cancel()
				unavailable(t, c.GetJSON(ctx, "op", "/thing", nil, &struct{}{}))
			}
			for range 30 {
				ask(900 * time.Millisecond)
			}
			if got := w.metric(t, "causeway_upstream_breaker_state"); got != 0 {
				t.Fatalf("state %v after hasty callers, want closed", got)
			}
			for range 10 {
				ask(1100 * time.Millisecond)
			}
			if got := w.metric(t, "causeway_upstream_breaker_state"); got != 2 {
				t.Errorf("state %v after patient callers, want open", got)
			}
		})
	})
}

func TestCallsFromBeforeItOpenedProveNothing(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := open(t, never)
		release := make(chan struct{})
		hanging(w, release)
		c := w.client(t, false)
		ask := func() error { return c.GetJSON(t.Context(), "op", "/thing", nil, &struct{}{}) }
		var old sync.WaitGroup
		for range 5 {
			old.Go(func() { _ = ask() })
		}
		synctest.Wait()
		w.says(http.StatusInternalServerError, "")
		for range 10 {
			_ = ask()
		}
		w.advance(10 * time.Second)
		w.says(http.StatusTooManyRequests, "")
		_ = ask() // a probe that decides nothing
		close(release)
		old.Wait()
		if got := w.metric(t, "causeway_upstream_breaker_state"); got != halfOpen {
			t.Errorf("state %v, want half-open", got)
		}
	})
}

// model is what a breaker may do, told from a list of all calls since it last closed.
type model struct {
	calls    []modelCall
	isOpen   bool
	openedAt time.Duration
	probing  bool
}

type modelCall struct {
	at  time.Duration
	bad bool
}

// share counts the calls of the last while, and the bad ones among them.
func (m *model) share(now, while time.Duration) (all, bad int) {
	for _, c := range m.calls {
		if now-c.at < while {
			all++
			if c.bad {
				bad++
			}
		}
	}
	return all, bad
}

// check says what is wrong with a step: a call at now, answered with status where it was asked, after which the breaker
// is in a state. Then it takes the step itself.
func (m *model) check(now time.Duration, status int, asked bool, state int) string {
	if m.isOpen {
		return m.checkOpen(now, asked, state)
	}
	if !asked {
		return "closed, and did not ask"
	}
	if status != http.StatusTooManyRequests {
		m.calls = append(m.calls, modelCall{now, status >= 500})
	}
	if state == opened {
		if all, bad := m.share(now, time.Minute); status < 500 || all < 10 || bad < 5 {
			return fmt.Sprintf("opened after status %d, when %d of %d had failed", status, bad, all)
		}
		m.isOpen, m.openedAt, m.probing = true, now, false
		return ""
	}
	// It forgets a call between nine tenths of the window and the whole: only where both agree must it open.
	all, bad := m.share(now, time.Minute)
	sure, sureBad := m.share(now, 54*time.Second)
	if status >= 500 && all == sure && sure >= 10 && sureBad*2 >= sure {
		return fmt.Sprintf("did not open when %d of %d had failed", bad, all)
	}
	return ""
}

func (m *model) checkOpen(now time.Duration, asked bool, state int) string {
	if want := m.probing || now-m.openedAt >= 10*time.Second; asked != want {
		return fmt.Sprintf("asked: %v, %s after it opened", asked, now-m.openedAt)
	}
	m.probing = state == halfOpen
	if state == closed {
		*m = model{}
	}
	if state == opened && asked {
		m.openedAt = now
	}
	return ""
}

func TestBreakerAgainstItsModel(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		s := openSwitchable(t)
		var (
			now time.Duration
			m   model
		)
		for range rapid.IntRange(1, 120).Draw(rt, "steps") {
			step := time.Duration(rapid.IntRange(0, 15_000).Draw(rt, "ms")) * time.Millisecond
			status := rapid.SampledFrom([]int{200, 500, 500, 429}).Draw(rt, "status")
			now += step
			s.advance(step)
			before := s.calls()
			_ = s.ask(t, status, 1)
			if fault := m.check(now, status, s.calls() > before, s.state(t)); fault != "" {
				rt.Fatal(fault)
			}
		}
	})
}

func TestRefusedKeyIsAnAlert(t *testing.T) {
	t.Parallel()
	s := openSwitchable(t)
	_ = s.ask(t, 401, 20)
	s.advance(59 * time.Second)
	_ = s.ask(t, 403, 1)
	logged := s.logs.FilterLevelExact(zapcore.ErrorLevel).All()
	if len(logged) != 1 {
		t.Fatalf("got %d error lines in a minute, want 1", len(logged))
	}
	if fields := logged[0].ContextMap(); fields["provider"] != "bank" || fields["op"] != "op" || fields["status"] != int64(401) {
		t.Errorf("got %v", fields)
	}
	if strings.Contains(logged[0].Message, "provider.test") {
		t.Error("the URL is in the log")
	}
	s.advance(time.Second)
	_ = s.ask(t, 403, 1)
	if got := s.logs.FilterLevelExact(zapcore.ErrorLevel).Len(); got != 2 {
		t.Errorf("got %d error lines after a minute, want 2", got)
	}
}
