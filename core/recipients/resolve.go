package recipients

import (
	"context"
	"errors"
	"time"

	"causeway/core"
)

// Resolve names the holder of an account, or says whether a claimed name is the holder's. The answer repeats the question
// normalised: the institution's own code, a phone number in E.164. It has no name where names are only confirmed: everywhere by
// Settings.ConfirmOnly, for accounts that no provider names, and for a caller whom the guard tells none.
//
// A question with faults, or one that nobody can be asked, is core.Invalid with the fields at fault and nobody
// is asked. An account that does not exist, or is closed, is core.NotFound with a message that says which, and whether
// the operator was only guessed.
// When no provider can tell, or one cannot be asked before it has told its code of the bank, it is
// core.Unavailable with RetryAfter; who asks too often, or what only a search asks, gets core.TooMany with RetryAfter, and nobody is asked.
// If Config.Audit fails, Resolve returns core.Unavailable instead of an account or core.NotFound.
// A cancelled ctx is returned as context.Canceled.
func (s *Service) Resolve(ctx context.Context, req Request) (core.Account, error) {
	p, err := s.prepare(req)
	if err != nil {
		return core.Account{}, err
	}
	if err := ctx.Err(); err != nil {
		return core.Account{}, err
	}
	q := p.query
	told := Resolution{
		At: s.clock(), Caller: s.CallerHash(req.Caller), Key: req.Key, Country: q.Country, Channel: q.Channel, Bank: q.Bank.Code,
		Account: s.seal.text("account", q.Country, string(q.Channel), q.Bank.Code, q.Number.Reveal()),
	}
	started := s.stopwatch()
	account, err := s.answer(ctx, p, req, &told)
	told.Took = s.stopwatch().Sub(started)
	s.events.Resolution(ctx, told)
	if s.audit == nil {
		return account, err
	}
	if fault := s.audit(ctx, told); fault != nil && (told.Outcome == Found || told.Outcome == Missing) {
		return core.Account{}, core.Errorf(core.Unavailable, "Account resolution is temporarily unavailable. Retry later.").With(fault).Retry(retryAudit)
	}
	return account, err
}

// retryAudit is when a client may try again after an audit record could not be written.
const retryAudit = 5 * time.Second

// CallerHash is the keyed hash that stands for a caller's id in Events.
func (s *Service) CallerHash(id string) string { return s.seal.text("caller", id) }

// Check says what is wrong with a request, and asks nobody: the core.Invalid error with which Resolve would refuse it, or nil. A
// bank that cannot be asked about just now is no fault of the request.
func (s *Service) Check(req Request) error {
	_, err := s.prepare(req)
	if core.CodeOf(err) == core.Unavailable {
		return nil
	}
	return err
}

// prepare makes a question of a request, and says who can be asked it: one provider at least.
func (s *Service) prepare(req Request) (plan, error) {
	awaited := s.awaited(normal(req.Country)) // before the bank is looked for: what is told in between, it already has
	claimed, reason := claim(req.Claimed)
	checked, err := s.check(req)
	if e, ok := errors.AsType[*core.Error](err); ok && e.Code == core.Invalid && reason != "" {
		return plan{}, core.InvalidFields(append(e.Fields, core.FieldError{Field: claimField, Reason: reason})...)
	}
	if err != nil {
		return plan{}, err
	}
	if reason != "" {
		return plan{}, core.InvalidField(claimField, "%s", reason)
	}
	query := checked.query
	at := place{query.Country, query.Channel}
	r := s.routeOf(at)
	p := plan{query: query, claimed: claimed, asked: able(r.resolvers, at, query.Bank), hedge: r.hedge, guessed: checked.guessed}
	if len(p.asked) == 0 {
		p.asked, p.confirming = able(r.confirmers, at, query.Bank), true
	}
	switch {
	case len(p.asked) == 0 && s.ableOnceTold(awaited, at, query.Bank):
		return plan{}, core.Errorf(core.Unavailable, "Accounts at %s cannot be looked up right now; please try again in %s",
			query.Bank.Name, seconds(retryUntold)).Retry(retryUntold)
	case len(p.asked) == 0:
		return plan{}, s.refusal(query)
	}
	if need := s.claimNeeded(p); need != "" && claimed == "" {
		return plan{}, core.InvalidField(claimField, "%s", need)
	}
	return p, nil
}

// answer answers a good question, and fills in what came of it.
func (s *Service) answer(ctx context.Context, p plan, req Request, told *Resolution) (core.Account, error) {
	guess := s.seal.probe(p.query)
	permit := s.guard.admit(told.Caller, req, guess)
	if permit.reason != "" {
		told.Outcome, told.Reason = Refused, permit.reason
		return core.Account{}, permit.refusal()
	}
	told.Hidden = permit.hide || s.confirmOnly || p.confirming
	if told.Hidden && p.claimed == "" {
		told.Outcome = Refused
		return core.Account{}, claimNeededNow()
	}
	key := s.key(req.Caller, req.Apart, p)
	v, err := s.flights.share(ctx, key, func(ctx context.Context) verdict { return s.look(ctx, key, p) })
	if err != nil {
		told.Outcome = Abandoned
		return core.Account{}, gone(err)
	}
	told.Outcome, told.Provider, told.Cached = v.outcome(), v.provider, v.cached
	var account core.Account
	if v.err == nil {
		account = reveal(p, v.answer, told.Hidden)
		told.Match = account.Match
	}
	s.guard.settle(told.Caller, guess, told.Outcome, told.Hidden && told.Match == core.NoMatch)
	return account, worded(p, v.err)
}

// reveal makes what a client is told of what a provider said.
func reveal(p plan, a answer, hide bool) core.Account {
	account := core.Account{AccountQuery: p.query, Match: a.match, Warnings: warnings(p.query)}
	if !p.confirming && p.claimed != "" {
		account.Match = CompareNames(p.claimed, a.holder)
	}
	if !hide {
		account.Holder = a.holder
	}
	return account
}

// key is what a verdict is remembered and shared by: who asks, and what. The currency is not in it: an account has one holder.
func (s *Service) key(asker, apart string, p plan) [32]byte {
	q := p.query
	parts := []string{"verdict", asker, q.Country, string(q.Channel), q.Bank.Code, q.Number.Reveal()}
	if p.confirming {
		parts = append(parts, p.claimed.Reveal())
	}
	if apart != "" {
		parts = append(parts, "apart", apart)
	}
	return s.seal.hash(parts...)
}

// look finds the verdict of a key, remembered or by asking, within the budget.
func (s *Service) look(ctx context.Context, key [32]byte, p plan) verdict {
	ctx, cancel := context.WithTimeout(ctx, s.budget)
	defer cancel()
	if v, ok := s.memory.recall(ctx, key); ok {
		return v
	}
	var v verdict
	v.answer, v.provider, v.err = s.ask(ctx, p)
	s.memory.keep(ctx, key, v)
	return v
}

// gone is what is said to somebody who no longer waits: cancelled, as it is, or out of time, which is no statement about the account.
func gone(err error) error {
	if errors.Is(err, context.Canceled) {
		return err
	}
	return core.Errorf(core.Unavailable, "The account could not be looked up in time; please try again in %s", seconds(retryAfter)).
		Retry(retryAfter).With(err)
}
