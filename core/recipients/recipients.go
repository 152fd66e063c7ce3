// Package recipients resolves an account to the name of its holder, so that a payer can check the
// name before paying.
//
// It validates and normalises a request, and then calls the providers in the order of their route:
// the next one if the one before is unavailable. Found, not found and unavailable stay three
// different results. An outage is never reported as "no such account", and an empty name is never a
// success. A failed NUBAN check digit is a warning only: wallets and vendors' own samples break it.
//
// Results are cached per caller and encrypted, so response times reveal nothing about other
// callers. The guard stops callers who seem to enumerate account numbers. Errors contain no account
// number and no name.
package recipients

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/netip"
	"slices"
	"sync/atomic"

	"causeway/core"
	"causeway/core/recipients/guard"
	"causeway/ports"
)

// Request is a resolution request as the client sent it. An empty string is a missing field.
type Request struct {
	Currency      string
	Country       string
	Channel       string
	BankCode      string // an institution's own code or any alias
	AccountNumber core.Private
	Claimed       core.Private // account_name: the holder that the client expects
	DocumentType  string
	Document      core.Private // document_number of the holder

	Caller  string       // opaque ID; callers share neither cached results nor the guard's budget
	Key     string       // ID of the caller's API key; empty if it has none
	Network netip.Prefix // of a caller without a key, if known
}

// Config is what a Service consists of.
type Config struct {
	Countries  []core.Country
	Registry   Registry
	Resolvers  []ports.AccountResolver // in any order
	Confirmers []ports.AccountConfirmer
	Settings   Settings
	Cache      ports.NameCache // nil: results are not cached
	Shared     ports.LookupLog // what the guard tells other replicas; nil: nothing
	Saved      ports.LookupLog // what the guard tells later processes; nil: nothing
	Clock      core.Clock      // of the world, for the cache and the guard
	Stopwatch  core.Clock      // real time, for latencies
	Entropy    core.Entropy
	Events     Events

	// Audit records a resolution before the client gets its result. If it fails, Resolve discloses
	// neither a name nor whether the account exists. Nil: nothing is recorded.
	Audit func(context.Context, Resolution) error
}

// Registry finds institutions. Its functions are safe for concurrent use.
type Registry struct {
	// Find returns the institution that a code means in a country, or a core.Invalid error.
	Find func(country, code string) (core.Bank, error)
	// Awaits reports whether the bank list of a provider and country has not arrived yet, so that
	// the provider's own codes may be missing.
	Awaits func(provider, country string) bool
}

// Service resolves accounts. It is safe for concurrent use.
type Service struct {
	cfg       Config
	routes    map[place]*route
	providers []string // names
	vault     *vault
	cache     *cache
	guard     *guard.Guard
	reached   reachable
	covered   atomic.Pointer[map[place]coverage] // see Survey
}

// New returns a Service, or everything that is wrong with the configuration. Call Survey next.
func New(cfg Config) (*Service, error) {
	cfg.Events = cfg.Events.withDefaults()
	s := &Service{cfg: cfg}
	var err error
	errs := []error{cfg.Settings.Check(), cfg.check()}
	s.routes, s.providers, err = newRoutes(cfg)
	errs = append(errs, err)
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	if s.vault, err = newVault(cfg.Settings.Key, cfg.Entropy); err != nil {
		return nil, fmt.Errorf("recipients: %w", err)
	}
	s.cfg.Settings.Key = "" // fmt would print it: it cannot call methods of unexported fields
	s.cache = &cache{names: cfg.Cache, vault: s.vault, clock: cfg.Clock, settings: cfg.Settings.Cache}
	s.guard, err = guard.New(guard.Config{
		Settings: cfg.Settings.Guard, Clock: cfg.Clock, Hash: s.vault.hash, Alarm: cfg.Events.Alarm,
		Shared: cfg.Shared, Saved: cfg.Saved, Seal: s.vault.sealLookups, Open: s.vault.openLookups,
		Failed: cfg.Events.LookupsFailed,
	})
	s.Survey(nil)
	return s, err
}

func (c Config) check() error {
	var errs []error
	if len(c.Countries) == 0 {
		errs = append(errs, errors.New("recipients: no countries"))
	}
	if len(c.Resolvers)+len(c.Confirmers) == 0 {
		errs = append(errs, errors.New("recipients: no resolvers and no confirmers"))
	}
	if c.Registry.Find == nil || c.Registry.Awaits == nil {
		errs = append(errs, errors.New("recipients: the registry is incomplete"))
	}
	if c.Clock == nil || c.Stopwatch == nil || c.Entropy == nil {
		errs = append(errs, errors.New("recipients: no clock, no stopwatch or no entropy"))
	}
	for _, country := range c.Countries {
		for _, r := range country.Channels {
			if r.Account.Pattern == nil {
				err := fmt.Errorf("recipients: %s %s: no pattern of account numbers", country.Code, r.Channel)
				errs = append(errs, err)
			}
		}
	}
	return errors.Join(errs...)
}

// Resolve returns the account with the name of its holder, or whether the claim about the holder is
// right. The account has the institution's own code and the normalised number. It has no name if
// names are only confirmed: by Settings.ConfirmOnly and for a caller whom the guard suspects. Where
// banks disclose no names, providers compare a document of the holder instead, so that the account
// does not confirm the claimed name.
//
// Errors are core.Invalid with all field errors, before any provider is called; core.NotFound for
// an account that does not exist or is closed; core.TooMany from the guard; and core.Unavailable if
// no provider has a result now, or if Config.Audit fails. A cancelled ctx is returned as
// context.Canceled.
func (s *Service) Resolve(ctx context.Context, req Request) (core.Account, error) {
	p, err := s.plan(req)
	if err != nil {
		return core.Account{}, err
	}
	if err := ctx.Err(); err != nil {
		return core.Account{}, err
	}
	q := p.query
	r := Resolution{
		At: s.cfg.Clock(), Caller: s.CallerHash(req.Caller), Key: req.Key,
		Country: q.Country, Channel: q.Channel, Bank: q.Bank.Code,
		Account: s.vault.text("account", q.Country, string(q.Channel), q.Bank.Code, q.Number.Reveal()),
	}
	started := s.cfg.Stopwatch()
	account, err := s.resolve(ctx, p, req, &r)
	r.Took = s.cfg.Stopwatch().Sub(started)
	s.cfg.Events.Resolution(ctx, r)
	if s.cfg.Audit == nil {
		return account, err
	}
	if failure := s.cfg.Audit(ctx, r); failure != nil && (r.Outcome == Found || r.Outcome == NotFound) {
		return core.Account{}, core.Errorf(core.Unavailable,
			"Account resolution is temporarily unavailable. Retry later.").With(failure).Retry(retryAfter)
	}
	return account, err
}

// resolve resolves a valid request and completes its Resolution.
func (s *Service) resolve(ctx context.Context, p plan, req Request, r *Resolution) (core.Account, error) {
	decision := s.guard.Admit(ctx, guard.Lookup{
		Caller: r.Caller, Key: req.Key, Network: req.Network, Account: p.query, Claim: p.claim(),
		Hidden: s.cfg.Settings.ConfirmOnly || p.confirming,
	})
	r.Hidden = decision.HideName || s.cfg.Settings.ConfirmOnly || p.confirming
	switch {
	case decision.Reason != "":
		r.Outcome, r.Reason = Refused, decision.Reason
		return core.Account{}, refusal(decision)
	case r.Hidden && p.claimed.Name == "":
		r.Outcome = Refused
		return core.Account{}, core.InvalidField(nameField, "is required for a while: too many of these lookups look "+
			"like a search through account numbers, so names are only confirmed. Send the name of the account's holder")
	}
	res := s.lookUp(ctx, s.cacheKey(req.Caller, p), p)
	r.Outcome, r.Provider, r.Cached = res.outcome, res.provider, res.cached
	if p.confirming {
		r.Document = res.match
	} else {
		r.Match = res.matchOf(p)
	}
	if o := guardOutcome(*r); o != 0 {
		s.guard.Settle(ctx, decision, o)
	}
	if err := res.clientError(p); err != nil {
		return core.Account{}, err
	}
	account := core.Account{AccountQuery: p.query, Match: r.Match, Document: r.Document, Warnings: warnings(p.query)}
	if !r.Hidden {
		account.Holder = res.holder
	}
	return account, nil
}

// guardOutcome returns what the guard charges for a resolution, or 0.
func guardOutcome(r Resolution) guard.Outcome {
	matches := map[core.NameMatch]guard.Outcome{
		core.Match: guard.Matched, core.CloseMatch: guard.CloselyMatched, core.NoMatch: guard.NotMatched,
	}
	switch {
	case r.Outcome == NotFound:
		return guard.Missing
	case r.Outcome == Found && r.Hidden:
		return matches[cmp.Or(r.Match, r.Document)]
	case r.Outcome == Found:
		return guard.Named
	default:
		return 0
	}
}

// lookUp returns the result for a cache key, from the cache or from the providers.
func (s *Service) lookUp(ctx context.Context, key [32]byte, p plan) result {
	ctx, cancel := context.WithTimeout(ctx, s.cfg.Settings.Budget)
	defer cancel()
	if res, ok := s.cache.load(ctx, key); ok {
		return res
	}
	res := s.callProviders(ctx, p)
	s.cache.save(ctx, key, res)
	return res
}

// cacheKey identifies the results that may be shared: results for one caller and account. Where a
// provider only confirms, the result depends on the claim, too.
func (s *Service) cacheKey(caller string, p plan) [32]byte {
	q := p.query
	parts := []string{"result", caller, q.Country, string(q.Channel), q.Bank.Code, q.Number.Reveal()}
	if p.confirming {
		parts = append(parts, p.claim().Reveal())
	}
	return s.vault.hash(parts...)
}

// Restore lets the guard remember what callers did in earlier processes.
func (s *Service) Restore(ctx context.Context) { s.guard.Restore(ctx) }

// Run passes on what the guard remembers, until ctx ends.
func (s *Service) Run(ctx context.Context) { s.guard.Run(ctx) }

// CallerHash returns the keyed hash that identifies a caller in Events.
func (s *Service) CallerHash(id string) string { return s.vault.text("caller", id) }

// Check returns the core.Invalid error with which Resolve would refuse a request, or nil. It calls
// no provider.
func (s *Service) Check(req Request) error {
	_, err := s.plan(req)
	if core.CodeOf(err) == core.Unavailable {
		return nil
	}
	return err
}

// Query returns the normalised query and claim of a request, or the errors of its fields. Unlike Check,
// it does not require a provider that supports the query.
func (s *Service) Query(req Request) (core.AccountQuery, core.HolderClaim, error) {
	v := &validator{service: s}
	err := v.validate(req)
	return v.query, v.claimed, err
}

// plan is a valid request and the providers that support it, at least one.
type plan struct {
	query      core.AccountQuery
	claimed    core.HolderClaim
	providers  []provider
	confirming bool     // the providers compare a document and disclose no names
	guessed    bool     // the institution is only what the prefix of the number suggests
	awaited    []string // names of providers whose bank list of the country has not arrived
}

// mayNotKnow reports whether a provider may not know the institution of the query.
func (p plan) mayNotKnow(provider string) bool {
	return p.query.Bank.Code != "" && slices.Contains(p.awaited, provider)
}

// claim returns what the caller could learn about an account by guessing it.
func (p plan) claim() core.Private {
	if d := p.claimed.Document; p.confirming {
		return p.claimed.Name + " " + core.Private(d.Type) + " " + d.Number
	}
	return p.claimed.Name
}

// plan validates a request and selects the providers.
func (s *Service) plan(req Request) (plan, error) {
	awaited := s.awaited(upper(req.Country)) // first: what arrives from now on, Find knows
	v := &validator{service: s}
	err := v.validate(req)
	if err != nil {
		return plan{}, err
	}
	at := place{v.query.Country, v.query.Channel}
	r := s.route(at)
	p := plan{query: v.query, claimed: v.claimed, guessed: v.guessed, awaited: awaited}
	if p.providers = capable(r.resolvers, at, v.query.Bank); len(p.providers) == 0 {
		p.providers, p.confirming = capable(r.confirmers, at, v.query.Bank), true
	}
	switch {
	case len(p.providers) > 0 && p.confirming:
		return p, v.completeClaim()
	case len(p.providers) > 0 && v.claimed.Name == "" && s.cfg.Settings.ConfirmOnly:
		return plan{}, core.InvalidField(nameField,
			"is required: names are only confirmed here, not disclosed. Send the name of the account's holder")
	case len(p.providers) > 0:
		return p, nil
	case slices.ContainsFunc(awaited, func(name string) bool { return r.mayList(name, at, v.query.Bank) }):
		const text = "Accounts at %s cannot be looked up right now; please try again in %s"
		return plan{}, core.Errorf(core.Unavailable, text, v.query.Bank.Name, seconds(retryAwaited)).Retry(retryAwaited)
	default:
		return plan{}, s.unsupported(v.query)
	}
}
