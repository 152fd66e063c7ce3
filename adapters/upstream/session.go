package upstream

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"
	"unicode"

	"causeway/core"
)

// Session calls a provider that issues tokens in exchange for credentials. It holds the token in
// memory only and never reveals it. It is safe for concurrent use.
//
// Only one login runs at a time, with the context of the caller that started it; other callers
// wait, each up to its own deadline. If the caller that started it gives up, one of the waiting
// callers starts over.
type Session struct {
	client *Client
	login  func(ctx context.Context) (core.Secret, time.Duration, error)

	mu     sync.Mutex
	token  token
	logins uint64 // numbers the tokens
	flight *flight
}

// token is the result of a login.
type token struct {
	number uint64 // 0: none
	secret core.Secret
	from   time.Time
	renew  time.Time // zero: when the provider rejects the token
}

// flight is a login in progress.
type flight struct {
	done      chan struct{}
	err       error // set before done is closed
	abandoned bool  // the caller that started it gave up; others start over
}

// NewSession creates a session. login requests a token, by the same client or another one, and
// returns its lifetime: 0 if the provider states none, in which case the token is used until it is
// rejected. Callers receive any error of login as Unavailable, because it says nothing about their
// request.
func NewSession(
	client *Client, login func(ctx context.Context) (token core.Secret, lives time.Duration, err error),
) *Session {
	return &Session{client: client, login: login}
}

// Do calls Client.Do with the header "Authorization: Bearer …". It logs in if there is no token or
// four fifths of its lifetime are over. If an older token is answered with 401, Do discards it and
// repeats the request once with a new one; read does not see the first response.
func (s *Session) Do(ctx context.Context, q Question, read func(Answer) error) error {
	var refused uint64 // number of the rejected token
	for {
		t, fresh, err := s.valid(ctx, refused)
		if err != nil {
			return s.unavailable(ctx, q.Op, err)
		}
		stale := false
		err = s.client.Do(ctx, bearing(q, t.secret), func(a Answer) error {
			if stale = a.Status == http.StatusUnauthorized && !fresh; stale {
				return Fail(Undecided, "the token is no longer valid")
			}
			return read(a)
		})
		if !stale {
			return err
		}
		refused = t.number
	}
}

// Login makes sure that there is a token, in order to check the credentials. Its errors are those
// of Do.
func (s *Session) Login(ctx context.Context) error {
	if _, _, err := s.valid(ctx, 0); err != nil {
		return s.unavailable(ctx, "a check", err)
	}
	return nil
}

// bearing returns the request with the token in place of any other authorization.
func bearing(q Question, secret core.Secret) Question {
	header := http.Header{}
	for name, values := range q.Header {
		header[http.CanonicalHeaderKey(name)] = values
	}
	header.Set("Authorization", "Bearer "+secret.Reveal())
	q.Header = header
	return q
}

// valid returns a token other than the rejected one, and whether it was requested for this call.
func (s *Session) valid(ctx context.Context, refused uint64) (t token, fresh bool, err error) {
	for {
		s.mu.Lock()
		if s.token.number != 0 && s.token.number == refused {
			s.token = token{}
		}
		if s.token.usable(s.client.outside.Clock()) {
			t = s.token
			s.mu.Unlock()
			return t, fresh || refused != 0, nil
		}
		f := s.flight
		if f == nil {
			f = &flight{done: make(chan struct{})}
			s.flight = f
			s.mu.Unlock()
			t, err = s.enter(ctx, f)
			return t, true, err
		}
		s.mu.Unlock()
		select {
		case <-f.done:
		case <-ctx.Done():
			return token{}, false, endedFailure(ctx, true)
		}
		if f.err != nil && !f.abandoned {
			return token{}, false, f.err
		}
		fresh = true
	}
}

func (t token) usable(now time.Time) bool {
	if t.number == 0 || now.Before(t.from) { // the clock went back: the age is unknown
		return false
	}
	return t.renew.IsZero() || now.Before(t.renew)
}

// enter logs in and passes the result to the waiting callers.
func (s *Session) enter(ctx context.Context, f *flight) (t token, err error) {
	err = Fail(Undecided, "the login did not finish") // if login panics
	defer func() {
		f.err, f.abandoned = err, ctx.Err() != nil
		s.mu.Lock()
		s.flight = nil
		s.mu.Unlock()
		close(f.done)
	}()
	from := s.client.outside.Clock()
	secret, lives, err := s.login(ctx)
	if err != nil {
		return token{}, err
	}
	if secret == "" || strings.ContainsFunc(secret.Reveal(), unicode.IsControl) {
		return token{}, Fail(Malformed, "no token in the response")
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.logins++
	t = token{number: s.logins, secret: secret, from: from}
	if lives > 0 {
		t.renew = from.Add(lives / 5 * 4)
	}
	s.token = t
	return t, nil
}

// unavailable returns the error of a call whose login failed. It includes only texts of this
// package: an error of an adapter may quote a response with a token, and its NotFound concerns the
// login.
func (s *Session) unavailable(ctx context.Context, op string, err error) error {
	if ctx.Err() != nil {
		return coreError(s.client.name, "login for "+op, endedFailure(ctx, true), 0)
	}
	var after time.Duration
	if told, ok := errors.AsType[*core.Error](err); ok {
		after = told.RetryAfter
	}
	failure, ok := errors.AsType[*Failure](err)
	if !ok {
		failure = Fail(Undecided, "login failed")
	}
	return coreError(s.client.name, "login for "+op, failure, after)
}

// maxLifetime bounds the lifetime of a token.
const maxLifetime = 24 * time.Hour

// Lifetime reads the lifetime of a token: seconds, as a number or as text. Anything else is 0: the token
// is used until it is rejected.
func Lifetime(seconds json.RawMessage) time.Duration {
	n, err := strconv.ParseUint(strings.Trim(string(seconds), `"`), 10, 32)
	if err != nil {
		return 0
	}
	return min(time.Duration(n)*time.Second, maxLifetime)
}
