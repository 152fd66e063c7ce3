package format

import (
	"cmp"
	"regexp"
	"strings"

	"causeway/core"
	"causeway/simulator/accounts"
)

// Listed returns the institutions of a country for which the provider has a code, in the world's
// order and without the magic ones.
func (r *Request) Listed(country string, codeOf func(core.Bank) string) (out []core.Bank) {
	for _, bank := range r.World.Banks() {
		if bank.Country == country && codeOf(bank) != "" && !accounts.IsMagic(bank) {
			out = append(out, bank)
		}
	}
	return out
}

// Institution returns the first institution of a country for which the provider has a code. The
// code of an institution that it does not know is empty.
func (r *Request) Institution(country, code string, codeOf func(core.Bank) string) (core.Bank, bool) {
	for _, bank := range r.World.Banks() {
		if bank.Country == country && code != "" && strings.EqualFold(codeOf(bank), code) {
			return bank, true
		}
	}
	return core.Bank{}, false
}

// OwnCode returns the provider's own code of an institution, or the institution's code.
func OwnCode(provider string, bank core.Bank) string {
	return cmp.Or(bank.Codes[provider], bank.Code)
}

// CodeAt returns the code of an institution at a provider that uses the central bank's codes in
// Nigeria.
func CodeAt(provider string, bank core.Bank) string {
	if bank.Country == "NG" {
		return cmp.Or(bank.Codes[provider], bank.Codes["cbn"], bank.Code)
	}
	return OwnCode(provider, bank)
}

// IsOperator reports whether phone numbers are the account numbers of an institution.
func IsOperator(bank core.Bank) bool {
	return bank.Type == core.MobileMoneyBank && bank.Country != "NG"
}

// ChannelOf returns the channel on which the accounts of an institution are.
func ChannelOf(bank core.Bank) core.Channel {
	if IsOperator(bank) {
		return core.MobileMoney
	}
	return core.BankTransfer
}

// TenDigits is the form of Nigerian account numbers, ShortCode of Kenyan pay bills and tills.
var (
	TenDigits = regexp.MustCompile(`^[0-9]{10}$`)
	ShortCode = regexp.MustCompile(`^[0-9]{5,7}$`)
)

// Slug returns a name in the form of a part of a URL.
func Slug(name string) string {
	words := strings.FieldsFunc(strings.ToLower(name), func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < '0' || r > '9')
	})
	return strings.Join(words, "-")
}
