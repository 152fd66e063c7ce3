// Package korapay simulates the API of Kora (Korapay): the lists of banks (NG, KE, ZA) and of
// operators of mobile money (KE, GH), the resolution of bank accounts (NG, KE) and of wallets (GH).
// Statuses of failures, and the texts for closed and dormant accounts, are assumed; other texts are
// from developers.korapay.com/docs/errors. The magic institutions are not listed.
//
// API: https://developers.korapay.com/docs/payout-via-api (updated 2026-06-07).
package korapay

import (
	"net/http"
	"regexp"
	"strings"

	"causeway/core"
	"causeway/simulator/accounts"
	"causeway/simulator/wire/format"
)

// Name of the provider.
const Name = "korapay"

// Key is a secret key that the simulated Kora accepts, like others of the same form.
const Key = "sk_test_simulated"

const basePath = "/merchant/api/v1"

// Descriptor describes the simulated provider.
var Descriptor = format.Descriptor{
	Name:        Name,
	Hosts:       []string{"api.korapay.com"},
	Path:        basePath,
	Credentials: map[string]string{"secret_key": Key},
	Respond:     respond,
	Operations: []format.Operation{
		{Name: "banks", Path: basePath + "/misc/*"},
		{Name: "resolve", Path: basePath + "/misc/*/resolve", Member: "data.account_name"},
	},
}

// country is what Kora does in a country: which lists it has, and which accounts it names.
type country struct{ banks, wallets, namesBanks, namesWallets bool }

var countries = map[string]country{
	"NG": {banks: true, namesBanks: true},
	"KE": {banks: true, wallets: true, namesBanks: true},
	"ZA": {banks: true},
	"GH": {wallets: true, namesWallets: true},
}

// operators are the operators of mobile money by country and usual short code. safaricom-ke 0001
// and mtn-gh 0004 are in the documentation, airtel-gh 0006 in public client code; the other two are
// made up in the same form.
var operators = map[string]struct{ code, slug, name string }{
	"KE MPESA":  {"0001", "safaricom-ke", "Safaricom"},
	"KE AIRTEL": {"0002", "airtel-ke", "Airtel"},
	"GH MTN":    {"0004", "mtn-gh", "MTN"},
	"GH VOD":    {"0005", "vodafone-gh", "Vodafone"},
	"GH ATL":    {"0006", "airtel-gh", "AirtelTigo"},
}

// codeOf prefixes Kenya's KBA codes with 00, and returns the codes of operators. Other operators
// are unknown.
func codeOf(bank core.Bank) string {
	switch {
	case format.IsOperator(bank) && bank.Codes[Name] == "":
		return operators[bank.Country+" "+bank.Code].code
	case bank.Country == "KE" && bank.Codes[Name] == "":
		if len(bank.Code) != len("01") {
			return ""
		}
		return "00" + bank.Code
	default:
		return format.CodeAt(Name, bank)
	}
}

// envelope is around every response.
func envelope(status int, message string, data any) format.Reply {
	return format.Answer(status, map[string]any{
		"status": status == http.StatusOK, "message": message, "data": data,
	})
}

func refuse(status int, text string) format.Reply { return envelope(status, text, map[string]any{}) }

var keyForm = regexp.MustCompile(`^Bearer ([sp])k_(?:test|live)_[A-Za-z0-9_]+$`)

// respond responds to one request. A public key is enough for the lists.
func respond(r *format.Request) format.Reply {
	path, found := strings.CutPrefix(r.URL.Path, basePath+"/misc/")
	key := keyForm.FindStringSubmatch(r.Header.Get("Authorization"))
	path, resolving := strings.CutSuffix(path, "/resolve")
	wallets := path == "mobile-money"
	switch {
	case key == nil, resolving && key[1] != "s":
		return refuse(http.StatusUnauthorized, "Invalid authorization key")
	case !found, path != "banks" && !wallets:
		return refuse(http.StatusNotFound, "Not found")
	case resolving && r.Method == http.MethodPost:
		return resolve(r, wallets)
	case !resolving && r.Method == http.MethodGet:
		return list(r, wallets, r.URL.Query().Get("countryCode"))
	default:
		return refuse(http.StatusNotFound, "Not found")
	}
}

// list responds with a list of a country.
func list(r *format.Request, wallets bool, country string) format.Reply {
	served := countries[country]
	if wallets && !served.wallets || !wallets && !served.banks {
		return envelope(http.StatusBadRequest, "Invalid request data", map[string]any{
			"countryCode": map[string]string{"message": "countryCode is not supported"},
		})
	}
	rows := []any{}
	for _, bank := range r.Listed(country, codeOf) {
		if format.IsOperator(bank) != wallets {
			continue
		}
		row := map[string]any{
			"name": bank.Name, "slug": format.Slug(bank.Name), "code": codeOf(bank), "country": country,
		}
		if operator, known := operators[country+" "+bank.Code]; known {
			row["name"], row["slug"] = operator.name, operator.slug
		} else if country == "NG" {
			row["nibss_bank_code"] = nil
			if nip := bank.Codes[core.NIP]; nip != "" {
				row["nibss_bank_code"] = nip
			}
		} else {
			row["slug"] = format.Slug(bank.Name) + "-" + strings.ToLower(country)
		}
		rows = append(rows, row)
	}
	return envelope(http.StatusOK, "success", rows)
}

var failures = format.Failures{
	accounts.Unknown:   refuse(http.StatusBadRequest, "Invalid account"),
	accounts.Closed:    refuse(http.StatusBadRequest, "Account is closed"),
	accounts.Dormant:   refuse(http.StatusBadRequest, "Account is dormant"),
	accounts.Throttled: refuse(http.StatusTooManyRequests, "Too many requests").RetryAfter(30),
	accounts.Failed:    refuse(http.StatusInternalServerError, "Internal Server Error"),
	accounts.Down:      refuse(http.StatusServiceUnavailable, "Service Unavailable"),
}

// resolve looks up an account or a wallet. The currency selects the country, which is Nigeria by
// default.
func resolve(r *format.Request, wallet bool) format.Reply {
	var q struct {
		Bank     string `json:"bank"`
		Account  string `json:"account"`
		Operator string `json:"mobileMoneyCode"`
		Phone    string `json:"phoneNumber"`
		Currency string `json:"currency"`
	}
	valid := r.ReadJSON(&q)
	country := map[string]string{"": "NG", "NGN": "NG", "KES": "KE", "GHS": "GH"}[q.Currency]
	code, number, served := q.Bank, q.Account, countries[country].namesBanks
	if wallet {
		code, number, served = q.Operator, q.Phone, countries[country].namesWallets
	}
	bank, known := r.Institution(country, code, codeOf)
	switch {
	case !valid || !served || code == "" || number == "":
		return refuse(http.StatusBadRequest, "Invalid request data")
	case !known || format.IsOperator(bank) != wallet:
		return refuse(http.StatusBadRequest, "Unable to resolve bank account")
	case country == "NG" && !format.TenDigits.MatchString(number):
		return failures[accounts.Unknown]
	}
	account := r.Account(format.ChannelOf(bank), bank, number)
	found := map[string]string{
		"bank_name": bank.Name, "bank_code": codeOf(bank), "account_number": number, "account_name": account.Name,
	}
	if wallet {
		found = map[string]string{
			"mobile_money_operator": bank.Name, "mobile_money_code": codeOf(bank), "phone_number": number,
			"account_name": account.Name,
		}
	}
	return failures.Reply(account, envelope(http.StatusOK, "Request completed", found))
}
