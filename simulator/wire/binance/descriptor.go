// Package binance simulates the API of Binance: the order book over REST and WebSocket.
package binance

import (
	"net/http"

	"causeway/simulator/wire/provider"
	"causeway/simulator/world"
)

// Name of the provider.
const Name = "binance"

// Descriptor describes the simulated provider.
var Descriptor = provider.Descriptor{
	Name:  Name,
	Hosts: []string{"api-gcp.binance.com", "api.binance.com", "api1.binance.com", "api2.binance.com", "api3.binance.com", "api4.binance.com", "data-api.binance.vision", "data-stream.binance.vision", "stream.binance.com"},
	New:   func(w *world.World) http.Handler { return &binance{world: w} },
	FaultPoints: provider.FaultPoints{
		Operations: []provider.Operation{
			{Name: "book_ticker", Path: "/api/v3/ticker/bookTicker"},
			{Name: "exchange_info", Path: "/api/v3/exchangeInfo"},
			{Name: "ping", Path: "/api/v3/ping"},
			{Name: "time", Path: "/api/v3/time"},
		},
		Priced: []string{"book_ticker"},
		Prices: []string{"*.askPrice", "*.bidPrice", "askPrice", "bidPrice"},
	},
	Divergences: []provider.Divergence{
		{
			What: "X-MBX-USED-WEIGHT-1M tells of the one request alone.",
			Why:  "Nothing is remembered between requests.",
			Test: "simulator/wire.TestUsageIsNotCounted",
		},
		{
			What: "The socket tells of books that changed four times a second at the most, at fixed moments.",
			Why:  "A world is looked at in steps; the real one tells of each change as it happens.",
			Test: "simulator/wire.TestBinanceSocketTellsWhatChanged",
		},
		{
			What: "The socket is hung up, and nobody let in, while the venue is down, or a rule is about its " +
				"answers; and when a market that it tells of is not traded any more.",
			Why:  "What is done to a world befalls questions: whoever streams must ask meanwhile.",
			Test: "simulator/wire.TestNoSocketHidesWhatIsDoneToAVenue",
		},
	},
}
