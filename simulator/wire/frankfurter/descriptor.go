// Package frankfurter simulates the API of Frankfurter: daily official exchange rates.
package frankfurter

import (
	"net/http"

	"causeway/simulator/wire/provider"
	"causeway/simulator/world"
)

// Name of the provider.
const Name = "frankfurter"

// Descriptor describes the simulated provider.
var Descriptor = provider.Descriptor{
	Name:  Name,
	Hosts: []string{"api.frankfurter.dev"},
	New:   func(w *world.World) http.Handler { return &frankfurter{world: w} },
	FaultPoints: provider.FaultPoints{
		Operations: []provider.Operation{
			{Name: "rates", Path: "/v2/rates"},
		},
		Priced: []string{"rates"},
		Prices: []string{"*.rate"},
		Times:  []provider.TimeField{{Place: "*.date", Unit: provider.Date}},
	},
	Divergences: []provider.Divergence{
		{
			What: "All central banks publish at the same time, on working days; none is ever silent for longer.",
			Why:  "What a silent bank looks like is had by pausing a market, or by a fault.",
			Test: "simulator/wire.TestFrankfurterPublishesOnWorkingDays",
		},
	},
}
