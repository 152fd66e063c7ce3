// Package recipients names the holder of an account, so that money is sent to whom it is meant for.
//
// It checks and normalises everything before anybody is asked, says all that is wrong at once, and then asks the
// providers in the order of their route: the next one only when one cannot tell. It keeps three answers apart: found, surely
// not found, cannot tell. It refuses to guess: an outage is never "no such account" (what looks like both is
// believed from two providers only, unless there is but one), an empty name is never a
// success, the operator of a phone number is read from its prefix only where no code was sent (numbers are ported between
// operators), and a failed NUBAN check digit refuses nothing, since wallets and vendors' own samples break it.
// Account numbers and names are in no error.
//
// What is sure is remembered for a while, sealed, and for the caller alone who asked: nobody learns by the time that an answer
// takes what somebody else looked up. Callers who seem to search through account numbers are stopped (see GuardSettings).
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
	Claimed       core.Private // account_name: whom the caller believes to be the holder

	// Caller is an opaque id of who asks: a key's id, or a client's address. Who is told apart here has a cache and a bucket of tokens
	// of his own; all that is empty is one caller. It is kept and told as a keyed hash only.
	Caller string

	// Key is the id of the caller's key, which is public: operators are told it, so that they know which one to revoke. Empty: it has none.
	Key string

	// Apart tells questions of one caller apart that share neither what is remembered nor a lookup that is under way. Empty: they share both.
	Apart string

	// Rate is how often the caller may call, by what was promised to it: the guard gives it as many tokens at least (see GuardSettings). Zero:
	// nothing was promised.
	Rate core.RateLimit
}

// Config is what a Service is made of.
type Config struct {
	Countries  []core.Country
	Registry   Registry
	Resolvers  []ports.AccountResolver // in any order: routes decide
	Confirmers []ports.AccountConfirmer
	Settings   Settings
	Cache      ports.NameCache // nil: nothing is cached
	Clock      core.Clock      // the world's: caches and guard run by it
	Stopwatch  core.Clock      // real time, for latencies: calls take it even where a world's clock stands still
	Entropy    core.Entropy
	Events     Events

	// Audit records a resolution before the client gets its result. If it fails, Resolve discloses
	// neither a name nor whether the account exists. Nil: nothing is recorded.
	Audit func(context.Context, Resolution) error
}

// Service resolves accounts. It is safe for concurrent use.
type Service struct {
	countries   []core.Country
	registry    Registry
	routes      map[place]*route
	names       []string // of the providers, sorted
	budget      time.Duration
	confirmOnly bool
	clock       core.Clock
	stopwatch   core.Clock
	events      Events
	audit       func(context.Context, Resolution) error

	seal      *seal
	memory    *memory
	guard     *guard
	flights   *flights
	latencies *latencies
	covered   atomic.Pointer[map[place]bool] // what somebody can be asked about
}

// Registry is what the service asks of whoever keeps the institutions. Both are called by many at the same time.
type Registry struct {
	// Find returns the institution that a code means in a country; its refusals are core.Invalid.
	Find func(country, code string) (core.Bank, error)
	// Awaits reports whether the provider of that name lists the banks of a country but has not told them yet, so that a
	// code of its own may be missing. Once it is false, Find knows what was told.
	Awaits func(provider, country string) bool
}

// New makes a Service. It names every fault of what it is given; with nobody to ask it refuses. Call Survey next.
func New(cfg Config) (*Service, error) {
	resolvers, confirmers, names, faults := cfg.providers()
	routes, bad := routesOf(cfg.Settings, cfg.Countries, resolvers, confirmers)
	faults = append(append(faults, cfg.faults()...), bad...)
	if err := errors.Join(faults...); err != nil {
		return nil, err
	}
	key, err := newSeal(cfg.Settings.Key, cfg.Entropy)
	if err != nil {
		return nil, fmt.Errorf("recipients: %w", err)
	}
	events := cfg.Events.whole()
	s := &Service{
		countries: slices.Clone(cfg.Countries), registry: cfg.Registry, routes: routes, names: names,
		budget: cfg.Settings.Budget, confirmOnly: cfg.Settings.ConfirmOnly, clock: cfg.Clock, stopwatch: cfg.Stopwatch, events: events, audit: cfg.Audit,
		seal:      key,
		memory:    &memory{cache: cfg.Cache, seal: key, clock: cfg.Clock, keeps: cfg.Settings.Cache},
		guard:     newGuard(cfg.Settings.Guard, cfg.Clock, events.Search),
		flights:   &flights{of: make(map[[32]byte]*flight)},
		latencies: &latencies{of: make(map[string]*window)},
	}
	s.Survey(nil)
	return s, nil
}

// providers returns who can be asked, their names, and what is wrong with these.
func (c Config) providers() (resolvers, confirmers []provider, names []string, faults []error) {
	twins := func(kind string, of []provider) {
		seen := make(map[string]bool, len(of))
		for _, p := range of {
			if seen[p.name] {
				faults = append(faults, fmt.Errorf("recipients: two %s are named %q", kind, p.name))
			}
			seen[p.name] = true
			names = append(names, p.name)
		}
	}
	for _, r := range c.Resolvers {
		resolvers = append(resolvers, resolverOf(r))
	}
	for _, one := range c.Confirmers {
		confirmers = append(confirmers, confirmerOf(one))
	}
	twins("resolvers", resolvers)
	twins("confirmers", confirmers)
	if len(names) == 0 {
		faults = append(faults, errors.New("recipients: no resolvers and no confirmers"))
	}
	slices.Sort(names)
	return resolvers, confirmers, slices.Compact(names), faults
}

// faults returns what is wrong beside the providers.
func (c Config) faults() []error {
	var faults []error
	if len(c.Countries) == 0 {
		faults = append(faults, errors.New("recipients: no countries"))
	}
	if c.Registry.Find == nil || c.Registry.Awaits == nil {
		faults = append(faults, errors.New("recipients: nobody finds banks, or says which are awaited"))
	}
	if c.Clock == nil || c.Stopwatch == nil || c.Entropy == nil {
		faults = append(faults, errors.New("recipients: no clock, no stopwatch or no entropy"))
	}
	for _, country := range c.Countries {
		for _, r := range country.Channels {
			if r.Account.Pattern == nil {
				faults = append(faults, fmt.Errorf("recipients: %s %s: no pattern of account numbers", country.Code, r.Channel))
			}
		}
	}
	return append(faults, c.Settings.Check())
}
