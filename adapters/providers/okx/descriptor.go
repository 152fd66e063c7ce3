package okx

import (
	"causeway/adapters/providers/provider"
	"causeway/adapters/upstream"
)

// Descriptor describes OKX.
var Descriptor = provider.Descriptor{
	Name: Name, Title: "OKX", Homepage: "https://www.okx.com",
	BaseURL:  BaseURL,
	Settings: func() provider.Settings { return &Config{} },
	Evidence: []provider.Evidence{
		{
			Fact:   "All spot tickers come in one response; errors have status 200 and a code.",
			Source: "www.okx.com/docs-v5 get-tickers (2026-10)",
		},
	},
}

// Connect implements provider.Settings.
func (c *Config) Connect(f *upstream.Factory) (provider.Clients, error) {
	return provider.Connected(New(*c, f))
}
