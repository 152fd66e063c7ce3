package provider

import (
	"cmp"
	"regexp"
	"strings"

	"causeway/core"
	"causeway/simulator/accounts"
	"causeway/simulator/world"
)

// Institutions are the banks and operators that a provider knows. Callers must not modify them.
type Institutions struct {
	Lists map[string][]core.Bank  // by country, without the magic ones, in the world's order
	banks map[[2]string]core.Bank // by country and the provider's code, upper case
}

// Banks returns the institutions of all worlds. Callers must not modify them.
func (r *Request) Banks() []core.Bank {
	return world.Memo(r.World, "institutions", r.World.Banks)
}

// Institutions returns the institutions for which the provider has a code. An empty code means that
// it does not know the institution.
func (r *Request) Institutions(codeOf func(core.Bank) string) *Institutions {
	return world.Memo(r.World, r.provider, func() *Institutions {
		s := &Institutions{map[string][]core.Bank{}, map[[2]string]core.Bank{}}
		for _, bank := range r.Banks() {
			code := strings.ToUpper(codeOf(bank))
			if code == "" {
				continue
			}
			key := [2]string{bank.Country, code}
			if _, taken := s.banks[key]; !taken {
				s.banks[key] = bank
			}
			if !accounts.IsMagic(bank) {
				s.Lists[bank.Country] = append(s.Lists[bank.Country], bank)
			}
		}
		return s
	})
}

// Find returns the institution of a country that the provider knows by a code.
func (s *Institutions) Find(country, code string) (core.Bank, bool) {
	bank, ok := s.banks[[2]string{country, strings.ToUpper(code)}]
	return bank, ok
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

// TenDigits is the form of Nigerian account numbers, ShortCode that of Kenyan pay bills and tills.
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
