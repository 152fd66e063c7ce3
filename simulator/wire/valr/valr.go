// Package valr simulates the public market data of VALR: the summaries of its markets. Every number
// is text, and times are text with milliseconds.
//
// API: github.com/valrdotcom/valr-agent-skills references/market-data.md (2026-04-10).
package valr

import (
	"net/http"

	"causeway/core"
	"causeway/simulator/market"
	"causeway/simulator/wire/format"
)

const (
	summaryPath = "/v1/public/marketsummary"
	statusPath  = "/v1/public/status"
	pairsPath   = "/v1/public/pairs"
	clock       = "2006-01-02T15:04:05.000Z"
)

// Descriptor describes the simulated provider.
var Descriptor = format.Descriptor{
	Name:    market.VALR,
	Hosts:   []string{"api.valr.com"},
	Respond: respond,
	Operations: []format.Operation{
		{Name: "tickers", Path: summaryPath, Priced: true},
		{Name: "status", Path: statusPath},
		{Name: "status_pairs", Path: pairsPath},
	},
	Prices: []string{"*.askPrice", "*.bidPrice", "*.lastTradedPrice"},
	Times:  []format.TimeField{{Place: "*.created", Unit: clock}},
}

func respond(r *format.Request) format.Reply {
	switch r.URL.Path {
	case summaryPath:
	case statusPath:
		return format.Answer(http.StatusOK, map[string]string{"status": "online"})
	case pairsPath:
		return format.Answer(http.StatusOK, r.Markets(func(pair core.Pair) map[string]any {
			return map[string]any{
				"symbol": pair.ID(), "baseCurrency": pair.Base, "quoteCurrency": pair.Counter,
				"shortName": pair.String(), "active": true, "currencyPairType": "SPOT",
			}
		}))
	default:
		return format.Answer(http.StatusNotFound, map[string]any{"code": -1, "message": "Not found"})
	}
	return format.Answer(http.StatusOK, r.Tickers(func(q market.Book) map[string]any {
		return map[string]any{
			"currencyPair": q.Pair.ID(), "bidPrice": q.Bid.String(), "askPrice": q.Ask.String(),
			"lastTradedPrice": q.Last.String(), "baseVolume": q.Volume.String(),
			"created": q.Made.UTC().Format(clock),
		}
	}))
}
