// Package binance simulates the market data of Binance Spot over REST and WebSocket. Over REST, the
// response is an array for several symbols or all, in its own order; one unknown symbol fails the
// whole request; eight decimal places everywhere; no time of a quote.
//
// API: https://github.com/binance/binance-spot-api-docs rest-api.md, errors.md (2026-07-21).
package binance

import (
	"net/http"
	"slices"
	"strings"

	"causeway/core"
	"causeway/simulator/market"
	"causeway/simulator/wire/format"
)

const (
	tickerPath = "/api/v3/ticker/bookTicker"
	infoPath   = "/api/v3/exchangeInfo"
)

// Descriptor describes the simulated provider.
var Descriptor = format.Descriptor{
	Name: market.Binance,
	Hosts: []string{
		"api-gcp.binance.com", "api.binance.com", "api1.binance.com", "api2.binance.com", "api3.binance.com",
		"api4.binance.com", "data-api.binance.vision", "data-stream.binance.vision", "stream.binance.com",
	},
	Respond:    respond,
	SocketPath: "/stream",
	Socket:     serveStreams,
	Operations: []format.Operation{
		{Name: "book_ticker", Path: tickerPath, Priced: true}, {Name: "status", Path: infoPath},
	},
	Prices: []string{"*.askPrice", "*.bidPrice"},
}

func respond(r *format.Request) format.Reply {
	reply, weight := format.Text(http.StatusNotFound, "<html><body><h2>404 Not found</h2></body></html>"), "1"
	reply.Content = format.ContentHTML
	switch r.URL.Path {
	case tickerPath:
		weight = "4"
		reply = selected(r, func(pairs []core.Pair) any {
			rows := make([]map[string]string, len(pairs))
			for i, pair := range pairs {
				rows[i] = ticker(r.Book(pair))
			}
			return rows
		})
	case infoPath:
		reply, weight = selected(r, func(pairs []core.Pair) any { return info(r, pairs) }), "20"
	}
	return reply.With("X-Mbx-Used-Weight", weight).With("X-Mbx-Used-Weight-1m", weight)
}

// selected responds with the markets of a query, or with all that are traded. The parameter is a
// JSON array.
func selected(r *format.Request, show func([]core.Pair) any) format.Reply {
	pairs, query := r.Traded(), r.URL.Query()
	if query.Has("symbols") {
		symbols := strings.Split(strings.Trim(query.Get("symbols"), `[]"`), `","`)
		pairs = slices.DeleteFunc(pairs, func(p core.Pair) bool { return !slices.Contains(symbols, p.ID()) })
		if len(pairs) < len(symbols) {
			return format.Answer(http.StatusBadRequest, map[string]any{"code": -1121, "msg": "Invalid symbol."})
		}
	}
	return format.Answer(http.StatusOK, show(pairs))
}

func info(r *format.Request, pairs []core.Pair) map[string]any {
	rows := make([]map[string]string, len(pairs))
	for i, pair := range pairs {
		rows[i] = map[string]string{
			"symbol": pair.ID(), "status": "TRADING", "baseAsset": pair.Base, "quoteAsset": pair.Counter,
		}
	}
	return map[string]any{"timezone": "UTC", "serverTime": r.Now.UnixMilli(), "symbols": rows}
}

func ticker(top market.Book) map[string]string {
	const places = 8
	return map[string]string{
		"symbol":   top.Pair.ID(),
		"bidPrice": market.Padded(top.Bid, places), "bidQty": market.Padded(top.BidSize, places),
		"askPrice": market.Padded(top.Ask, places), "askQty": market.Padded(top.AskSize, places),
	}
}
