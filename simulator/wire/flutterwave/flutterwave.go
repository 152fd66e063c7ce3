// Package flutterwave simulates Flutterwave's API v3: bank lists, and the resolution of accounts,
// which are of Nigeria only. The bodies of rejected keys, unknown paths and faults, and the texts
// for closed and dormant accounts, are assumed. The magic institutions are not listed.
//
// API: https://developer.flutterwave.com/v3.0/docs/bank-account-verification-1 and public clients
// (2026-11).
package flutterwave

import (
	"net/http"
	"regexp"
	"strings"

	"causeway/core"
	"causeway/simulator/accounts"
	"causeway/simulator/wire/format"
)

// Name of the provider.
const Name = "flutterwave"

// Key is a secret key that the simulated Flutterwave accepts, like others of the same form.
const Key = "FLWSECK_TEST-simulated-X"

// Descriptor describes the simulated provider.
var Descriptor = format.Descriptor{
	Name:        Name,
	Hosts:       []string{"api.flutterwave.com"},
	Path:        "/v3",
	Credentials: map[string]string{"secret_key": Key},
	Respond:     respond,
	Operations: []format.Operation{
		{Name: "banks", Path: "/v3/banks/*"},
		{Name: "resolve", Path: "/v3/accounts/resolve", Member: "data.account_name"},
	},
}

// codeOf prefixes Ghana's GHIPSS codes with the country.
func codeOf(bank core.Bank) string {
	if bank.Country == "GH" && bank.Codes[Name] == "" && bank.Type != core.MobileMoneyBank {
		return "GH" + bank.Code
	}
	return format.CodeAt(Name, bank)
}

func refuse(status int, text string) format.Reply {
	return format.Answer(status, map[string]any{"status": "error", "message": text, "data": nil})
}

func success(message string, data any) format.Reply {
	return format.Answer(http.StatusOK, map[string]any{"status": "success", "message": message, "data": data})
}

var keyForm = regexp.MustCompile(`^Bearer FLWSECK(?:_TEST)?-[A-Za-z0-9]+(?:-X)?$`)

func respond(r *format.Request) format.Reply {
	country, listing := strings.CutPrefix(r.URL.Path, "/v3/banks/")
	switch {
	case !keyForm.MatchString(r.Header.Get("Authorization")):
		return refuse(http.StatusUnauthorized, "Invalid authorization key")
	case listing && r.Method == http.MethodGet:
		return list(r, country)
	case r.URL.Path == "/v3/accounts/resolve" && r.Method == http.MethodPost:
		return resolve(r)
	default:
		return refuse(http.StatusNotFound, "Cannot "+r.Method+" the path")
	}
}

// countries are the countries whose institutions are listed.
const countries = "NG GH KE UG ZA TZ"

// list responds with the institutions of a country, operators of mobile money among the banks. Like
// the real lists, it has a virtual bank, a central bank and a row for all operators.
func list(r *format.Request, country string) format.Reply {
	if len(country) != 2 || !strings.Contains(countries, country) {
		return refuse(http.StatusBadRequest, "Country is not supported")
	}
	rows := []any{}
	add := func(code, name string) { rows = append(rows, map[string]string{"code": code, "name": name}) }
	for _, bank := range r.Listed(country, codeOf) {
		add(codeOf(bank), bank.Name)
	}
	switch country {
	case "NG":
		add("999", "NIP Virtual Bank")
	case "GH":
		add("GH010100", "BANK OF GHANA")
	case "UG", "TZ":
		add("MPS", "MOBILE MONEY")
	}
	return success("Banks fetched successfully", rows)
}

const (
	invalid  = "Sorry, that account number is invalid, please check and try again"
	unproven = "Sorry, recipient account could not be validated. Please try again"
)

var failures = format.Failures{
	accounts.Unknown:   refuse(http.StatusBadRequest, invalid),
	accounts.Closed:    refuse(http.StatusBadRequest, "Account is closed"),
	accounts.Dormant:   refuse(http.StatusBadRequest, "Account is dormant"),
	accounts.Throttled: refuse(http.StatusTooManyRequests, "Too many requests").RetryAfter(30),
	accounts.Failed:    refuse(http.StatusInternalServerError, "An error occurred, please try again"),
	accounts.Down:      format.Page(http.StatusServiceUnavailable),
}

// resolve looks up an account.
func resolve(r *format.Request) format.Reply {
	var q struct {
		Number string `json:"account_number"`
		Bank   string `json:"account_bank"`
	}
	valid := r.ReadJSON(&q)
	bank, known := r.Institution("NG", q.Bank, codeOf)
	switch {
	case !valid || q.Number == "" || q.Bank == "":
		return refuse(http.StatusBadRequest, "Invalid request body")
	case !known:
		return refuse(http.StatusBadRequest, unproven)
	case !format.TenDigits.MatchString(q.Number):
		return refuse(http.StatusBadRequest, invalid)
	}
	account := r.Account(core.BankTransfer, bank, q.Number)
	return failures.Reply(account, success("Account details fetched", map[string]string{
		"account_number": q.Number, "account_name": account.Name,
	}))
}
