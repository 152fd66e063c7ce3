package flutterwave

import (
	"net/http"

	"causeway/adapters/upstream/holder"
)

// country is how Flutterwave knows a country.
type country struct {
	currency string   // ISO 4217
	resolves bool     // accounts/resolve answers for it
	wallets  []string // codes of operators of mobile money whose names may not tell
}

// countries by ISO code. Source of the countries: public client code (dunsinadesina/KCOAT). Of the
// rows: github:johnalalade/clyp @ea0ef24 Screens/available_banks.js (dump of 2022-06), and the
// mobile-money codes of public client code.
var countries = map[string]country{
	"NG": {currency: "NGN", resolves: true},
	"GH": {currency: "GHS", wallets: []string{"MTN", "VODAFONE", "AIRTEL", "TIG", "AIR"}},
	"KE": {currency: "KES", wallets: []string{"MPS", "MPX"}},
	"UG": {currency: "UGX", wallets: []string{"MTN-UG", "AIRTEL-UG"}},
	"ZA": {currency: "ZAR"},
	"TZ": {currency: "TZS", wallets: []string{"VODACOM-TZS", "TIGOPESA-TZS", "AIRTEL-TZS"}},
}

// refusals are the statuses of responses to valid requests: usually 400, in API v2 200.
var refusals = []int{http.StatusOK, http.StatusBadRequest}

// texts are the known texts of failures, lower case, without a last full stop. Other texts, and
// other statuses, decide nothing. Sources: [D] vendor documentation, [T] tests of the vendor's SDK,
// [C] public clients, [K] assumed, as similar providers phrase it.
var texts = append([]holder.Text{
	// [D] developer.flutterwave.com/docs/verifications/bank-account.
	{
		Text: "sorry, that account number is invalid, please check and try again", Statuses: refusals,
		Meaning: holder.NoAccount,
	},
	// [T] Unknown accounts, wrong banks and outages have this text in common: it counts only if a
	// second provider agrees.
	{
		Text: "sorry, recipient account could not be validated. please try again", Statuses: refusals,
		Meaning: holder.SharedNone,
	},
	{Text: "recipient account could not be validated. please try again", Statuses: refusals, Meaning: holder.SharedNone},
	// [C] "destbankcode/account_bank must be numeric and only 044 is allowed", also spelled
	// "numberic": a test key.
	{Text: "only 044 is allowed", Within: true, Statuses: refusals, Meaning: holder.QuotaReached},
}, holder.ClosedTexts(refusals)...)
