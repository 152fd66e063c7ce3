// Package provider holds what the simulated providers have in common: their Descriptor, responses,
// accounts, numbers, WebSockets and the points at which faults are injected.
package provider

import (
	"net/http"

	"causeway/simulator/world"
)

// Descriptor describes a simulated provider.
type Descriptor struct {
	Name        string            // the same as that of the adapter
	Hosts       []string          // of the real provider
	Path        string            // of the API at its host, as in the base URL of the adapter
	Credentials map[string]string // that it accepts, by setting in the section of the provider

	// New returns the provider in a world. It serves all hosts.
	New func(sim *world.World) http.Handler

	FaultPoints FaultPoints
	Divergences []Divergence
}

// Divergence is a known difference between the simulated providers and the real ones.
type Divergence struct {
	Provider string `json:"provider" doc:"Name of the provider, or all" example:"kraken"`
	What     string `json:"what" doc:"What differs"`
	Why      string `json:"why" doc:"Why it differs"`
	Test     string `json:"test" doc:"Folder and name of the test that shows it"`
}

// SocketDivergences are those of providers with a Socket.
var SocketDivergences = []Divergence{
	{
		What: "The socket sends books that changed four times a second at most, at fixed times.",
		Why:  "A sim is sampled; the real venue sends each change as it happens.",
		Test: "simulator/wire.TestSockets_Updates",
	},
	{
		What: "The socket is closed, and new connections are refused, while the venue is down or a rule matches its " +
			"responses. It is also closed when a market that it sends is no longer traded.",
		Why:  "Faults apply to requests: a client that streams has to poll meanwhile.",
		Test: "simulator/wire.TestSockets_Faults",
	},
}

// TokenDivergence is that of providers with Tokens.
var TokenDivergence = Divergence{
	What: "A token is the time of its login: one that was never issued is accepted, and a new one does not " +
		"revoke older ones.",
	Why:  "Nothing is stored between requests.",
	Test: "simulator/wire.TestTokens_NotStored",
}

// Common reasons of a Divergence.
const (
	Unread      = "No client of the simulator reads it."
	NotRecorded = "The documentation does not say, and no real response was recorded: assumed."
)
