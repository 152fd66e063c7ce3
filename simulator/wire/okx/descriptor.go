// Package okx simulates the API of OKX: the tickers of its spot market.
package okx

import (
	"net/http"

	"causeway/simulator/wire/provider"
	"causeway/simulator/world"
)

// Name of the provider.
const Name = "okx"

// Descriptor describes the simulated provider.
var Descriptor = provider.Descriptor{
	Name:  Name,
	Hosts: []string{"www.okx.com"},
	New:   func(w *world.World) http.Handler { return &okx{world: w} },
	FaultPoints: provider.FaultPoints{
		Operations: []provider.Operation{
			{Name: "tickers", Path: "/api/v5/market/tickers"},
			{Name: "ticker", Path: "/api/v5/market/ticker"},
			{Name: "time", Path: "/api/v5/public/time"},
		},
		Priced: []string{"tickers", "ticker"},
		Prices: []string{
			"data.*.askPx", "data.*.bidPx", "data.*.last", "data.*.open24h", "data.*.high24h", "data.*.low24h", "data.*.sodUtc0", "data.*.sodUtc8",
		},
		Times: []provider.TimeField{{Place: "data.*.ts", Unit: provider.Milliseconds}},
	},
	Divergences: []provider.Divergence{
		{
			What: "The list of all tickers has the sandbox's markets, and not some 700.",
			Why:  "No other market is priced.",
			Test: "simulator/wire.TestOKXAndBybitShowEveryBook",
		},
	},
}
