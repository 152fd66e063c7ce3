package upstream

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"sync"
	"time"
	"unicode"

	"causeway/core"
)

// Session asks a provider that hands out tokens in exchange for credentials. It keeps the token in memory alone, and never shows it or
// what the login was done with. It is safe for concurrent use.
//
// One login is under way at a time, on the time of the caller who began it; the others wait for it, each as long as its own time
// lasts. Where the one who began goes away, one of those who wait begins again, so that nobody pays for another's hurry.
type Session struct {
	client *Client
	login  func(ctx context.Context) (core.Secret, time.Duration, error)

	mu     sync.Mutex
	token  token
	logins uint64 // numbers the tokens
	flight *flight
}

// token is what a login gave.
type token struct {
	number uint64 // 0: none
	secret core.Secret
	from   time.Time
	renew  time.Time // zero: when it is refused
}

// flight is a login under way.
type flight struct {
	done      chan struct{}
	err       error // set before done is closed
	abandoned bool  // whoever began it ran out of time: it says nothing to the others
}

// NewSession makes a session of a client. login asks the provider for a token, by that client or another, and tells how long it lives by
// what the provider says: 0 where it says nothing, and the token is used until it is refused. Whatever error login returns is
// Unavailable to those who asked: that we cannot log in says nothing about what they asked for.
func NewSession(client *Client, login func(ctx context.Context) (token core.Secret, lives time.Duration, err error)) *Session {
	return &Session{client: client, login: login}
}

// Do is Client.Do with the header "Authorization: Bearer …". It logs in where there is no token, or four fifths of its life are over. A token
// from before the question that is answered by 401 is thrown away, and the question asked once more with a new one: read
// does not see that first answer, which is not the operator's affair either.
func (s *Session) Do(ctx context.Context, q Question, read func(Answer) error) error {
	var refused uint64 // the number of the token that was
	for {
		t, fresh, err := s.valid(ctx, refused)
		if err != nil {
			return s.unavailable(ctx, q.Op, err)
		}
		stale := false
		err = s.client.Do(ctx, bearing(q, t.secret), func(a Answer) error {
			if stale = a.Status == http.StatusUnauthorized && !fresh; stale {
				return Fail(Undecided, "the token is not accepted any more")
			}
			return read(a)
		})
		if !stale {
			return err
		}
		refused = t.number
	}
}

// Login makes sure that there is a token, for who wants to know whether the credentials are good. Its error is that of Do.
func (s *Session) Login(ctx context.Context) error {
	if _, _, err := s.valid(ctx, 0); err != nil {
		return s.unavailable(ctx, "a check", err)
	}
	return nil
}

// bearing returns the question with the token, whatever authorization it had.
func bearing(q Question, secret core.Secret) Question {
	header := http.Header{}
	for name, values := range q.Header {
		header[http.CanonicalHeaderKey(name)] = values
	}
	header.Set("Authorization", "Bearer "+secret.Reveal())
	q.Header = header
	return q
}

// valid returns a token other than the refused one, and whether it was got for this question.
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
	if t.number == 0 || now.Before(t.from) { // the clock was set back: who knows how old it is
		return false
	}
	return t.renew.IsZero() || now.Before(t.renew)
}

// enter logs in, and tells those who wait.
func (s *Session) enter(ctx context.Context, f *flight) (t token, err error) {
	err = Fail(Undecided, "the login broke off") // where login panics
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
		return token{}, Fail(Malformed, "no token in the answer")
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

// unavailable is what a failed login is to whoever asked. Of the error there stays what this package wrote itself: an adapter's own may quote
// an answer with a token in it, and its NotFound is about the login.
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
		failure = Fail(Undecided, "it failed")
	}
	return coreError(s.client.name, "login for "+op, failure, after)
}
