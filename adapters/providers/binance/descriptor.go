package binance

import (
	"causeway/adapters/providers/provider"
	"causeway/adapters/upstream"
)

// Descriptor describes Binance.
var Descriptor = provider.Descriptor{
	Name: Name, Title: "Binance", Homepage: "https://www.binance.com",
	BaseURL:  BaseURL,
	Settings: func() provider.Settings { return &Config{} },
	Evidence: []provider.Evidence{
		{
			Fact:   "One unknown symbol fails the whole request with code -1121.",
			Source: "github.com/binance/binance-spot-api-docs rest-api.md and errors.md (2026-07-21)",
		},
		{
			Fact:   "418 is a ban of the address of up to three days.",
			Source: "github.com/binance/binance-spot-api-docs rest-api.md and errors.md (2026-07-21)",
		},
	},
}

// Connect implements provider.Settings.
func (c *Config) Connect(f *upstream.Factory) (provider.Clients, error) {
	return provider.Connected(New(*c, f))
}
