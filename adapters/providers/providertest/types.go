package providertest

import (
	"time"

	"causeway/core"
)

// Quote is a market with the provider's digits. Bid and Ask are equal if it has no book.
type Quote struct {
	Pair     core.Pair
	Bid, Ask string
	At       time.Time // zero: the time of all quotes
}

// Holder is an account and the name of its holder, trimmed and with inner spaces collapsed.
type Holder struct {
	Query core.AccountQuery
	Name  string
}

// Claim is an account and its claimed holder.
type Claim struct {
	Query  core.AccountQuery
	Holder core.HolderClaim
}

// Claims are claims by name of the case, and what a provider that works says about them.
type Claims struct {
	Matching, Different map[string]Claim
	Unknown, Closed     Claim            // accounts that do not exist and that are closed
	Doubtful            map[string]Claim // without a clear result
	Unsupported         map[string]Claim // about which no request is sent
}
