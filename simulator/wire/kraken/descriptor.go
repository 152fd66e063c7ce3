// Package kraken simulates the API of Kraken: the order book over REST and WebSocket.
package kraken

import (
	"net/http"

	"causeway/simulator/wire/provider"
	"causeway/simulator/world"
)

// Name of the provider.
const Name = "kraken"

// Descriptor describes the simulated provider.
var Descriptor = provider.Descriptor{
	Name:  Name,
	Hosts: []string{"api.kraken.com", "ws.kraken.com"},
	New:   func(w *world.World) http.Handler { return newKraken(w) },
	FaultPoints: provider.FaultPoints{
		Operations: []provider.Operation{
			{Name: "ticker", Path: "/0/public/Ticker"},
			{Name: "asset_pairs", Path: "/0/public/AssetPairs"},
			{Name: "system_status", Path: "/0/public/SystemStatus"},
			{Name: "time", Path: "/0/public/Time"},
		},
		Priced: []string{"ticker"},
		Prices: []string{"result.*.a.0", "result.*.b.0", "result.*.c.0", "result.*.h.*", "result.*.l.*", "result.*.p.*", "result.*.o"},
	},
	Divergences: []provider.Divergence{
		{
			What: "The socket tells of books that changed four times a second at the most, at fixed moments.",
			Why:  "A world is looked at in steps; the real one tells of each change as it happens.",
			Test: "simulator/wire.TestKrakenSocketTellsWhatChanged",
		},
		{
			What: "The socket is hung up, and nobody let in, while the venue is down, or a rule is about its " +
				"answers; and when a market that it tells of is not traded any more.",
			Why:  "What is done to a world befalls questions: whoever streams must ask meanwhile.",
			Test: "simulator/wire.TestNoSocketHidesWhatIsDoneToAVenue",
		},
	},
}
