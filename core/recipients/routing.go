package recipients

import (
	"errors"
	"strings"
	"time"
	"unicode"

	"causeway/core"
)

const (
	retryAfter  = 5 * time.Second  // where no provider said when to ask again
	retryUntold = 30 * time.Second // where the provider has yet to list its banks: it is asked again after seconds, then after minutes
	mostRetry   = time.Minute      // a longer wait that one provider asks for is not the client's: another may be back sooner
)

// unavailable says that none of the providers could tell. The client may ask again when the last of them hopes to be
// back.
func unavailable(failures []failure, number core.Private) error {
	wait := time.Duration(0)
	causes := make([]error, 0, len(failures))
	for _, f := range failures {
		if e, ok := errors.AsType[*core.Error](f.err); ok {
			wait = max(wait, min(e.RetryAfter, mostRetry))
		}
		causes = append(causes, cause(f.provider, number, f.err))
	}
	if wait <= 0 {
		wait = retryAfter
	}
	return core.Errorf(core.Unavailable, "The account could not be looked up right now; please try again in %s", seconds(wait)).
		Retry(wait).With(errors.Join(causes...))
}

// named reports whether a holder's name says anything.
func named(holder core.Private) bool {
	return strings.ContainsFunc(holder.Reveal(), func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) })
}

// notFound passes a provider's "surely not" on. Its message says whether the account is unknown or closed.
func notFound(provider string, query core.AccountQuery, err error) error {
	message := ""
	if e, ok := errors.AsType[*core.Error](err); ok {
		message = e.Message
	}
	if message == "" || mentions(message, query.Number) {
		message = "No account with this number was found"
		if query.Bank.Name != "" {
			message += " at " + query.Bank.Name
		}
	}
	return core.Errorf(core.NotFound, "%s", message).With(cause(provider, query.Number, err))
}

// cause is a provider's error for the log. It keeps the text only: a provider's context.Canceled is not the client's. A
// text that shows the account number is dropped.
func cause(provider string, number core.Private, err error) error {
	text := err.Error()
	if mentions(text, number) {
		text = string(core.CodeOf(err)) + ": (a text that shows the account number was dropped)"
	}
	return errors.New(provider + ": " + text)
}

// mentions reports whether a text has the account number in it, in whatever spelling: its last nine digits, or all
// where it has fewer, one after the other.
func mentions(text string, number core.Private) bool {
	digitsOf := func(s string) string {
		return strings.Map(func(r rune) rune {
			if r < '0' || r > '9' {
				return -1
			}
			return r
		}, s)
	}
	wanted := digitsOf(number.Reveal())
	wanted = wanted[max(0, len(wanted)-9):]
	return wanted != "" && strings.Contains(digitsOf(text), wanted)
}
