// Package bitstamp simulates the public market data of Bitstamp: the tickers and the status of its pairs. Every
// number is text, and times are in seconds.
//
// API: https://www.bitstamp.net/api/#tag/Tickers (read 2026-11).
package bitstamp

import (
	"net/http"
	"strconv"
	"strings"

	"causeway/core"
	"causeway/simulator/market"
	"causeway/simulator/wire/format"
)

const (
	tickersPath = "/api/v2/ticker/"
	marketsPath = "/api/v2/markets/"
)

// Descriptor describes the simulated provider.
var Descriptor = format.Descriptor{
	Name:    market.Bitstamp,
	Hosts:   []string{"www.bitstamp.net"},
	Respond: respond,
	Operations: []format.Operation{
		{Name: "tickers", Path: tickersPath, Priced: true}, {Name: "status", Path: marketsPath},
	},
	Prices: []string{"*.ask", "*.bid", "*.last"},
	Times:  []format.TimeField{{Place: "*.timestamp", Unit: format.Seconds}},
}

func respond(r *format.Request) format.Reply {
	switch r.URL.Path {
	case tickersPath:
	case marketsPath:
		return format.Answer(http.StatusOK, r.Markets(func(pair core.Pair) map[string]any {
			return map[string]any{"name": pair.String(), "market_symbol": strings.ToLower(pair.ID()), "trading": "Enabled"}
		}))
	default:
		return format.Answer(http.StatusNotFound, map[string]string{
			"status": "error", "reason": "Not found", "code": "API0404",
		})
	}
	return format.Answer(http.StatusOK, r.Tickers(func(q market.Book) map[string]any {
		return map[string]any{
			"pair": q.Pair.String(), "market": q.Pair.String(), "market_type": "SPOT",
			"timestamp": strconv.FormatInt(q.Made.Unix(), 10), "bid": q.Bid.String(), "ask": q.Ask.String(),
			"last": q.Last.String(), "volume": market.Padded(q.Volume, 8),
		}
	}))
}
