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

// Outcome is what came of a question: a closed set, for metrics and for the breaker.
type Outcome string

// The outcomes.
const (
	OK          Outcome = "ok"
	NotFound    Outcome = "not_found"   // the thing asked for surely does not exist
	Undecided   Outcome = "undecided"   // it answered, and the answer settles nothing: a 4xx nobody knows, an empty name
	Throttled   Outcome = "throttled"   // we ask too often: 429, 418
	Refused     Outcome = "refused"     // our key, plan, quota or address is refused: 401, 403, 451. Somebody must look
	Unavailable Outcome = "unavailable" // lost connection, 5xx, a redirect
	TimedOut    Outcome = "timeout"     // no whole answer in time
	Malformed   Outcome = "malformed"   // not the documented answer: HTML, half a body, wrong types, too large
	Open        Outcome = "open"        // not asked: the breaker is open
	Held        Outcome = "held"        // not asked: a patient provider told us to wait
	Quota       Outcome = "quota"       // not asked: its limit is used up, but for the reserve
	Full        Outcome = "full"        // not asked: it is being asked as much at once as it may be
	Canceled    Outcome = "canceled"    // whoever asked went away
)

// verdict is what an outcome says about the provider's health.
type verdict int

const (
	silent verdict = iota // nothing
	good
	bad
	apart // bad for one scope; what it says about the provider depends on the others
)

func (o Outcome) verdict() verdict {
	switch o {
	case OK, NotFound, Undecided, Refused:
		return good // a question that has no good answer must not open the breaker for the others
	case Unavailable, TimedOut, Malformed:
		return bad
	case Throttled, Open, Held, Quota, Full, Canceled:
		return silent
	default:
		return silent
	}
}

// Failure is an answer, or the lack of one, that leaves the question open. Its text never quotes the provider.
type Failure struct {
	Outcome Outcome
	Status  int    // of the answer; 0 where there was none
	Reason  string // our own words; may be empty where there is a status

	lost   bool  // the connection failed: nothing was answered
	unfair bool  // the caller left the provider too little time to blame it
	cause  error // kept for errors.Is; its text is not shown
}

// Fail makes a Failure for an adapter that read an answer and knows better than its status. The reason is a
// text of ours, never the provider's.
func Fail(outcome Outcome, reason string) *Failure { return &Failure{Outcome: outcome, Reason: reason} }

// Error is the outcome with its reason and status, for the log.
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

// Unwrap returns what errors.Is may ask for: context.DeadlineExceeded for a time-out.
func (f *Failure) Unwrap() error { return f.cause }

// outcomeOf classifies what a question came to.
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

// statusFailure judges an answer by its status alone; nil for 2xx.
func statusFailure(status int) error {
	outcome := Undecided
	switch {
	case status >= 200 && status < 300:
		return nil
	case status == http.StatusUnauthorized, status == http.StatusForbidden, status == http.StatusUnavailableForLegalReasons:
		outcome = Refused
	case status == http.StatusTooManyRequests, status == http.StatusTeapot: // 418: Binance bans an address
		outcome = Throttled
	case status < 400, status >= 500: // redirects are not followed
		outcome = Unavailable
	}
	return &Failure{Outcome: outcome, Status: status}
}

// connectionFailure describes an error of the transport in our own words: its text may hold the URL, or bytes of a
// broken answer.
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
		f.Reason = "time-out while connecting"
	case errors.As(err, &certFail), errors.As(err, &unknown), errors.As(err, &host), errors.As(err, &invalid):
		f.Reason = "certificate not accepted"
	case errors.As(err, &notTLS):
		f.Reason = "does not speak TLS"
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		f.Reason = "connection closed early"
	}
	return f
}

// endedFailure is for a caller whose time is up: context.Canceled stays itself, a deadline is a time-out.
func endedFailure(ctx context.Context, unfair bool) error {
	if err := ctx.Err(); !errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	return &Failure{Outcome: TimedOut, Reason: "the caller's time is up", unfair: unfair, cause: context.DeadlineExceeded}
}

func timeoutFailure(after time.Duration) error {
	return &Failure{Outcome: TimedOut, Reason: "no answer within " + after.String(), cause: context.DeadlineExceeded}
}

// coreError is what the core learns of an error: a Failure is Unavailable with a general sentence, whatever else an adapter
// decided is its own affair.
func coreError(provider, op string, err error, retryAfter time.Duration) error {
	failure, ok := errors.AsType[*Failure](err)
	if !ok {
		return err
	}
	return core.Errorf(core.Unavailable, "This cannot be told right now; please try again").
		Retry(retryAfter).With(fmt.Errorf("%s %s: %w", provider, op, failure))
}
