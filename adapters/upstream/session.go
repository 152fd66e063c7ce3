package upstream

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"strconv"
	"strings"
	"time"
	"unicode"

	"causeway/core"
)

// maxLifetime bounds the lifetime of a token.
const maxLifetime = 24 * time.Hour

// Session calls a provider that issues tokens in exchange for credentials. It holds the token in
// memory only and never reveals it. It is safe for concurrent use: one caller logs in, and the
// others wait for the token, each up to its own deadline.
type Session struct {
	client *Client
	login  func(ctx context.Context) (core.Secret, time.Duration, error)
	lock   chan struct{} // capacity 1: guards the fields below; unlike a mutex, waiting for it ends with ctx

	token  core.Secret
	issued time.Time
	renew  time.Time // zero: when the provider rejects the token
}

// NewSession creates a session. login requests a token, by the same client or another one, and
// returns its lifetime: 0 if the provider states none, in which case the token is used until it is
// rejected. Callers receive any error of login as Unavailable, because it says nothing about their
// request.
func NewSession(
	client *Client, login func(ctx context.Context) (token core.Secret, lives time.Duration, err error),
) *Session {
	return &Session{client: client, login: login, lock: make(chan struct{}, 1)}
}

// Do calls Client.Do with the header "Authorization: Bearer …". It logs in if there is no token or
// four fifths of its lifetime are over. If an older token is answered with 401, Do discards it and
// repeats the request once with a new one; read does not see the first response.
func (s *Session) Do(ctx context.Context, q Request, read func(Response) error) error {
	token, isNew, err := s.valid(ctx, "")
	if err != nil {
		return s.unavailable(ctx, q.Op, err)
	}
	expired := false
	err = s.client.Do(ctx, withToken(q, token), func(a Response) error {
		if expired = a.Status == http.StatusUnauthorized && !isNew; expired {
			return Fail(Undecided, "the token is no longer valid")
		}
		return read(a)
	})
	if !expired {
		return err
	}
	if token, _, err = s.valid(ctx, token); err != nil {
		return s.unavailable(ctx, q.Op, err)
	}
	return s.client.Do(ctx, withToken(q, token), read)
}

// Login makes sure that there is a token, in order to check the credentials. Its errors are those
// of Do.
func (s *Session) Login(ctx context.Context) error {
	if _, _, err := s.valid(ctx, ""); err != nil {
		return s.unavailable(ctx, "a check", err)
	}
	return nil
}

// withToken returns the request with the token in place of any other authorization.
func withToken(q Request, token core.Secret) Request {
	header := http.Header{}
	for name, values := range q.Header {
		header[http.CanonicalHeaderKey(name)] = values
	}
	header.Set("Authorization", "Bearer "+token.Reveal())
	q.Header = header
	return q
}

// valid returns a token other than the rejected one, and whether this call logged in.
func (s *Session) valid(ctx context.Context, rejected core.Secret) (token core.Secret, isNew bool, err error) {
	select {
	case s.lock <- struct{}{}:
		defer func() { <-s.lock }()
	case <-ctx.Done():
		return "", false, interruption(ctx, true)
	}
	now := s.client.options.Clock()
	fresh := !now.Before(s.issued) && (s.renew.IsZero() || now.Before(s.renew)) // false if the clock was set back
	if s.token != "" && s.token != rejected && fresh {
		return s.token, false, nil
	}
	token, lives, err := s.login(ctx)
	if err != nil {
		return "", false, err
	}
	if token == "" || strings.ContainsFunc(token.Reveal(), unicode.IsControl) {
		return "", false, Fail(Malformed, "no token in the response")
	}
	s.token, s.issued, s.renew = token, now, time.Time{}
	if lives > 0 {
		s.renew = now.Add(lives / 5 * 4)
	}
	return token, true, nil
}

// unavailable returns the error of a call whose login failed. It includes only texts of this
// package: an error of an adapter may quote a response with a token, and its NotFound concerns the
// login.
func (s *Session) unavailable(ctx context.Context, op string, err error) error {
	op = "login for " + op
	if ctx.Err() != nil {
		return coreError(s.client.name, op, interruption(ctx, true), 0)
	}
	failure, ok := errors.AsType[*Failure](err)
	if !ok {
		failure = Fail(Undecided, "login failed")
	}
	var after time.Duration
	if e, ok := errors.AsType[*core.Error](err); ok {
		after = e.RetryAfter
	}
	return coreError(s.client.name, op, failure, after)
}

// Lifetime reads the lifetime of a token: seconds, as a number or as text. Anything else is 0: the
// token is used until it is rejected.
func Lifetime(seconds json.RawMessage) time.Duration {
	n, err := strconv.ParseUint(strings.Trim(string(seconds), `"`), 10, 32)
	if err != nil {
		return 0
	}
	return min(time.Duration(n)*time.Second, maxLifetime)
}
