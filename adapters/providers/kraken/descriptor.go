package kraken

import (
	"causeway/adapters/providers/provider"
	"causeway/adapters/upstream"
)

// Descriptor describes Kraken.
var Descriptor = provider.Descriptor{
	Name: Name, Title: "Kraken", Homepage: "https://www.kraken.com",
	BaseURL:  BaseURL,
	Settings: func() provider.Settings { return &Config{} },
	Evidence: []provider.Evidence{
		{
			Fact:   "Canonical names of old assets have the prefix X or Z.",
			Source: "github.com/ccxt/ccxt ts/src/kraken.ts (2026-07)",
		},
		{
			Fact:   "Errors are texts in an array, with status 200.",
			Source: "docs.kraken.com/api/docs/guides/spot-errors (2026-08)",
		},
		{
			Fact:   "About one request per second is tolerated.",
			Source: "measured by third parties",
		},
	},
}

// Connect implements provider.Settings.
func (c *Config) Connect(f *upstream.Factory) (provider.Clients, error) {
	return provider.Connected(New(*c, f))
}
