// Package korapay simulates the API of Kora (Korapay): institutions and account names.
package korapay

import (
	"net/http"

	"causeway/simulator/wire/provider"
	"causeway/simulator/world"
)

// Name of the provider.
const Name = "korapay"

// Descriptor describes the simulated provider.
var Descriptor = provider.Descriptor{
	Name:        Name,
	Hosts:       []string{"api.korapay.com"},
	Path:        "/merchant/api/v1",
	Credentials: map[string]string{"secret_key": Key},
	New:         func(w *world.World) http.Handler { return newKorapay(w) },
	FaultPoints: provider.FaultPoints{
		Operations: []provider.Operation{
			{Name: "banks", Path: "/merchant/api/v1/misc/*"},
			{Name: "resolve", Path: "/merchant/api/v1/misc/*/resolve"},
		},
		Members: map[string]string{"resolve": "data.account_name"},
	},
	Divergences: []provider.Divergence{
		{
			What: "Statuses of failures, and how closed and dormant accounts are worded.",
			Why:  provider.NotRecorded,
			Test: "simulator/wire.TestGolden",
		},
	},
}
