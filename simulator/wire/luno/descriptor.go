package luno

import (
	"net/http"
	"time"

	"causeway/simulator/wire/provider"
	"causeway/simulator/world"
)

// Name of the provider.
const Name = "luno"

// Descriptor describes the simulated provider.
var Descriptor = provider.Descriptor{
	Name:  Name,
	Hosts: []string{"api.luno.com"},
	New:   func(w *world.World) http.Handler { return &luno{world: w} },
	FaultPoints: provider.FaultPoints{
		Operations: []provider.Operation{
			{Name: "tickers", Path: "/api/1/tickers"},
			{Name: "ticker", Path: "/api/1/ticker"},
		},
		Priced: []string{"tickers", "ticker"},
		Prices: []string{"tickers.*.ask", "tickers.*.bid", "tickers.*.last_trade", "ask", "bid", "last_trade"},
		Times: []provider.TimeField{
			{Place: "tickers.*.timestamp", Unit: provider.Milliseconds}, {Place: "timestamp", Unit: provider.Milliseconds},
		},
	},
	Divergences: []provider.Divergence{
		{
			What: "Every market is ACTIVE.",
			Why:  "A market that is suspended is simulated as absent.",
			Test: "adapters/providers/luno.TestRates",
		},
	},
	Examples: func(time.Time) []provider.Example {
		return []provider.Example{
			{Operation: "tickers", Fixture: "tickers", Method: http.MethodGet, Target: "/api/1/tickers"},
			{Operation: "ticker", Method: http.MethodGet, Target: "/api/1/ticker?pair=XBTNGN"},
		}
	},
}
