package paystack

import (
	"maps"
	"net/http"
	"slices"
	"strings"

	"causeway/adapters/upstream/holder"
)

const southAfrica = "ZA"

// country is how Paystack knows a country.
type country struct {
	name     string // the value of the parameter, and in rows but for case
	currency string // ISO 4217
	resolves bool   // bank/resolve answers for it
}

// countries by ISO code. Source: PaystackOSS/openapi paths/bank.yaml (2025-10-24); Ivory Coast's
// spelling and currency are general knowledge. Resolution:
// paystack.com/docs/identity-verification/verify-account-number (2026-08).
var countries = map[string]country{
	"NG":        {"nigeria", "NGN", true},
	"GH":        {"ghana", "GHS", true},
	"KE":        {"kenya", "KES", false},
	southAfrica: {"south africa", "ZAR", false},
	"CI":        {"cote d'ivoire", "XOF", false},
}

func served() []string { return slices.Sorted(maps.Keys(countries)) }

// named returns the country of a row, or "" for a name that is not known.
func named(name string) string {
	for code, c := range countries {
		if strings.EqualFold(c.name, name) {
			return code
		}
	}
	return ""
}

// texts are the known texts of failures, lower case, without a last full stop. Other texts and
// statuses decide nothing. Sources: [T] a published test fixture, [L] measured live by a third
// party, [K] assumed, as similar providers phrase it.
var texts = append([]holder.Text{
	// [T] The documented response to an unknown account or a wrong bank is 422; 400 means the same.
	// [K] An outage of the bank may have the same text, so that it is not sure by itself. It decides
	// nothing if its type or code says that the bank failed (see doubtful).
	{Text: unresolved, Statuses: unresolving, Meaning: holder.ProbablyNone},
	// [T] Clients of resolve handle it in addition to the 422. Also inside a 200 with status false.
	{Text: "invalid account number", Statuses: refusals, Meaning: holder.NoAccount},
	// [L] verificationMessage of a recorded 400 of bank/validate, 2026-11.
	{
		Text: "the provided bank account number is invalid", Statuses: []int{http.StatusBadRequest},
		Meaning: holder.NoAccount,
	},
	// [L] 429, measured 2026-09-14; other applications saw 400.
	{
		Text: "test mode daily limit", Prefix: true, Statuses: append(refusals, http.StatusTooManyRequests),
		Meaning: holder.QuotaReached,
	},
}, holder.ClosedTexts(refusals)...)

// blaming are the texts of failures whose type blames the request: then the bank was reached.
var blaming = append([]holder.Text{
	{Text: unresolved, Statuses: unresolving, Meaning: holder.NoAccount},
}, texts...)

const unresolved = "could not resolve account name. check parameters or try again"

// unresolving are the statuses with which the text has a meaning.
var unresolving = []int{http.StatusBadRequest, http.StatusUnprocessableEntity}

// validationError is the type of a failure that blames the request. Source: as with doubtful.
const validationError = "validation_error"

// refusals are the statuses of responses to valid requests.
var refusals = []int{http.StatusOK, http.StatusBadRequest, http.StatusUnprocessableEntity}

// doubtful are values of type and code with which a failure says nothing about the account,
// whatever its text. Source: PaystackOSS/openapi components/schemas/Error.yaml; invalid_bank_code:
// published fixtures of clients, where it comes with 422 and the text of an unknown account
// although the bank code, not the account, may be wrong.
var doubtful = []string{"processor_error", "api_error", "invalid_bank_code"}

// trunks say what takes the place of the calling code where a phone number is an account number: in
// Ghana the trunk 0, in Nigeria nothing (a wallet's account number is the phone number without it).
// Source: public clients of bank/resolve and the NUBAN practice of wallets (2026-11).
var trunks = map[string]struct{ calling, digit string }{
	"GH": {"+233", "0"},
	"NG": {"+234", ""},
}
