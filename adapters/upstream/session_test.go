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

	"causeway/adapters/upstream"
	"causeway/core"
)

// sessionServer is a provider that accepts only the token of the last login: secret-1, secret-2, …
type sessionServer struct {
	*upstream.Session

	lives, takes time.Duration // lifetime of a token, duration of a login
	err          error         // of logins

	logins, requests atomic.Int64
	revoked          atomic.Bool // the token is not accepted; a login lifts it
	broken           bool        // no token is accepted
}

func (s *sessionServer) open(t *testing.T) *world {
	t.Helper()
	w := open(t)
	w.respond(func(r *http.Request) (*http.Response, error) {
		s.requests.Add(1)
		want := []string{"Bearer secret-" + strconv.FormatInt(s.logins.Load(), 10)}
		if s.broken || s.revoked.Load() || !slices.Equal(r.Header.Values("Authorization"), want) {
			return httpmock.NewStringResponse(http.StatusUnauthorized, `{"message":"JANE DOE"}`), nil
		}
		return httpmock.NewStringResponse(http.StatusOK, "{}"), nil
	})
	s.Session = upstream.NewSession(w.client, func(ctx context.Context) (core.Secret, time.Duration, error) {
		select {
		case <-time.After(s.takes):
		case <-ctx.Done():
			return "", 0, ctx.Err()
		}
		if s.err != nil {
			return "", 0, s.err
		}
		s.revoked.Store(false)
		return core.Secret("secret-" + strconv.FormatInt(s.logins.Add(1), 10)), s.lives, nil
	})
	return w
}

func (s *sessionServer) get(ctx context.Context) error {
	return s.Do(ctx, upstream.Request{Op: "look", Path: "/thing"}, readObject)
}

// TestSession_Token sends a request, lets something happen, and sends another one.
func TestSession_Token(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		server           *sessionServer
		passes           time.Duration
		revoked          bool
		logins, requests int64
	}{
		"within four fifths of its life": {&sessionServer{lives: 100 * time.Second}, 80*time.Second - 1, false, 1, 2},
		"after four fifths of its life":  {&sessionServer{lives: 100 * time.Second}, 80 * time.Second, false, 2, 2},
		"of unknown life":                {&sessionServer{}, 1000 * time.Hour, false, 1, 2},
		"clock set back":                 {&sessionServer{lives: time.Hour}, -time.Minute, false, 2, 2},
		"revoked":                        {&sessionServer{lives: time.Hour}, 0, true, 2, 3},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := c.server.open(t)
			if err := c.server.get(t.Context()); err != nil {
				t.Fatal(err)
			}
			w.advance(c.passes)
			c.server.revoked.Store(c.revoked)
			reads := 0
			err := c.server.Do(t.Context(), upstream.Request{Op: "look", Path: "/thing"}, func(a upstream.Response) error {
				reads++
				return a.Err()
			})
			if err != nil || reads != 1 || w.logs.Len() > 0 {
				t.Errorf("got %v after %d responses read; logged %v", err, reads, w.logs.All())
			}
			if c.server.logins.Load() != c.logins || c.server.requests.Load() != c.requests {
				t.Errorf("got %d logins and %d requests", c.server.logins.Load(), c.server.requests.Load())
			}
		})
	}
}

func TestSession_NewTokenRefused(t *testing.T) {
	t.Parallel()
	s := &sessionServer{lives: time.Hour, broken: true}
	w := s.open(t)
	unavailable(t, s.get(t.Context()))
	w.wantOutcome(t, upstream.Refused)
	unavailable(t, s.get(t.Context())) // with the old token and with a new one
	if s.logins.Load() != 2 || s.requests.Load() != 3 {
		t.Errorf("got %d logins and %d requests", s.logins.Load(), s.requests.Load())
	}
}

func TestSession_Header(t *testing.T) {
	t.Parallel()
	s := &sessionServer{lives: time.Hour}
	s.open(t)
	sent := http.Header{"authorization": {"Basic abc"}, "X-Country": {"UG"}}
	q := upstream.Request{Op: "look", Path: "/thing", Header: maps.Clone(sent)}
	if err := s.Do(t.Context(), q, upstream.Response.Err); err != nil {
		t.Error(err)
	}
	if !maps.EqualFunc(q.Header, sent, slices.Equal) {
		t.Errorf("the header of the request became %v", q.Header)
	}
}

func TestSession_LoginFailure(t *testing.T) {
	t.Parallel()
	refused := core.Errorf(core.Unavailable, "x").Retry(7 * time.Second).With(upstream.Fail(upstream.Refused, "wrong credentials"))
	for name, c := range map[string]struct {
		err   error
		token core.Secret
		after time.Duration
		cause string
	}{
		"failure of a client": {refused, "", 7 * time.Second, "bank login for look: refused: wrong credentials"},
		"bare failure":        {upstream.Fail(upstream.Malformed, "no token"), "", 0, "bank login for look: malformed: no token"},
		"not found":           {core.Errorf(core.NotFound, "sk_live_1 is unknown"), "", 0, "undecided: login failed"},
		"another error":       {fmt.Errorf("the body was %q", "sk_live_1"), "", 0, "undecided: login failed"},
		"no token":            {nil, "", 0, "no token in the response"},
		"line break in token": {nil, "sk_live_1\r\nX-Admin: 1", 0, "no token in the response"},
	} {
		w := open(t)
		s := upstream.NewSession(w.client, func(context.Context) (core.Secret, time.Duration, error) { return c.token, 0, c.err })
		for _, err := range []error{s.Do(t.Context(), upstream.Request{Op: "look"}, readObject), s.Login(t.Context())} {
			if after := unavailable(t, err); after != c.after || strings.Contains(err.Error(), "sk_live") {
				t.Errorf("%s: got %v, Retry-After %s", name, err, after)
			}
			if cause := strings.Replace(c.cause, "look", "a check", 1); !strings.Contains(err.Error(), c.cause) && !strings.Contains(err.Error(), cause) {
				t.Errorf("%s: got %v, want %q", name, err, c.cause)
			}
		}
		if w.calls() > 0 {
			t.Errorf("%s: a request was sent without a token", name)
		}
	}
}

// TestSession_Concurrent sends requests at once. Each caller waits for the login up to its own
// deadline, and a caller that gives up does not harm the others.
func TestSession_Concurrent(t *testing.T) {
	t.Parallel()
	budgets := []time.Duration{time.Second, 500 * time.Millisecond}
	for range 48 {
		budgets = append(budgets, time.Minute)
	}
	for _, revoked := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			s := &sessionServer{lives: time.Hour, takes: 2 * time.Second}
			s.open(t)
			if revoked {
				if err := s.get(t.Context()); err != nil {
					t.Fatal(err)
				}
				s.revoked.Store(true)
			}
			before := s.logins.Load()
			errs := make([]error, len(budgets))
			var work sync.WaitGroup
			for i, budget := range budgets {
				work.Go(func() {
					time.Sleep(time.Duration(i)) // the first one begins the login
					ctx, cancel := context.WithTimeout(t.Context(), budget)
					defer cancel()
					errs[i] = s.get(ctx)
				})
			}
			work.Wait()
			for i, err := range errs {
				if i < 2 && !errors.Is(err, context.DeadlineExceeded) || i >= 2 && err != nil {
					t.Errorf("caller %d: got %v", i, err)
				}
			}
			if got := s.logins.Load() - before; got != 1 {
				t.Errorf("got %d logins, want 1", got)
			}
		})
	}
}

func TestSession_Canceled(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := &sessionServer{takes: time.Hour}
		s.open(t)
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(time.Second, cancel)
		if err := s.get(ctx); !errors.Is(err, context.Canceled) || core.CodeOf(err) != core.Internal {
			t.Errorf("got %v, want context.Canceled", err)
		}
	})
}

func TestLifetime(t *testing.T) {
	t.Parallel()
	for raw, want := range map[string]time.Duration{
		`3599`: 3599 * time.Second, `"3599"`: 3599 * time.Second, `999999999`: 24 * time.Hour,
		``: 0, `null`: 0, `-1`: 0, `"soon"`: 0, `1.5`: 0,
	} {
		if got := upstream.Lifetime([]byte(raw)); got != want {
			t.Errorf("%s: got %s, want %s", raw, got, want)
		}
	}
}
