// Package coinbase simulates the API of Coinbase Exchange: the tickers of its products.
package coinbase

import (
	"net/http"

	"causeway/simulator/wire/provider"
	"causeway/simulator/world"
)

// Name of the provider.
const Name = "coinbase"

// Descriptor describes the simulated provider.
var Descriptor = provider.Descriptor{
	Name:  Name,
	Hosts: []string{"api.exchange.coinbase.com"},
	New:   func(w *world.World) http.Handler { return &coinbase{world: w} },
	FaultPoints: provider.FaultPoints{
		Operations: []provider.Operation{
			{Name: "ticker", Path: "/products/*/ticker"},
			{Name: "product", Path: "/products/*"},
			{Name: "products", Path: "/products"},
			{Name: "time", Path: "/time"},
		},
		Priced:  []string{"ticker"},
		Prices:  []string{"ask", "bid", "price"},
		Times:   []provider.TimeField{{Place: "time", Unit: provider.ClockTime}},
		Another: anotherProduct,
	},
	Divergences: []provider.Divergence{
		{
			What: "A ticker has no rfq_volume and no conversions_volume.",
			Why:  provider.Unread,
			Test: "simulator/wire.TestAnswersHaveTheDocumentedShape",
		},
		{
			What: "A quiet market goes without a trade for half a minute at the most.",
			Why:  "Real ones may be quiet for hours; the age of the last trade is no age of the book either way.",
			Test: "simulator/wire.TestCoinbaseShowsABookThatIsNewerThanItsLastTrade",
		},
	},
}

// anotherProduct asks Coinbase for a product that is worth something quite different.
func anotherProduct(r *http.Request) *http.Request {
	const usual, other = "/products/BTC-USD/ticker", "/products/SOL-USD/ticker"
	again := r.Clone(r.Context())
	if again.URL.Path = usual; r.URL.Path == usual {
		again.URL.Path = other
	}
	return again
}
