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

// Common reasons of a Divergence.
const (
	Unread      = "No client of the simulator reads it."
	NotRecorded = "The documentation does not say, and no real response was recorded: assumed."
)
