// Package kraken simulates the public market data of Kraken over REST and WebSocket. Over REST, a
// response has status 200 with an array of errors; results have canonical names, except for names
// with a slash, which come back as they are; one unknown pair fails the whole request; quotes have
// no time. The system and all pairs that are traded are online.
//
// API: https://docs.kraken.com/api/docs/rest-api/get-ticker-information (read 2026-08).
package kraken

import (
	"cmp"
	"net/http"
	"strings"
	"time"

	"github.com/shopspring/decimal"

	"causeway/core"
	"causeway/simulator/market"
	"causeway/simulator/wire/format"
)

const basePath = "/0/public/"

// Descriptor describes the simulated provider.
var Descriptor = format.Descriptor{
	Name:       market.Kraken,
	Hosts:      []string{"api.kraken.com", "ws.kraken.com"},
	Respond:    respond,
	SocketPath: "/v2",
	Socket:     serveSocket,
	Operations: []format.Operation{
		{Name: "ticker", Path: basePath + "Ticker", Priced: true},
		{Name: "status", Path: basePath + "SystemStatus"},
		{Name: "status_pairs", Path: basePath + "AssetPairs"},
	},
	Prices: []string{
		"result.*.a.0", "result.*.b.0", "result.*.c.0", "result.*.h.*", "result.*.l.*", "result.*.p.*", "result.*.o",
	},
}

var (
	// aliases are Kraken's tickers of assets that are different elsewhere.
	aliases = map[string]string{"BTC": "XBT", "DOGE": "XDG"}

	// canonical are the canonical names of the oldest assets. Newer ones are plain: SOL, USDT, USDC.
	canonical = map[string]string{
		"XBT": "XXBT", "ETH": "XETH", "LTC": "XLTC", "XRP": "XXRP", "XLM": "XXLM", "ETC": "XETC", "XDG": "XXDG",
		"USD": "ZUSD", "EUR": "ZEUR", "GBP": "ZGBP",
	}

	// keys are the canonical names of markets that follow no rule: markets of old assets that were
	// opened late.
	keys = map[string]string{
		"XDGUSD": "XDGUSD", "XDGEUR": "XDGEUR", "XDGGBP": "XDGGBP", "LTCGBP": "LTCGBP", "XRPGBP": "XRPGBP",
		"XLMGBP": "XLMGBP", "EURGBP": "EURGBP", "USDTUSD": "USDTZUSD",
	}
)

// names returns the three names of a market: XXBTZUSD, XBTUSD and XBT/USD.
func names(pair core.Pair) (key, plain, slashed string) {
	base, counter := cmp.Or(aliases[pair.Base], pair.Base), cmp.Or(aliases[pair.Counter], pair.Counter)
	plain, slashed = base+counter, base+"/"+counter
	key = plain
	if canonical[base] != "" && canonical[counter] != "" {
		key = canonical[base] + canonical[counter]
	}
	return cmp.Or(keys[plain], key), plain, slashed
}

func success(result any) format.Reply {
	return format.Answer(http.StatusOK, map[string]any{"error": []string{}, "result": result})
}

func refuse(text string) format.Reply {
	return format.Answer(http.StatusOK, map[string]any{"error": []string{text}})
}

func respond(r *format.Request) format.Reply {
	method, public := strings.CutPrefix(r.URL.Path, basePath)
	switch {
	case !public:
		return format.Text(http.StatusNotFound, "404 Not Found\n")
	case method == "Ticker":
		return each(r, func(pair core.Pair) any { return ticker(r.Book(pair)) })
	case method == "SystemStatus":
		return success(map[string]string{"status": "online", "timestamp": r.Now.UTC().Format(time.RFC3339)})
	case method == "AssetPairs":
		return each(r, func(pair core.Pair) any {
			_, plain, slashed := names(pair)
			return map[string]string{"altname": plain, "wsname": slashed, "status": "online"}
		})
	default:
		return refuse("EGeneral:Unknown method")
	}
}

// each responds with the markets of a query, or with all that are traded.
func each(r *format.Request, show func(core.Pair) any) format.Reply {
	result, named := map[string]any{}, map[string]core.Pair{}
	query := r.URL.Query().Get("pair")
	for _, pair := range r.Traded() {
		key, plain, slashed := names(pair)
		if query == "" {
			result[key] = show(pair)
			continue
		}
		named[key], named[plain], named[slashed] = pair, pair, pair
	}
	if query == "" {
		return success(result)
	}
	for name := range strings.SplitSeq(query, ",") {
		name = strings.TrimSpace(name)
		pair, known := named[name]
		if !known {
			return refuse("EQuery:Unknown asset pair")
		}
		if !strings.Contains(name, "/") {
			name, _, _ = names(pair)
		}
		result[name] = show(pair)
	}
	return success(result)
}

// ticker returns one market. Pairs of values are of today and of the last 24 hours, and the same
// here.
func ticker(q market.Book) map[string]any {
	low, high := decimal.Min(q.Open, q.Last), decimal.Max(q.Open, q.Last)
	day := func(value string) []string { return []string{value, value} }
	return map[string]any{
		"a": side(q.Ask, q.AskSize),
		"b": side(q.Bid, q.BidSize),
		"c": []string{price(q.Last), market.Padded(q.LastSize, 8)},
		"v": day(market.Padded(q.Volume, 8)),
		"p": day(price(decimal.Avg(low, high).Round(-low.Exponent()))),
		"t": []int64{q.Trades, q.Trades},
		"l": day(price(low)),
		"h": day(price(high)),
		"o": price(q.Open),
	}
}

// side returns a price with its size in whole lots and in lots.
func side(best, size decimal.Decimal) []string {
	whole, _, _ := strings.Cut(size.String(), ".")
	if whole == "0" {
		whole = "1" // the smallest size that is shown
	}
	return []string{price(best), whole, whole + ".000"}
}

// price has five decimal places or more, whatever the tick size.
func price(a decimal.Decimal) string { return market.Padded(a, 5) }
