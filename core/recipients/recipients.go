// Package recipients names the holder of an account, so that money is sent to whom it is meant for.
//
// It checks and normalises everything before anybody is asked, says all that is wrong at once, and then asks the
// resolvers in their order: the next one only when one cannot tell. It keeps three answers apart: found, surely
// not found, cannot tell. It refuses to guess: an outage is never "no such account", an empty name is never a
// success, the operator of a phone number is read from its prefix only where no code was sent (numbers are ported between
// operators), and a failed NUBAN check digit refuses nothing, since wallets and vendors' own samples break it.
// Account numbers and names are in no error.
package recipients

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync/atomic"
	"time"

	"causeway/core"
	"causeway/ports"
)

// Request is what a client asks, as it was sent. An empty string is a missing field.
type Request struct {
	Currency      string
	Country       string
	Channel       string
	BankCode      string // an institution's own code or any alias
	AccountNumber core.Private
}

// Service resolves accounts. It is safe for concurrent use.
type Service struct {
	countries []core.Country
	registry  Registry
	resolvers []ports.AccountResolver           // in the order to ask
	budget    time.Duration                     // for all resolvers together
	covered   atomic.Pointer[map[coverage]bool] // what some resolver can be asked about
}

// Registry is what the service asks of whoever keeps the institutions. Both are called by many at the same time.
type Registry struct {
	// Find returns the institution that a code means in a country; its refusals are core.Invalid.
	Find func(country, code string) (core.Bank, error)
	// Awaits reports whether the provider of that name lists the banks of a country but has not told them yet, so that a
	// code of its own may be missing. Once it is false, Find knows what was told.
	Awaits func(provider, country string) bool
}

// New makes a Service that asks the resolvers in the given order, all within the budget: somewhat less than the 8 s of the
// contract, in which a client has its answer. New names every fault of what it is given; without a resolver it
// refuses. Call Survey next.
func New(countries []core.Country, registry Registry, resolvers []ports.AccountResolver, budget time.Duration) (*Service, error) {
	var faults []error
	if len(countries) == 0 {
		faults = append(faults, errors.New("recipients: no countries"))
	}
	if registry.Find == nil || registry.Awaits == nil {
		faults = append(faults, errors.New("recipients: nobody finds banks, or says which are awaited"))
	}
	if len(resolvers) == 0 {
		faults = append(faults, errors.New("recipients: no resolvers"))
	}
	if budget <= 0 {
		faults = append(faults, fmt.Errorf("recipients: a budget of %s", budget))
	}
	for _, c := range countries {
		for _, r := range c.Channels {
			if r.Account.Pattern == nil {
				faults = append(faults, fmt.Errorf("recipients: %s %s: no pattern of account numbers", c.Code, r.Channel))
			}
		}
	}
	names := make(map[string]bool, len(resolvers))
	for _, r := range resolvers {
		if names[r.Name()] {
			faults = append(faults, fmt.Errorf("recipients: two resolvers are named %q", r.Name()))
		}
		names[r.Name()] = true
	}
	if err := errors.Join(faults...); err != nil {
		return nil, err
	}
	s := &Service{countries: slices.Clone(countries), registry: registry, resolvers: slices.Clone(resolvers), budget: budget}
	s.Survey(nil)
	return s, nil
}

// Resolve names the holder of an account. The answer repeats the question normalised: the institution's own code, a
// phone number in E.164.
//
// A question with faults, or one that no resolver can be asked, is core.Invalid with the fields at fault and nobody
// is asked. An account that surely does not exist, or is closed, is core.NotFound with a message that says which.
// When no resolver can tell, or one cannot be asked before its provider has told its code of the bank, it is
// core.Unavailable with RetryAfter. A cancelled ctx is returned as context.Canceled.
func (s *Service) Resolve(ctx context.Context, req Request) (core.Account, error) {
	query, able, err := s.prepare(req)
	if err != nil {
		return core.Account{}, err
	}
	holder, err := s.ask(ctx, able, query)
	if err != nil {
		return core.Account{}, err
	}
	return core.Account{AccountQuery: query, Holder: holder}, nil
}

// Check says what is wrong with a request, and asks nobody: the core.Invalid error with which Resolve would refuse it, or nil. A
// bank that cannot be asked about just now is no fault of the request.
func (s *Service) Check(req Request) error {
	_, _, err := s.prepare(req)
	if core.CodeOf(err) == core.Unavailable {
		return nil
	}
	return err
}

// prepare makes a question of a request, and says who can be asked it: at least one.
func (s *Service) prepare(req Request) (core.AccountQuery, []ports.AccountResolver, error) {
	awaited := s.awaited(normal(req.Country)) // before the bank is looked for: what is told in between, it already has
	query, err := s.check(req)
	if err != nil {
		return core.AccountQuery{}, nil, err
	}
	able := s.able(query.Country, query.Channel, query.Bank)
	switch {
	case len(able) > 0:
		return query, able, nil
	case slices.ContainsFunc(awaited, func(r ports.AccountResolver) bool { return ableOnceTold(r, query) }):
		return core.AccountQuery{}, nil, core.Errorf(core.Unavailable, "Accounts at %s cannot be looked up right now; please try again in %s",
			query.Bank.Name, seconds(retryUntold)).Retry(retryUntold)
	default:
		return core.AccountQuery{}, nil, s.refusal(query)
	}
}
