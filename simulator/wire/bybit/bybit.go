// Package bybit simulates the market data of Bybit's spot market: its tickers and instruments. The envelope has a
// numeric code and the time of the response in milliseconds, errors have status 200, and every
// other number is text.
//
// API: https://bybit-exchange.github.io/docs/v5/market/tickers (read 2026-10).
package bybit

import (
	"net/http"

	"causeway/core"
	"causeway/simulator/market"
	"causeway/simulator/wire/format"
)

const (
	tickersPath     = "/v5/market/tickers"
	instrumentsPath = "/v5/market/instruments-info"

	spot = "spot" // category
)

// Descriptor describes the simulated provider.
var Descriptor = format.Descriptor{
	Name:    market.Bybit,
	Hosts:   []string{"api.bybit.com", "api.bytick.com"},
	Respond: respond,
	Operations: []format.Operation{
		{Name: "tickers", Path: tickersPath, Priced: true}, {Name: "status", Path: instrumentsPath},
	},
	Prices: []string{"result.list.*.ask1Price", "result.list.*.bid1Price", "result.list.*.lastPrice"},
	Times:  []format.TimeField{{Place: "time", Unit: format.Milliseconds}},
}

func respond(r *format.Request) format.Reply {
	list := tickers
	switch r.URL.Path {
	case tickersPath:
	case instrumentsPath:
		list = instruments
	default:
		return format.Text(http.StatusNotFound, "404 page not found")
	}
	code, text, result := 10001, "Illegal category", map[string]any{}
	if r.URL.Query().Get("category") == spot {
		code, text, result = 0, "OK", map[string]any{"category": spot, "list": list(r)}
	}
	return format.Answer(http.StatusOK, map[string]any{
		"retCode": code, "retMsg": text, "result": result, "retExtInfo": map[string]any{}, "time": r.Now.UnixMilli(),
	})
}

func instruments(r *format.Request) []map[string]any {
	return r.Markets(func(pair core.Pair) map[string]any {
		return map[string]any{
			"symbol": pair.ID(), "baseCoin": pair.Base, "quoteCoin": pair.Counter, "status": "Trading",
		}
	})
}

func tickers(r *format.Request) []map[string]any {
	return r.Tickers(func(q market.Book) map[string]any {
		return map[string]any{
			"symbol":    q.Pair.ID(),
			"bid1Price": q.Bid.String(), "bid1Size": q.BidSize.String(),
			"ask1Price": q.Ask.String(), "ask1Size": q.AskSize.String(),
			"lastPrice": q.Last.String(), "volume24h": q.Volume.String(),
		}
	})
}
