// Package paystack simulates the API of Paystack: bank lists, account names and account validation.
// Texts and statuses come from its specification, published fixtures and measured responses.
//
// API: https://github.com/PaystackOSS/openapi (@9678dea, 2025-10-24).
package paystack

import (
	"net/http"
	"regexp"
	"strings"

	"causeway/simulator/accounts"
	"causeway/simulator/wire/format"
)

// Name of the provider.
const Name = "paystack"

// Key returns a secret key of a business in a country (ISO 3166-1 alpha-2). The simulated Paystack
// accepts all keys of this form. A key without a country is one of Nigeria.
func Key(country string) string { return "sk_test_" + strings.ToLower(country) + "_simulated" }

// Descriptor describes the simulated provider.
var Descriptor = format.Descriptor{
	Name:  Name,
	Hosts: []string{"api.paystack.co"},
	Credentials: map[string]string{
		"keys.ng": Key("NG"), "keys.gh": Key("GH"), "keys.ke": Key("KE"), "keys.za": Key("ZA"),
	},
	Respond: respond,
	Operations: []format.Operation{
		{Name: "banks", Path: "/bank"},
		{Name: "resolve", Path: "/bank/resolve", Member: "data.account_name"},
		{Name: "validate", Path: "/bank/validate", Member: "data.accountHolderMatch"},
	},
}

// country is how Paystack knows a country.
type country struct {
	name      string // also the parameter of the list, in any case
	kind      string // type of its bank rows; empty: banks are not listed there
	resolves  bool
	validates bool
}

// countries are from PaystackOSS/openapi paths/bank.yaml (2025-10-24). Ivory Coast's spelling
// and currency are assumed.
var countries = map[string]country{
	"NG": {name: "Nigeria", kind: "nuban", resolves: true},
	"GH": {name: "Ghana", kind: "ghipss", resolves: true},
	"KE": {name: "Kenya", kind: "kepss"},
	"ZA": {name: "South Africa", kind: "basa", validates: true},
	"CI": {name: "Cote D'Ivoire"},
}

// failure returns the body of an error.
func failure(kind, code, text, next string) map[string]any {
	return map[string]any{
		"status": false, "message": text, "meta": map[string]string{"nextStep": next}, "type": kind, "code": code,
	}
}

const (
	validationError = "validation_error"
	apiError        = "api_error"
)

func refuse(status int, kind, text, next string) format.Reply {
	return format.Answer(status, failure(kind, kind, text, next))
}

// bare returns an error without advice.
func bare(status int, text string) format.Reply {
	return format.Answer(status, map[string]any{"status": false, "message": text})
}

func invalid(text, next string) format.Reply {
	return refuse(http.StatusBadRequest, validationError, text, next)
}

func required(parameter string) format.Reply {
	return invalid(`"`+parameter+`" is required`, "Provide all required parameters")
}

var keyForm = regexp.MustCompile(`^Bearer sk_(?:test|live)_([A-Za-z0-9_]+)$`)

func respond(r *format.Request) format.Reply {
	operation := r.Method + " " + r.URL.Path
	authorization := r.Header.Get("Authorization")
	key := keyForm.FindStringSubmatch(authorization)
	switch {
	case operation != "GET /bank" && operation != "GET /bank/resolve" && operation != "POST /bank/validate":
		return bare(http.StatusNotFound, "Entity not found")
	case authorization == "":
		return bare(http.StatusUnauthorized, "No Authorization Header was found")
	case key == nil:
		return bare(http.StatusUnauthorized, "Invalid key")
	}
	home, _, _ := strings.Cut(strings.ToUpper(key[1]), "_")
	if _, known := countries[home]; !known {
		home = "NG"
	}
	switch operation {
	case "GET /bank":
		return list(r, home)
	case "GET /bank/resolve":
		return resolve(r, home)
	default:
		return validate(r, home)
	}
}

// success responds with data.
func success(message string, data any) format.Reply {
	return format.Answer(http.StatusOK, map[string]any{"status": true, "message": message, "data": data})
}

const couldNotResolve = "Could not resolve account name. Check parameters or try again."

var failures = format.Failures{
	accounts.Unknown: refuse(http.StatusUnprocessableEntity, validationError, couldNotResolve,
		"Ensure that the account number and the bank code are right"),
	accounts.Closed: refuse(http.StatusUnprocessableEntity, validationError, "Account is closed",
		"Ask the holder for another account"),
	accounts.Dormant: refuse(http.StatusUnprocessableEntity, validationError, "Account is dormant",
		"Ask the holder for another account"),
	accounts.Throttled: refuse(http.StatusTooManyRequests, apiError, "Too many requests", "Slow down").RetryAfter(30),
	accounts.Failed:    format.Text(http.StatusInternalServerError, "oops"),
	accounts.Down:      refuse(http.StatusServiceUnavailable, apiError, "Service is unavailable", "Try again later"),
}

// resolve looks up an account.
func resolve(r *format.Request, home string) format.Reply {
	number, code := r.URL.Query().Get("account_number"), r.URL.Query().Get("bank_code")
	bank, known := r.Institution(home, code, codeOf)
	switch {
	case number == "":
		return required("account_number")
	case code == "":
		return required("bank_code")
	case !known || !countries[home].resolves:
		return noBank(r, code)
	case home == "NG" && !format.TenDigits.MatchString(number):
		return invalid("Invalid account number", "Ensure that the account number has 10 digits")
	}
	account := r.Account(format.ChannelOf(bank), bank, number)
	return failures.Reply(account, success("Account number resolved", map[string]any{
		"account_number": number, "account_name": account.Name,
	}))
}

// noBank responds to a bank code at which no account can be resolved with the key. Published
// fixtures of clients have the text of an unknown account with the code invalid_bank_code; for
// which bank codes it comes is assumed: here for bank codes of other countries.
func noBank(r *format.Request, code string) format.Reply {
	const nextStep = "Ensure that the value(s) you're passing are valid."
	for country := range countries {
		if _, ok := r.Institution(country, code, codeOf); ok {
			return format.Answer(http.StatusUnprocessableEntity,
				failure(validationError, "invalid_bank_code", couldNotResolve, nextStep))
		}
	}
	return format.Answer(http.StatusBadRequest,
		failure(validationError, "invalid_params", "Unknown bank code: "+code, nextStep))
}
