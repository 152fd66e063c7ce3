// Package coingecko simulates the API of CoinGecko: simple prices, made once a minute.
package coingecko

import (
	"net/http"

	"causeway/simulator/wire/provider"
	"causeway/simulator/world"
)

// Name of the provider.
const Name = "coingecko"

// Descriptor describes the simulated provider.
var Descriptor = provider.Descriptor{
	Name:  Name,
	Hosts: []string{"api.coingecko.com"},
	New:   func(w *world.World) http.Handler { return &coinGecko{world: w} },
	FaultPoints: provider.FaultPoints{
		Operations: []provider.Operation{
			{Name: "simple_price", Path: "/api/v3/simple/price"},
			{Name: "ping", Path: "/api/v3/ping"},
		},
		Priced:   []string{"simple_price"},
		Prices:   []string{"*.*"},
		Unpriced: "last_updated_at",
		Times:    []provider.TimeField{{Place: "*.last_updated_at", Unit: provider.Seconds}},
	},
	Divergences: []provider.Divergence{
		{
			What: "Prices are made at every full minute, all at once.",
			Why: "Real ones are as old as each coin's last trade; the cache of a minute is what matters to " +
				"who asks.",
			Test: "simulator/wire.TestCoinGeckoIsUpToAMinuteOld",
		},
		{
			What: "A refused key is told without a time.",
			Why:  provider.Unread,
			Test: "simulator/wire.TestAnswersHaveTheDocumentedShape",
		},
	},
}
