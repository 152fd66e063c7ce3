package monnify

import (
	"net/http"

	"causeway/adapters/upstream/holder"
)

// refusals are the statuses of responses to valid requests. With which ones failures come is
// general knowledge.
var refusals = []int{http.StatusOK, http.StatusBadRequest, http.StatusNotFound, http.StatusUnprocessableEntity}

// texts are the known reasons of failures, lower case, without a last full stop. Other texts, and
// other statuses, decide nothing. Sources: [D] vendor documentation, [K] assumed, as similar
// providers phrase it.
var texts = append([]holder.Text{
	// [D] teamapt.atlassian.net/wiki/spaces/MON/pages/454557732, "Supplied account number is not
	// valid", about /vas/bvn-account-match. [K] That account/validate has the same text.
	{Text: "invalid account", Statuses: refusals, Meaning: holder.NoAccount},
}, holder.ClosedTexts(refusals)...)
