// Package okx simulates the public market data of OKX: the tickers and the instruments of its spot
// market. The envelope has a code as text, errors have status 200 or 400, every number is text, and
// each ticker has a time in milliseconds.
//
// API: https://www.okx.com/docs-v5/en/#order-book-trading-market-data-get-tickers (read 2026-10).
package okx

import (
	"net/http"
	"strconv"

	"causeway/core"
	"causeway/simulator/market"
	"causeway/simulator/wire/format"
)

const (
	tickersPath     = "/api/v5/market/tickers"
	instrumentsPath = "/api/v5/public/instruments"
)

// Descriptor describes the simulated provider.
var Descriptor = format.Descriptor{
	Name:    market.OKX,
	Hosts:   []string{"www.okx.com"},
	Respond: respond,
	Operations: []format.Operation{
		{Name: "tickers", Path: tickersPath, Priced: true}, {Name: "status", Path: instrumentsPath},
	},
	Prices: []string{"data.*.askPx", "data.*.bidPx", "data.*.last"},
	Times:  []format.TimeField{{Place: "data.*.ts", Unit: format.Milliseconds}},
}

// envelope is around every response.
func envelope(status int, code, text string, data []map[string]any) format.Reply {
	return format.Answer(status, map[string]any{"code": code, "msg": text, "data": data})
}

func respond(r *format.Request) format.Reply {
	none := []map[string]any{}
	switch {
	case r.URL.Path != tickersPath && r.URL.Path != instrumentsPath:
		return envelope(http.StatusNotFound, "404", "API endpoint does not exist", none)
	case r.URL.Query().Get("instType") != "SPOT":
		return envelope(http.StatusBadRequest, "51000", "Parameter instType error", none)
	case r.URL.Path == instrumentsPath:
		return envelope(http.StatusOK, "0", "", r.Markets(func(pair core.Pair) map[string]any {
			return map[string]any{
				"instType": "SPOT", "instId": pair.Base + "-" + pair.Counter, "state": "live",
				"baseCcy": pair.Base, "quoteCcy": pair.Counter,
			}
		}))
	}
	return envelope(http.StatusOK, "0", "", r.Tickers(func(q market.Book) map[string]any {
		return map[string]any{
			"instType": "SPOT", "instId": q.Pair.Base + "-" + q.Pair.Counter, "ts": strconv.FormatInt(r.Now.UnixMilli(), 10),
			"bidPx": q.Bid.String(), "bidSz": q.BidSize.String(),
			"askPx": q.Ask.String(), "askSz": q.AskSize.String(),
			"last": q.Last.String(), "lastSz": q.LastSize.String(), "vol24h": q.Volume.String(),
		}
	}))
}
