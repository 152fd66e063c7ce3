// Package mtnmomo simulates the MTN MoMo Open API: the token of an API user, and the basic
// information about an account holder, for any product. Paths, headers and the response are those
// of MTN's SDK for Android (2023-05-04); error codes about numbers are assumed.
//
// API: https://momodeveloper.mtn.com.
package mtnmomo

import (
	"net/http"
	"regexp"
	"slices"
	"strings"
	"time"

	"causeway/core"
	"causeway/simulator/accounts"
	"causeway/simulator/wire/format"
)

// Keys are a subscription key, an API user and its API key that the simulated API accepts, like
// others of the same form.
const Keys = "0123456789abcdef0123456789abcdef:c72025f5-5cd1-4630-99e4-8ba4722fad56:fedcba9876543210fedcba9876543210"

// Descriptor describes the simulated provider.
var Descriptor = format.Descriptor{
	Name:  "mtnmomo",
	Hosts: []string{"proxy.momoapi.mtn.com", "sandbox.momodeveloper.mtn.com"},
	Path:  "/disbursement",
	Credentials: map[string]string{
		"keys.ci": Keys, "keys.cm": Keys, "keys.gh": Keys, "keys.rw": Keys, "keys.ug": Keys,
	},
	Respond: respond,
	Operations: []format.Operation{
		{Name: "login", Path: "/*/token/", Member: "access_token"},
		{Name: "resolve", Path: "/*/v1_0/accountholder/msisdn/*/basicuserinfo", Member: "family_name"},
	},
}

var tokens = format.Tokens{Prefix: "momo.", Life: time.Hour}

// environments are the countries by X-Target-Environment.
var environments = map[string]string{
	"mtncameroon": "CM", "mtnghana": "GH", "mtnivorycoast": "CI", "mtnrwanda": "RW", "mtnuganda": "UG",
}

var (
	products  = []string{"collection", "disbursement", "remittance"}
	keyForm   = regexp.MustCompile(`^[0-9a-f]{32}$`)
	basicForm = regexp.MustCompile(`^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}:[0-9a-f]{32}$`)
	msisdn    = regexp.MustCompile(`^[0-9]{9,15}$`)
)

// refuse returns an error of the API.
func refuse(status int, code, message string) format.Reply {
	return format.Answer(status, map[string]string{"code": code, "message": message})
}

// denied is an error of the gateway in front of the API.
func denied(message string) format.Reply {
	const status = http.StatusUnauthorized
	return format.Answer(status, map[string]any{"statusCode": status, "message": message})
}

func respond(r *format.Request) format.Reply {
	product, path, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, "/"), "/")
	number, named := strings.CutPrefix(path, "v1_0/accountholder/msisdn/")
	number, info := strings.CutSuffix(number, "/basicuserinfo")
	switch {
	case !slices.Contains(products, product):
		return refuse(http.StatusNotFound, "", "Resource not found")
	case !keyForm.MatchString(r.Header.Get("Ocp-Apim-Subscription-Key")):
		return denied("Access denied due to invalid subscription key.")
	case path == "token/" && r.Method == http.MethodPost:
		return login(r)
	case !tokens.Accept(r):
		return denied("Unauthorized")
	case named && info && r.Method == http.MethodGet:
		return holder(r, number)
	default:
		return refuse(http.StatusNotFound, "", "Resource not found")
	}
}

// login responds with a token.
func login(r *format.Request) format.Reply {
	if !r.HasBasic(basicForm) {
		return format.Answer(http.StatusUnauthorized, map[string]string{"error": "login_failed"})
	}
	return format.Answer(http.StatusOK, map[string]any{
		"access_token": tokens.Issue(r), "token_type": "access_token", "expires_in": tokens.Seconds(),
	})
}

var (
	inactive = refuse(http.StatusNotFound, "ACCOUNTHOLDER_NOT_ACTIVE", "Account holder is inactive.")
	failures = format.Failures{
		accounts.Unknown:   refuse(http.StatusNotFound, "ACCOUNTHOLDER_NOT_FOUND", "Account holder could not be found."),
		accounts.Closed:    inactive,
		accounts.Dormant:   inactive,
		accounts.Throttled: refuse(http.StatusTooManyRequests, "", "Rate limit is exceeded."),
		accounts.Failed: refuse(http.StatusInternalServerError, "INTERNAL_PROCESSING_ERROR",
			"An internal error occurred."),
		accounts.Down: refuse(http.StatusServiceUnavailable, "SERVICE_UNAVAILABLE", "Service temporarily unavailable."),
	}
)

// holder looks up an account holder. In the sandbox, every number belongs to the same one.
func holder(r *format.Request, number string) format.Reply {
	environment := r.Header.Get("X-Target-Environment")
	country, known := environments[environment]
	account := accounts.Account{Outcome: accounts.Found, Name: "Sand Box"}
	switch {
	case !known && environment != "sandbox":
		return refuse(http.StatusInternalServerError, "NOT_ALLOWED_TARGET_ENVIRONMENT",
			"Access to target environment is forbidden.")
	case !msisdn.MatchString(number):
		return refuse(http.StatusBadRequest, "", "Bad request")
	case known:
		bank := core.Bank{Country: country, Code: "MTN", Type: core.MobileMoneyBank}
		account = r.Account(core.MobileMoney, bank, number)
	}
	given, family, _ := strings.Cut(account.Name, " ")
	return failures.Reply(account, format.Answer(http.StatusOK, map[string]any{
		"sub": "0", "name": account.Name, "given_name": given, "family_name": family, "birthdate": "1976-08-13",
		"locale": "sv_SE", "gender": "MALE", "updated_at": 1676609351,
	}))
}
