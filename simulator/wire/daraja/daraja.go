// Package daraja simulates Safaricom's Daraja: the token of an app, and B2B Hakikisha, which names
// the business behind a pay bill or a till of Kenya. "Invalid Identifier" and the gateway's
// failures come from public clients; the texts for closed ones are assumed.
//
// API: https://developer.safaricom.co.ke, with the sample of its page.
package daraja

import (
	"net/http"
	"regexp"
	"strconv"
	"time"

	"causeway/core"
	"causeway/simulator/accounts"
	"causeway/simulator/wire/format"
)

// Name of the provider.
const Name = "daraja"

// Key and Secret are credentials that the simulated Daraja accepts, like others of the same form.
const (
	Key    = "simulatedConsumerKey0123"
	Secret = "simulatedSecret0"
)

const (
	loginPath = "/oauth/v1/generate"
	queryPath = "/sfcverify/v1/query/info"
)

// Descriptor describes the simulated provider.
var Descriptor = format.Descriptor{
	Name:        Name,
	Hosts:       []string{"api.safaricom.co.ke", "sandbox.safaricom.co.ke"},
	Credentials: map[string]string{"consumer_key": Key, "consumer_secret": Secret},
	Respond:     respond,
	Operations: []format.Operation{
		{Name: "login", Path: loginPath, Member: "access_token"},
		{Name: "resolve", Path: queryPath, Member: "OrganizationName"},
	},
}

var (
	tokens   = format.Tokens{Prefix: "daraja.", Life: 3599 * time.Second}
	keyForm  = regexp.MustCompile(`^[A-Za-z0-9]{16,}:[A-Za-z0-9]{16,}$`)
	channels = map[string]core.Channel{"4": core.PayBill, "2": core.Till} // by IdentifierType
)

// refuse returns a failure of the gateway.
func refuse(status int, code, text string) format.Reply {
	return format.Answer(status, map[string]string{
		"requestId": "11728-2929992-1", "errorCode": code, "errorMessage": text,
	})
}

func respond(r *format.Request) format.Reply {
	switch {
	case r.URL.Path == loginPath && r.Method == http.MethodGet:
		return login(r)
	case !tokens.Accept(r):
		return refuse(http.StatusUnauthorized, "401.003.01", "Error Occurred - Invalid Access Token - ")
	case r.URL.Path == queryPath && r.Method == http.MethodPost:
		return query(r)
	default:
		return refuse(http.StatusNotFound, "404.001.01", "Resource not found")
	}
}

// login responds with a token, whose lifetime is text.
func login(r *format.Request) format.Reply {
	if r.URL.Query().Get("grant_type") != "client_credentials" {
		return refuse(http.StatusBadRequest, "400.008.02", "Invalid grant type passed")
	}
	if !r.HasBasic(keyForm) {
		return refuse(http.StatusBadRequest, "400.008.01", "Invalid Authentication passed")
	}
	return format.Answer(http.StatusOK, map[string]string{
		"access_token": tokens.Issue(r), "expires_in": strconv.Itoa(tokens.Seconds()),
	})
}

func rejected(message string) format.Reply {
	return format.Answer(http.StatusOK, map[string]string{
		"ConversationID": "simulated", "ResponseCode": "4001", "ResponseMessage": message,
		"DetailedMessage": "The request was rejected",
	})
}

var failures = format.Failures{
	accounts.Unknown:   rejected("Invalid Identifier"),
	accounts.Closed:    rejected("Organization is closed"),
	accounts.Dormant:   rejected("Organization is dormant"),
	accounts.Throttled: refuse(http.StatusTooManyRequests, "429.001.01", "Spike arrest violation"),
	accounts.Failed:    refuse(http.StatusInternalServerError, "500.003.1001", "Internal Server Error"),
	accounts.Down:      refuse(http.StatusServiceUnavailable, "503.001.01", "Service Unavailable"),
}

// tillParent is the short code of the business that all tills belong to.
const tillParent = "600100"

// query looks up a business. As public clients read it, the response about a till has its number
// and the number of its parent.
func query(r *format.Request) format.Reply {
	var q struct {
		Type   string `json:"IdentifierType"`
		Number string `json:"Identifier"`
	}
	valid := r.ReadJSON(&q)
	channel, known := channels[q.Type]
	switch {
	case !valid || !known:
		return refuse(http.StatusBadRequest, "400.002.02", "Bad Request - Invalid parameter")
	case !format.ShortCode.MatchString(q.Number):
		return failures[accounts.Unknown]
	}
	account := r.Organization("KE", channel, q.Number)
	found := map[string]any{
		"ConversationID": "simulated", "ResponseCode": "4000", "ResponseMessage": "Success",
		"DetailedMessage": "Request received successfully", "OrganizationShortCode": q.Number,
		"ChargeProfileID": "20013",
	}
	if account.Name != "" {
		found["OrganizationName"] = account.Name
	}
	if channel == core.Till {
		found["OrganizationShortCode"], found["TillNumber"] = tillParent, q.Number
	}
	return failures.Reply(account, format.Answer(http.StatusOK, found))
}
