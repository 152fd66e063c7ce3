// Package coinbase simulates the API of Coinbase Exchange: the tickers of its products.
package coinbase

import (
	"net/http"
	"slices"
	"strings"
	"time"

	"causeway/core"
	"causeway/simulator/market"
	"causeway/simulator/wire/provider"
	"causeway/simulator/world"
)

// Descriptor describes the simulated provider.
var Descriptor = provider.Descriptor{
	Name:  market.Coinbase,
	Hosts: []string{"api.exchange.coinbase.com"},
	New:   func(w *world.World) http.Handler { return provider.Serve(w, (&coinbase{w}).respond) },
	FaultPoints: provider.FaultPoints{
		Operations: []provider.Operation{{Name: "ticker", Path: "/products/*/ticker"}},
		Priced:     []string{"ticker"},
		Prices:     []string{"ask", "bid", "price"},
		Times:      []provider.TimeField{{Place: "time", Unit: provider.ClockTime}},
		Another:    provider.AnotherPath("/products/BTC-USD/ticker", "/products/SOL-USD/ticker"),
	},
	Divergences: []provider.Divergence{
		{
			What: "A ticker has no rfq_volume and no conversions_volume.",
			Why:  provider.Unread,
			Test: "simulator/wire.TestDocumentedShape",
		},
		{
			What: "A quiet market is without a trade for two minutes at most.",
			Why:  "Real ones may be quiet for hours; the age of the last trade is not the age of the book either way.",
			Test: "simulator/wire.TestCoinbase_LastTrade",
		},
	},
}

// coinbase is the public REST API of Coinbase Exchange,
// https://docs.cdp.coinbase.com/api-reference/exchange-api/rest-api/products/get-product-ticker
// (read 2026-10): one product per request, the current sides of the book beside the price, the size
// and the time of the last trade, 400 for clients without a User-Agent, 404 with a message for
// products that it does not trade.
type coinbase struct{ world *world.World }

func refuse(status int, text string) provider.Reply {
	return provider.Answer(status, map[string]string{"message": text})
}

// delisted is a product that was traded once.
const delisted = "REP-USD"

func (c *coinbase) respond(r *http.Request, now time.Time) provider.Reply {
	product, isProduct := strings.CutPrefix(r.URL.Path, "/products/")
	product, isTicker := strings.CutSuffix(strings.ToUpper(product), "/TICKER")
	base, counter, _ := strings.Cut(product, "-")
	pair := core.Pair{Base: base, Counter: counter}
	switch {
	case r.Header.Get("User-Agent") == "":
		return refuse(http.StatusBadRequest, "User-Agent header is required.")
	case !isProduct || !isTicker:
		return refuse(http.StatusNotFound, "Route not found")
	case product == delisted:
		return refuse(http.StatusBadRequest, "Not allowed for delisted products")
	case !slices.Contains(c.world.Market().Traded(market.Coinbase, now), pair):
		return refuse(http.StatusNotFound, "NotFound")
	default:
		return provider.Answer(http.StatusOK, c.ticker(pair, now))
	}
}

// tradeSeldom is how many times fewer trades a product has than its turnover would allow: quiet
// ones have none for up to two minutes.
const tradeSeldom = 20

// ticker returns a book with its last trade: the quieter a market, the older its last trade.
func (c *coinbase) ticker(pair core.Pair, now time.Time) map[string]any {
	q := provider.QuoteOf(c.world, market.Coinbase, pair, now)
	gap := tradeSeldom * 24 * time.Hour / time.Duration(max(q.Day.Trades, 1))
	var phase time.Duration // markets do not trade in step
	for _, letter := range []byte(pair.ID()) {
		phase += time.Duration(letter) * 7919 * time.Microsecond
	}
	return map[string]any{
		"ask": q.Ask.String(), "bid": q.Bid.String(), "volume": market.Padded(q.Day.Volume, 8),
		"trade_id": now.UnixNano() / int64(gap), "price": q.Last.String(), "size": market.Padded(q.LastSize, 8),
		"time": now.Add(-phase).Truncate(gap).Add(phase).UTC().Format(string(provider.ClockTime)),
	}
}
