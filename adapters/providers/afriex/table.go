package afriex

import (
	"net/http"

	"causeway/adapters/upstream/holder"
)

// Channels of the API.
const (
	banks   = "BANK_ACCOUNT"
	wallets = "MOBILE_MONEY"
)

// country is how Afriex knows a country.
type country struct {
	currency string // ISO 4217
	channel  string // on which accounts are named
}

// countries by ISO code: those of ours that resolve takes. Source: parameters channel and
// countryCode of resolve in the OpenAPI document.
var countries = map[string]country{
	"NG": {"NGN", banks},
	"GH": {"GHS", banks},
	"KE": {"KES", wallets},
	"UG": {"UGX", wallets},
	"TZ": {"TZS", wallets},
	"RW": {"RWF", wallets},
	"CI": {"XOF", wallets},
	"SN": {"XOF", wallets},
	"CM": {"XAF", wallets},
}

// refusals are the statuses of responses to valid requests.
var refusals = []int{http.StatusBadRequest, http.StatusNotFound, http.StatusUnprocessableEntity}

// texts are the known words of failures, lower case, without a last full stop: notFound's code,
// else details.errorMessage. One that is not here, or has another status, says nothing. Source: [S]
// the OpenAPI document.
var texts = append([]holder.Text{
	// [S] resolve, 404, "Account not found".
	{Text: "payment_method_not_found", Statuses: []int{http.StatusNotFound}, Meaning: holder.NoAccount},
}, holder.ClosedTexts(refusals)...)
