// Package flutterwave simulates the API of Flutterwave v3: bank lists and account names.
package flutterwave

import (
	"net/http"

	"causeway/simulator/wire/provider"
	"causeway/simulator/world"
)

// Name of the provider.
const Name = "flutterwave"

// Descriptor describes the simulated provider.
var Descriptor = provider.Descriptor{
	Name:        Name,
	Hosts:       []string{"api.flutterwave.com"},
	Path:        "/v3",
	Credentials: map[string]string{"secret_key": Key},
	New:         func(w *world.World) http.Handler { return newFlutterwave(w) },
	FaultPoints: provider.FaultPoints{
		Operations: []provider.Operation{
			{Name: "banks", Path: "/v3/banks/*"},
			{Name: "resolve", Path: "/v3/accounts/resolve"},
		},
		Members: map[string]string{"resolve": "data.account_name"},
	},
	Divergences: []provider.Divergence{
		{
			What: "A test key is answered about every bank of Nigeria, and not about Access Bank (044) alone.",
			Why:  "The test mode's limit says nothing about production, and nothing could be tested.",
			Test: "simulator/wire.TestFlutterwaveTestKeysAskAboutEveryBank",
		},
		{
			What: "Bodies of refused keys and unknown paths, and how closed and dormant accounts are worded.",
			Why:  provider.NotRecorded,
			Test: "simulator/wire.TestGolden",
		},
	},
}
