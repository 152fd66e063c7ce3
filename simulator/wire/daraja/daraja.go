package daraja

import (
	"encoding/base64"
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

// Key and Secret are keys that the simulated Daraja takes. It takes all others of the right shape too.
const (
	Key    = "simulatedConsumerKey0123"
	Secret = "simulatedSecret0"
)

// daraja is Safaricom's Daraja, https://developer.safaricom.co.ke: the token of an app, and B2B Hakikisha, which names the business behind a pay
// bill or a till of Kenya. A token is the instant of its making, so that nothing is remembered. The good answer is the page's sample; "Invalid
// Identifier" and the gateway's failures are those of published clients; how it words closed ones is general knowledge.
type daraja struct{ world *world.World }

// darajaFault is a failure of the gateway.
type darajaFault struct {
	Request string `json:"requestId"`
	Code    string `json:"errorCode"`
	Message string `json:"errorMessage"`
}

func darajaRefuses(status int, code, text string) provider.Reply {
	return provider.Answer(status, darajaFault{Request: "11728-2929992-1", Code: code, Message: text})
}

// ServeHTTP answers one call.
func (d *daraja) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	now := d.world.Now()
	authorization := r.Header.Get("Authorization")
	switch {
	case r.URL.Path == "/oauth/v1/generate" && r.Method == http.MethodGet:
		darajaLogin(authorization, r.URL.Query().Get("grant_type"), now).Send(w, now)
	case !provider.TokenLives(authorization, darajaToken, darajaTokenLife, now):
		darajaRefuses(http.StatusUnauthorized, "401.003.01", "Error Occurred - Invalid Access Token - ").Send(w, now)
	case r.URL.Path == "/sfcverify/v1/query/info" && r.Method == http.MethodPost:
		outcome, a := d.query(r)
		provider.Deliver(w, r, now, outcome, a)
	default:
		darajaRefuses(http.StatusNotFound, "404.001.01", "Resource not found").Send(w, now)
	}
}

const (
	darajaTokenLife = 3599 * time.Second
	darajaToken     = "Bearer daraja."
)

var darajaKeys = regexp.MustCompile(`^[A-Za-z0-9]{16,}:[A-Za-z0-9]{16,}$`)

// darajaLogin answers a login with a token. Its life is text.
func darajaLogin(authorization, grant string, now time.Time) provider.Reply {
	encoded, basic := strings.CutPrefix(authorization, "Basic ")
	keys, err := base64.StdEncoding.DecodeString(encoded)
	if grant != "client_credentials" {
		return darajaRefuses(http.StatusBadRequest, "400.008.02", "Invalid grant type passed")
	}
	if !basic || err != nil || !darajaKeys.Match(keys) {
		return darajaRefuses(http.StatusBadRequest, "400.008.01", "Invalid Authentication passed")
	}
	return provider.Answer(http.StatusOK, struct {
		Token   string `json:"access_token"`
		Expires string `json:"expires_in"`
	}{strings.TrimPrefix(darajaToken, "Bearer ") + strconv.FormatInt(now.Unix(), 10), strconv.Itoa(int(darajaTokenLife / time.Second))})
}

// darajaAnswer is an answer about a business.
type darajaAnswer struct {
	Conversation string `json:"ConversationID"`
	Code         string `json:"ResponseCode"`
	Message      string `json:"ResponseMessage"`
	Detail       string `json:"DetailedMessage"`
	Number       string `json:"OrganizationShortCode,omitempty"`
	Till         string `json:"TillNumber,omitempty"`
	Name         string `json:"OrganizationName,omitempty"`
	Profile      string `json:"ChargeProfileID,omitempty"`
}

func (d *daraja) query(r *http.Request) (accounts.Outcome, provider.Reply) {
	var question struct {
		Type   string `json:"IdentifierType"`
		Number string `json:"Identifier"`
	}
	channel, known := core.Channel(""), false
	if provider.ReadJSON(r, &question) {
		channel, known = map[string]core.Channel{"4": core.PayBill, "2": core.Till}[question.Type], true
	}
	switch {
	case !known || channel == "":
		return accounts.Unknown, darajaRefuses(http.StatusBadRequest, "400.002.02", "Bad Request - Invalid parameter")
	case !provider.ShortCode.MatchString(question.Number):
		return accounts.Unknown, darajaSays(accounts.Account{Outcome: accounts.Unknown}, channel, question.Number)
	}
	account := provider.OrganizationAccount(r.Context(), d.world, Name, "KE", channel, question.Number)
	return account.Outcome, darajaSays(account, channel, question.Number)
}

// tillParent is the short code of the business that all tills belong to.
const tillParent = "600100"

// darajaSays is what Daraja says of a number. A till has a number of its own beside that of its parent, as public clients
// read it.
func darajaSays(account accounts.Account, channel core.Channel, number string) provider.Reply {
	failed := func(message string) provider.Reply {
		return provider.Answer(http.StatusOK, darajaAnswer{Conversation: "simulated", Code: "4001", Message: message, Detail: "The request was rejected"})
	}
	switch account.Outcome {
	case accounts.Unknown:
		return failed("Invalid Identifier")
	case accounts.Closed:
		return failed("Organization is closed")
	case accounts.Dormant:
		return failed("Organization is dormant")
	case accounts.Throttled:
		return darajaRefuses(http.StatusTooManyRequests, "429.001.01", "Spike arrest violation")
	case accounts.Failed:
		return darajaRefuses(http.StatusInternalServerError, "500.003.1001", "Internal Server Error")
	case accounts.Down:
		return darajaRefuses(http.StatusServiceUnavailable, "503.001.01", "Service Unavailable")
	case accounts.Found, accounts.Slow, accounts.Truncated, accounts.WrongPage,
		accounts.Hanging, accounts.Reset, accounts.RenamedSecond:
	}
	answer := darajaAnswer{
		Conversation: "simulated", Code: "4000", Message: "Success", Detail: "Request received successfully", Number: number,
		Name: account.Name, Profile: "20013",
	}
	if channel == core.Till {
		answer.Number, answer.Till = tillParent, number
	}
	return provider.Answer(http.StatusOK, answer)
}
