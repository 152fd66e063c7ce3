package simulator

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
)

// Limits of what is set for accounts.
const (
	mostAccounts  = 10_000
	longestName   = 200 // characters
	longestNumber = 64  // bytes
)

// Overlay is what a world knows of one account in place of what it would make up. It is the account's data, and nothing that was asked to happen: in
// Sim-Applied it is "none".
type Overlay struct {
	AccountName *string `json:"account_name,omitempty" doc:"Name of the account holder" example:"TEST ADA OKAFOR"`
	Outcome     string  `json:"outcome,omitempty" doc:"How providers respond to requests for the account; the catalog lists the outcomes"`
	Country     string  `json:"country,omitempty" doc:"Country of the institution, if several countries use its code" example:"NG"`
}

// AccountSetting is an account with its overlay. Bank is the institution's own code, or the channel of a pay bill or till.
type AccountSetting struct {
	Bank   string `json:"bank" doc:"Code of the institution, or the channel of a pay bill or till" example:"000013"`
	Number string `json:"number" doc:"Account number" example:"0123456789"`

	Overlay
}

// overlay is what was set for accounts.
type overlay struct {
	mu      sync.RWMutex
	rows    map[accountKey]overlaid
	edition atomic.Uint64 // how often rows changed; it grows after they did
}

type overlaid struct {
	setting AccountSetting
	row     MagicAccount // what it does
}

func (o *overlay) find(key accountKey) (overlaid, bool) {
	o.mu.RLock()
	defer o.mu.RUnlock()
	row, found := o.rows[key]
	return row, found
}

// SetAccount tells the world about an account. It holds for whoever asks next: see Call.Apart. The institution is named by its own code or any alias of it, a pay bill or till by its channel. The
// error names everything that is not accepted; magic numbers keep their meaning.
func (w *World) SetAccount(bank, number string, o Overlay) error {
	row, key, err := w.overlay(bank, number, o)
	if err != nil {
		return err
	}
	w.accounts.mu.Lock()
	defer w.accounts.mu.Unlock()
	if _, there := w.accounts.rows[key]; !there && len(w.accounts.rows) >= mostAccounts {
		return core.InvalidField("number", "is one more than the %d accounts that are set; accepted: no more before some are removed", mostAccounts)
	}
	if w.accounts.rows == nil {
		w.accounts.rows = map[accountKey]overlaid{}
	}
	w.accounts.rows[key] = row
	w.accounts.edition.Add(1)
	return nil
}

// RemoveAccount lets the world know of an account what it would make up again. It is core.NotFound where nothing was set.
func (w *World) RemoveAccount(bank, number, country string) error {
	_, key, err := w.place(bank, number, country)
	if err != nil {
		return err
	}
	w.accounts.mu.Lock()
	defer w.accounts.mu.Unlock()
	if _, there := w.accounts.rows[key]; !there {
		return core.Errorf(core.NotFound, "Nothing is set for that account at %s", core.Quoted(bank))
	}
	delete(w.accounts.rows, key)
	w.accounts.edition.Add(1)
	return nil
}

// Accounts returns what was set, by country, institution and number. The caller owns it.
func (w *World) Accounts() []AccountSetting {
	w.accounts.mu.RLock()
	defer w.accounts.mu.RUnlock()
	out := []AccountSetting{}
	keys := slices.SortedFunc(maps.Keys(w.accounts.rows), func(a, b accountKey) int {
		return cmp.Or(strings.Compare(a.country, b.country), strings.Compare(a.bank, b.bank), strings.Compare(a.number, b.number))
	})
	for _, key := range keys {
		out = append(out, w.accounts.rows[key].setting)
	}
	return out
}

// place finds the account that is meant, with how it is called.
func (w *World) place(bank, number, country string) (AccountSetting, accountKey, error) {
	number = strings.NewReplacer(" ", "", "-", "").Replace(number)
	setting := AccountSetting{Bank: bank, Number: number, Overlay: Overlay{Country: strings.ToUpper(country)}}
	if len(number) == 0 || len(number) > longestNumber {
		return setting, accountKey{}, core.InvalidField("number", "has %d characters; accepted: 1 to %d", len(number), longestNumber)
	}
	b, held, err := w.holder(bank, number, setting.Country)
	if err != nil {
		return setting, accountKey{}, err
	}
	if setting.Country = b.Country; b.Type != core.OtherBank || b.Name != "" {
		setting.Bank = b.Code
	}
	if row := magicRow(number); row != nil && Magic(b) {
		return setting, accountKey{}, core.InvalidField("number", "ends in %s, which always means there: %s; accepted: numbers with another ending, or another institution", row.Suffix, row.Title)
	}
	return setting, accountOf(b, held), nil
}

// holder finds the institution that an account is at, and what its number is there.
func (w *World) holder(bank, number, country string) (core.Bank, string, error) {
	channel := core.Channel(bank)
	if channel != core.PayBill && channel != core.Till {
		b, err := w.ground.institution(bank, country)
		return b, number, err
	}
	if country = cmp.Or(country, organizationCountry); !slices.ContainsFunc(w.ground.banks, func(b core.Bank) bool { return b.Country == country }) {
		return core.Bank{}, "", core.InvalidField("country", "%s is not served; accepted: %s", core.Quoted(country), listed(w.ground.banks, func(b core.Bank) string { return b.Country }))
	}
	return Organization(country), OrganizationNumber(channel, number), nil
}

// overlay checks what is to be set.
func (w *World) overlay(bank, number string, o Overlay) (overlaid, accountKey, error) {
	setting, key, err := w.place(bank, number, o.Country)
	if err != nil {
		return overlaid{}, key, err
	}
	setting.AccountName, setting.Outcome = o.AccountName, o.Outcome
	out := overlaid{setting: setting, row: MagicAccount{Outcome: Found}}
	var c checker
	c.need(o.AccountName != nil || o.Outcome != "", "account_name", "missing", "an account_name, an outcome, or both")
	if o.Outcome != "" {
		s := outcomeOf(ResolveAccount, o.Outcome)
		if s == nil || s.Plane != Upstream {
			c.faults = append(c.faults, noOutcome("outcome", ResolveAccount, o.Outcome))
			return out, key, c.err()
		}
		out.row = s.account
	}
	if o.AccountName != nil {
		name := *o.AccountName
		c.need(out.row.Outcome.finds() && !out.row.Named, "account_name", "there is one", "none where the outcome is "+o.Outcome)
		c.need(utf8.ValidString(name) && utf8.RuneCountInString(name) <= longestName && !strings.ContainsFunc(name, unicode.IsControl), "account_name",
			fmt.Sprintf("%d characters", utf8.RuneCountInString(name)), fmt.Sprintf("up to %d in UTF-8, none of them a control character", longestName))
		out.row.Named, out.row.Name = true, name
	}
	return out, key, c.err()
}

// organizationCountry is the one country that has pay bills and tills.
const organizationCountry = "KE"
