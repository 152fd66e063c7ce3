// Package luno simulates the public market data of Luno: the tickers of its markets. Bitcoin is
// XBT, prices are text, and times are in milliseconds.
//
// API: https://www.luno.com/en/developers/api (read 2026-11).
package luno

import (
	"net/http"
	"strings"

	"github.com/shopspring/decimal"

	"causeway/simulator/market"
	"causeway/simulator/wire/format"
)

const tickersPath = "/api/1/tickers"

// Descriptor describes the simulated provider.
var Descriptor = format.Descriptor{
	Name:       market.Luno,
	Hosts:      []string{"api.luno.com"},
	Respond:    respond,
	Operations: []format.Operation{{Name: "tickers", Path: tickersPath, Priced: true}},
	Prices:     []string{"tickers.*.ask", "tickers.*.bid", "tickers.*.last_trade"},
	Times:      []format.TimeField{{Place: "tickers.*.timestamp", Unit: format.Milliseconds}},
}

func respond(r *format.Request) format.Reply {
	if r.URL.Path != tickersPath {
		return format.Answer(http.StatusNotFound, map[string]string{"error": "Not found", "error_code": "ErrNotFound"})
	}
	tickers := r.Tickers(func(q market.Book) map[string]any {
		return map[string]any{
			"pair": strings.ReplaceAll(q.Pair.ID(), "BTC", "XBT"), "timestamp": q.Made.UnixMilli(), "status": "ACTIVE",
			"bid": price(q.Bid), "ask": price(q.Ask), "last_trade": price(q.Last),
			"rolling_24_hour_volume": market.Padded(q.Volume, 6),
		}
	})
	return format.Answer(http.StatusOK, map[string]any{"tickers": tickers})
}

// price has two decimals or more.
func price(a decimal.Decimal) string { return market.Padded(a, 2) }
