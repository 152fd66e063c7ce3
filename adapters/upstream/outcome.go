package upstream

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strconv"
	"syscall"
	"time"

	"causeway/core"
)

// Outcome is the result of a call, for metrics and the breaker.
type Outcome string

// The outcomes.
const (
	OK          Outcome = "ok"
	NotFound    Outcome = "not_found"   // the object certainly does not exist
	Undecided   Outcome = "undecided"   // the response decides nothing: an unknown 4xx, an empty name
	Throttled   Outcome = "throttled"   // too many calls: 429, 418
	Refused     Outcome = "refused"     // credentials, plan, quota or address rejected: 401, 403, 451
	Unavailable Outcome = "unavailable" // lost connection, 5xx, a redirect
	TimedOut    Outcome = "timeout"     // no complete response in time
	Malformed   Outcome = "malformed"   // not the documented response: HTML, a truncated body, wrong types, too large
	Open        Outcome = "open"        // not sent: the breaker is open
	Quota       Outcome = "quota"       // not sent: the rate limit is used up, except for the reserve
	Canceled    Outcome = "canceled"    // the caller canceled
)

// healthy reports whether an outcome shows that the provider works, or that it does not. Some show
// neither. A response to an unusual call shows that it works: it must not open the breaker for others.
func (o Outcome) healthy() (works, fails bool) {
	switch o {
	case OK, NotFound, Undecided, Refused:
		return true, false
	case Unavailable, TimedOut, Malformed:
		return false, true
	default:
		return false, false
	}
}

// Failure is a response, or the lack of one, that decides nothing. Its text never quotes the
// provider.
type Failure struct {
	Outcome Outcome
	Status  int    // of the response; 0: none
	Reason  string // a fixed text; may be empty if there is a status

	lost  bool  // the connection failed before a response
	hasty bool  // the caller left too little time to blame the provider
	cause error // for errors.Is; its text is not shown
}

// Fail creates a Failure for an adapter that judges a response by more than its status. The reason
// must be a fixed text, never one of the provider.
func Fail(outcome Outcome, reason string) *Failure { return &Failure{Outcome: outcome, Reason: reason} }

// Error returns the outcome, the reason and the status, for the log.
func (f *Failure) Error() string {
	text := f.Reason
	if f.Status != 0 {
		if text != "" {
			text += ", "
		}
		text += "status " + strconv.Itoa(f.Status)
	}
	if text == "" {
		return string(f.Outcome)
	}
	return string(f.Outcome) + ": " + text
}

// Unwrap returns the cause for errors.Is: context.DeadlineExceeded after a timeout.
func (f *Failure) Unwrap() error { return f.cause }

// outcomeOf classifies the error of a call.
func outcomeOf(err error) Outcome {
	failure, failed := errors.AsType[*Failure](err)
	switch {
	case err == nil:
		return OK
	case failed:
		return failure.Outcome
	case errors.Is(err, context.Canceled):
		return Canceled
	case core.CodeOf(err) == core.NotFound:
		return NotFound
	default:
		return Undecided
	}
}

// statusFailure judges a response by its status; nil for 2xx.
func statusFailure(status int) error {
	outcome := Undecided
	switch {
	case status >= 200 && status < 300:
		return nil
	case status == http.StatusUnauthorized, status == http.StatusForbidden,
		status == http.StatusUnavailableForLegalReasons:
		outcome = Refused
	case throttles(status):
		outcome = Throttled
	case status < 400, status >= 500: // redirects are not followed
		outcome = Unavailable
	}
	return &Failure{Outcome: outcome, Status: status}
}

// throttles reports whether a status means too many calls. With 418 Binance bans an address.
func throttles(status int) bool {
	return status == http.StatusTooManyRequests || status == http.StatusTeapot
}

// connectionFailure describes a transport error with a fixed text, because the original text may
// contain the URL or bytes of a broken response.
func connectionFailure(err error) *Failure {
	reason := "connection failed"
	if errno, ok := errors.AsType[syscall.Errno](err); ok {
		reason = errno.Error() // "connection refused", "connection reset by peer"
	} else if _, ok := errors.AsType[*net.DNSError](err); ok {
		reason = "host name not resolved"
	} else if timeout, ok := errors.AsType[net.Error](err); ok && timeout.Timeout() {
		reason = "connection timed out"
	} else if _, ok := errors.AsType[*tls.CertificateVerificationError](err); ok {
		reason = "certificate not accepted"
	} else if _, ok := errors.AsType[tls.RecordHeaderError](err); ok {
		reason = "no TLS"
	} else if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		reason = "connection closed early"
	}
	return &Failure{Outcome: Unavailable, Reason: reason, lost: true}
}

// interruption returns the error of a caller whose context ended: context.Canceled as it is, a
// deadline as a timeout.
func interruption(ctx context.Context, hasty bool) error {
	if err := ctx.Err(); !errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	failure := timeoutFailure("the caller's deadline passed")
	failure.hasty = hasty
	return failure
}

func timeoutFailure(reason string) *Failure {
	return &Failure{Outcome: TimedOut, Reason: reason, cause: context.DeadlineExceeded}
}

// coreError converts a Failure to core.Unavailable with a general message. Other errors of adapters
// are returned as they are.
func coreError(provider, op string, err error, retryAfter time.Duration) error {
	failure, ok := errors.AsType[*Failure](err)
	if !ok {
		return err
	}
	return core.Errorf(core.Unavailable, "Temporarily unavailable. Retry later.").
		Retry(retryAfter).With(fmt.Errorf("%s %s: %w", provider, op, failure))
}
