package banks

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/language"

	"causeway/core"
)

// Filter selects institutions that match all its non-zero fields.
type Filter struct {
	Country       string   // two letters; an unsupported one selects nothing
	Currencies    []string // any of them
	Channel       core.Channel
	Q             string       // part of the name; case and accents are ignored
	AccountNumber core.Private // a NUBAN: Nigerian institutions that it may belong to, most likely first
}

// Maximum lengths in characters.
const (
	maxQuery    = 100
	maxCurrency = 16
)

// Positions returns the indexes in Entries of the institutions that a filter selects, in list order.
// For an account number the most likely institutions come first: those whose NUBAN check digit
// matches, then, if it may be a phone number, wallets that use phone numbers as account numbers. One
// check digit in ten matches by chance, so the result is a hint. An invalid filter is core.Invalid
// with every invalid field, by the names of the query parameters: country, currency, channel, q,
// account_number.
func (l *List) Positions(f Filter) ([]int, error) {
	if err := l.Check(f); err != nil {
		return nil, err
	}
	f, number := f.normal()
	out := make([]int, 0, len(l.entries))
	for i := range l.entries {
		if l.selects(f, number, i) {
			out = append(out, i)
		}
	}
	if number != "" {
		order := byLikelihood(number)
		slices.SortStableFunc(out, func(a, b int) int { return order(l.entries[a].Bank, l.entries[b].Bank) })
	}
	return out, nil
}

// Check returns the error that Positions would return for the filter.
func (l *List) Check(f Filter) error {
	f, number := f.normal()
	if faults := l.faults(f, number); len(faults) > 0 {
		return core.InvalidFields(faults...)
	}
	return nil
}

// Unsupported returns why a filter selects nothing if its country is not supported, otherwise "".
func (l *List) Unsupported(f Filter) string {
	f, _ = f.normal()
	if _, ok := l.countries[f.Country]; ok || f.Country == "" {
		return ""
	}
	return fmt.Sprintf("%s is not a supported country; supported: %s. See GET /v1/countries", core.Quoted(f.Country),
		strings.Join(slices.Sorted(maps.Keys(l.countries)), ", "))
}

// meant returns what an error adds about a text that is the name or the three-letter code of a supported country.
func (l *List) meant(text string) string {
	region, _ := language.ParseRegion(text) // the zero value otherwise
	for code, c := range l.countries {
		if code == region.String() || fold(c.Name) == fold(text) {
			return fmt.Sprintf("; did you mean %q (%s)?", code, c.Name)
		}
	}
	return "."
}

// normal returns the filter with its values trimmed and folded, and the account number without
// spaces and hyphens.
func (f Filter) normal() (normal Filter, number string) {
	f.Country = upper(f.Country)
	f.Channel = core.Channel(strings.TrimSpace(string(f.Channel)))
	f.Q = fold(f.Q)
	currencies := make([]string, 0, len(f.Currencies))
	for _, c := range f.Currencies {
		if c = upper(c); c != "" {
			currencies = append(currencies, c)
		}
	}
	f.Currencies = currencies
	return f, digits(f.AccountNumber)
}

// faults returns every invalid field of a filter that normal returned.
func (l *List) faults(f Filter, number string) []core.FieldError {
	var out []core.FieldError
	add := func(e *core.Error) { out = append(out, e.Fields...) }
	if f.Country != "" && !twoLetters(f.Country) {
		add(core.InvalidField("country", "%s is not a two-letter country code%s See GET /v1/countries",
			core.Quoted(f.Country), l.meant(f.Country)))
	}
	for _, c := range f.Currencies {
		if n := utf8.RuneCountInString(c); n > maxCurrency {
			add(core.InvalidField("currency",
				"has a code of %d characters; currency codes have 3 letters. See GET /v1/currencies", n))
		}
	}
	switch f.Channel {
	case "", core.BankTransfer, core.MobileMoney, core.PayBill, core.Till:
	default:
		add(core.InvalidField("channel", "%s is not a channel; accepted: %s, %s, %s, %s",
			core.Quoted(string(f.Channel)), core.BankTransfer, core.MobileMoney, core.PayBill, core.Till))
	}
	if n := utf8.RuneCountInString(f.Q); n > maxQuery {
		add(core.InvalidField("q", "has %d characters; at most %d are accepted", n, maxQuery))
	}
	if number == "" {
		return out
	}
	if !nuban(number) {
		add(core.InvalidField("account_number", "has %s; a NUBAN has exactly 10 digits 0 to 9",
			core.Private(number).Composition()))
	}
	if f.Country != "" && f.Country != nigeria {
		add(core.InvalidField("account_number", "finds banks of NG only, but country %s was given", core.Quoted(f.Country)))
	}
	return out
}

func (l *List) selects(f Filter, number string, i int) bool {
	e := &l.entries[i]
	switch {
	case f.Country != "" && f.Country != e.Country,
		len(f.Currencies) > 0 && !slices.Contains(f.Currencies, e.Currency),
		f.Channel != "" && !slices.Contains(e.Channels, f.Channel),
		f.Q != "" && !strings.Contains(l.names[i], f.Q),
		number != "" && !checked(e.Bank, number) && !maybePhone(e.Bank, number):
		return false
	}
	return true
}

// byLikelihood orders institutions whose check digit matches before the others, and then by use: those
// with a rank in the catalog, commercial banks, others.
func byLikelihood(number string) func(a, b core.Bank) int {
	unranked := func(b core.Bank) int {
		switch {
		case b.Rank > 0:
			return 0
		case b.Type == core.CommercialBank:
			return 1
		default:
			return 2
		}
	}
	unchecked := func(b core.Bank) int {
		if checked(b, number) {
			return 0
		}
		return 1
	}
	return func(a, b core.Bank) int {
		return cmp.Or(unchecked(a)-unchecked(b), unranked(a)-unranked(b), cmp.Compare(a.Rank, b.Rank),
			cmp.Compare(a.Name, b.Name))
	}
}

// checked reports whether the check digit of an account number is known to match a bank.
func checked(b core.Bank, number string) bool {
	matches, known := core.NUBAN(b, core.Private(number))
	return known && matches
}

func twoLetters(s string) bool {
	return len(s) == 2 && s[0] >= 'A' && s[0] <= 'Z' && s[1] >= 'A' && s[1] <= 'Z'
}
