package provider

import (
	"cmp"
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

// Institutions are the banks and operators that a provider knows. Callers must not modify them.
type Institutions struct {
	Lists map[string][]core.Bank  // by country, without the magic ones, in the world's order
	banks map[[2]string]core.Bank // by country and the provider's code, upper case
}

// AllBanks returns the institutions of all worlds. Callers must not modify them.
func AllBanks(sim *world.World) []core.Bank {
	return world.Memo(sim, "institutions", sim.Banks)
}

// InstitutionsOf returns the institutions for which a provider has a code. An empty code means that
// it does not know the institution.
func InstitutionsOf(sim *world.World, provider string, codeOf func(core.Bank) string) func() *Institutions {
	return func() *Institutions {
		return world.Memo(sim, provider, func() *Institutions { return newInstitutions(AllBanks(sim), codeOf) })
	}
}

func newInstitutions(all []core.Bank, codeOf func(core.Bank) string) *Institutions {
	s := &Institutions{map[string][]core.Bank{}, map[[2]string]core.Bank{}}
	for _, bank := range all {
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

// OrganizationAccount returns the account of a pay bill or a till at a provider.
func OrganizationAccount(
	r *http.Request, sim *world.World, provider, country string, channel core.Channel, number string,
) accounts.Account {
	bank, account := accounts.Organization(country), accounts.OrganizationNumber(channel, number)
	return sim.AccountAt(r.Context(), provider, channel, bank, account)
}

// maxBody is the largest request body that is read, in bytes.
const maxBody = 64 << 10

// ReadJSON decodes the body of a request.
func ReadJSON(r *http.Request, into any) bool {
	body, err := io.ReadAll(io.LimitReader(r.Body, maxBody))
	return err == nil && json.Unmarshal(body, into) == nil
}

// IsRead reports whether a request is a GET or a HEAD.
func IsRead(r *http.Request) bool { return r.Method == http.MethodGet || r.Method == http.MethodHead }

// IsOperator reports whether phone numbers are the account numbers of an institution.
func IsOperator(bank core.Bank) bool {
	return bank.Type == core.MobileMoneyBank && bank.Country != "NG"
}

// Tokens are the access tokens of a provider. A token is the time of its login, so that nothing is
// stored.
type Tokens struct {
	Prefix string
	Life   time.Duration
}

// Issue returns a token.
func (t Tokens) Issue(now time.Time) string { return t.Prefix + strconv.FormatInt(now.Unix(), 10) }

// Seconds returns the lifetime of a token in seconds.
func (t Tokens) Seconds() int { return int(t.Life / time.Second) }

// Accept reports whether a request has a token that is not expired.
func (t Tokens) Accept(r *http.Request, now time.Time) bool {
	text, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer "+t.Prefix)
	since, err := strconv.ParseInt(text, 10, 64)
	age := now.Unix() - since
	return ok && err == nil && age >= 0 && age < int64(t.Seconds())
}

// HasBasic reports whether a request has Basic credentials of a form, user and password separated
// by a colon.
func HasBasic(r *http.Request, form *regexp.Regexp) bool {
	user, password, ok := r.BasicAuth()
	return ok && form.MatchString(user+":"+password)
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
