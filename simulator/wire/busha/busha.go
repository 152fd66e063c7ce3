// Package busha simulates the API of Busha: pairs with prices from the customer's point of view, so
// that buy is the larger one, without time and status; banks, which need no key; and accounts.
// Bodies and statuses come from public clients; texts, the fields of a bank, and where
// wallets, pay bills and tills are, are assumed. The magic institutions are not listed.
//
// API: https://docs.busha.io/guides/reference/pairs and …/addresses-banks-mobile (read 2026-11).
package busha

import (
	"net/http"
	"regexp"
	"strings"

	"github.com/shopspring/decimal"

	"causeway/core"
	"causeway/simulator/accounts"
	"causeway/simulator/market"
	"causeway/simulator/wire/format"
)

// Key is an API key that the simulated Busha accepts, like others of the same form.
const Key = "c2ltdWxhdGVkLWJ1c2hhLWtleQ=="

const (
	pairsPath   = "/v1/pairs"
	banksPath   = "/v1/banks"
	resolvePath = "/v1/recipients/resolve-bank-account"
)

// Descriptor describes the simulated provider.
var Descriptor = format.Descriptor{
	Name:        market.Busha,
	Hosts:       []string{"api.busha.co"},
	Credentials: map[string]string{"api_key": Key},
	Respond:     respond,
	Operations: []format.Operation{
		{Name: "pairs", Path: pairsPath, Priced: true},
		{Name: "banks", Path: banksPath},
		{Name: "resolve", Path: resolvePath, Member: "data.account_name"},
	},
	Prices: []string{"data.*.buy_price.amount", "data.*.sell_price.amount"},
}

// country is where Busha pays out: the currency, and the form of account numbers by channel.
type country struct {
	currency string
	channels map[core.Channel]*regexp.Regexp
}

// countries are Nigeria and Kenya: docs.busha.io/guides/reference/supported-countries (2026-11).
// Its published example resolves a Nigerian account on the channel mobile_money.
var countries = map[string]country{
	"NG": {"NGN", map[core.Channel]*regexp.Regexp{
		core.BankTransfer: format.TenDigits, core.MobileMoney: format.TenDigits,
	}},
	"KE": {"KES", map[core.Channel]*regexp.Regexp{
		core.MobileMoney: regexp.MustCompile(`^\+?254[0-9]{9}$`), core.PayBill: format.ShortCode,
		core.Till: format.ShortCode,
	}},
}

// codeOf returns the code of an institution: the NIP code in Nigeria.
func codeOf(bank core.Bank) string {
	if _, served := countries[bank.Country]; !served {
		return ""
	}
	return format.OwnCode(market.Busha, bank)
}

func success(status int, message string, data any) format.Reply {
	return format.Answer(status, map[string]any{"status": "success", "message": message, "data": data})
}

func refuse(status int, name, message string) format.Reply {
	return format.Answer(status, map[string]any{"error": map[string]string{"name": name, "message": message}})
}

// invalid names the field that makes a request invalid.
func invalid(field, reason string) format.Reply {
	return format.Answer(http.StatusBadRequest, map[string]any{
		"error":  map[string]string{"name": "request_validation", "message": "The request is not valid"},
		"fields": map[string]any{field: []map[string]string{{"reason": reason}}},
	})
}

var keyForm = regexp.MustCompile(`^Bearer [A-Za-z0-9+/_=-]{16,}$`)

func respond(r *format.Request) format.Reply {
	switch {
	case r.URL.Path == pairsPath:
		return pairs(r)
	case r.URL.Path == banksPath && r.Method == http.MethodGet:
		return banks(r, r.URL.Query().Get("country"), r.URL.Query().Get("currency"))
	case r.URL.Path != banksPath && r.URL.Path != resolvePath:
		return refuse(http.StatusNotFound, "not_found", "The requested resource does not exist")
	case r.URL.Path != resolvePath || r.Method != http.MethodPost:
		return refuse(http.StatusMethodNotAllowed, "method_not_allowed", "Method not allowed")
	case !keyForm.MatchString(r.Header.Get("Authorization")):
		return refuse(http.StatusUnauthorized, "unauthorized", "Invalid or missing authentication")
	default:
		return resolve(r)
	}
}

// pairs responds with all pairs.
func pairs(r *format.Request) format.Reply {
	rows := r.Tickers(func(q market.Book) map[string]any {
		amount := func(a decimal.Decimal, currency string) map[string]string {
			return map[string]string{"amount": a.String(), "currency": currency}
		}
		return map[string]any{
			"id": q.Pair.ID(), "base": q.Pair.Base, "counter": q.Pair.Counter,
			"buy_price": amount(q.Ask, q.Pair.Counter), "is_buy_supported": true,
			"sell_price": amount(q.Bid, q.Pair.Counter), "is_sell_supported": true,
		}
	})
	return success(http.StatusOK, "Fetched pairs successfully", rows)
}

// banks responds with the institutions of a country.
func banks(r *format.Request, country, currency string) format.Reply {
	rows := []any{}
	for _, bank := range r.Listed(country, codeOf) {
		if (country == "NG" || format.IsOperator(bank)) && (currency == "" || currency == bank.Currency) {
			rows = append(rows, map[string]any{
				"code": codeOf(bank), "name": bank.Name, "country": country, "currency": bank.Currency, "type": bank.Type,
			})
		}
	}
	return success(http.StatusOK, "Fetched banks successfully", rows)
}

// query is a request about an account, and with a holder the response.
type query struct {
	Currency string       `json:"currency_id"`
	Country  string       `json:"country_id"`
	Channel  core.Channel `json:"channel"`
	Bank     string       `json:"bank_code"`
	Number   string       `json:"account_number"`
	Holder   string       `json:"account_name"`
	BankName string       `json:"bank_name"`
}

var failures = format.Failures{
	accounts.Unknown:   refuse(http.StatusNotFound, "not_found", "Account not found"),
	accounts.Closed:    refuse(http.StatusNotFound, "not_found", "Account is closed"),
	accounts.Dormant:   refuse(http.StatusNotFound, "not_found", "Account is dormant"),
	accounts.Throttled: refuse(http.StatusTooManyRequests, "too_many_requests", "Too many requests").RetryAfter(30),
	accounts.Failed:    refuse(http.StatusInternalServerError, "internal_server_error", "Something went wrong"),
	accounts.Down: refuse(http.StatusServiceUnavailable, "service_unavailable", "Service is unavailable").
		RetryAfter(30),
}

// resolve looks up an account.
func resolve(r *format.Request) format.Reply {
	var q query
	if !r.ReadJSON(&q) {
		return refuse(http.StatusBadRequest, "bad_request", "Invalid request body")
	}
	served, ok := countries[q.Country]
	bank, known := r.Institution(q.Country, q.Bank, codeOf)
	organization := q.Channel == core.PayBill || q.Channel == core.Till
	switch {
	case !ok:
		return invalid("country_id", "is not supported")
	case q.Currency != served.currency:
		return invalid("currency_id", "is not supported in the country")
	case served.channels[q.Channel] == nil:
		return invalid("channel", "is not supported in the country")
	case !served.channels[q.Channel].MatchString(q.Number):
		return invalid("account_number", "is invalid")
	case !organization && (!known || q.Country != "NG" && !format.IsOperator(bank)):
		return invalid("bank_code", "is not supported in the country")
	}
	var account accounts.Account
	if organization {
		q.Bank, q.BankName = "", ""
		account = r.Organization(q.Country, q.Channel, q.Number)
	} else {
		q.Bank, q.BankName = codeOf(bank), bank.Name
		account = r.Account(q.Channel, bank, q.Number)
	}
	q.Holder = account.Name
	if q.Channel == core.MobileMoney && q.Country != "NG" {
		q.Number = "+" + strings.TrimPrefix(q.Number, "+")
	}
	return failures.Reply(account, success(http.StatusCreated, "Resolved bank account successfully", q))
}
