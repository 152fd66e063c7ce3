package daraja

import (
	"net/http"

	"causeway/adapters/upstream/holder"
	"causeway/core"
)

const (
	kenya     = "KE"
	succeeded = "Success" // ResponseMessage
)

// identifierTypes are Daraja's, by our channels. Source: "B2B Hakikisha", IdentifierType.
var identifierTypes = map[core.Channel]string{core.PayBill: "4", core.Till: "2"}

// successes are the codes of an answer that is well: the page's sample has 4000, its table 0.
var successes = []string{"4000", "0"}

// texts are the known texts of failures, lower case, without a last full stop. Other texts, and
// other statuses, decide nothing. Sources: [T] a published test fixture; how closed ones are worded
// is general knowledge.
var texts = append([]holder.Text{
	// [T] "the real production case" of an unassigned number.
	{Text: "invalid identifier", Statuses: refusals, Meaning: holder.NoAccount},
}, append(
	holder.ClosedTexts(refusals),
	holder.Text{Text: "organization is closed", Statuses: refusals, Meaning: holder.Closed},
	holder.Text{Text: "organization is dormant", Statuses: refusals, Meaning: holder.Closed},
)...)

// refusals are the statuses of responses to valid requests.
var refusals = []int{http.StatusOK}
