// Package airtel simulates the Airtel Africa Open API: tokens and user lookups. Paths, headers and
// successful responses come from public clients (2025-11); the statuses of failures are assumed.
//
// API: https://developers.airtel.africa.
package airtel

import (
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"time"

	"causeway/core"
	"causeway/simulator/accounts"
	"causeway/simulator/wire/format"
)

// Keys are a client ID and a client secret that the simulated API accepts, like others of the same
// form.
const Keys = "0f9c52b1-8a4d-4e66-b1f0-6d1f3c7a9e21:7d3e9a50-1c2b-4f68-9a77-0b5d8e4c6f13"

const users = "/standard/v1/users/"

// Descriptor describes the simulated provider.
var Descriptor = format.Descriptor{
	Name:        "airtel",
	Hosts:       []string{"openapi.airtel.africa", "openapiuat.airtel.africa"},
	Credentials: map[string]string{"keys.ke": Keys, "keys.rw": Keys, "keys.tz": Keys, "keys.ug": Keys},
	Respond:     respond,
	Operations: []format.Operation{
		{Name: "login", Path: "/auth/oauth2/token", Member: "access_token"},
		{Name: "resolve", Path: users + "*", Member: "data.last_name"},
	},
}

var tokens = format.Tokens{Prefix: "airtel.", Life: 3 * time.Minute}

// country is a country by X-Country.
type country struct{ calling, currency string }

var (
	countries = map[string]country{
		"KE": {"254", "KES"}, "RW": {"250", "RWF"}, "TZ": {"255", "TZS"}, "UG": {"256", "UGX"},
	}
	uuid   = regexp.MustCompile(`^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$`)
	msisdn = regexp.MustCompile(`^[1-9][0-9]{8}$`) // without a country code
)

func refuse(code int, response, message string) format.Reply {
	return format.Answer(code, map[string]any{"status": map[string]any{
		"response_code": response, "code": strconv.Itoa(code), "success": false, "result_code": "ESB000008",
		"message": message,
	}})
}

// oauthError is an error of a token request or of a token.
func oauthError(name, description string) format.Reply {
	return format.Answer(http.StatusUnauthorized, map[string]string{"error": name, "error_description": description})
}

func respond(r *format.Request) format.Reply {
	number, lookup := strings.CutPrefix(r.URL.Path, users)
	switch {
	case r.URL.Path == "/auth/oauth2/token" && r.Method == http.MethodPost:
		return login(r)
	case !lookup || r.Method != http.MethodGet:
		return refuse(http.StatusNotFound, "ROUTER005", "Route not found")
	case !tokens.Accept(r):
		return oauthError("invalid_token", "The access token is invalid or has expired")
	default:
		return user(r, number)
	}
}

// login responds with a token.
func login(r *format.Request) format.Reply {
	var body struct {
		ID     string `json:"client_id"`
		Secret string `json:"client_secret"`
		Grant  string `json:"grant_type"`
	}
	if !r.ReadJSON(&body) || body.Grant != "client_credentials" {
		return refuse(http.StatusBadRequest, "ROUTER003", "Mandatory parameter missing")
	}
	if !uuid.MatchString(body.ID) || !uuid.MatchString(body.Secret) {
		return oauthError("invalid_client", "Invalid client authentication")
	}
	return format.Answer(http.StatusOK, map[string]string{
		"token_type": "bearer", "access_token": tokens.Issue(r), "expires_in": strconv.Itoa(tokens.Seconds()),
	})
}

var failures = format.Failures{
	accounts.Unknown:   refuse(http.StatusNotFound, "DP02200000002", "User Not Found"),
	accounts.Throttled: refuse(http.StatusTooManyRequests, "ROUTER001", "Too many requests"),
	accounts.Failed:    refuse(http.StatusInternalServerError, "DP02200000000", "User enquiry is failed."),
	accounts.Down:      refuse(http.StatusServiceUnavailable, "ROUTER117", "Service temporarily unavailable"),
}

// user looks up a user.
func user(r *format.Request, number string) format.Reply {
	code := r.Header.Get("X-Country")
	at, known := countries[code]
	switch {
	case !known:
		return refuse(http.StatusBadRequest, "ROUTER006", "Invalid country")
	case r.Header.Get("X-Currency") != at.currency:
		return refuse(http.StatusBadRequest, "ROUTER112", "Invalid currency")
	case !msisdn.MatchString(number):
		return refuse(http.StatusBadRequest, "DP02200000002", "Invalid MSISDN provided as input.")
	}
	bank := core.Bank{Country: code, Code: "AIRTEL", Type: core.MobileMoneyBank}
	account := r.Account(core.MobileMoney, bank, at.calling+number)
	first, last, _ := strings.Cut(account.Name, " ")
	return failures.Reply(account, format.Answer(http.StatusOK, map[string]any{
		"data": map[string]any{
			"is_barred":  account.Outcome == accounts.Closed || account.Outcome == accounts.Dormant,
			"first_name": first, "last_name": last, "msisdn": number, "grade": "SUBS", "is_pin_set": true,
			"registration": map[string]string{"status": "SUBS"},
		},
		"status": map[string]any{
			"response_code": "DP02200000001", "code": "200", "success": true, "result_code": "ESB000010",
			"message": "SUCCESS",
		},
	}))
}
