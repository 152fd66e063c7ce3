// Package kraken simulates the API of Kraken: the order book over REST and WebSocket.
package kraken

import (
	"cmp"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/shopspring/decimal"

	"causeway/core"
	"causeway/simulator/market"
	"causeway/simulator/wire/provider"
	"causeway/simulator/world"
)

const basePath = "/0/public/"

// Descriptor describes the simulated provider.
var Descriptor = provider.Descriptor{
	Name:  market.Kraken,
	Hosts: []string{"api.kraken.com", "ws.kraken.com"},
	New:   newKraken,
	FaultPoints: provider.FaultPoints{
		Operations: []provider.Operation{
			{Name: "ticker", Path: basePath + "Ticker"}, {Name: "time", Path: basePath + "Time"},
		},
		Priced: []string{"ticker"},
		Prices: []string{
			"result.*.a.0", "result.*.b.0", "result.*.c.0", "result.*.h.*", "result.*.l.*", "result.*.p.*", "result.*.o",
		},
	},
	Divergences: provider.SocketDivergences,
}

// kraken is the public REST API of Kraken,
// https://docs.kraken.com/api/docs/rest-api/get-ticker-information (read 2026-08): status 200 with
// an array of errors; results by canonical names, except for names with a slash, which come back as
// they are; one unknown pair fails the whole request; no time of a quote.
type kraken struct{ world *world.World }

// book is a market under its three names.
type book struct {
	pair   core.Pair
	key    string // canonical: XXBTZUSD
	alt    string // XBTUSD
	socket string // XBT/USD
}

func newKraken(sim *world.World) http.Handler {
	k := &kraken{sim}
	mux := http.NewServeMux()
	mux.HandleFunc(socketPath, k.socket)
	mux.Handle("/", provider.Serve(sim, k.respond))
	return mux
}

var (
	// tickers are Kraken's tickers of assets that are different elsewhere.
	tickers = map[string]string{"BTC": "XBT", "DOGE": "XDG"}

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

func newBook(pair core.Pair) book {
	base, counter := cmp.Or(tickers[pair.Base], pair.Base), cmp.Or(tickers[pair.Counter], pair.Counter)
	b := book{pair: pair, alt: base + counter, socket: base + "/" + counter, key: base + counter}
	if canonical[base] != "" && canonical[counter] != "" {
		b.key = canonical[base] + canonical[counter]
	}
	b.key = cmp.Or(keys[b.alt], b.key)
	return b
}

func success(result any) provider.Reply {
	return provider.Answer(http.StatusOK, map[string]any{"error": []string{}, "result": result})
}

func refuse(text string) provider.Reply {
	return provider.Answer(http.StatusOK, map[string]any{"error": []string{text}})
}

func (k *kraken) respond(r *http.Request, now time.Time) provider.Reply {
	method, public := strings.CutPrefix(r.URL.Path, basePath)
	switch {
	case !public:
		return provider.Text(http.StatusNotFound, "404 Not Found\n")
	case method == "Ticker":
		return k.tickers(r.URL.Query().Get("pair"), now)
	case method == "Time":
		return success(map[string]any{"unixtime": now.Unix(), "rfc1123": now.Format("Mon, 02 Jan 06 15:04:05 -0700")})
	default:
		return refuse("EGeneral:Unknown method")
	}
}

// tickers responds with the markets of a query, or with all that are traded.
func (k *kraken) tickers(query string, now time.Time) provider.Reply {
	result := map[string]any{}
	var books []book
	for _, pair := range k.world.Market().Traded(market.Kraken, now) {
		books = append(books, newBook(pair))
	}
	if query == "" {
		for _, b := range books {
			result[b.key] = k.ticker(b.pair, now)
		}
		return success(result)
	}
	for name := range strings.SplitSeq(query, ",") {
		name = strings.TrimSpace(name)
		i := slices.IndexFunc(books, func(b book) bool { return name == b.key || name == b.alt || name == b.socket })
		if i < 0 {
			return refuse("EQuery:Unknown asset pair")
		}
		if name != books[i].socket {
			name = books[i].key
		}
		result[name] = k.ticker(books[i].pair, now)
	}
	return success(result)
}

// ticker returns one market. Pairs of values are of today and of the last 24 hours.
func (k *kraken) ticker(pair core.Pair, now time.Time) map[string]any {
	q := provider.QuoteOf(k.world, market.Kraken, pair, now)
	return map[string]any{
		"a": side(q.Ask, q.AskSize),
		"b": side(q.Bid, q.BidSize),
		"c": []string{price(q.Last), market.Padded(q.LastSize, 8)},
		"v": []string{market.Padded(q.Today.Volume, 8), market.Padded(q.Day.Volume, 8)},
		"p": []string{price(q.Today.Average), price(q.Day.Average)},
		"t": []int64{q.Today.Trades, q.Day.Trades},
		"l": []string{price(q.Today.Low), price(q.Day.Low)},
		"h": []string{price(q.Today.High), price(q.Day.High)},
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
