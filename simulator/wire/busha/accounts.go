package busha

import (
	"net/http"
	"regexp"
	"strings"

	"causeway/core"
	"causeway/simulator/accounts"
	"causeway/simulator/wire/provider"
	"causeway/simulator/world"
)

// Key is an API key that the simulated busha takes. It takes every other one of the right shape too.
const Key = "c2ltdWxhdGVkLWJ1c2hhLWtleQ=="

// bushaAccounts are the banks and accounts of busha: GET /v1/banks, which needs no key, and POST /v1/recipients/resolve-bank-account,
// https://docs.busha.io/guides/reference/addresses-banks-mobile (read 2026-11). Bodies and statuses are those of its public interface as published
// clients know them; texts, the fields of a bank, and where wallets, pay bills and tills are, are general knowledge. The magic institutions
// are not listed.
type bushaAccounts struct {
	world *world.World
	known func() *provider.Institutions
}

// codeAtBusha is an institution's own code: the NIP code in Nigeria.
func codeAtBusha(bank core.Bank) string {
	if _, served := bushaCountries[bank.Country]; !served {
		return ""
	}
	if code := bank.Codes[Name]; code != "" {
		return code
	}
	return bank.Code
}

// bushaData is an answer that is well.
type bushaData struct {
	Status  string `json:"status"`
	Message string `json:"message"`
	Data    any    `json:"data"`
}

// bushaInvalid is a refusal of fields.
type bushaInvalid struct {
	bushaFault

	Fields map[string][]map[string]string `json:"fields"`
}

var bushaShape = regexp.MustCompile(`^Bearer [A-Za-z0-9+/_=-]{16,}$`)

// ServeHTTP answers one call.
func (b *bushaAccounts) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	now := b.world.Now()
	resolving := r.URL.Path == "/v1/recipients/resolve-bank-account"
	switch {
	case !resolving && (r.Method == http.MethodGet || r.Method == http.MethodHead):
		b.list(r.URL.Query().Get("country"), r.URL.Query().Get("currency")).Send(w, now)
	case !resolving || r.Method != http.MethodPost:
		bushaError(http.StatusMethodNotAllowed, "method_not_allowed", "Method not allowed").Send(w, now)
	case !bushaShape.MatchString(r.Header.Get("Authorization")):
		bushaError(http.StatusUnauthorized, "unauthorized", "Invalid or missing authentication").Send(w, now)
	default:
		outcome, a := b.resolve(r)
		provider.Deliver(w, r, now, outcome, a)
	}
}

// bushaBank is a row of the list.
type bushaBank struct {
	Code     string `json:"code"`
	Name     string `json:"name"`
	Country  string `json:"country"`
	Currency string `json:"currency"`
	Type     string `json:"type"`
}

// list is the list of a country, of Nigeria where none is asked for.
func (b *bushaAccounts) list(country, currency string) provider.Reply {
	if country == "" {
		country = "NG"
	}
	rows := []bushaBank{}
	for _, bank := range b.known().Lists[country] {
		if country != "NG" && !provider.IsOperator(*bank) || !asked(currency, bank.Currency) {
			continue
		}
		rows = append(rows, bushaBank{codeAtBusha(*bank), bank.Name, bank.Country, bank.Currency, string(bank.Type)})
	}
	return provider.Answer(http.StatusOK, bushaData{Status: "success", Message: "Fetched banks successfully", Data: rows})
}

// bushaQuestion is a question about an account, and with a holder the answer.
type bushaQuestion struct {
	Currency string `json:"currency_id"`
	Country  string `json:"country_id"`
	Channel  string `json:"channel"`
	Bank     string `json:"bank_code"`
	Number   string `json:"account_number"`
	Holder   string `json:"account_name"`
	BankName string `json:"bank_name"`
}

// fault is what is wrong with a question: the field, and why; "" where nothing is.
func (q bushaQuestion) fault() (field, reason string) {
	served, ok := bushaCountries[q.Country]
	switch {
	case !ok:
		return "country_id", "is not supported"
	case q.Currency != served.currency:
		return "currency_id", "is not supported in the country"
	case served.channels[q.Channel] == nil:
		return "channel", "is not supported in the country"
	case !served.channels[q.Channel].MatchString(q.Number):
		return "account_number", "is invalid"
	}
	return "", ""
}

func (b *bushaAccounts) resolve(r *http.Request) (accounts.Outcome, provider.Reply) {
	var q bushaQuestion
	if !provider.ReadJSON(r, &q) {
		return accounts.Unknown, bushaError(http.StatusBadRequest, "bad_request", "Invalid request body")
	}
	channel := core.Channel(q.Channel)
	bank, known := b.known().Find(q.Country, q.Bank)
	unbanked := channel == core.PayBill || channel == core.Till
	field, reason := q.fault()
	if field == "" && !unbanked && (!known || q.Country != "NG" && !provider.IsOperator(bank)) {
		field, reason = "bank_code", "is not supported in the country"
	}
	if field != "" {
		var f bushaInvalid
		f.Error.Name, f.Error.Message = "request_validation", "The request is not valid"
		f.Fields = map[string][]map[string]string{field: {{"reason": reason}}}
		return accounts.Unknown, provider.Answer(http.StatusBadRequest, f)
	}
	var account accounts.Account
	if unbanked {
		q.Bank, q.BankName = "", ""
		account = provider.OrganizationAccount(r.Context(), b.world, Name, q.Country, channel, q.Number)
	} else {
		q.Bank, q.BankName = codeAtBusha(bank), bank.Name
		account = b.world.AccountAt(r.Context(), Name, channel, bank, q.Number)
	}
	q.Holder = account.Name
	if channel == core.MobileMoney && q.Country != "NG" {
		q.Number = "+" + strings.TrimPrefix(q.Number, "+")
	}
	return account.Outcome, bushaSays(account, q)
}

// bushaSays is what busha says of an account.
func bushaSays(account accounts.Account, told bushaQuestion) provider.Reply {
	switch account.Outcome {
	case accounts.Unknown:
		return bushaError(http.StatusNotFound, "not_found", "Account not found")
	case accounts.Closed:
		return bushaError(http.StatusNotFound, "not_found", "Account is closed")
	case accounts.Dormant:
		return bushaError(http.StatusNotFound, "not_found", "Account is dormant")
	case accounts.Throttled:
		return bushaError(http.StatusTooManyRequests, "too_many_requests", "Too many requests").With("Retry-After", "30")
	case accounts.Failed:
		return bushaError(http.StatusInternalServerError, "internal_server_error", "Something went wrong")
	case accounts.Down:
		return bushaError(http.StatusServiceUnavailable, "service_unavailable", "Service is unavailable").With("Retry-After", "30")
	case accounts.Found, accounts.Slow, accounts.Truncated, accounts.WrongPage,
		accounts.Hanging, accounts.Reset, accounts.RenamedSecond:
	}
	return provider.Answer(http.StatusCreated, bushaData{Status: "success", Message: "Resolved bank account successfully", Data: told})
}
