package providertest

import (
	"strings"
	"time"

	"causeway/core"
)

// Quote is a market with the provider's digits. Bid and Ask are equal if it has no book.
type Quote struct {
	Pair     core.Pair
	Bid, Ask string
	At       time.Time // zero: the time of all quotes
}

// Quotes returns quotes from texts such as "BTC/USDT 64010.1 64010.2".
func Quotes(texts ...string) []Quote {
	out := make([]Quote, len(texts))
	for i, text := range texts {
		fields := strings.Fields(text)
		out[i] = Quote{Pair: Pairs(fields[0])[0], Bid: fields[1], Ask: fields[2]}
	}
	return out
}

// Pairs returns pairs from a text such as "BTC/USDT ETH/USDT".
func Pairs(text string) (pairs []core.Pair) {
	for market := range strings.FieldsSeq(text) {
		base, counter, _ := strings.Cut(market, "/")
		pairs = append(pairs, core.Pair{Base: base, Counter: counter})
	}
	return pairs
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
