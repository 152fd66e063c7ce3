package busha

import (
	"net/http"

	"causeway/adapters/upstream/holder"
	"causeway/core"
)

const (
	nigeria = "NG"
	kenya   = "KE"
)

// country is how Busha knows a country.
type country struct {
	currency string         // ISO 4217
	resolves []core.Channel // on which accounts are named
}

// countries by ISO code: those to which it pays out. Source:
// docs.busha.io/guides/reference/supported-countries (Nigeria: bank transfer, Kenya: mobile money),
// and the channels of its operation resolve-bank-account; that pay bills and tills are Kenya's is
// general knowledge.
var countries = map[string]country{
	nigeria: {"NGN", []core.Channel{core.BankTransfer, core.MobileMoney}},
	kenya:   {"KES", []core.Channel{core.MobileMoney, core.PayBill, core.Till}},
}

// texts are the known texts of "not_found", lower case, without a last full stop. One that is not
// here, or has another status, says nothing: above all that a resource or a path does not exist.
// Sources: [S] the documented responses of resolve-bank-account, [K] assumed, as similar providers
// phrase it.
var texts = append([]holder.Text{
	// [S] "No account …".
	{Text: "no account with this number exists", Prefix: true, Statuses: missing, Meaning: holder.NoAccount},
	{Text: "no account with this number was found", Prefix: true, Statuses: missing, Meaning: holder.NoAccount},
	{Text: "the account is closed or dormant", Statuses: missing, Meaning: holder.Closed},
	// [K]
	{Text: "account not found", Statuses: missing, Meaning: holder.NoAccount},
}, holder.ClosedTexts(missing)...)

var missing = []int{http.StatusNotFound}
