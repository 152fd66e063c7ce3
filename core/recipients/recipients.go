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
	"sync"
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
	find      func(country, code string) (core.Bank, error)
	resolvers []ports.AccountResolver // in the order to ask
	budget    time.Duration           // for all resolvers together
	covered   sync.Map                // of coverage: what some resolver can be asked about
}

// New makes a Service that asks the resolvers in the given order, all within the budget (8 s by the contract). find
// returns the institution that a code means in a country; its refusals are core.Invalid. New names every fault of
// what it is given; without a resolver it refuses.
func New(
	countries []core.Country, find func(country, code string) (core.Bank, error), resolvers []ports.AccountResolver, budget time.Duration,
) (*Service, error) {
	var faults []error
	if len(countries) == 0 {
		faults = append(faults, errors.New("recipients: no countries"))
	}
	if find == nil {
		faults = append(faults, errors.New("recipients: nobody finds banks"))
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
	s := &Service{countries: slices.Clone(countries), find: find, resolvers: slices.Clone(resolvers), budget: budget}
	s.coverBankless()
	return s, nil
}

// Resolve names the holder of an account. The answer repeats the question normalised: the institution's own code, a
// phone number in E.164.
//
// A question with faults, or one that no resolver can be asked, is core.Invalid with the fields at fault and nobody
// is asked. An account that surely does not exist, or is closed, is core.NotFound with a message that says which.
// When no resolver can tell it is core.Unavailable with RetryAfter. A cancelled ctx is returned as context.Canceled.
func (s *Service) Resolve(ctx context.Context, req Request) (core.Account, error) {
	query, err := s.check(req)
	if err != nil {
		return core.Account{}, err
	}
	able := s.able(query.Country, query.Channel, query.Bank)
	if len(able) == 0 {
		return core.Account{}, s.refusal(query)
	}
	holder, err := s.ask(ctx, able, query)
	if err != nil {
		return core.Account{}, err
	}
	return core.Account{AccountQuery: query, Holder: holder}, nil
}
