package provider

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"time"

	"causeway/core"
	"causeway/simulator/accounts"
	"causeway/simulator/world"
)

// Once returns a function that computes from on its first call, once for all worlds of a registry. Most worlds never
// call most providers.
func Once[T any](w *world.World, provider string, from func() T) func() T {
	return func() T { return world.Memo(w, provider, from) }
}

// Institutions are the banks and operators that a provider knows. Callers must not modify them.
type Institutions struct {
	Lists map[string][]*core.Bank          // by country, without the magic ones, in the world's order
	banks map[string]map[string]*core.Bank // by country and the provider's code, upper case
}

// AllBanks returns the institutions of all worlds. Callers must not modify them.
func AllBanks(w *world.World) []core.Bank {
	return world.Memo(w, "institutions", w.Banks)
}

// NewInstitutions sorts the institutions that a provider has a code for; an empty one means that it does not know the institution.
func NewInstitutions(w *world.World, codeOf func(core.Bank) string) *Institutions {
	s := &Institutions{Lists: map[string][]*core.Bank{}, banks: map[string]map[string]*core.Bank{}}
	all := AllBanks(w)
	for i := range all {
		bank := &all[i]
		code := strings.ToUpper(codeOf(*bank))
		if code == "" {
			continue
		}
		if s.banks[bank.Country] == nil {
			s.banks[bank.Country] = map[string]*core.Bank{}
		}
		if _, taken := s.banks[bank.Country][code]; !taken {
			s.banks[bank.Country][code] = bank
		}
		if !accounts.IsMagic(*bank) {
			s.Lists[bank.Country] = append(s.Lists[bank.Country], bank)
		}
	}
	return s
}

// Find returns the institution of a country that the provider knows by a code.
func (s *Institutions) Find(country, code string) (core.Bank, bool) {
	bank, ok := s.banks[country][strings.ToUpper(code)]
	if !ok {
		return core.Bank{}, false
	}
	return *bank, true
}

// CodeAt is the code of an institution at a provider that goes by the central bank's codes in Nigeria: its own for it, else in Nigeria
// the central bank's, else the institution's.
func CodeAt(provider string, bank core.Bank) string {
	if code := bank.Codes[provider]; code != "" {
		return code
	}
	if code := bank.Codes["cbn"]; code != "" && bank.Country == "NG" {
		return code
	}
	return bank.Code
}

// OrganizationAccount is what the world knows of a pay bill or a till at a provider.
func OrganizationAccount(
	ctx context.Context, w *world.World, provider, country string, channel core.Channel, number string,
) accounts.Account {
	return w.AccountAt(ctx, provider, channel, accounts.Organization(country), accounts.OrganizationNumber(channel, number))
}

// mostQuestion is the longest body of a question that is read, in bytes.
const mostQuestion = 64 << 10

// ReadJSON reads the body of a question: a JSON object.
func ReadJSON(r *http.Request, into any) bool {
	body, err := io.ReadAll(io.LimitReader(r.Body, mostQuestion))
	return err == nil && json.Unmarshal(body, into) == nil
}

// IsOperator reports whether phone numbers are the account numbers of an institution.
func IsOperator(bank core.Bank) bool {
	return bank.Type == core.MobileMoneyBank && bank.Country != "NG"
}

// TokenLives reports whether a token that is the instant of its making was given out, and is not over.
func TokenLives(authorization, prefix string, life time.Duration, now time.Time) bool {
	text, ours := strings.CutPrefix(authorization, prefix)
	since, err := strconv.ParseInt(text, 10, 64)
	age := now.Unix() - since
	return ours && err == nil && age >= 0 && age < int64(life/time.Second)
}

// TenDigits is the form of Nigerian account numbers, ShortCode that of Kenyan pay bills and tills.
var (
	TenDigits = regexp.MustCompile(`^[0-9]{10}$`)
	ShortCode = regexp.MustCompile(`^[0-9]{5,7}$`)
)

// Slug is a name in the form of a part of a URL.
func Slug(name string) string {
	words := strings.FieldsFunc(strings.ToLower(name), func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < '0' || r > '9')
	})
	return strings.Join(words, "-")
}
