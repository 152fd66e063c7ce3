// Package airtel simulates the API of Airtel Africa that returns the name of a wallet holder.
package airtel

import (
	"encoding/json"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"time"

	"causeway/core"
	"causeway/simulator/accounts"
	"causeway/simulator/wire/provider"
	"causeway/simulator/world"
)

// Keys are credentials that the simulated API accepts, as it accepts others of the same form: a client ID
// and a client secret.
const (
	Keys = clientID + ":" + clientSecret

	clientID     = "0f9c52b1-8a4d-4e66-b1f0-6d1f3c7a9e21"
	clientSecret = "7d3e9a50-1c2b-4f68-9a77-0b5d8e4c6f13"
)

// api is the Airtel Africa Open API, https://developers.airtel.africa: tokens and user lookups. A token is the
// time of its login, so that nothing is stored. Paths, headers and successful responses are those of public
// clients (2025-11); the statuses of failures are assumed.
type api struct{ world *world.World }

const (
	tokenLife   = 3 * time.Minute
	tokenPrefix = "Bearer airtel."
	users       = "/standard/v1/users/"
)

// country is a country by X-Country.
type country struct{ calling, currency string }

var (
	countries = map[string]country{
		"KE": {"254", "KES"}, "RW": {"250", "RWF"}, "TZ": {"255", "TZS"}, "UG": {"256", "UGX"},
	}
	uuid   = regexp.MustCompile(`^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$`)
	msisdn = regexp.MustCompile(`^[1-9][0-9]{8}$`) // without a country code
)

// status is part of every response but those about tokens.
type status struct {
	Response string `json:"response_code"`
	Code     string `json:"code"`
	Success  bool   `json:"success"`
	Result   string `json:"result_code"`
	Message  string `json:"message"`
}

func refuse(code int, response, message string) provider.Reply {
	return provider.Answer(code, struct {
		Status status `json:"status"`
	}{status{Response: response, Code: strconv.Itoa(code), Result: "ESB000008", Message: message}})
}

// oauthError is an error of a token request or of a token.
func oauthError(name, description string) provider.Reply {
	return provider.Answer(http.StatusUnauthorized, struct {
		Error       string `json:"error"`
		Description string `json:"error_description"`
	}{name, description})
}

// ServeHTTP responds to one request.
func (a *api) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	now := a.world.Now()
	number, lookup := strings.CutPrefix(r.URL.Path, users)
	switch {
	case r.URL.Path == "/auth/oauth2/token" && r.Method == http.MethodPost:
		login(r, now).Send(w, now)
	case !lookup || r.Method != http.MethodGet:
		refuse(http.StatusNotFound, "ROUTER005", "Route not found").Send(w, now)
	case !provider.TokenLives(r.Header.Get("Authorization"), tokenPrefix, tokenLife, now):
		oauthError("invalid_token", "The access token is invalid or has expired").Send(w, now)
	default:
		outcome, reply := a.user(r, number)
		provider.Deliver(w, r, now, outcome, reply)
	}
}

// login responds with a token.
func login(r *http.Request, now time.Time) provider.Reply {
	var body struct {
		ID     string `json:"client_id"`
		Secret string `json:"client_secret"`
		Grant  string `json:"grant_type"`
	}
	if json.NewDecoder(r.Body).Decode(&body) != nil || body.Grant != "client_credentials" {
		return refuse(http.StatusBadRequest, "ROUTER003", "Mandatory parameter missing")
	}
	if !uuid.MatchString(body.ID) || !uuid.MatchString(body.Secret) {
		return oauthError("invalid_client", "Invalid client authentication")
	}
	return provider.Answer(http.StatusOK, struct {
		Type    string `json:"token_type"`
		Token   string `json:"access_token"`
		Expires string `json:"expires_in"`
	}{
		"bearer", strings.TrimPrefix(tokenPrefix, "Bearer ") + strconv.FormatInt(now.Unix(), 10),
		strconv.Itoa(int(tokenLife / time.Second)),
	})
}

// registration is a member of user.
type registration struct {
	Status string `json:"status"`
}

// user is the data of a response.
type user struct {
	Barred       bool         `json:"is_barred"`
	Grade        string       `json:"grade"`
	Last         string       `json:"last_name"`
	Registration registration `json:"registration"`
	Number       string       `json:"msisdn"`
	First        string       `json:"first_name"`
	PIN          bool         `json:"is_pin_set"`
}

// user looks up a user.
func (a *api) user(r *http.Request, number string) (accounts.Outcome, provider.Reply) {
	code := r.Header.Get("X-Country")
	at, known := countries[code]
	switch {
	case code == "":
		return accounts.Unknown, refuse(http.StatusBadRequest, "ROUTER003", "Mandatory request header missing: X-Country")
	case !known:
		return accounts.Unknown, refuse(http.StatusBadRequest, "ROUTER006", "Invalid country")
	case r.Header.Get("X-Currency") != at.currency:
		return accounts.Unknown, refuse(http.StatusBadRequest, "ROUTER112", "Invalid currency")
	case !msisdn.MatchString(number):
		return accounts.Unknown, refuse(http.StatusBadRequest, "DP02200000002", "Invalid MSISDN provided as input.")
	}
	bank := core.Bank{Country: code, Code: "AIRTEL", Type: core.MobileMoneyBank}
	account := a.world.AccountAt(r.Context(), Name, core.MobileMoney, bank, at.calling+number)
	return account.Outcome, respond(account, number)
}

// respond returns the response about an account.
func respond(account accounts.Account, number string) provider.Reply {
	switch account.Outcome {
	case accounts.Unknown:
		return refuse(http.StatusNotFound, "DP02200000002", "User Not Found")
	case accounts.Throttled:
		return refuse(http.StatusTooManyRequests, "ROUTER001", "Too many requests")
	case accounts.Failed:
		return refuse(http.StatusInternalServerError, "DP02200000000", "User enquiry is failed.")
	case accounts.Down:
		return refuse(http.StatusServiceUnavailable, "ROUTER117", "Service temporarily unavailable")
	case accounts.Found, accounts.Slow, accounts.Truncated, accounts.WrongPage, accounts.Closed,
		accounts.Dormant, accounts.Hanging, accounts.Reset, accounts.RenamedSecond:
	}
	first, last, _ := strings.Cut(account.Name, " ")
	return provider.Answer(http.StatusOK, struct {
		Data   user   `json:"data"`
		Status status `json:"status"`
	}{
		user{
			Barred: account.Outcome == accounts.Closed || account.Outcome == accounts.Dormant, Grade: "SUBS",
			First: first, Last: last, Registration: registration{"SUBS"}, Number: number, PIN: true,
		},
		status{"DP02200000001", "200", true, "ESB000010", "SUCCESS"},
	})
}
