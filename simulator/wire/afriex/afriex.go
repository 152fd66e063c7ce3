package afriex

import (
	"net/http"
	"regexp"
	"slices"
	"strings"

	"causeway/core"
	"causeway/simulator/accounts"
	"causeway/simulator/wire/provider"
	"causeway/simulator/world"
)

// Key is an API key that the simulated Afriex takes. It takes every other one of the right shape too.
const Key = "afx-simulated-0123456789"

// afriex is Afriex's business API, https://docs.afriex.com and its OpenAPI document 1.0.13: the institutions of a country and the holder of an
// account. Bodies, codes and texts are those of the document; which failures a closed account, an unknown institution or a phone number of
// another country give, and the shape of a key, are general knowledge. Nigeria's institutions are known by all their codes and named by the
// NIP code. Account numbers have digits only, and institutionCode is required on both channels. The magic institutions are listed only where
// there are no others: an empty list is taken for a failure.
type afriex struct {
	world *world.World
	known func() *provider.Institutions
}

func newAfriex(w *world.World) *afriex {
	return &afriex{world: w, known: provider.Once(w, Name, func() *provider.Institutions { return provider.NewInstitutions(w, codeAtAfriex) })}
}

func codeAtAfriex(bank core.Bank) string {
	if code := bank.Codes[Name]; code != "" {
		return code
	}
	return bank.Code
}

// afriexFault is an error's body.
type afriexFault struct {
	Code    string        `json:"code"`
	Error   string        `json:"error"`
	Details afriexDetails `json:"details"`
}

type afriexDetails struct {
	Message  string `json:"errorMessage,omitempty"`
	Friendly string `json:"friendlyMessage,omitempty"`
}

func afriexRefuses(status int, code, text string, details afriexDetails) provider.Reply {
	return provider.Answer(status, afriexFault{Code: code, Error: text, Details: details})
}

func afriexInvalid(issues string) provider.Reply {
	return afriexRefuses(http.StatusBadRequest, "VALIDATION_ERROR", "Failed to parse request. Issues: "+issues, afriexDetails{})
}

var afriexShape = regexp.MustCompile(`^[A-Za-z0-9_-]{16,}$`)

const afriexBase = "/api/v1/payment-method/"

// ServeHTTP answers one call.
func (f *afriex) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	now := f.world.Now()
	asking := r.Method == http.MethodGet || r.Method == http.MethodHead
	query := r.URL.Query()
	country, channel := query.Get("countryCode"), query.Get("channel")
	switch key := r.Header.Get("X-Api-Key"); {
	case key == "":
		afriexRefuses(http.StatusUnauthorized, "AUTHENTICATION_ERROR", "Authorization header is missing", afriexDetails{}).Send(w, now)
	case !afriexShape.MatchString(key):
		afriexRefuses(http.StatusUnauthorized, "AUTHENTICATION_ERROR", "Invalid authorization header", afriexDetails{}).Send(w, now)
	case asking && r.URL.Path == afriexBase+"institution":
		f.list(country, channel).Send(w, now)
	case asking && r.URL.Path == afriexBase+"resolve":
		outcome, a := f.resolve(r, country, channel, query.Get("accountNumber"), query.Get("institutionCode"))
		provider.Deliver(w, r, now, outcome, a)
	default:
		afriexRefuses(http.StatusNotFound, "NOT_FOUND_ERROR", "Route not found", afriexDetails{}).Send(w, now)
	}
}

// afriexRow is an institution. Branch and address are of banks alone, and empty.
type afriexRow struct {
	Name    string  `json:"institutionName"`
	Code    string  `json:"institutionCode"`
	Branch  *string `json:"institutionBranch,omitempty"`
	Address *string `json:"institutionAddress,omitempty"`
}

// list is the list of a country's banks or operators.
func (f *afriex) list(country, channel string) provider.Reply {
	if channel != afriexBanks && channel != afriexWallets || country == "" {
		return afriexInvalid("'channel' must be one of [BANK_ACCOUNT, MOBILE_MONEY, SWIFT, ...], 'countryCode' is required")
	}
	var banks []core.Bank
	for _, bank := range provider.AllBanks(f.world) {
		if bank.Country == country && provider.IsOperator(bank) == (channel == afriexWallets) {
			banks = append(banks, bank)
		}
	}
	if listed := slices.DeleteFunc(slices.Clone(banks), accounts.IsMagic); len(listed) > 0 {
		banks = listed
	}
	rows := []afriexRow{}
	for _, bank := range banks {
		row := afriexRow{Name: bank.Name, Code: codeAtAfriex(bank)}
		if channel == afriexBanks {
			row.Branch, row.Address = new(string), new(string)
		}
		rows = append(rows, row)
	}
	return provider.Answer(http.StatusOK, struct {
		Data  []afriexRow `json:"data"`
		Total int         `json:"total"`
		Page  int         `json:"page"`
	}{rows, len(rows), 0})
}

// find returns the institution that is asked for.
func (f *afriex) find(country, channel, code string) (core.Bank, bool) {
	bank, known := f.known().Find(country, code)
	if !known && code != "" && country == "NG" {
		for _, b := range provider.AllBanks(f.world) {
			if b.Country == country && b.Known(code) {
				bank, known = b, true
				break
			}
		}
	}
	return bank, known && provider.IsOperator(bank) == (channel == afriexWallets)
}

func (f *afriex) resolve(r *http.Request, country, channel, number, code string) (accounts.Outcome, provider.Reply) {
	refused := func(a provider.Reply) (accounts.Outcome, provider.Reply) { return accounts.Unknown, a }
	calling, named := afriexCountries[channel][country]
	switch {
	case !named:
		return refused(afriexInvalid("'countryCode' is not supported for the channel"))
	case number == "":
		return refused(afriexInvalid("'accountNumber' is required"))
	case strings.Trim(number, "0123456789") != "":
		return refused(afriexInvalid("'accountNumber' must contain only digits"))
	case code == "":
		return refused(afriexInvalid("'institutionCode' is required"))
	case !strings.HasPrefix(number, calling):
		return refused(afriexRefuses(http.StatusBadRequest, "INVALID_BUSINESS_CUSTOMER_REQUEST", "Bad Request", afriexDetails{
			Message: "PHONE_COUNTRY_MISMATCH", Friendly: "The phone number does not match the country",
		}))
	}
	bank, known := f.find(country, channel, code)
	if !known {
		return refused(afriexInvalid("'institutionCode' is not supported"))
	}
	at := core.BankTransfer
	if channel == afriexWallets {
		at = core.MobileMoney
	}
	account := f.world.AccountAt(r.Context(), Name, at, bank, number)
	return account.Outcome, afriexSays(account, bank)
}

// afriexSays is what Afriex says of an account. Empty fields are left out.
func afriexSays(account accounts.Account, bank core.Bank) provider.Reply {
	text := func(status int, text string) provider.Reply {
		return afriexRefuses(status, "INVALID_PAYMENT_METHOD", "Bad Request", afriexDetails{Message: text})
	}
	switch account.Outcome {
	case accounts.Unknown:
		return afriexRefuses(http.StatusNotFound, "PAYMENT_METHOD_NOT_FOUND", "Payment method not found", afriexDetails{Message: "Payment method not found"})
	case accounts.Closed:
		return text(http.StatusBadRequest, "Account is closed")
	case accounts.Dormant:
		return text(http.StatusBadRequest, "Account is dormant")
	case accounts.Throttled:
		return afriexRefuses(http.StatusTooManyRequests, "TOO_MANY_REQUESTS", "Rate limit exceeded", afriexDetails{})
	case accounts.Failed:
		return afriexRefuses(http.StatusInternalServerError, "INTERNAL_SERVER_ERROR", "It's not you, it's us, please reach out to support", afriexDetails{})
	case accounts.Down:
		return afriexRefuses(http.StatusServiceUnavailable, "EXTERNAL_REQUEST_ERROR", "External request error", afriexDetails{}).With("Retry-After", "30")
	case accounts.Found, accounts.Slow, accounts.Truncated, accounts.WrongPage,
		accounts.Hanging, accounts.Reset, accounts.RenamedSecond:
	}
	return provider.Answer(http.StatusOK, map[string]any{"data": struct {
		Name        string `json:"recipientName,omitempty"`
		Institution string `json:"institutionName"`
		Code        string `json:"institutionCode"`
	}{account.Name, bank.Name, codeAtAfriex(bank)}})
}
