// Package mtnmomo simulates the API of MTN MoMo that returns the name of a wallet holder.
package mtnmomo

import (
	"encoding/base64"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"causeway/core"
	"causeway/simulator/accounts"
	"causeway/simulator/wire/provider"
	"causeway/simulator/world"
)

// Keys are credentials that the simulated API accepts, as it accepts others of the same form: a
// subscription key, an API user and its API key.
const (
	Keys = subscriptionKey + ":" + user

	subscriptionKey = "0123456789abcdef0123456789abcdef"
	user            = "c72025f5-5cd1-4630-99e4-8ba4722fad56:fedcba9876543210fedcba9876543210"
)

// momo is the MTN MoMo Open API, https://momodeveloper.mtn.com: the token of an API user and the basic
// information about an account holder, for any product. A token is the time of its login, so that
// nothing is stored. Paths, headers and the response are those of MTN's SDK for Android (2023-05-04);
// error codes about numbers are assumed.
type momo struct{ world *world.World }

const (
	tokenLife   = time.Hour
	tokenPrefix = "Bearer momo."
)

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

// basicAuth is the header of a login with Keys.
var basicAuth = "Basic " + base64.StdEncoding.EncodeToString([]byte(user))

// failure is an error of the API.
type failure struct {
	Code    string `json:"code"`
	Message string `json:"message"`
}

func refuse(status int, code, message string) provider.Reply {
	return provider.Answer(status, failure{code, message})
}

// denied is an error of the gateway in front of the API.
func denied(message string) provider.Reply {
	return provider.Answer(http.StatusUnauthorized, struct {
		Status  int    `json:"statusCode"`
		Message string `json:"message"`
	}{http.StatusUnauthorized, message})
}

// ServeHTTP responds to one request.
func (m *momo) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	now := m.world.Now()
	authorization := r.Header.Get("Authorization")
	product, path, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, "/"), "/")
	number, holder := strings.CutPrefix(path, "v1_0/accountholder/msisdn/")
	number, info := strings.CutSuffix(number, "/basicuserinfo")
	switch {
	case !slices.Contains(products, product):
		refuse(http.StatusNotFound, "", "Resource not found").Send(w, now)
	case !keyForm.MatchString(r.Header.Get("Ocp-Apim-Subscription-Key")):
		denied("Access denied due to invalid subscription key.").Send(w, now)
	case path == "token/" && r.Method == http.MethodPost:
		login(authorization, now).Send(w, now)
	case !provider.TokenLives(authorization, tokenPrefix, tokenLife, now):
		denied("Unauthorized").Send(w, now)
	case holder && info && r.Method == http.MethodGet:
		outcome, reply := m.holder(r, number)
		provider.Deliver(w, r, now, outcome, reply)
	default:
		refuse(http.StatusNotFound, "", "Resource not found").Send(w, now)
	}
}

// login responds with a token.
func login(authorization string, now time.Time) provider.Reply {
	encoded, basic := strings.CutPrefix(authorization, "Basic ")
	credentials, err := base64.StdEncoding.DecodeString(encoded)
	if !basic || err != nil || !basicForm.Match(credentials) {
		return provider.Answer(http.StatusUnauthorized, struct {
			Error string `json:"error"`
		}{"login_failed"})
	}
	return provider.Answer(http.StatusOK, struct {
		Token   string `json:"access_token"`
		Type    string `json:"token_type"`
		Expires int    `json:"expires_in"`
	}{
		strings.TrimPrefix(tokenPrefix, "Bearer ") + strconv.FormatInt(now.Unix(), 10),
		"access_token", int(tokenLife / time.Second),
	})
}

// basicUserInfo is a response about an account holder.
type basicUserInfo struct {
	Sub     string `json:"sub"`
	Name    string `json:"name"`
	Given   string `json:"given_name"`
	Family  string `json:"family_name"`
	Birth   string `json:"birthdate"`
	Locale  string `json:"locale"`
	Gender  string `json:"gender"`
	Updated int64  `json:"updated_at"`
}

// holder looks up an account holder. In the sandbox, every number belongs to the same one.
func (m *momo) holder(r *http.Request, number string) (accounts.Outcome, provider.Reply) {
	environment := r.Header.Get("X-Target-Environment")
	country, known := environments[environment]
	account := accounts.Account{Outcome: accounts.Found, Name: "Sand Box"}
	switch {
	case !known && environment != "sandbox":
		return accounts.Unknown, refuse(http.StatusInternalServerError, "NOT_ALLOWED_TARGET_ENVIRONMENT",
			"Access to target environment is forbidden.")
	case !msisdn.MatchString(number):
		return accounts.Unknown, refuse(http.StatusBadRequest, "", "Bad request")
	case known:
		bank := core.Bank{Country: country, Code: "MTN", Type: core.MobileMoneyBank}
		account = m.world.AccountAt(r.Context(), Name, core.MobileMoney, bank, number)
	}
	return account.Outcome, respond(account)
}

// respond returns the response about an account.
func respond(account accounts.Account) provider.Reply {
	switch account.Outcome {
	case accounts.Unknown:
		return refuse(http.StatusNotFound, "ACCOUNTHOLDER_NOT_FOUND", "Account holder could not be found.")
	case accounts.Closed, accounts.Dormant:
		return refuse(http.StatusNotFound, "ACCOUNTHOLDER_NOT_ACTIVE", "Account holder is inactive.")
	case accounts.Throttled:
		return provider.Answer(http.StatusTooManyRequests, failure{Message: "Rate limit is exceeded."})
	case accounts.Failed:
		return refuse(http.StatusInternalServerError, "INTERNAL_PROCESSING_ERROR", "An internal error occurred.")
	case accounts.Down:
		return refuse(http.StatusServiceUnavailable, "SERVICE_UNAVAILABLE", "Service temporarily unavailable.")
	case accounts.Found, accounts.Slow, accounts.Truncated, accounts.WrongPage,
		accounts.Hanging, accounts.Reset, accounts.RenamedSecond:
	}
	given, family, _ := strings.Cut(account.Name, " ")
	return provider.Answer(http.StatusOK, basicUserInfo{
		Sub: "0", Name: account.Name, Given: given, Family: family,
		Birth: "1976-08-13", Locale: "sv_SE", Gender: "MALE", Updated: 1676609351,
	})
}
