package monnify

import (
	"encoding/base64"
	"fmt"
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

// APIKey and SecretKey are keys that the simulated Monnify takes. It takes all others of the right shape too.
const (
	APIKey    = "MK_TEST_SIMULATED"
	SecretKey = "SIMULATED0SECRET"
)

// monnify is Monnify, https://developers.monnify.com/docs/verification-api/verifying-your-customers: login, list of banks and
// validation of an account, for Nigeria. A token is the instant of its login, so that nothing is remembered; it lives as long as real ones were
// seen to. The text of an invalid account is that of https://teamapt.atlassian.net/wiki/spaces/MON/pages/454557732; statuses, fields of the list
// and the other texts are general knowledge. The magic institutions are not listed.
type monnify struct {
	world *world.World
	known func() *provider.Institutions
}

func newMonnify(w *world.World) *monnify {
	return &monnify{world: w, known: provider.Once(w, Name, func() *provider.Institutions {
		return provider.NewInstitutions(w, func(bank core.Bank) string {
			if bank.Country != "NG" {
				return ""
			}
			return provider.CodeAt(Name, bank)
		})
	})}
}

// monnifyAnswer is around every answer.
type monnifyAnswer struct {
	Successful bool   `json:"requestSuccessful"`
	Message    string `json:"responseMessage"`
	Code       string `json:"responseCode"`
	Body       any    `json:"responseBody,omitempty"`
}

func monnifyFault(status int, text string) provider.Reply {
	return provider.Answer(status, monnifyAnswer{Message: text, Code: "99"})
}

func monnifyFine(body any) provider.Reply {
	return provider.Answer(http.StatusOK, monnifyAnswer{Successful: true, Message: "success", Code: "0", Body: body})
}

// ServeHTTP answers one call. Without a token every path but the login is 401, unknown ones included.
func (m *monnify) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	now := m.world.Now()
	authorization := r.Header.Get("Authorization")
	asking := r.Method == http.MethodGet || r.Method == http.MethodHead
	switch {
	case r.URL.Path == "/api/v1/auth/login" && r.Method == http.MethodPost:
		monnifyLogin(authorization, now).Send(w, now)
	case !provider.TokenLives(authorization, monnifyToken, monnifyTokenLife, now):
		monnifyFault(http.StatusUnauthorized, "Unauthorized").Send(w, now)
	case r.URL.Path == "/api/v1/banks" && asking:
		m.list().Send(w, now)
	case r.URL.Path == "/api/v1/disbursements/account/validate" && asking:
		outcome, a := m.validate(r, r.URL.Query().Get("accountNumber"), r.URL.Query().Get("bankCode"))
		provider.Deliver(w, r, now, outcome, a)
	default:
		monnifyFault(http.StatusNotFound, "Not found").Send(w, now)
	}
}

const (
	monnifyTokenLife = 3567 * time.Second
	monnifyToken     = "Bearer simulated."
)

var monnifyKeys = regexp.MustCompile(`^MK_(?:TEST|PROD)_[A-Za-z0-9]+:[A-Za-z0-9]+$`)

// monnifyLogin answers a login with a token.
func monnifyLogin(authorization string, now time.Time) provider.Reply {
	encoded, basic := strings.CutPrefix(authorization, "Basic ")
	keys, err := base64.StdEncoding.DecodeString(encoded)
	if !basic || err != nil || !monnifyKeys.Match(keys) {
		return monnifyFault(http.StatusUnauthorized, "Invalid client secret or client id.")
	}
	return monnifyFine(struct {
		Token   string `json:"accessToken"`
		Expires int    `json:"expiresIn"`
	}{strings.TrimPrefix(monnifyToken, "Bearer ") + strconv.FormatInt(now.Unix(), 10), int(monnifyTokenLife / time.Second)})
}

// monnifyBank is a row of the list.
type monnifyBank struct {
	Name             string  `json:"name"`
	Code             string  `json:"code"`
	USSDTemplate     *string `json:"ussdTemplate"`
	BaseUSSDCode     *string `json:"baseUssdCode"`
	TransferTemplate *string `json:"transferUssdTemplate"`
}

// list is the list of banks: a code comes twice in it.
func (m *monnify) list() provider.Reply {
	rows := []monnifyBank{}
	for _, bank := range m.known().Lists["NG"] {
		row := monnifyBank{Name: bank.Name, Code: provider.CodeAt(Name, *bank)}
		if row.Code == "058" {
			ussd, base, transfer := "*737*2*Amount*AccountNumber#", "*737#", "*737*2*Amount*AccountNumber#"
			row.USSDTemplate, row.BaseUSSDCode, row.TransferTemplate = &ussd, &base, &transfer
		}
		rows = append(rows, row)
	}
	if len(rows) > 0 {
		rows = append(rows, rows[0])
	}
	return monnifyFine(rows)
}

func (m *monnify) validate(r *http.Request, number, code string) (accounts.Outcome, provider.Reply) {
	failed := func(why string) provider.Reply {
		return monnifyFault(http.StatusBadRequest, fmt.Sprintf("Unable to process request. Name inquiry failed. Account  %s Bank  %s.  %s", number, code, why))
	}
	if number == "" || code == "" {
		return accounts.Unknown, monnifyFault(http.StatusBadRequest, "accountNumber and bankCode are required")
	}
	bank, known := m.known().Find("NG", code)
	if !known {
		return accounts.Unknown, failed("Unknown Bank Code")
	}
	if !provider.TenDigits.MatchString(number) {
		return accounts.Unknown, failed("Invalid Account")
	}
	account := m.world.AccountAt(r.Context(), Name, core.BankTransfer, bank, number)
	switch account.Outcome {
	case accounts.Unknown:
		return account.Outcome, failed("Invalid Account")
	case accounts.Closed:
		return account.Outcome, failed("Closed Account")
	case accounts.Dormant:
		return account.Outcome, failed("Dormant Account")
	case accounts.Throttled:
		return account.Outcome, monnifyFault(http.StatusTooManyRequests, "Too many requests").With("Retry-After", "30")
	case accounts.Failed:
		return account.Outcome, monnifyFault(http.StatusInternalServerError, "An error occurred while processing the request")
	case accounts.Down:
		return account.Outcome, provider.Reply{Status: http.StatusServiceUnavailable, Content: provider.ContentHTML, Body: []byte(provider.WrongPage)}
	case accounts.Found, accounts.Slow, accounts.Truncated, accounts.WrongPage,
		accounts.Hanging, accounts.Reset, accounts.RenamedSecond:
	}
	return account.Outcome, monnifyFine(struct {
		Number string `json:"accountNumber"`
		Name   string `json:"accountName"`
		Bank   string `json:"bankCode"`
		At     string `json:"bankName"`
	}{number, account.Name, code, bank.Name})
}
