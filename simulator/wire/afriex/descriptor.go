// Package afriex simulates the API of Afriex: institutions and account names.
package afriex

import (
	"net/http"

	"causeway/simulator/wire/provider"
	"causeway/simulator/world"
)

// Name of the provider.
const Name = "afriex"

// Descriptor describes the simulated provider.
var Descriptor = provider.Descriptor{
	Name:        Name,
	Hosts:       []string{"api.afriex.com", "sandbox.api.afriex.com"},
	Credentials: map[string]string{"api_key": Key},
	New:         func(w *world.World) http.Handler { return newAfriex(w) },
	FaultPoints: provider.FaultPoints{
		Operations: []provider.Operation{
			{Name: "banks", Path: "/api/v1/payment-method/institution"},
			{Name: "resolve", Path: "/api/v1/payment-method/resolve"},
		},
		Members: map[string]string{"resolve": "data.recipientName"},
	},
	Divergences: []provider.Divergence{
		{
			What: "The magic institutions are on the list where there are no others.",
			Why:  "An empty list would be taken for a failure.",
			Test: "simulator/wire.TestAfriexListsMagicInstitutionsWhereThereAreNoOthers",
		},
		{
			What: "Which failures a closed account, an unknown institution, or a phone number of another " +
				"country give.",
			Why:  provider.NotRecorded,
			Test: "simulator/wire.TestGolden",
		},
		{
			What: "An empty friendlyMessage is left out, as empty members are elsewhere; an example of the " +
				"documentation has one.",
			Why:  "The documentation contradicts itself.",
			Test: "simulator/wire.TestAnswersHaveTheDocumentedShape",
		},
	},
}
