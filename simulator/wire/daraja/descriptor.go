// Package daraja simulates the API of Safaricom's Daraja: the names of M-PESA pay bills and tills.
package daraja

import (
	"net/http"

	"causeway/simulator/wire/provider"
	"causeway/simulator/world"
)

// Name of the provider.
const Name = "daraja"

// Descriptor describes the simulated provider.
var Descriptor = provider.Descriptor{
	Name:        Name,
	Hosts:       []string{"api.safaricom.co.ke", "sandbox.safaricom.co.ke"},
	Credentials: map[string]string{"consumer_key": Key, "consumer_secret": Secret},
	New:         func(w *world.World) http.Handler { return &daraja{world: w} },
	FaultPoints: provider.FaultPoints{
		Operations: []provider.Operation{
			{Name: "login", Path: "/oauth/v1/generate"},
			{Name: "resolve", Path: "/sfcverify/v1/query/info"},
		},
		Members: map[string]string{"login": "access_token", "resolve": "OrganizationName"},
	},
	Divergences: []provider.Divergence{
		{
			What: "A token is the instant of its making: one that was never handed out is taken while it " +
				"would be alive, and a new one ends no older one.",
			Why:  "Nothing is remembered between requests.",
			Test: "simulator/wire.TestTokensAreNotRemembered",
		},
		{
			What: "How closed pay bills and tills are worded.",
			Why:  provider.NotRecorded,
			Test: "simulator/wire.TestGolden",
		},
	},
}
