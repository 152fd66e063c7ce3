// Package institution holds what account providers have in common about institutions: it cleans the
// rows of their lists, drops unusable ones, and infers missing types. It never guesses codes: they
// come from the provider.
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
	Own      string // code of the provider, in its spelling
	National string // code of the country, if the provider states it; empty: Own
	Name     string
	Currency string        // of its accounts; empty: the currency of the country
	Wallet   bool          // a mobile-money operator, whose account numbers are phone numbers
	Type     core.BankType // empty: inferred
}

// List collects the usable rows of a country.
type List struct {
	provider, country, currency string
	found                       []core.Bank
	seen                        map[seen]bool
}

// seen identifies a row.
type seen struct {
	code, own, name string
	wallet          bool
}

// New returns an empty list of a country with its currency.
func New(provider, country, currency string) *List {
	return &List{provider: provider, country: country, currency: currency, seen: map[seen]bool{}}
}

var (
	codeForm = regexp.MustCompile(`^[0-9A-Z][0-9A-Z._-]{0,31}$`)
	nipForm  = regexp.MustCompile(`^[0-9]{6}$`)
	cbnForm  = regexp.MustCompile(`^[0-9]{3}$`)
)

// placeholders are values that lists contain in place of a missing code, in upper case.
var placeholders = []string{"NULL", "UNDEFINED", "N/A"}

// nipTypes maps the first three digits of a NIP code to a type. Source: the NIBSS list as published
// by apps (2025-11): 000 commercial, 050 finance company, 060 merchant, 070 mortgage, 090
// microfinance, 100 mobile-money operator, 120 payment service bank, 400 other.
var nipTypes = map[string]core.BankType{
	"000": core.CommercialBank,
	"050": core.OtherBank,
	"060": core.CommercialBank,
	"070": core.MortgageBank,
	"090": core.MicrofinanceBank,
	"100": core.MobileMoneyBank,
	"120": core.PaymentServiceBank,
	"400": core.OtherBank,
}

// Add adds a row, unless it has no name or code, or is already in the list. A code that the provider
// gives to a second name is kept with both, because only one of them may be right.
func (l *List) Add(r Row) {
	name, own := strings.Join(strings.Fields(r.Name), " "), strings.TrimSpace(r.Own)
	code := strings.ToUpper(own)
	if r.National != "" {
		code = r.National
	}
	if name == "" || !codeForm.MatchString(strings.ToUpper(own)) || !codeForm.MatchString(code) ||
		slices.Contains(placeholders, strings.ToUpper(own)) {
		return
	}
	b := core.Bank{
		Code: code, Name: name, Country: l.country, Currency: l.currency, Type: r.Type,
		Channels: []core.Channel{core.BankTransfer}, Codes: map[string]string{l.provider: own},
	}
	if r.Currency != "" {
		b.Currency = r.Currency
	}
	if r.Wallet {
		b.Channels, b.Type = []core.Channel{core.MobileMoney}, core.MobileMoneyBank
	}
	if b.Type == "" {
		b.Type = typeOf(l.country, name, code)
	}
	if id := (seen{code, own, strings.ToLower(name), r.Wallet}); !l.seen[id] {
		l.seen[id] = true
		l.found = append(l.found, b)
	}
}

// Banks returns the institutions. An empty list is an error of the provider, not a country without
// banks.
func (l *List) Banks() ([]core.Bank, error) {
	if len(l.found) == 0 {
		return nil, core.Errorf(core.Unavailable, "The banks of %s cannot be listed right now", l.country).
			With(upstream.Fail(upstream.Malformed, l.provider+" banks: no usable row"))
	}
	return l.found, nil
}

// typeOf infers the type from the name, otherwise in Nigeria from the code. The name takes
// precedence: some mortgage banks have the NIP codes of mobile-money operators.
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

// typeByName infers the type from the name, or returns "".
func typeByName(name string) core.BankType {
	name = strings.ReplaceAll(strings.ToLower(name), "-", " ")
	words := strings.FieldsFunc(name, func(r rune) bool { return !unicode.IsLetter(r) })
	has := func(word string) bool { return slices.Contains(words, word) }
	switch {
	case strings.Contains(name, "microfinance"), strings.Contains(name, "micro finance"), has("mf"), has("mfb"),
		has("mfbank"):
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

// Agrees reports whether the code in a response can mean the requested institution. A
// response without a code agrees.
func Agrees(bank core.Bank, requested, received string) bool {
	received = strings.TrimSpace(received)
	return received == "" || strings.EqualFold(received, requested) || bank.Known(received)
}
