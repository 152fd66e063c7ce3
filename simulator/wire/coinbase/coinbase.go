// Package coinbase simulates the public market data of Coinbase Exchange: the list of products, and
// the ticker of one product per request, with the current sides of the book, and the price, size
// and time of the last trade. Clients without a User-Agent get 400, and products that are
// not traded 404.
//
// API: https://docs.cdp.coinbase.com/api-reference/exchange-api/rest-api/products/get-product-ticker
// (read 2026-10).
package coinbase

import (
	"net/http"
	"slices"
	"strings"
	"time"

	"causeway/core"
	"causeway/simulator/market"
	"causeway/simulator/wire/format"
)

// Descriptor describes the simulated provider.
var Descriptor = format.Descriptor{
	Name:    market.Coinbase,
	Hosts:   []string{"api.exchange.coinbase.com"},
	Respond: respond,
	Operations: []format.Operation{
		{Name: "ticker", Path: "/products/*/ticker", Priced: true}, {Name: "status", Path: productsPath},
	},
	Prices:  []string{"ask", "bid", "price"},
	Times:   []format.TimeField{{Place: "time", Unit: format.ClockTime}},
	Markets: [2]string{"/products/BTC-USD/ticker", "/products/SOL-USD/ticker"},
}

const productsPath = "/products"

func refuse(status int, text string) format.Reply {
	return format.Answer(status, map[string]string{"message": text})
}

// delisted is a product that was traded once.
const delisted = "REP-USD"

func respond(r *format.Request) format.Reply {
	product, isProduct := strings.CutPrefix(r.URL.Path, "/products/")
	product, isTicker := strings.CutSuffix(strings.ToUpper(product), "/TICKER")
	base, counter, _ := strings.Cut(product, "-")
	pair := core.Pair{Base: base, Counter: counter}
	switch {
	case r.Header.Get("User-Agent") == "":
		return refuse(http.StatusBadRequest, "User-Agent header is required.")
	case r.URL.Path == productsPath:
		return format.Answer(http.StatusOK, r.Markets(listed))
	case !isProduct || !isTicker:
		return refuse(http.StatusNotFound, "Route not found")
	case product == delisted:
		return refuse(http.StatusBadRequest, "Not allowed for delisted products")
	case !slices.Contains(r.Traded(), pair):
		return refuse(http.StatusNotFound, "NotFound")
	default:
		return format.Answer(http.StatusOK, ticker(r, pair))
	}
}

// listed returns a product that is open for trading.
func listed(pair core.Pair) map[string]any {
	return map[string]any{
		"id": pair.Base + "-" + pair.Counter, "base_currency": pair.Base, "quote_currency": pair.Counter,
		"post_only": false, "limit_only": false, "cancel_only": false, "status": "online", "status_message": "",
		"trading_disabled": false, "auction_mode": false,
	}
}

// tradeSeldom is how many times fewer trades a product has than its turnover would allow: quiet
// ones have none for up to two minutes.
const tradeSeldom = 20

// ticker returns a book with its last trade: the quieter a market, the older its last trade.
func ticker(r *format.Request, pair core.Pair) map[string]any {
	q := r.Book(pair)
	gap := tradeSeldom * 24 * time.Hour / time.Duration(max(q.Trades, 1))
	return map[string]any{
		"ask": q.Ask.String(), "bid": q.Bid.String(), "volume": market.Padded(q.Volume, 8),
		"trade_id": r.Now.UnixNano() / int64(gap), "price": q.Last.String(), "size": market.Padded(q.LastSize, 8),
		"time": r.Now.Truncate(gap).UTC().Format(string(format.ClockTime)),
	}
}
