package gemini

import (
	"causeway/adapters/providers/provider"
	"causeway/adapters/upstream"
)

// Descriptor describes Gemini.
var Descriptor = provider.Descriptor{
	Name: Name, Title: "Gemini", Homepage: "https://www.gemini.com",
	BaseURL:  BaseURL,
	Settings: func() provider.Settings { return &Config{} },
	Evidence: []provider.Evidence{
		{
			Fact:   "Each symbol is a request of its own. The time in a ticker is that of its volume.",
			Source: "developer.gemini.com trading/rest-api/market-data/get-ticker (2026-11)",
		},
		{
			Fact:   "An unknown symbol is 400 with the reason InvalidSymbol.",
			Source: "responses recorded 2026-09-06 by a public client (github.com/DistortionPoint/dp-exchange-gemini)",
		},
		{
			Fact:   "A limit of 120 public requests per minute; not more than one per second is recommended.",
			Source: "docs.gemini.com/rest-api, as quoted by github.com/bmoscon/cryptofeed",
		},
		{
			Fact:   "BTC, ETH, USDC, USDT and DAI trade in USD, BTC and ETH also in EUR and GBP.",
			Source: "vendor's example of GET /v1/symbols in github.com/DistortionPoint/dp-exchange-gemini (2026-08)",
		},
	},
}

// Connect implements provider.Settings.
func (c *Config) Connect(f *upstream.Factory) (provider.Clients, error) {
	return provider.Connected(New(*c, f))
}
