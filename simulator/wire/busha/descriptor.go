// Package busha simulates the API of Busha: prices of its pairs, bank lists and account names.
package busha

import (
	"net/http"

	"causeway/simulator/wire/provider"
	"causeway/simulator/world"
)

// Name of the provider.
const Name = "busha"

// Descriptor describes the simulated provider.
var Descriptor = provider.Descriptor{
	Name:        Name,
	Hosts:       []string{"api.busha.co"},
	Credentials: map[string]string{"api_key": Key},
	New:         func(w *world.World) http.Handler { return newBusha(w) },
	FaultPoints: provider.FaultPoints{
		Operations: []provider.Operation{
			{Name: "pairs", Path: "/v1/pairs"},
			{Name: "banks", Path: "/v1/banks"},
			{Name: "resolve", Path: "/v1/recipients/resolve-bank-account"},
		},
		Members: map[string]string{"resolve": "data.account_name"},
		Priced:  []string{"pairs"},
		Prices:  []string{"data.*.buy_price.amount", "data.*.sell_price.amount"},
	},
	Divergences: []provider.Divergence{
		{
			What: "Texts of failures, fields of an institution, and at which of them wallets, pay bills and " +
				"tills are.",
			Why:  provider.NotRecorded,
			Test: "simulator/wire.TestGolden",
		},
		{
			What: "A pair has its prices and the smallest amounts, and neither names nor decimals of its " +
				"currencies, nor amounts in the other currency; it has the smallest amount of a sale, too.",
			Why:  provider.Unread,
			Test: "simulator/wire.TestAnswersHaveTheDocumentedShape",
		},
		{
			What: "Failures have no request_id.",
			Why:  provider.Unread,
			Test: "simulator/wire.TestAnswersHaveTheDocumentedShape",
		},
	},
}
