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
	"causeway/simulator/publicapi"
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

// Setting is an account with its overlay.
type Setting struct {
	Bank   string `json:"bank" doc:"Code of the institution, or the channel of a pay bill or till" example:"000013"`
	Number string `json:"number" doc:"Account number" example:"0123456789"`

	Overlay
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

type row struct {
	setting Setting
	magic   MagicNumber // its outcome and name
}

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
		return set.magic.apply(found)
	}
	if magic := magicNumber(bank, number); magic != nil {
		if magic.Named {
			found.Name = magic.Name
		}
		return Account{Outcome: magic.Outcome, Name: found.Name}
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
		a = requested.magic.apply(a)
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
	setting, b, held, err := s.locate(bank, number, country)
	if err != nil {
		return View{}, err
	}
	out := View{Bank: setting.Bank, Country: setting.Country, Number: setting.Number, Why: "seed"}
	if magic := magicNumber(b, held); magic != nil {
		out.Why = MagicPrefix + magic.Suffix
	} else if _, set := s.find(keyOf(b, held)); set {
		out.Why = "set"
	}
	a := s.Get(b, held)
	if out.Outcome = string(a.Outcome); a.Outcome.finds() {
		out.AccountName = &a.Name
	}
	return out, nil
}

// Set sets an account. The institution is named by its code or an alias, a pay bill or till by its channel.
// Magic numbers cannot be set.
func (s *Store) Set(bank, number string, o Overlay) error {
	k, r, err := s.overlay(bank, number, o)
	if err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, exists := s.rows[k]; !exists && len(s.rows) >= maxAccounts {
		return core.InvalidField("number", "%d accounts are set; accepted: no more before some are removed", maxAccounts)
	}
	s.rows[k] = r
	s.version.Add(1)
	return nil
}

// Remove removes what was set for an account. It returns core.NotFound if nothing was.
func (s *Store) Remove(bank, number, country string) error {
	_, k, err := s.place(bank, number, country)
	if err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, exists := s.rows[k]; !exists {
		return core.Errorf(core.NotFound, "Nothing is set for that account at %s", core.Quoted(bank))
	}
	delete(s.rows, k)
	s.version.Add(1)
	return nil
}

// List returns the accounts that are set, by country, institution and number.
func (s *Store) List() []Setting {
	s.mu.RLock()
	defer s.mu.RUnlock()
	out := []Setting{}
	for _, k := range slices.SortedFunc(maps.Keys(s.rows), func(a, b key) int {
		return cmp.Or(strings.Compare(a.country, b.country), strings.Compare(a.bank, b.bank),
			strings.Compare(a.number, b.number))
	}) {
		out = append(out, s.rows[k].setting)
	}
	return out
}

// locate finds the account that is meant: its institution and its number there.
func (s *Store) locate(bank, number, country string) (setting Setting, b core.Bank, held string, err error) {
	number = strings.NewReplacer(" ", "", "-", "").Replace(number)
	setting = Setting{Bank: bank, Number: number, Overlay: Overlay{Country: strings.ToUpper(country)}}
	if len(number) == 0 || len(number) > maxNumber {
		return setting, b, "", core.InvalidField("number", "has %d characters; accepted: 1 to %d", len(number), maxNumber)
	}
	b, held, err = s.holder(bank, number, setting.Country)
	if setting.Country = b.Country; b.Name != "" { // an organization keeps its channel
		setting.Bank = b.Code
	}
	return setting, b, held, err
}

// place finds an account that can be set.
func (s *Store) place(bank, number, country string) (Setting, key, error) {
	setting, b, held, err := s.locate(bank, number, country)
	if err != nil {
		return setting, key{}, err
	}
	if magic := magicNumber(b, held); magic != nil {
		return setting, key{}, core.InvalidField("number",
			"ends in %s, which is magic there: %s; accepted: numbers with another ending, or another institution", magic.Suffix,
			magic.Title)
	}
	return setting, keyOf(b, held), nil
}

// overlay checks what is to be set.
func (s *Store) overlay(bank, number string, o Overlay) (key, row, error) {
	setting, k, err := s.place(bank, number, o.Country)
	if err != nil {
		return k, row{}, err
	}
	setting.AccountName, setting.Outcome = o.AccountName, o.Outcome
	r := row{setting: setting, magic: MagicNumber{Outcome: Found}}
	var e input.Errors
	e.Require(o.AccountName != nil || o.Outcome != "", "account_name", "missing", "an account_name, an outcome, or both")
	if o.Outcome != "" {
		requested, err := Find("outcome", publicapi.ResolveAccount, o.Outcome, faults.Upstream)
		if err != nil {
			return k, r, err
		}
		r.magic = requested.magic
	}
	if o.AccountName != nil {
		name := *o.AccountName
		e.Require(r.magic.Outcome.finds() && !r.magic.Named, "account_name", "there is one",
			"none with the outcome "+o.Outcome)
		length := utf8.RuneCountInString(name)
		e.Require(utf8.ValidString(name) && length <= maxName && !strings.ContainsFunc(name, unicode.IsControl),
			"account_name",
			fmt.Sprintf("%d characters", length), fmt.Sprintf("up to %d in UTF-8, without control characters", maxName))
		r.magic.Named, r.magic.Name = true, name
	}
	return k, r, e.Err()
}
