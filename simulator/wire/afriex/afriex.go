// Package afriex simulates Afriex's business API: the institutions of a country and the holder of
// an account. Nigeria's institutions are known by all their codes and named by the NIP code.
// Account numbers have digits only, and institutionCode is required on both channels. Which
// failures a closed account, an unknown institution or a phone number of another country give, and
// the form of a key, are assumed. The magic institutions are listed only if there are no others: an
// empty list is taken for a failure.
//
// API: https://docs.afriex.com and its OpenAPI document 1.0.13.
package afriex

import (
	"net/http"
	"regexp"
	"strings"

	"causeway/core"
	"causeway/simulator/accounts"
	"causeway/simulator/wire/format"
)

// Name of the provider.
const Name = "afriex"

// Key is an API key that the simulated Afriex accepts, like others of the same form.
const Key = "afx-simulated-0123456789"

const (
	institutionPath = "/api/v1/payment-method/institution"
	resolvePath     = "/api/v1/payment-method/resolve"
)

// Descriptor describes the simulated provider.
var Descriptor = format.Descriptor{
	Name:        Name,
	Hosts:       []string{"api.afriex.com", "sandbox.api.afriex.com"},
	Credentials: map[string]string{"api_key": Key},
	Respond:     respond,
	Operations: []format.Operation{
		{Name: "banks", Path: institutionPath},
		{Name: "resolve", Path: resolvePath, Member: "data.recipientName"},
	},
}

// channels of the API.
const (
	banks   = "BANK_ACCOUNT"
	wallets = "MOBILE_MONEY"
)

// countries are those in which Afriex names accounts, by channel, with the calling codes with which
// account numbers begin. Source: the parameters of resolve in its OpenAPI document.
var countries = map[string]map[string]string{
	banks: {"NG": "", "GH": ""},
	wallets: {
		"ET": "251", "KE": "254", "MG": "261", "MW": "265", "MZ": "258", "RW": "250", "TZ": "255", "UG": "256", "CM": "237",
		"CG": "242", "GA": "241", "CF": "236", "CI": "225", "BF": "226", "ML": "223", "SN": "221", "TG": "228", "BJ": "229",
		"NE": "227", "GN": "224", "ZM": "260",
	},
}

func codeOf(bank core.Bank) string { return format.OwnCode(Name, bank) }

// refuse returns a failure with details, a list of names and values.
func refuse(status int, code, text string, details ...string) format.Reply {
	named := map[string]string{}
	for i := 0; i+1 < len(details); i += 2 {
		named[details[i]] = details[i+1]
	}
	return format.Answer(status, map[string]any{"code": code, "error": text, "details": named})
}

func invalid(issues string) format.Reply {
	return refuse(http.StatusBadRequest, "VALIDATION_ERROR", "Failed to parse request. Issues: "+issues)
}

func rejected(message string) format.Reply {
	return refuse(http.StatusBadRequest, "INVALID_PAYMENT_METHOD", "Bad Request", "errorMessage", message)
}

var failures = format.Failures{
	accounts.Unknown: refuse(http.StatusNotFound, "PAYMENT_METHOD_NOT_FOUND", "Payment method not found",
		"errorMessage", "Payment method not found"),
	accounts.Closed:    rejected("Account is closed"),
	accounts.Dormant:   rejected("Account is dormant"),
	accounts.Throttled: refuse(http.StatusTooManyRequests, "TOO_MANY_REQUESTS", "Rate limit exceeded"),
	accounts.Failed: refuse(http.StatusInternalServerError, "INTERNAL_SERVER_ERROR",
		"It's not you, it's us, please reach out to support"),
	accounts.Down: refuse(http.StatusServiceUnavailable, "EXTERNAL_REQUEST_ERROR", "External request error").
		RetryAfter(30),
}

var keyForm = regexp.MustCompile(`^[A-Za-z0-9_-]{16,}$`)

func respond(r *format.Request) format.Reply {
	switch key := r.Header.Get("X-Api-Key"); {
	case key == "":
		return refuse(http.StatusUnauthorized, "AUTHENTICATION_ERROR", "Authorization header is missing")
	case !keyForm.MatchString(key):
		return refuse(http.StatusUnauthorized, "AUTHENTICATION_ERROR", "Invalid authorization header")
	case r.Method == http.MethodGet && r.URL.Path == institutionPath:
		return list(r)
	case r.Method == http.MethodGet && r.URL.Path == resolvePath:
		return resolve(r)
	default:
		return refuse(http.StatusNotFound, "NOT_FOUND_ERROR", "Route not found")
	}
}

// list responds with a country's banks or operators.
func list(r *format.Request) format.Reply {
	country, channel := r.URL.Query().Get("countryCode"), r.URL.Query().Get("channel")
	if channel != banks && channel != wallets || country == "" {
		return invalid("'channel' must be one of [BANK_ACCOUNT, MOBILE_MONEY, SWIFT, ...], 'countryCode' is required")
	}
	var listed, magic []any
	for _, bank := range r.World.Banks() {
		if bank.Country != country || format.IsOperator(bank) != (channel == wallets) {
			continue
		}
		row := map[string]string{"institutionName": bank.Name, "institutionCode": codeOf(bank)}
		if channel == banks {
			row["institutionBranch"], row["institutionAddress"] = "", ""
		}
		if accounts.IsMagic(bank) {
			magic = append(magic, row)
		} else {
			listed = append(listed, row)
		}
	}
	if len(listed) == 0 {
		listed = append([]any{}, magic...)
	}
	return format.Answer(http.StatusOK, map[string]any{"data": listed, "total": len(listed), "page": 0})
}

// find returns the institution of a request.
func find(r *format.Request, country, channel, code string) (core.Bank, bool) {
	bank, known := r.Institution(country, code, codeOf)
	for _, b := range r.World.Banks() {
		if !known && country == "NG" && b.Country == country && b.Known(code) {
			bank, known = b, true
		}
	}
	return bank, known && format.IsOperator(bank) == (channel == wallets)
}

// resolve looks up an account. Empty members of the response are left out.
func resolve(r *format.Request) format.Reply {
	query := r.URL.Query()
	country, channel := query.Get("countryCode"), query.Get("channel")
	number, code := query.Get("accountNumber"), query.Get("institutionCode")
	calling, named := countries[channel][country]
	bank, known := find(r, country, channel, code)
	switch {
	case !named:
		return invalid("'countryCode' is not supported for the channel")
	case number == "":
		return invalid("'accountNumber' is required")
	case strings.Trim(number, "0123456789") != "":
		return invalid("'accountNumber' must contain only digits")
	case !strings.HasPrefix(number, calling):
		return refuse(http.StatusBadRequest, "INVALID_BUSINESS_CUSTOMER_REQUEST", "Bad Request",
			"errorMessage", "PHONE_COUNTRY_MISMATCH", "friendlyMessage", "The phone number does not match the country")
	case !known:
		return invalid("'institutionCode' is not supported")
	}
	account := r.Account(format.ChannelOf(bank), bank, number)
	found := map[string]string{"institutionName": bank.Name, "institutionCode": codeOf(bank)}
	if account.Name != "" {
		found["recipientName"] = account.Name
	}
	return failures.Reply(account, format.Answer(http.StatusOK, map[string]any{"data": found}))
}
