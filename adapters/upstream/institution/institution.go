// Package institution is what account providers have in common about institutions: it cleans the rows of their lists, leaves out
// what is none, tells the types that the rows do not, says by which code an institution is asked for, and whether an answer may be about it.
// It refuses to guess codes: what is told neither by the provider nor by Nigeria's central bank is no code.
package institution

import (
	"regexp"
	"slices"
	"strings"
	"unicode"

	"causeway/adapters/upstream"
	"causeway/core"
)

// Row is an institution as a provider lists it.
type Row struct {
	Own      string // the provider's own code, in its own spelling
	National string // the country's code, where the provider tells it; empty: its own
	Name     string
	Currency string        // of accounts there; empty: the country's
	Wallet   bool          // a mobile-money operator, with phone numbers for account numbers
	Type     core.BankType // empty: told from the rest
}

// List gathers the usable rows of a country.
type List struct {
	provider, country, currency string
	found                       []core.Bank
	seen                        map[string]bool
}

// New makes an empty list of a country with its currency.
func New(provider, country, currency string) *List {
	return &List{provider: provider, country: country, currency: currency, seen: map[string]bool{}}
}

var (
	codeForm = regexp.MustCompile(`^[0-9A-Z][0-9A-Z._-]{0,31}$`)
	nipForm  = regexp.MustCompile(`^[0-9]{6}$`)
	cbnForm  = regexp.MustCompile(`^[0-9]{3}$`)
)

// Add takes a row over, unless it is unnamed or codeless, or one of its codes is there already.
func (l *List) Add(r Row) {
	name, own := strings.Join(strings.Fields(r.Name), " "), strings.TrimSpace(r.Own)
	code := strings.ToUpper(own)
	if r.National != "" {
		code = r.National
	}
	if name == "" || !codeForm.MatchString(strings.ToUpper(own)) || !codeForm.MatchString(code) || slices.Contains(placeholders, strings.ToUpper(own)) {
		return
	}
	b := core.Bank{
		Code: code, Name: name, Country: l.country, Currency: l.currency, Type: r.Type,
		Channels: []core.Channel{core.BankTransfer}, Codes: map[string]string{l.provider: own},
	}
	kind := "bank "
	if r.Currency != "" {
		b.Currency = r.Currency
	}
	if r.Wallet {
		b.Channels, b.Type, kind = []core.Channel{core.MobileMoney}, core.MobileMoneyBank, "wallet "
	}
	if b.Type == "" {
		b.Type = typeOf(l.country, name, code)
	}
	if l.seen[code] || l.seen[kind+own] {
		return
	}
	l.seen[code], l.seen[kind+own] = true, true
	l.found = append(l.found, b)
}

// Banks is the list; an empty one is a failure of the provider's, not a country without banks.
func (l *List) Banks() ([]core.Bank, error) {
	if len(l.found) == 0 {
		return nil, core.Errorf(core.Unavailable, "The banks of %s cannot be listed right now", l.country).
			With(upstream.Fail(upstream.Malformed, l.provider+" banks: no usable row"))
	}
	return l.found, nil
}

// typeOf tells a type from the name, else in Nigeria from the code. The name comes first: there are mortgage banks with the NIP
// codes of mobile-money operators.
func typeOf(country, name, code string) core.BankType {
	if t := typeByName(name); t != "" {
		return t
	}
	if country != nigeria {
		return core.CommercialBank
	}
	if nipForm.MatchString(code) {
		if t, ok := nipTypes[code[:3]]; ok {
			return t
		}
	}
	if cbnForm.MatchString(code) {
		return core.CommercialBank
	}
	return core.OtherBank
}

// typeByName returns the type that a name tells, or "".
func typeByName(name string) core.BankType {
	name = strings.ToLower(name)
	words := strings.FieldsFunc(name, func(r rune) bool { return !unicode.IsLetter(r) })
	has := func(word string) bool { return slices.Contains(words, word) }
	switch {
	case strings.Contains(name, "microfinance"), strings.Contains(name, "micro finance"), has("mfb"), has("mfbank"):
		return core.MicrofinanceBank
	case has("mortgage"):
		return core.MortgageBank
	case strings.Contains(name, "payment service bank"), has("psb"):
		return core.PaymentServiceBank
	case strings.Contains(name, "mobile money"):
		return core.MobileMoneyBank
	case strings.Contains(name, "savings and loans"):
		return core.OtherBank
	case strings.Contains(name, "merchant bank"):
		return core.CommercialBank
	default:
		return ""
	}
}

const nigeria = "NG"

// CodeAt is the code by which a provider that knows Nigeria's central-bank codes is asked about an institution: the one that the
// provider told, else in Nigeria the central bank's; empty where none is known. A NIP code is none of them.
func CodeAt(provider string, bank core.Bank) string {
	if code := bank.Codes[provider]; code != "" || bank.Country != nigeria {
		return code
	}
	return bank.Codes[core.CBN]
}

// Agrees reports whether a code in an answer may be that of the institution that was asked for by the code asked. An answer without a code does
// not say.
func Agrees(bank core.Bank, asked, said string) bool {
	said = strings.TrimSpace(said)
	return said == "" || strings.EqualFold(said, asked) || bank.Known(said)
}
