package upstream

import (
	"context"
	"crypto/tls"
	"crypto/x509"
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
	Held        Outcome = "held"        // not sent: the Retry-After of a patient provider is in effect
	Quota       Outcome = "quota"       // not sent: the rate limit is used up, except for the reserve
	Full        Outcome = "full"        // not sent: too many concurrent calls
	Canceled    Outcome = "canceled"    // the caller canceled
)

// verdict is what an outcome says about the health of a provider.
type verdict int

const (
	silent verdict = iota // nothing
	good
	bad
	apart // bad for one scope; its effect on the provider depends on the other scopes
)

func (o Outcome) verdict() verdict {
	switch o {
	case OK, NotFound, Undecided, Refused:
		return good // a call about an unusual account must not open the breaker for others
	case Unavailable, TimedOut, Malformed:
		return bad
	case Throttled, Open, Held, Quota, Full, Canceled:
		return silent
	default:
		return silent
	}
}

// Failure is a response, or the lack of one, that decides nothing. Its text never quotes the
// provider.
type Failure struct {
	Outcome Outcome
	Status  int    // of the response; 0: none
	Reason  string // a fixed text; may be empty if there is a status

	lost   bool  // the connection failed before a response
	unfair bool  // the timeout of the caller was too short to blame the provider
	cause  error // for errors.Is; its text is not shown
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
	case status == http.StatusTooManyRequests, status == http.StatusTeapot: // 418: Binance bans an address
		outcome = Throttled
	case status < 400, status >= 500: // redirects are not followed
		outcome = Unavailable
	}
	return &Failure{Outcome: outcome, Status: status}
}

// connectionFailure describes a transport error with a fixed text, because the original text may
// contain the URL or bytes of a broken response.
func connectionFailure(err error) *Failure {
	f := &Failure{Outcome: Unavailable, Reason: "connection failed", lost: true}
	var (
		timeout  net.Error
		dns      *net.DNSError
		errno    syscall.Errno
		unknown  x509.UnknownAuthorityError
		host     x509.HostnameError
		invalid  x509.CertificateInvalidError
		notTLS   tls.RecordHeaderError
		certFail *tls.CertificateVerificationError
	)
	switch {
	case errors.As(err, &dns):
		f.Reason = "host name not resolved"
	case errors.As(err, &errno):
		f.Reason = errno.Error() // "connection refused", "connection reset by peer"
	case errors.As(err, &timeout) && timeout.Timeout():
		f.Reason = "connection timed out"
	case errors.As(err, &certFail), errors.As(err, &unknown), errors.As(err, &host), errors.As(err, &invalid):
		f.Reason = "certificate not accepted"
	case errors.As(err, &notTLS):
		f.Reason = "no TLS"
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		f.Reason = "connection closed early"
	}
	return f
}

// endedFailure returns the error of a caller whose context ended: context.Canceled as it is, a
// deadline as a timeout.
func endedFailure(ctx context.Context, unfair bool) error {
	if err := ctx.Err(); !errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	return &Failure{
		Outcome: TimedOut, Reason: "the caller's deadline passed", unfair: unfair, cause: context.DeadlineExceeded,
	}
}

func timeoutFailure(after time.Duration) error {
	return &Failure{Outcome: TimedOut, Reason: "no response within " + after.String(), cause: context.DeadlineExceeded}
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
