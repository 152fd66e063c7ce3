package accounts

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"unicode"
	"unicode/utf8"

	"causeway/core"
	"causeway/simulator/faults"
	"causeway/simulator/input"
	"causeway/simulator/seed"
)

// Limits of settings.
const (
	maxAccounts = 10_000
	maxName     = 200 // characters
	maxNumber   = 64  // bytes
)

// Overlay is what a test sets for an account instead of what derives from the seed.
type Overlay struct {
	AccountName *string `json:"account_name,omitempty" doc:"Name of the account holder" example:"TEST ADA OKAFOR"`
	Outcome     string  `json:"outcome,omitempty" doc:"How providers respond to requests for the account; the catalog lists the outcomes"`
	Country     string  `json:"country,omitempty" doc:"Country of the institution, if several countries use its code" example:"NG"`
}

// View describes an account.
type View struct {
	Bank        string  `json:"bank" doc:"Code of the institution, or the channel of a pay bill or till" example:"000013"`
	Country     string  `json:"country" doc:"Country of the institution" example:"NG"`
	Number      string  `json:"number" doc:"Account number" example:"0123456789"`
	Outcome     string  `json:"outcome" doc:"How providers respond to requests for the account" example:"found"`
	AccountName *string `json:"account_name,omitempty" doc:"Name of the account holder; absent if no account is found" example:"TEST ADA OKAFOR"`
	Why         string  `json:"why" doc:"What decided the outcome: set, a magic number such as magic:404, or seed" example:"set"`
}

// Store holds the accounts of one world. It is safe for concurrent use.
type Store struct {
	*Directory
	seed uint64

	mu      sync.RWMutex
	rows    map[key]row
	version atomic.Uint64 // grows with every change
}

// row is an account that was set.
type row struct {
	place
	Reply
}

// place is an account number at an institution.
type place struct {
	bank   core.Bank
	code   string // as the control API names the institution
	number string // as the control API shows it
	held   string // as the institution has it
}

func (p place) key() key { return keyOf(p.bank, p.held) }

// NewStore returns the accounts of a world with the given seed.
func NewStore(worldSeed uint64, d *Directory) *Store {
	return &Store{Directory: d, seed: worldSeed, rows: map[key]row{}}
}

// Clone returns an independent store with the same accounts.
func (s *Store) Clone() *Store {
	s.mu.RLock()
	defer s.mu.RUnlock()
	out := &Store{Directory: s.Directory, seed: s.seed, rows: maps.Clone(s.rows)}
	out.version.Store(s.version.Load())
	return out
}

// Version grows when an account is set or removed.
func (s *Store) Version() uint64 { return s.version.Load() }

// Get returns an account at an institution. It is the same for all providers, whatever code they use for the
// institution and however they write a phone number.
func (s *Store) Get(bank core.Bank, number string) Account {
	k := keyOf(bank, number)
	draw := s.draw(k)
	found := Account{Outcome: Found, Name: fakeName(bank.Country, draw)}
	if set, ok := s.find(k); ok {
		return set.apply(found)
	}
	if magic := magicNumber(bank, number); magic != nil {
		return magic.Reply.apply(found)
	}
	share := draw % 100
	switch {
	case IsMagic(bank), k == published, share >= unknownPercent+dormantPercent:
		return found
	case share < unknownPercent:
		return Account{Outcome: Unknown}
	}
	return Account{Outcome: Dormant}
}

// draw returns the random number of an account.
func (s *Store) draw(k key) uint64 {
	return seed.Derive(s.seed, "account", k.country, k.bank, k.number)
}

func (s *Store) find(k key) (row, bool) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	r, ok := s.rows[k]
	return r, ok
}

// Respond returns the account as one provider reports it, with the value of Sim-Applied if the outcome was
// requested or the number is magic. first says whether the provider is the first one that is asked.
func (s *Store) Respond(first bool, requested *Scripted, bank core.Bank, number string) (a Account, applied string) {
	a = s.Get(bank, number)
	draw := s.draw(keyOf(bank, number))
	if requested != nil {
		a.Name = cmp.Or(a.Name, fakeName(bank.Country, draw))
		a = requested.Reply.apply(a)
	} else if magic := magicNumber(bank, number); magic != nil {
		applied = MagicPrefix + magic.Suffix
	}
	switch {
	case a.Outcome.firstOnly() && !first:
		a.Outcome = Found
	case a.Outcome == RenamedSecond:
		a.Outcome = Found
		if !first {
			a.Name = fakeName(bank.Country, seed.Mix(draw))
		}
	}
	return a, applied
}

// MagicPrefix begins the value of Sim-Applied of a magic number.
const MagicPrefix = "magic:"

// View describes an account.
func (s *Store) View(bank, number, country string) (View, error) {
	p, err := s.locate(bank, number, country)
	if err != nil {
		return View{}, err
	}
	return s.view(p), nil
}

func (s *Store) view(p place) View {
	out := View{Bank: p.code, Country: p.bank.Country, Number: p.number, Why: "seed"}
	if magic := magicNumber(p.bank, p.held); magic != nil {
		out.Why = MagicPrefix + magic.Suffix
	} else if _, set := s.find(p.key()); set {
		out.Why = "set"
	}
	a := s.Get(p.bank, p.held)
	if out.Outcome = string(a.Outcome); a.Outcome.finds() {
		out.AccountName = &a.Name
	}
	return out
}

// Set sets an account. The institution is named by its code or an alias, a pay bill or till by its channel.
// Magic numbers cannot be set.
func (s *Store) Set(bank, number string, o Overlay) error {
	p, err := s.locate(bank, number, o.Country)
	if err != nil {
		return err
	}
	if magic := magicNumber(p.bank, p.held); magic != nil {
		return core.InvalidField("number",
			"ends in %s, which is magic there: %s; accepted: numbers with another ending, or another institution", magic.Suffix,
			magic.Title)
	}
	reply, err := o.reply()
	if err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, exists := s.rows[p.key()]; !exists && len(s.rows) >= maxAccounts {
		return core.InvalidField("number", "%d accounts are set; accepted: no more before some are removed", maxAccounts)
	}
	s.rows[p.key()] = row{p, reply}
	s.version.Add(1)
	return nil
}

// reply checks the overlay and returns how providers respond.
func (o Overlay) reply() (Reply, error) {
	r := Reply{Outcome: Found}
	if o.Outcome != "" {
		requested, err := Find("outcome", core.OpResolveAccount, o.Outcome, faults.Upstream)
		if err != nil {
			return r, err
		}
		r = requested.Reply
	}
	var e input.Errors
	if o.AccountName == nil {
		e.Require(o.Outcome != "", "account_name", "missing", "an account_name, an outcome, or both")
		return r, e.Err()
	}
	e.Require(r.Outcome.finds() && r.Holder == nil, "account_name", "there is one", "none with the outcome "+o.Outcome)
	length := utf8.RuneCountInString(*o.AccountName)
	e.Require(utf8.ValidString(*o.AccountName) && length <= maxName &&
		!strings.ContainsFunc(*o.AccountName, unicode.IsControl), "account_name", fmt.Sprintf("%d characters", length),
		fmt.Sprintf("up to %d in UTF-8, without control characters", maxName))
	r.Holder = o.AccountName
	return r, e.Err()
}

// Remove removes what was set for an account. It returns core.NotFound if nothing was.
func (s *Store) Remove(bank, number, country string) error {
	p, err := s.locate(bank, number, country)
	if err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, exists := s.rows[p.key()]; !exists {
		return core.Errorf(core.NotFound, "Nothing is set for that account at %s", core.Quoted(bank))
	}
	delete(s.rows, p.key())
	s.version.Add(1)
	return nil
}

// List returns the accounts that are set, by country, institution and number.
func (s *Store) List() []View {
	s.mu.RLock()
	rows := slices.Collect(maps.Values(s.rows))
	s.mu.RUnlock()
	out := []View{}
	for _, r := range rows {
		out = append(out, s.view(r.place))
	}
	slices.SortFunc(out, func(a, b View) int {
		return cmp.Or(strings.Compare(a.Country, b.Country), strings.Compare(a.Bank, b.Bank),
			strings.Compare(a.Number, b.Number))
	})
	return out
}

// locate finds an account.
func (s *Store) locate(bank, number, country string) (p place, err error) {
	p.code, p.number = bank, strings.NewReplacer(" ", "", "-", "").Replace(number)
	if n := len(p.number); n == 0 || n > maxNumber {
		return p, core.InvalidField("number", "has %d characters; accepted: 1 to %d", n, maxNumber)
	}
	p.bank, p.held, err = s.holder(bank, p.number, strings.ToUpper(country))
	if p.bank.Name != "" { // an organization keeps its channel
		p.code = p.bank.Code
	}
	return p, err
}
