package flutterwave

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

// Key is a secret key that the simulated Flutterwave takes. It takes every other one of the right shape too.
const Key = "FLWSECK_TEST-simulated-X"

// flutterwave is Flutterwave's API v3, https://developer.flutterwave.com/v3.0/docs/bank-account-verification-1: GET /v3/banks/{country} and
// POST /v3/accounts/resolve, which answers for Nigeria alone. Texts are those of its documentation and of published clients (2026-11);
// the bodies of refused keys, unknown paths and faults, and how it words closed and dormant accounts, are general knowledge. The test mode's
// limit to one bank is not there. The magic institutions are not listed.
type flutterwave struct {
	world *world.World
	known func() *provider.Institutions
}

func newFlutterwave(w *world.World) *flutterwave {
	return &flutterwave{world: w, known: provider.Once(w, Name, func() *provider.Institutions { return provider.NewInstitutions(w, codeAtFlutterwave) })}
}

// codeAtFlutterwave spells Ghana's GHIPSS codes with the country in front.
func codeAtFlutterwave(bank core.Bank) string {
	if bank.Country == "GH" && bank.Codes[Name] == "" && bank.Type != core.MobileMoneyBank {
		return "GH" + bank.Code
	}
	return provider.CodeAt(Name, bank)
}

// flutterwaveAnswer is around every answer.
type flutterwaveAnswer struct {
	Status  string `json:"status"`
	Message string `json:"message"`
	Data    any    `json:"data"`
}

func flutterwaveFault(status int, text string) provider.Reply {
	return provider.Answer(status, flutterwaveAnswer{Status: "error", Message: text})
}

// Texts of refusals.
const (
	flutterwaveInvalid = "Sorry, that account number is invalid, please check and try again"
	flutterwaveOpen    = "Sorry, recipient account could not be validated. Please try again"
)

var flutterwaveSecret = regexp.MustCompile(`^Bearer FLWSECK(?:_TEST)?-[A-Za-z0-9]+(?:-X)?$`)

// ServeHTTP answers one call.
func (f *flutterwave) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	now := f.world.Now()
	country, listing := strings.CutPrefix(r.URL.Path, "/v3/banks/")
	switch {
	case !flutterwaveSecret.MatchString(r.Header.Get("Authorization")):
		flutterwaveFault(http.StatusUnauthorized, "Invalid authorization key").Send(w, now)
	case listing && (r.Method == http.MethodGet || r.Method == http.MethodHead):
		f.list(country).Send(w, now)
	case r.URL.Path == "/v3/accounts/resolve" && r.Method == http.MethodPost:
		outcome, a := f.resolve(r)
		provider.Deliver(w, r, now, outcome, a)
	default:
		flutterwaveFault(http.StatusNotFound, "Cannot "+r.Method+" the path").Send(w, now)
	}
}

// flutterwaveBank is a row of a list.
type flutterwaveBank struct {
	ID   int    `json:"id"`
	Code string `json:"code"`
	Name string `json:"name"`
}

// flutterwaveCountries are those whose institutions are listed.
const flutterwaveCountries = "NG GH KE UG ZA TZ"

// list is the list of a country, operators of mobile money among the banks, with what the real ones are known for: a code that comes
// twice, an umbrella code, a central bank.
func (f *flutterwave) list(country string) provider.Reply {
	if len(country) != 2 || !strings.Contains(flutterwaveCountries, country) {
		return flutterwaveFault(http.StatusBadRequest, "Country is not supported")
	}
	rows := []flutterwaveBank{}
	id := 100 * (1 + strings.Index(flutterwaveCountries, country))
	row := func(code, name string) {
		id++
		rows = append(rows, flutterwaveBank{ID: id, Code: code, Name: name})
	}
	for _, bank := range f.known().Lists[country] {
		row(codeAtFlutterwave(*bank), bank.Name)
	}
	slices.Reverse(rows)
	if len(rows) > 0 {
		row(rows[0].Code, rows[0].Name)
	}
	switch country {
	case "NG":
		row("999", "NIP Virtual Bank")
	case "GH":
		row("GH010100", "BANK OF GHANA")
	case "UG", "TZ":
		row("MPS", "MOBILE MONEY")
	}
	return provider.Answer(http.StatusOK, flutterwaveAnswer{Status: "success", Message: "Banks fetched successfully", Data: rows})
}

func (f *flutterwave) resolve(r *http.Request) (accounts.Outcome, provider.Reply) {
	var question struct {
		Number string `json:"account_number"`
		Bank   string `json:"account_bank"`
	}
	refused := func(text string) (accounts.Outcome, provider.Reply) {
		return accounts.Unknown, flutterwaveFault(http.StatusBadRequest, text)
	}
	switch {
	case !provider.ReadJSON(r, &question):
		return refused("Invalid request body")
	case question.Number == "":
		return refused("account_number is required")
	case question.Bank == "":
		return refused("account_bank is required")
	}
	bank, known := f.known().Find("NG", question.Bank)
	switch {
	case !known:
		return refused(flutterwaveOpen)
	case !provider.TenDigits.MatchString(question.Number):
		return refused(flutterwaveInvalid)
	}
	account := f.world.AccountAt(r.Context(), Name, core.BankTransfer, bank, question.Number)
	return account.Outcome, flutterwaveSays(account, question.Number)
}

// flutterwaveSays is what Flutterwave says of an account.
func flutterwaveSays(account accounts.Account, number string) provider.Reply {
	switch account.Outcome {
	case accounts.Unknown:
		return flutterwaveFault(http.StatusBadRequest, flutterwaveInvalid)
	case accounts.Closed:
		return flutterwaveFault(http.StatusBadRequest, "Account is closed")
	case accounts.Dormant:
		return flutterwaveFault(http.StatusBadRequest, "Account is dormant")
	case accounts.Throttled:
		return flutterwaveFault(http.StatusTooManyRequests, "Too many requests").With("Retry-After", "30")
	case accounts.Failed:
		return flutterwaveFault(http.StatusInternalServerError, "An error occurred, please try again")
	case accounts.Down:
		return provider.Reply{Status: http.StatusServiceUnavailable, Content: provider.ContentHTML, Body: []byte(provider.WrongPage)}
	case accounts.Found, accounts.Slow, accounts.Truncated, accounts.WrongPage,
		accounts.Hanging, accounts.Reset, accounts.RenamedSecond:
	}
	return provider.Answer(http.StatusOK, flutterwaveAnswer{Status: "success", Message: "Account details fetched", Data: struct {
		Number string `json:"account_number"`
		Name   string `json:"account_name"`
	}{number, account.Name}})
}
