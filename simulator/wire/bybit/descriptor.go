// Package bybit simulates the API of Bybit: the tickers of its spot market.
package bybit

import (
	"net/http"

	"causeway/simulator/wire/provider"
	"causeway/simulator/world"
)

// Name of the provider.
const Name = "bybit"

// Descriptor describes the simulated provider.
var Descriptor = provider.Descriptor{
	Name:  Name,
	Hosts: []string{"api.bybit.com", "api.bytick.com"},
	New:   func(w *world.World) http.Handler { return &bybit{world: w} },
	FaultPoints: provider.FaultPoints{
		Operations: []provider.Operation{
			{Name: "tickers", Path: "/v5/market/tickers"},
			{Name: "time", Path: "/v5/market/time"},
		},
		Priced: []string{"tickers"},
		Prices: []string{
			"result.list.*.ask1Price", "result.list.*.bid1Price", "result.list.*.lastPrice", "result.list.*.prevPrice24h",
			"result.list.*.highPrice24h", "result.list.*.lowPrice24h",
		},
		Times: []provider.TimeField{{Place: "time", Unit: provider.Milliseconds}},
	},
	Divergences: []provider.Divergence{
		{
			What: "The list of all tickers has the sandbox's markets, and not some 600.",
			Why:  "No other market is priced.",
			Test: "simulator/wire.TestOKXAndBybitShowEveryBook",
		},
	},
}
