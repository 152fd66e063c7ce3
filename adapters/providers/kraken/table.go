package kraken

import (
	"slices"
	"strings"

	"causeway/adapters/providers/tickers"
	"causeway/adapters/upstream"
	"causeway/core"
)

// spellings are the tickers of Kraken that differ from the usual ones. Source: ccxt
// ts/src/kraken.ts and api-evangelist/kraken (2026-06).
var spellings = map[string]string{"BTC": "XBT", "DOGE": "XDG"}

// The oldest currencies have a prefix in canonical names: X for crypto, Z for fiat. Newer ones are
// plain. Source: Kraken's AssetPairs as ccxt and gocryptotrader read it (2026-07).
var (
	prefixedX = []string{"ETC", "ETH", "LTC", "MLN", "REP", "XBT", "XDG", "XLM", "XMR", "XRP", "ZEC"}
	prefixedZ = []string{"AUD", "CAD", "EUR", "GBP", "JPY", "USD"}
)

// faults are the known errors by their beginnings. All others count as outages. Source:
// https://docs.kraken.com/api/docs/guides/spot-errors (2026-08) and api-evangelist/kraken errors/
// (2026-06).
var faults = []struct {
	text    string
	outcome upstream.Outcome
	reason  string
}{
	{"EAPI:Rate limit exceeded", upstream.Throttled, "rate limit exceeded"},
	{"EGeneral:Too many requests", upstream.Throttled, "too many requests"},
	{"EGeneral:Temporary lockout", upstream.Throttled, "temporary lockout"}, // about 15 minutes
	{"EGeneral:Permission denied", upstream.Refused, "permission denied"},
	{"EService:Unavailable", upstream.Unavailable, "service unavailable"},
	{"EService:Busy", upstream.Unavailable, "service busy"},
}

// fault reads the array of errors. It returns nil if there are only warnings.
func fault(texts []string) error {
	for _, text := range texts {
		if strings.HasPrefix(text, "W") {
			continue
		}
		if strings.HasPrefix(text, "EQuery:Unknown asset pair") {
			return tickers.ErrUnknownSymbol
		}
		for _, f := range faults {
			if strings.HasPrefix(text, f.text) {
				return upstream.Fail(f.outcome, f.reason)
			}
		}
		return upstream.Fail(upstream.Unavailable, "unknown error")
	}
	return nil
}

// spell returns Kraken's ticker of a currency.
func spell(code string) string {
	if s, ok := spellings[code]; ok {
		return s
	}
	return code
}

// canonical returns a ticker with its prefix, if it has one.
func canonical(code string) string {
	switch {
	case slices.Contains(prefixedX, code):
		return "X" + code
	case slices.Contains(prefixedZ, code):
		return "Z" + code
	default:
		return code
	}
}

// names returns the names that a market may have in a response, the usual one first.
func names(market core.Pair) []string {
	base, counter := spell(market.Base), spell(market.Counter)
	return []string{
		canonical(base) + canonical(counter),
		base + counter,
		base + canonical(counter), // USDTZUSD, and XDG, which lost its prefix in some lists
		canonical(base) + counter,
		base + "/" + counter,
		market.Base + "/" + market.Counter,
	}
}
