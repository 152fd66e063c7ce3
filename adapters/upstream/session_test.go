package upstream_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/jarcoal/httpmock"
	"pgregory.net/rapid"

	"causeway/adapters/upstream"
	"causeway/core"
)

// bank is a provider behind a login: it accepts the token of the last login alone.
type bank struct {
	logins  atomic.Int64
	lives   time.Duration
	revoked atomic.Bool // the last token is not accepted; a login lifts it
	never   bool        // no token is accepted, ever
	takes   time.Duration
	fails   func() error // nil: logins work
	asked   atomic.Int64
}

// open makes a session at the bank. The tokens are secret-1, secret-2, …
func (b *bank) open(t *testing.T, w *world) *upstream.Session {
	t.Helper()
	w.transport.RegisterResponder(http.MethodGet, "=~^"+base, func(r *http.Request) (*http.Response, error) {
		b.asked.Add(1)
		want := "Bearer secret-" + strconv.FormatInt(b.logins.Load(), 10)
		if got := r.Header.Values("Authorization"); b.never || b.revoked.Load() || len(got) != 1 || got[0] != want {
			return httpmock.NewStringResponse(http.StatusUnauthorized, `{"message":"JANE DOE"}`), nil
		}
		return httpmock.NewStringResponse(http.StatusOK, "{}"), nil
	})
	return upstream.NewSession(w.client(t, false), b.login)
}

func (b *bank) login(ctx context.Context) (core.Secret, time.Duration, error) {
	timer := time.NewTimer(b.takes)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
		return "", 0, ctx.Err()
	}
	n := b.logins.Add(1)
	if b.fails != nil {
		return "", 0, b.fails()
	}
	b.revoked.Store(false)
	return core.Secret("secret-" + strconv.FormatInt(n, 10)), b.lives, nil
}

func look(ctx context.Context, s *upstream.Session) error {
	return s.Do(ctx, upstream.Question{Op: "look", Path: "/thing"}, upstream.Answer.Fault)
}

func TestSession(t *testing.T) {
	t.Parallel()
	must := func(t *testing.T, s *upstream.Session) {
		t.Helper()
		if err := look(t.Context(), s); err != nil {
			t.Fatal(err)
		}
	}
	count := func(t *testing.T, b *bank, logins, asked int64) {
		t.Helper()
		if b.logins.Load() != logins || b.asked.Load() != asked {
			t.Errorf("got %d logins and %d questions, want %d and %d", b.logins.Load(), b.asked.Load(), logins, asked)
		}
	}
	t.Run("logs in once and keeps the token for four fifths of its life", func(t *testing.T) {
		t.Parallel()
		w, b := open(t), &bank{lives: 100 * time.Second}
		s := b.open(t, w)
		must(t, s)
		w.advance(80*time.Second - 1)
		must(t, s)
		count(t, b, 1, 2)
		w.advance(1)
		must(t, s)
		count(t, b, 2, 3)
	})
	t.Run("keeps a token of unknown life until it is refused", func(t *testing.T) {
		t.Parallel()
		w, b := open(t), &bank{}
		s := b.open(t, w)
		must(t, s)
		w.advance(1000 * time.Hour)
		must(t, s)
		count(t, b, 1, 2)
	})
	t.Run("logs in again after the clock was set back", func(t *testing.T) {
		t.Parallel()
		w, b := open(t), &bank{lives: time.Hour}
		s := b.open(t, w)
		must(t, s)
		w.advance(-time.Minute)
		must(t, s)
		count(t, b, 2, 2)
	})
	t.Run("replaces a revoked token once, and troubles neither the adapter nor the operator", func(t *testing.T) {
		t.Parallel()
		w, b := open(t), &bank{lives: time.Hour}
		s := b.open(t, w)
		must(t, s)
		b.revoked.Store(true)
		reads := 0
		err := s.Do(t.Context(), upstream.Question{Op: "look", Path: "/thing"}, func(a upstream.Answer) error {
			reads++
			return a.Fault()
		})
		if err != nil || reads != 1 {
			t.Errorf("got %v after %d answers read", err, reads)
		}
		count(t, b, 2, 3)
		if w.logs.Len() != 0 {
			t.Errorf("got the log %v", w.logs.All())
		}
	})
	t.Run("a fresh token that is refused is a refusal", func(t *testing.T) {
		t.Parallel()
		w, b := open(t), &bank{lives: time.Hour, never: true}
		s := b.open(t, w)
		unavailable(t, look(t.Context(), s))
		count(t, b, 1, 1)
		w.outcome(t, upstream.Refused)
		unavailable(t, look(t.Context(), s)) // with a token that was not fresh, and then with one that is
		count(t, b, 2, 3)
	})
	t.Run("replaces whatever authorization there was, and keeps the question as it is", func(t *testing.T) {
		t.Parallel()
		w, b := open(t), &bank{lives: time.Hour}
		s := b.open(t, w)
		const lower = "authorization"
		q := upstream.Question{Op: "look", Path: "/thing", Header: http.Header{lower: {"Basic abc"}, "X-Country": {"UG"}}}
		if err := s.Do(t.Context(), q, upstream.Answer.Fault); err != nil {
			t.Error(err)
		}
		if want := (http.Header{lower: {"Basic abc"}, "X-Country": {"UG"}}); !maps.EqualFunc(q.Header, want, slices.Equal) {
			t.Errorf("the question became %v", q.Header)
		}
	})
	t.Run("a login that panics does not keep the others waiting for ever", func(t *testing.T) {
		t.Parallel()
		w, b := open(t), &bank{lives: time.Hour, fails: func() error { panic("a defect") }}
		s := b.open(t, w)
		func() {
			defer func() { _ = recover() }()
			_ = look(t.Context(), s)
		}()
		b.fails = nil
		must(t, s)
	})
}

func TestALoginThatFails(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		err   error
		after time.Duration
		cause string
	}{
		"an upstream failure":                 {core.Errorf(core.Unavailable, "x").Retry(7 * time.Second).With(upstream.Fail(upstream.Refused, "wrong credentials")), 7 * time.Second, "bank login for look: refused: wrong credentials"},
		"a bare failure":                      {upstream.Fail(upstream.Malformed, "no token"), 0, "bank login for look: malformed: no token"},
		"not found":                           {core.Errorf(core.NotFound, "sk_live_1 is unknown"), 0, "bank login for look: undecided: login failed"},
		"any other":                           {fmt.Errorf("the body was %q", "sk_live_1"), 0, "bank login for look: undecided: login failed"},
		"unavailable, with a text of its own": {core.Errorf(core.Unavailable, "x").With(errors.New("sk_live_1")), 0, "login failed"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w, b := open(t), &bank{fails: func() error { return c.err }}
			err := look(t.Context(), b.open(t, w))
			if after := unavailable(t, err); after != c.after {
				t.Errorf("got %s, want %s", after, c.after)
			}
			if !strings.Contains(err.Error(), c.cause) || strings.Contains(err.Error(), "sk_live") {
				t.Errorf("got %v, want %q", err, c.cause)
			}
			w.asked(t, 0)
		})
	}
	for name, secret := range map[string]core.Secret{"no token": "", "a token with a line break": "secret-1\r\nX-Admin: 1"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := open(t)
			s := upstream.NewSession(w.client(t, false), func(context.Context) (core.Secret, time.Duration, error) { return secret, time.Hour, nil })
			err := look(t.Context(), s)
			unavailable(t, err)
			if !strings.Contains(err.Error(), "no token in the response") || strings.Contains(err.Error(), "secret-1") {
				t.Errorf("got %v", err)
			}
			w.asked(t, 0)
		})
	}
}

func TestASessionShared(t *testing.T) {
	t.Parallel()
	t.Run("fifty who ask at once log in once", func(t *testing.T) {
		t.Parallel()
		synctest.Test(t, func(t *testing.T) {
			w, b := open(t), &bank{lives: time.Hour, takes: time.Second}
			s := b.open(t, w)
			for _, err := range together(50, func(int) error { return look(t.Context(), s) }) {
				if err != nil {
					t.Error(err)
				}
			}
			if b.logins.Load() != 1 || b.asked.Load() != 50 {
				t.Errorf("got %d logins and %d questions", b.logins.Load(), b.asked.Load())
			}
		})
	})
	t.Run("fifty whose token was revoked log in once", func(t *testing.T) {
		t.Parallel()
		synctest.Test(t, func(t *testing.T) {
			w, b := open(t), &bank{lives: time.Hour, takes: time.Second}
			s := b.open(t, w)
			if err := look(t.Context(), s); err != nil {
				t.Fatal(err)
			}
			b.revoked.Store(true)
			for _, err := range together(50, func(int) error { return look(t.Context(), s) }) {
				if err != nil {
					t.Error(err)
				}
			}
			if b.logins.Load() != 2 {
				t.Errorf("got %d logins, want 2", b.logins.Load())
			}
		})
	})
	t.Run("all learn of the one failure", func(t *testing.T) {
		t.Parallel()
		synctest.Test(t, func(t *testing.T) {
			w, b := open(t), &bank{takes: time.Second, fails: func() error { return upstream.Fail(upstream.Refused, "no") }}
			s := b.open(t, w)
			for _, err := range together(50, func(int) error { return look(t.Context(), s) }) {
				unavailable(t, err)
			}
			if b.logins.Load() != 1 {
				t.Errorf("got %d logins, want 1", b.logins.Load())
			}
		})
	})
	t.Run("each waits as long as it can, and the first one's leaving costs the others nothing", func(t *testing.T) {
		t.Parallel()
		synctest.Test(t, func(t *testing.T) {
			w, b := open(t), &bank{lives: time.Hour, takes: 2 * time.Second}
			s := b.open(t, w)
			budgets := []time.Duration{time.Second, 500 * time.Millisecond, 4 * time.Second, 0}
			took := make([]time.Duration, len(budgets))
			errs := together(len(budgets), func(i int) error {
				time.Sleep(time.Duration(i)) // on the bubble's clock: the first one begins the login
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				if budgets[i] > 0 {
					ctx, cancel = context.WithTimeout(ctx, budgets[i])
					defer cancel()
				}
				start := time.Now()
				defer func() { took[i] = time.Since(start) }()
				return look(ctx, s)
			})
			for i, budget := range budgets[:2] {
				unavailable(t, errs[i])
				if !errors.Is(errs[i], context.DeadlineExceeded) || took[i] != budget {
					t.Errorf("%d: got %v after %s", i, errs[i], took[i])
				}
			}
			if errs[2] != nil || errs[3] != nil || took[3] > 3*time.Second {
				t.Errorf("got %v and %v after %s", errs[2], errs[3], took[3])
			}
			if b.logins.Load() != 1 { // the second login; the first did not come to its end
				t.Errorf("got %d logins, want 1", b.logins.Load())
			}
		})
	})
	t.Run("a caller who goes away learns that it went", func(t *testing.T) {
		t.Parallel()
		synctest.Test(t, func(t *testing.T) {
			w, b := open(t), &bank{lives: time.Hour, takes: time.Hour}
			s := b.open(t, w)
			ctx, cancel := context.WithCancel(t.Context())
			time.AfterFunc(time.Second, cancel)
			for _, err := range together(3, func(int) error { return look(ctx, s) }) {
				if !errors.Is(err, context.Canceled) || core.CodeOf(err) != core.Internal {
					t.Errorf("got %v, want context.Canceled", err)
				}
			}
		})
	})
}

// together does n things at once.
func together(n int, do func(i int) error) []error {
	errs := make([]error, n)
	var work sync.WaitGroup
	for i := range n {
		work.Go(func() { errs[i] = do(i) })
	}
	work.Wait()
	return errs
}

// TestSessionProperty lets time pass, tokens be revoked and logins fail in any order: a question never costs more than one login and two
// calls, works where the login does, and no token older than four fifths of its life is sent.
func TestSessionProperty(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		w, b := open(t), &bank{lives: time.Duration(rapid.Int64Range(5, 3600).Draw(rt, "life")) * time.Second}
		s := b.open(t, w)
		var born time.Duration // of the last token
		now, logins := time.Duration(0), int64(0)
		for range rapid.IntRange(1, 30).Draw(rt, "steps") {
			d := time.Duration(rapid.Int64Range(0, int64(b.lives)).Draw(rt, "pass"))
			w.advance(d)
			now += d
			b.revoked.Store(rapid.Bool().Draw(rt, "revoked"))
			down := rapid.Bool().Draw(rt, "down")
			b.fails = nil
			if down {
				b.fails = func() error { return upstream.Fail(upstream.Unavailable, "down") }
			}
			asked, before := b.asked.Load(), b.logins.Load()
			err := look(t.Context(), s)
			logged := b.logins.Load() - before
			if logged > 1 || b.asked.Load()-asked > 2 {
				rt.Fatalf("one question cost %d logins and %d calls", logged, b.asked.Load()-asked)
			}
			if logged == 0 && now-born >= b.lives/5*4 && logins > 0 {
				rt.Fatalf("a token of %s is %s old and was not renewed", b.lives, now-born)
			}
			if (err == nil) != (logged == 0 || !down) {
				rt.Fatalf("got %v after %d logins, down: %v", err, logged, down)
			}
			if logged == 1 {
				logins++
				born = now
			}
			if down && logged == 1 { // the bank counts a login that failed: no token is the last one's any more
				logins = 0
				b.logins.Store(before)
			}
		}
	})
}
