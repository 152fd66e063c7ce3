package frankfurter

import (
	"causeway/adapters/providers/provider"
	"causeway/adapters/upstream"
)

// Descriptor describes Frankfurter.
var Descriptor = provider.Descriptor{
	Name: Name, Title: "Frankfurter", Homepage: "https://frankfurter.dev",
	BaseURL:  BaseURL,
	Settings: func() provider.Settings { return &Config{} },
	Evidence: []provider.Evidence{
		{
			Fact:   "An unknown currency fails the whole request with 422.",
			Source: "github.com/lineofflight/frankfurter lib/public/v2/openapi.json @60541ad (2026-08-21)",
		},
		{
			Fact: "Rates of a date count as published at 16:00 UTC.",
		},
	},
}

// Connect implements provider.Settings.
func (c *Config) Connect(f *upstream.Factory) (provider.Clients, error) {
	return provider.Connected(New(*c, f))
}
