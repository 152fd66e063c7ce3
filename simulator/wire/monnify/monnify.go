// Package monnify simulates the API of Monnify for Nigeria: login, the list of banks, and the
// validation of an account. Statuses, fields of the list, and all texts except the text about an
// invalid account are assumed. The magic institutions are not listed.
//
// API: https://developers.monnify.com/docs/verification-api/verifying-your-customers, and
// https://teamapt.atlassian.net/wiki/spaces/MON/pages/454557732 for the text of an invalid account.
package monnify

import (
	"fmt"
	"net/http"
	"regexp"
	"time"

	"causeway/core"
	"causeway/simulator/accounts"
	"causeway/simulator/wire/format"
)

// Name of the provider.
const Name = "monnify"

// APIKey and SecretKey are credentials that the simulated Monnify accepts, like others of the same
// form.
const (
	APIKey    = "MK_TEST_SIMULATED"
	SecretKey = "SIMULATED0SECRET"
)

const (
	loginPath    = "/api/v1/auth/login"
	banksPath    = "/api/v1/banks"
	validatePath = "/api/v1/disbursements/account/validate"
)

// Descriptor describes the simulated provider.
var Descriptor = format.Descriptor{
	Name:        Name,
	Hosts:       []string{"api.monnify.com", "sandbox.monnify.com"},
	Credentials: map[string]string{"api_key": APIKey, "secret_key": SecretKey},
	Respond:     respond,
	Operations: []format.Operation{
		{Name: "login", Path: loginPath, Member: "responseBody.accessToken"},
		{Name: "banks", Path: banksPath},
		{Name: "resolve", Path: validatePath, Member: "responseBody.accountName"},
	},
}

func codeOf(bank core.Bank) string {
	if bank.Country != "NG" {
		return ""
	}
	return format.CodeAt(Name, bank)
}

func refuse(status int, text string) format.Reply {
	return format.Answer(status, map[string]any{
		"requestSuccessful": false, "responseMessage": text, "responseCode": "99",
	})
}

func success(body any) format.Reply {
	return format.Answer(http.StatusOK, map[string]any{
		"requestSuccessful": true, "responseMessage": "success", "responseCode": "0", "responseBody": body,
	})
}

// respond responds to one request. Without a token every path but the login is 401, unknown ones
// included.
func respond(r *format.Request) format.Reply {
	switch {
	case r.URL.Path == loginPath && r.Method == http.MethodPost:
		return login(r)
	case !tokens.Accept(r):
		return refuse(http.StatusUnauthorized, "Unauthorized")
	case r.URL.Path == banksPath && r.Method == http.MethodGet:
		return list(r)
	case r.URL.Path == validatePath && r.Method == http.MethodGet:
		return validate(r)
	default:
		return refuse(http.StatusNotFound, "Not found")
	}
}

var (
	tokens  = format.Tokens{Prefix: "simulated.", Life: 3567 * time.Second}
	keyForm = regexp.MustCompile(`^MK_(?:TEST|PROD)_[A-Za-z0-9]+:[A-Za-z0-9]+$`)
)

// login responds with a token.
func login(r *format.Request) format.Reply {
	if !r.HasBasic(keyForm) {
		return refuse(http.StatusUnauthorized, "Invalid client secret or client id.")
	}
	return success(map[string]any{"accessToken": tokens.Issue(r), "expiresIn": tokens.Seconds()})
}

// list responds with the list of banks.
func list(r *format.Request) format.Reply {
	rows := []any{}
	for _, bank := range r.Listed("NG", codeOf) {
		rows = append(rows, map[string]string{"name": bank.Name, "code": codeOf(bank)})
	}
	return success(rows)
}

// validate looks up an account. The text of a failure has the number and the code in it.
func validate(r *format.Request) format.Reply {
	number, code := r.URL.Query().Get("accountNumber"), r.URL.Query().Get("bankCode")
	failed := func(why string) format.Reply {
		return refuse(http.StatusBadRequest, fmt.Sprintf(
			"Unable to process request. Name inquiry failed. Account  %s Bank  %s.  %s", number, code, why))
	}
	bank, known := r.Institution("NG", code, codeOf)
	switch {
	case number == "" || code == "":
		return refuse(http.StatusBadRequest, "accountNumber and bankCode are required")
	case !known:
		return failed("Unknown Bank Code")
	case !format.TenDigits.MatchString(number):
		return failed("Invalid Account")
	}
	account := r.Account(core.BankTransfer, bank, number)
	return format.Failures{
		accounts.Unknown:   failed("Invalid Account"),
		accounts.Closed:    failed("Closed Account"),
		accounts.Dormant:   failed("Dormant Account"),
		accounts.Throttled: refuse(http.StatusTooManyRequests, "Too many requests").RetryAfter(30),
		accounts.Failed:    refuse(http.StatusInternalServerError, "An error occurred while processing the request"),
		accounts.Down:      format.Page(http.StatusServiceUnavailable),
	}.Reply(account, success(map[string]string{
		"accountNumber": number, "accountName": account.Name, "bankCode": code, "bankName": bank.Name,
	}))
}
