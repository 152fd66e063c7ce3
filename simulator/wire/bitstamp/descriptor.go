package bitstamp

import (
	"net/http"
	"time"

	"causeway/simulator/wire/provider"
	"causeway/simulator/world"
)

// Name of the provider.
const Name = "bitstamp"

// Descriptor describes the simulated provider.
var Descriptor = provider.Descriptor{
	Name:  Name,
	Hosts: []string{"www.bitstamp.net"},
	New:   func(w *world.World) http.Handler { return &bitstamp{world: w} },
	FaultPoints: provider.FaultPoints{
		Operations: []provider.Operation{
			{Name: "tickers", Path: "/api/v2/ticker/"},
			{Name: "ticker", Path: "/api/v2/ticker/*/"},
		},
		Priced: []string{"tickers", "ticker"},
		Prices: []string{
			"*.ask", "*.bid", "*.last", "*.open", "*.open_24", "*.high", "*.low", "*.vwap",
			"ask", "bid", "last", "open", "open_24", "high", "low", "vwap",
		},
		Times: []provider.TimeField{
			{Place: "*.timestamp", Unit: provider.Seconds}, {Place: "timestamp", Unit: provider.Seconds},
		},
	},
	Divergences: []provider.Divergence{
		{
			What: "The list of all tickers has the sandbox's pairs, without perpetual contracts.",
			Why:  "No other market is priced.",
			Test: "adapters/providers/bitstamp.TestRates",
		},
	},
	Examples: func(time.Time) []provider.Example {
		return []provider.Example{
			{Operation: "tickers", Fixture: "tickers", Method: http.MethodGet, Target: "/api/v2/ticker/"},
			{Operation: "ticker", Method: http.MethodGet, Target: "/api/v2/ticker/btcusd/"},
		}
	},
}
