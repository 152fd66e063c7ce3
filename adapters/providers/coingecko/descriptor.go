package coingecko

import (
	"causeway/adapters/providers/provider"
	"causeway/adapters/upstream"
)

// Descriptor describes CoinGecko.
var Descriptor = provider.Descriptor{
	Name: Name, Title: "CoinGecko", Homepage: "https://www.coingecko.com",
	BaseURL:  BaseURL,
	Settings: func() provider.Settings { return &Config{} },
	Evidence: []provider.Evidence{
		{
			Fact:   "The host decides which header carries the key.",
			Source: "docs.coingecko.com/reference/simple-price and /docs/errors-and-rate-limits (2026-11)",
		},
		{
			Fact:   "The demo plan has 10,000 requests a month and 100 a minute.",
			Source: "docs.coingecko.com/docs/errors-and-rate-limits (2026-11)",
		},
	},
}

// Connect implements provider.Settings.
func (c *Config) Connect(f *upstream.Factory) (provider.Clients, error) {
	return provider.Connected(New(*c, f))
}

// Credentials implements provider.Authenticated.
func (c *Config) Credentials() []provider.Credential {
	return []provider.Credential{
		{Setting: "api_key", Value: c.APIKey, Live: "CG-"},
	}
}
