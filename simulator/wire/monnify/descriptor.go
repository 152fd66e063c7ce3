// Package monnify simulates the API of Monnify: bank lists and account names.
package monnify

import (
	"net/http"

	"causeway/simulator/wire/provider"
	"causeway/simulator/world"
)

// Name of the provider.
const Name = "monnify"

// Descriptor describes the simulated provider.
var Descriptor = provider.Descriptor{
	Name:        Name,
	Hosts:       []string{"api.monnify.com", "sandbox.monnify.com"},
	Credentials: map[string]string{"api_key": APIKey, "secret_key": SecretKey},
	New:         func(w *world.World) http.Handler { return newMonnify(w) },
	FaultPoints: provider.FaultPoints{
		Operations: []provider.Operation{
			{Name: "login", Path: "/api/v1/auth/login"},
			{Name: "banks", Path: "/api/v1/banks"},
			{Name: "resolve", Path: "/api/v1/disbursements/account/validate"},
		},
		Members: map[string]string{"login": "responseBody.accessToken", "resolve": "responseBody.accountName"},
	},
	Divergences: []provider.Divergence{
		{
			What: "A token is the instant of its login: one that was never handed out is taken while it would " +
				"be alive, and a new login ends no older one.",
			Why:  "Nothing is remembered between requests.",
			Test: "simulator/wire.TestTokensAreNotRemembered",
		},
		{
			What: "Statuses, fields of the list, and texts other than that of an invalid account.",
			Why:  provider.NotRecorded,
			Test: "simulator/wire.TestGolden",
		},
	},
}
