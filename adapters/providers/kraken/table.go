package kraken

import (
	"slices"
	"strings"

	"causeway/adapters/upstream"
	"causeway/core"
)

// spellings are the currencies that Kraken calls by another ticker. Source: ccxt ts/src/kraken.ts and
// api-evangelist/kraken (2026-06).
var spellings = map[string]string{"BTC": "XBT", "DOGE": "XDG"}

// Currencies of Kraken's first years carry a prefix in canonical names: X for crypto, Z for fiat. Newer ones are plain.
// Source: Kraken's AssetPairs as ccxt and gocryptotrader read it (2026-07).
var (
	prefixedX = []string{"ETC", "ETH", "LTC", "MLN", "REP", "XBT", "XDG", "XLM", "XMR", "XRP", "ZEC"}
	prefixedZ = []string{"AUD", "CAD", "EUR", "GBP", "JPY", "USD"}
)

// faults are what Kraken says in the error array, by their start. What is in none of the rows is an outage to us.
// Source: https://docs.kraken.com/api/docs/guides/spot-errors (2026-08) and api-evangelist/kraken errors/ (2026-06).
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

// fault reads the error array: nil where it is empty or holds warnings alone.
func fault(texts []string) error {
	for _, text := range texts {
		if strings.HasPrefix(text, "W") {
			continue
		}
		if strings.HasPrefix(text, "EQuery:Unknown asset pair") {
			return errUnknownPair
		}
		for _, f := range faults {
			if strings.HasPrefix(text, f.text) {
				return upstream.Fail(f.outcome, f.reason)
			}
		}
		return upstream.Fail(upstream.Unavailable, "an error that is not in the table")
	}
	return nil
}

// spell is a currency's ticker at Kraken.
func spell(code string) string {
	if s, ok := spellings[code]; ok {
		return s
	}
	return code
}

// canonical is a ticker with its prefix, if it is an old one.
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

// keys are the names under which a market may come back, the usual first.
func keys(market core.Pair) []string {
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
