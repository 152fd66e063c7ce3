package korapay

import (
	"net/http"
	"strings"

	"causeway/adapters/upstream/holder"
	"causeway/core"
)

// Paths of the lists; with /resolve behind, of the resolutions.
const (
	banks   = "/misc/banks"
	wallets = "/misc/mobile-money"
)

// country is how Kora knows a country.
type country struct {
	currency string         // ISO 4217
	lists    []string       // paths
	resolves []core.Channel // on which accounts are named
}

// countries by ISO code. Source: developers.korapay.com/docs/payout-via-api, steps 1 and 2
// (2026-06-07).
var countries = map[string]country{
	"NG": {"NGN", []string{banks}, []core.Channel{core.BankTransfer, core.MobileMoney}},
	"KE": {"KES", []string{banks, wallets}, []core.Channel{core.BankTransfer}},
	"GH": {"GHS", []string{wallets}, []core.Channel{core.MobileMoney}},
	"ZA": {"ZAR", []string{banks}, nil},
}

// operators are the usual short codes of operators of mobile money by Kora's slugs. safaricom-ke
// and mtn-gh are in its documentation, airtel-gh in public client code; the others are general
// knowledge.
var operators = map[string]string{
	"safaricom-ke": "MPESA", "mpesa-ke": "MPESA", "airtel-ke": "AIRTEL",
	"mtn-gh": "MTN", "vodafone-gh": "VOD", "telecel-gh": "VOD", "airtel-gh": "ATL", "airteltigo-gh": "ATL",
}

// slugCode is a slug in the form of a code.
func slugCode(slug string) string { return strings.ToUpper(strings.TrimSpace(slug)) }

// refusals are the statuses of responses to valid requests.
var refusals = []int{http.StatusOK, http.StatusBadRequest, http.StatusNotFound, http.StatusUnprocessableEntity}

// texts are the known texts of failures, lower case, without a last full stop. One that is not
// here, or has another status, says nothing: above all "unable to resolve bank account", which is
// said where the account could not be validated, whyever. Sources: [D] vendor documentation, [K]
// assumed, as similar providers phrase it.
var texts = append([]holder.Text{
	// [D] developers.korapay.com/docs/errors: "when the bank account details provided … is not valid".
	{Text: "invalid account", Statuses: refusals, Meaning: holder.NoAccount},
}, holder.ClosedTexts(refusals)...)
