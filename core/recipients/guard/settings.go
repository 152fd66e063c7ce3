package guard

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"causeway/core"
)

// Mode is what happens to callers who seem to search.
type Mode string

// The modes.
const (
	Off         Mode = "off"
	Block       Mode = "block"        // their lookups are refused for a while
	ConfirmOnly Mode = "confirm_only" // names are hidden from them for a while
)

// Settings configure a Guard.
type Settings struct {
	Mode    Mode                `json:"mode" enum:",off,block,confirm_only" doc:"What to do with callers that seem to enumerate account numbers. Empty: off in a sandbox, block in production."`
	Daily   int                 `json:"daily" minimum:"1" maximum:"100000" doc:"Names that a caller may look up in 24 hours. An account that does not exist counts as 20."`
	Allowed map[string][]string `json:"allowed" doc:"Accounts that a key may look up without limit, by key ID: a country, a bank or a range of numbers, such as NG/000013/0123456000-0123456199."`
}

// Default returns settings for a business that pays people: a payroll of 3,500 with 2 % wrong
// numbers costs 4,830 units.
func Default() Settings { return Settings{Mode: Block, Daily: 10_000} }

// Check returns everything that is wrong with the settings. Each error begins with the setting.
func (s Settings) Check() error {
	var errs []error
	if s.Mode != Off && s.Mode != Block && s.Mode != ConfirmOnly {
		errs = append(errs, fmt.Errorf("recipients.guard.mode is %q; accepted: off, block, confirm_only", s.Mode))
	}
	if s.Daily < 1 || s.Daily > maxNumbers {
		errs = append(errs, fmt.Errorf("recipients.guard.daily is %d; accepted: 1 to %d", s.Daily, maxNumbers))
	}
	_, err := s.ranges()
	return errors.Join(append(errs, err)...)
}

// accounts is a range of accounts. Without a bank it is a country, without numbers a bank.
type accounts struct{ country, bank, from, to string }

// ranges parses Allowed.
func (s Settings) ranges() (map[string][]accounts, error) {
	out := make(map[string][]accounts)
	var errs []error
	for _, key := range slices.Sorted(maps.Keys(s.Allowed)) {
		for _, text := range s.Allowed[key] {
			country, rest, _ := strings.Cut(text, "/")
			bank, numbers, ranged := strings.Cut(rest, "/")
			from, to, _ := strings.Cut(numbers, "-")
			if len(country) != 2 || ranged && (from == "" || len(from) != len(to) || from > to) {
				errs = append(errs, fmt.Errorf("recipients.guard.allowed.%s has a wrong entry; accepted: a country, "+
					"a bank or a range of numbers, such as NG, NG/000013 or NG/000013/0123456000-0123456199", key))
				continue
			}
			out[key] = append(out[key], accounts{country, bank, from, to})
		}
	}
	return out, errors.Join(errs...)
}

func contains(allowed []accounts, q core.AccountQuery) bool {
	number := q.Number.Reveal()
	return slices.ContainsFunc(allowed, func(a accounts) bool {
		return a.country == q.Country && (a.bank == "" || a.bank == q.Bank.Code) &&
			(a.from == "" || len(number) == len(a.from) && a.from <= number && number <= a.to)
	})
}
