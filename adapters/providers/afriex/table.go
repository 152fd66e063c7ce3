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

// countries are the countries of the catalog that resolve supports. Source: parameters channel and
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

// texts are the known texts of failures, lower case, without a last full stop: notFound's code, or
// details.errorMessage. Other texts and statuses decide nothing. Source: [S] the OpenAPI document.
var texts = append([]holder.Text{
	// [S] resolve, 404, "Account not found".
	{Text: "payment_method_not_found", Statuses: []int{http.StatusNotFound}, Meaning: holder.NoAccount},
}, holder.ClosedTexts(refusals)...)
