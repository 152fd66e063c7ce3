// Package openexchangerates simulates the API of Open Exchange Rates: hourly middle rates.
package openexchangerates

import (
	"net/http"

	"causeway/simulator/wire/provider"
	"causeway/simulator/world"
)

// Name of the provider.
const Name = "openexchangerates"

// Descriptor describes the simulated provider.
var Descriptor = provider.Descriptor{
	Name:        Name,
	Hosts:       []string{"openexchangerates.org"},
	Credentials: map[string]string{"app_id": AppID},
	New:         func(w *world.World) http.Handler { return &openExchangeRates{world: w} },
	FaultPoints: provider.FaultPoints{
		Operations: []provider.Operation{
			{Name: "latest", Path: "/api/latest.json"},
			{Name: "usage", Path: "/api/usage.json"},
		},
		Priced: []string{"latest"},
		Prices: []string{"rates.*"},
		Times:  []provider.TimeField{{Place: "timestamp", Unit: provider.Seconds}},
	},
	Divergences: []provider.Divergence{
		{
			What: "Rates change at every full hour; usage.json says that nothing was used.",
			Why:  "Nothing is remembered between requests.",
			Test: "simulator/wire.TestUsageIsNotCounted",
		},
	},
}
