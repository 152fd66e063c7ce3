package recipients

import (
	"errors"
	"fmt"
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

// absence is why an account is not found.
func absence(err error) core.Absence {
	if e, ok := errors.AsType[*core.Error](err); ok {
		return e.Absence
	}
	return ""
}

// notFound is a provider's "not found" before it is put into words: who joins a lookup may have asked in another way.
func notFound(provider string, number core.Private, err error) error {
	return core.Errorf(core.NotFound, "").Because(absence(err)).With(cause(provider, number, err))
}

// worded puts a "not found" into words: what is not there, and where it was looked for. Other errors have theirs.
func worded(p plan, err error) error {
	e, ok := errors.AsType[*core.Error](err)
	if !ok || e.Code != core.NotFound {
		return err
	}
	said := *e
	said.Message = p.missing(e.Absence)
	return &said
}

// missing words an account that is not found. All but the closed ones begin with "No account", which clients may go by.
func (p plan) missing(why core.Absence) string {
	channel, bank := p.query.Channel, p.query.Bank
	const none = "No account with this number exists"
	switch {
	case why == core.ClosedAccount:
		return "The account is closed or dormant"
	case p.guessed:
		return fmt.Sprintf("No account with this number was found at %s; numbers are ported between operators: send %s to ask another one. "+
			"See GET /v1/banks?country=%s&channel=%s", bank.Name, bankField, p.query.Country, channel)
	case channel == core.Till:
		return none + ": there is no such till"
	case channel == core.PayBill:
		return none + ": there is no such pay bill"
	case bank.Code == "":
		return none + ": there is no such wallet"
	default:
		return none + " at " + bank.Name
	}
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
