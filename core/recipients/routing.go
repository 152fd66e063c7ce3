package recipients

import (
	"context"
	"errors"
	"strings"
	"time"
	"unicode"

	"causeway/core"
	"causeway/ports"
)

const (
	leastShare  = time.Second      // of the budget, for each resolver
	retryAfter  = 5 * time.Second  // where no resolver said when to ask again
	retryUntold = 30 * time.Second // where the provider has yet to list its banks: it is asked again after seconds, then after minutes
	mostRetry   = time.Minute      // a longer wait that one resolver asks for is not the client's: another may be back sooner
)

// ask asks the resolvers in turn until one can tell. Their turns end one share of the budget after the other, so
// that one that hangs uses up its own share only, and one that is quick leaves the rest of its share to the next.
func (s *Service) ask(ctx context.Context, able []ports.AccountResolver, query core.AccountQuery) (core.Private, error) {
	begin := s.begin(ctx)
	ctx, cancel := context.WithDeadline(ctx, begin.Add(s.budget))
	defer cancel()
	share := max(s.budget/time.Duration(len(able)), leastShare)
	var failures []error
	for i, r := range able {
		end := begin.Add(share * time.Duration(i+1))
		if i == len(able)-1 {
			end = begin.Add(s.budget)
		}
		holder, err := turn(ctx, end, r, query)
		switch {
		case err == nil:
			return holder, nil
		case errors.Is(ctx.Err(), context.Canceled): // by the client: none of our own deadlines cancels
			return "", ctx.Err()
		case core.CodeOf(err) == core.NotFound:
			return "", notFound(r.Name(), query, err)
		}
		failures = append(failures, err)
	}
	return "", unavailable(able, failures, query.Number)
}

// begin returns the instant at which a budget that starts now begins. The service has no clock: budgets of network
// calls run in real time even where a simulated world's clock stands still.
func (s *Service) begin(ctx context.Context) time.Time {
	timer, stop := context.WithTimeout(context.WithoutCancel(ctx), s.budget)
	defer stop()
	end, _ := timer.Deadline()
	return end.Add(-s.budget)
}

// turn asks one resolver until end. A name that says nothing is no answer.
func turn(ctx context.Context, end time.Time, r ports.AccountResolver, query core.AccountQuery) (core.Private, error) {
	ctx, cancel := context.WithDeadline(ctx, end)
	defer cancel()
	if err := ctx.Err(); err != nil {
		return "", err
	}
	holder, err := r.Resolve(ctx, query)
	if err == nil && !named(holder) {
		return "", core.Errorf(core.Unavailable, "The provider gave no name")
	}
	return holder, err
}

// unavailable says that none of the resolvers could tell. The client may ask again when the last of them hopes to be
// back.
func unavailable(asked []ports.AccountResolver, failures []error, number core.Private) error {
	wait := time.Duration(0)
	causes := make([]error, 0, len(failures))
	for i, err := range failures {
		if e, ok := errors.AsType[*core.Error](err); ok {
			wait = max(wait, min(e.RetryAfter, mostRetry))
		}
		causes = append(causes, cause(asked[i].Name(), number, err))
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

// notFound passes a resolver's "surely not" on. Its message says whether the account is unknown or closed.
func notFound(resolver string, query core.AccountQuery, err error) error {
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
	return core.Errorf(core.NotFound, "%s", message).With(cause(resolver, query.Number, err))
}

// cause is a resolver's error for the log. It keeps the text only: a resolver's context.Canceled is not the client's. A
// text that shows the account number is dropped.
func cause(resolver string, number core.Private, err error) error {
	text := err.Error()
	if mentions(text, number) {
		text = string(core.CodeOf(err)) + ": (a text that shows the account number was dropped)"
	}
	return errors.New(resolver + ": " + text)
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
