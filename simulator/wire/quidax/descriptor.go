// Package quidax simulates the API of Quidax: the tickers of its markets.
package quidax

import (
	"net/http"

	"causeway/simulator/wire/provider"
	"causeway/simulator/world"
)

// Name of the provider.
const Name = "quidax"

// Descriptor describes the simulated provider.
var Descriptor = provider.Descriptor{
	Name:  Name,
	Hosts: []string{"openapi.quidax.io"},
	Path:  "/exchange-open-api/api/v1",
	New:   func(w *world.World) http.Handler { return &quidax{world: w} },
	FaultPoints: provider.FaultPoints{
		Operations: []provider.Operation{
			{Name: "tickers", Path: "/exchange-open-api/api/v1/markets/tickers"},
			{Name: "ticker", Path: "/exchange-open-api/api/v1/markets/tickers/*"},
			{Name: "markets", Path: "/exchange-open-api/api/v1/markets"},
		},
		Priced: []string{"tickers", "ticker"},
		Prices: []string{
			"data.*.ticker.sell", "data.*.ticker.buy", "data.*.ticker.last", "data.*.ticker.open", "data.*.ticker.high", "data.*.ticker.low",
			"data.ticker.sell", "data.ticker.buy", "data.ticker.last", "data.ticker.open", "data.ticker.high", "data.ticker.low",
		},
		Times: []provider.TimeField{{Place: "data.*.at", Unit: provider.Seconds}, {Place: "data.at", Unit: provider.Seconds}},
	},
	Divergences: []provider.Divergence{
		{
			What: "The older hosts app.quidax.io and www.quidax.com do not exist.",
			Why:  "Clients must call the current one.",
			Test: "adapters/providers/quidax.TestRates",
		},
		{
			What: "One listed market never has orders.",
			Why:  "An empty side has to be met in every world.",
			Test: "simulator/wire.TestQuidaxShowsEveryBookAndOneThatIsEmpty",
		},
	},
}
