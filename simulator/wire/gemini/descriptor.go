package gemini

import (
	"net/http"
	"time"

	"causeway/simulator/wire/provider"
	"causeway/simulator/world"
)

// Name of the provider.
const Name = "gemini"

// Descriptor describes the simulated provider.
var Descriptor = provider.Descriptor{
	Name:  Name,
	Hosts: []string{"api.gemini.com"},
	New:   func(w *world.World) http.Handler { return &gemini{world: w} },
	FaultPoints: provider.FaultPoints{
		Operations: []provider.Operation{
			{Name: "ticker", Path: "/v1/pubticker/*"},
		},
		Priced:  []string{"ticker"},
		Prices:  []string{"ask", "bid", "last"},
		Times:   []provider.TimeField{{Place: "volume.timestamp", Unit: provider.Milliseconds}},
		Another: anotherSymbol,
	},
	Divergences: []provider.Divergence{
		{
			What: "There is no list of symbols.",
			Why:  provider.Unread,
			Test: "adapters/providers/gemini.TestRates",
		},
	},
	Examples: func(time.Time) []provider.Example {
		return []provider.Example{
			{Operation: "ticker", Fixture: "btcusd", Method: http.MethodGet, Target: "/v1/pubticker/btcusd"},
		}
	},
}

// anotherSymbol asks for a symbol with a very different price.
func anotherSymbol(r *http.Request) *http.Request {
	const usual, other = "/v1/pubticker/btcusd", "/v1/pubticker/solusd"
	again := r.Clone(r.Context())
	if again.URL.Path = usual; r.URL.Path == usual {
		again.URL.Path = other
	}
	return again
}
