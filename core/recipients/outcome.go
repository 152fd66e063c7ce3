package recipients

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"
	"unicode"

	"causeway/core"
	"causeway/core/recipients/guard"
	"causeway/core/recipients/names"
)

const (
	retryAfter   = 5 * time.Second  // unless a provider says when to retry
	retryAwaited = 30 * time.Second // until a bank list arrives
	maxRetry     = time.Minute      // upper bound of a provider's Retry-After; another one may recover sooner
)

// Outcome is the result of a resolution, or of one attempt at a provider.
type Outcome string

// The outcomes.
const (
	Found      Outcome = "found"       // the holder was named, or the claimed document was compared
	NotFound   Outcome = "not_found"   // the account does not exist or is closed; of an attempt, perhaps
	CannotTell Outcome = "cannot_tell" // an outage, a time-out, a limit, an unusable response
	Abandoned  Outcome = "abandoned"   // another provider was faster, or the client left
	Panicked   Outcome = "panicked"    // a defect of an adapter
	Refused    Outcome = "refused"     // by the guard
)

// reply is what a provider returned.
type reply struct {
	holder core.Private   // of a resolver
	match  core.NameMatch // of a document, from a confirmer
	err    error
	stack  []byte // of a panic

	attempt *attempt
}

// outcomeOf decides the outcome of an attempt. ctx is the resolution's: a provider that fails
// because the client left is abandoned.
func outcomeOf(ctx context.Context, r reply) Outcome {
	switch {
	case r.stack != nil:
		return Panicked
	case r.err == nil:
		return Found
	case core.CodeOf(r.err) == core.NotFound:
		return NotFound
	case errors.Is(ctx.Err(), context.Canceled):
		return Abandoned
	default:
		return CannotTell
	}
}

// result is the result of a request.
type result struct {
	outcome  Outcome // Found, NotFound, CannotTell or Abandoned
	holder   core.Private
	match    core.NameMatch // of a document
	absence  core.Absence
	provider string // that resolved it, now or when the result was cached
	cached   bool
	retry    time.Duration // after CannotTell
	cause    error         // for the log
}

// matchOf returns whether the claimed name is right, if one was claimed.
func (r result) matchOf(p plan) core.NameMatch {
	if r.outcome == Found && p.claimed.Name != "" {
		return names.Compare(p.claimed.Name, r.holder)
	}
	return ""
}

// failure is an attempt that did not find the account.
type failure struct {
	provider string
	outcome  Outcome
	err      error
}

// absence returns why the account does not exist, if the failure says so.
func (f failure) absence() core.Absence {
	if e, ok := errors.AsType[*core.Error](f.err); ok {
		return e.Absence
	}
	return ""
}

// decide returns the result of a request for which no provider returned Found, from the failures so
// far. ok is false if another provider should be called: "not found" is accepted from one provider
// if it is certain, from two or the only one if it is doubtful, and from two if it is shared. While
// a bank cannot be reached, all providers may respond with their doubtful texts. Such texts
// therefore count only if the bank was reached recently. "Not found" from a provider that may not
// know the bank, because its bank list is awaited, does not count.
func decide(failures []failure, p plan, reached bool) (res result, ok bool) {
	doubts := 0
	for _, f := range failures {
		if f.outcome != NotFound || p.mayNotKnow(f.provider) {
			continue
		}
		certain := f.absence() != core.DoubtfulNone && f.absence() != core.SharedNone
		if !certain && !reached {
			continue
		}
		alone := len(p.providers) == 1 && f.absence() != core.SharedNone
		if doubts++; certain || alone || doubts == 2 {
			return result{
				outcome: NotFound, absence: f.absence(), provider: f.provider, cause: causeOf(f, p.query.Number),
			}, true
		}
	}
	res = result{outcome: CannotTell}
	var causes []error
	for _, f := range failures {
		if e, ok := errors.AsType[*core.Error](f.err); ok {
			res.retry = max(res.retry, min(e.RetryAfter, maxRetry))
		}
		if f.outcome == NotFound && p.mayNotKnow(f.provider) {
			res.retry = max(res.retry, retryAwaited)
		}
		causes = append(causes, causeOf(f, p.query.Number))
	}
	res.cause = errors.Join(causes...)
	return res, false
}

// clientError returns the error that a client gets for a result, or nil if the account was found.
func (r result) clientError(p plan) error {
	switch r.outcome {
	case Found:
		return nil
	case NotFound:
		return core.Errorf(core.NotFound, "%s", notFoundText(p, r.absence)).Because(r.absence).With(r.cause)
	case Abandoned:
		return r.cause
	default:
		wait := r.retry
		if wait <= 0 {
			wait = retryAfter
		}
		const text = "The account could not be looked up right now; please try again in %s"
		return core.Errorf(core.Unavailable, text, seconds(wait)).Retry(wait).With(r.cause)
	}
}

// notFoundText describes an account that does not exist. Clients may rely on "No account".
func notFoundText(p plan, absence core.Absence) string {
	bank := p.query.Bank
	switch {
	case absence == core.ClosedAccount:
		return "The account is closed or dormant"
	case p.guessed:
		return fmt.Sprintf("No account with this number was found at %s. Numbers are ported between operators: "+
			"send %s to select another one. See GET /v1/banks?country=%s&channel=%s",
			bank.Name, bankField, bank.Country, p.query.Channel)
	case bank.Code != "":
		return "No account with this number exists at " + bank.Name
	default:
		kinds := map[core.Channel]string{core.Till: "till", core.PayBill: "pay bill", core.MobileMoney: "wallet"}
		return "No account with this number exists: there is no such " + kinds[p.query.Channel]
	}
}

// refusal is the error of a client whom the guard refuses. It does not reveal the pattern.
func refusal(d guard.Decision) error {
	wait := max(d.Wait, time.Second)
	text := "Too many lookups that look like a search through account numbers; please try again in %s"
	if d.Reason == guard.Budget {
		text = "The daily budget of account lookups is spent; please try again in %s"
	}
	return core.Errorf(core.TooMany, text, seconds(wait)).Retry(wait)
}

// causeOf returns a provider's error for the log. Only its text is kept, because its
// context.Canceled is not the client's. A text that contains the account number is dropped.
func causeOf(f failure, number core.Private) error {
	text := f.err.Error()
	if containsNumber(text, number) {
		text = string(core.CodeOf(f.err)) + ": (text dropped: it contains the account number)"
	}
	return errors.New(f.provider + ": " + text)
}

// containsNumber reports whether a text contains the last nine digits of an account number, in any
// spelling.
func containsNumber(text string, number core.Private) bool {
	digits := func(s string) string {
		return strings.Map(func(r rune) rune {
			if r < '0' || r > '9' {
				return -1
			}
			return r
		}, s)
	}
	wanted := digits(number.Reveal())
	wanted = wanted[max(0, len(wanted)-9):]
	return wanted != "" && strings.Contains(digits(text), wanted)
}

// isName reports whether the name of a holder has a letter or digit.
func isName(holder core.Private) bool {
	return strings.ContainsFunc(holder.Reveal(), func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) })
}

// seconds writes a duration in whole seconds, rounded up.
func seconds(d time.Duration) string {
	if n := int((d + time.Second - 1) / time.Second); n != 1 {
		return fmt.Sprint(n, " seconds")
	}
	return "1 second"
}
