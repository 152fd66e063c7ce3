// Package paystack simulates the API of Paystack: bank lists, account names and account validation.
package paystack

import (
	"net/http"

	"causeway/simulator/wire/provider"
	"causeway/simulator/world"
)

// Name of the provider.
const Name = "paystack"

// Descriptor describes the simulated provider.
var Descriptor = provider.Descriptor{
	Name:        Name,
	Hosts:       []string{"api.paystack.co"},
	Credentials: map[string]string{"keys.ng": Key("NG"), "keys.gh": Key("GH"), "keys.ke": Key("KE"), "keys.za": Key("ZA")},
	New:         func(w *world.World) http.Handler { return newPaystack(w) },
	FaultPoints: provider.FaultPoints{
		Operations: []provider.Operation{
			{Name: "banks", Path: "/bank"},
			{Name: "resolve", Path: "/bank/resolve"},
			{Name: "validate", Path: "/bank/validate"},
		},
		Members: map[string]string{"resolve": "data.account_name", "validate": "data.accountHolderMatch"},
	},
	Divergences: []provider.Divergence{
		{
			What: "The test mode's cap of three real accounts a day is not there.",
			Why:  "It makes continuous integration flaky.",
			Test: "simulator/wire.TestProviders_NoThrottling",
		},
		{
			What: "Of South Africa's banks all take part in the validation but those whose code ends in 000.",
			Why:  "Which do is in no document; that some do not has to be met.",
			Test: "adapters/providers/paystack.TestWhoTakesPartOverTheSimulatedWire",
		},
		{
			What: "All holders of South African accounts have the same documents: identity number 8001015009087, " +
				"passport M00123456, business registration 2015/123456/07. Another number is another holder's.",
			Why:  "Tests need documents that match and documents that do not.",
			Test: "simulator/wire.TestPaystackValidate",
		},
		{
			What: "How closed and dormant accounts are worded.",
			Why:  provider.NotRecorded,
			Test: "simulator/wire.TestGolden",
		},
		{
			What: "Every failure but those of keys and paths has meta, type and code, as the specification " +
				"says; some that were recorded lack them.",
			Why:  "What is decided on must be the text.",
			Test: "simulator/wire.TestAnswersHaveTheDocumentedShape",
		},
	},
}
