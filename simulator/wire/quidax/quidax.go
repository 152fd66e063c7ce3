// Package quidax simulates the public market data of Quidax: tickers with the members of Peatio,
// keyed by markets in lower case, with a time in seconds. A side without orders is "0.0".
//
// API: https://docs.quidax.io (read 2026-11).
package quidax

import (
	"net/http"
	"strings"

	"github.com/shopspring/decimal"

	"causeway/simulator/market"
	"causeway/simulator/wire/format"
)

const (
	basePath    = "/exchange-open-api/api/v1"
	tickersPath = basePath + "/markets/tickers"
)

// Descriptor describes the simulated provider.
var Descriptor = format.Descriptor{
	Name:       market.Quidax,
	Hosts:      []string{"openapi.quidax.io"},
	Path:       basePath,
	Respond:    respond,
	Operations: []format.Operation{{Name: "tickers", Path: tickersPath, Priced: true}},
	Prices:     []string{"data.*.ticker.sell", "data.*.ticker.buy", "data.*.ticker.last"},
	Times:      []format.TimeField{{Place: "data.*.at", Unit: format.Seconds}},
}

// emptyMarket is listed and has no orders.
const emptyMarket = "dashngn"

func respond(r *format.Request) format.Reply {
	if r.URL.Path != tickersPath {
		return format.Answer(http.StatusNotFound, map[string]any{"status": "error", "message": "Not Found", "data": nil})
	}
	const none = "0.0"
	markets := map[string]any{emptyMarket: map[string]any{"at": r.Now.Unix(), "ticker": map[string]string{
		"buy": none, "sell": none, "last": none, "vol": none,
	}}}
	for _, pair := range r.Traded() {
		q := r.Book(pair)
		markets[strings.ToLower(pair.ID())] = map[string]any{"at": q.Made.Unix(), "ticker": map[string]string{
			"buy": number(q.Bid), "sell": number(q.Ask), // the best bid and ask
			"last": number(q.Last), "vol": number(q.Volume),
		}}
	}
	return format.Answer(http.StatusOK, map[string]any{"status": "success", "message": "Successful", "data": markets})
}

// number has one decimal place or more.
func number(a decimal.Decimal) string { return format.Pointed(a.String()) }
