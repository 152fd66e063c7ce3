package bybit

import (
	"causeway/adapters/providers/provider"
	"causeway/adapters/upstream"
)

// Descriptor describes Bybit.
var Descriptor = provider.Descriptor{
	Name: Name, Title: "Bybit", Homepage: "https://www.bybit.com",
	BaseURL:  BaseURL,
	Settings: func() provider.Settings { return &Config{} },
	Evidence: []provider.Evidence{
		{
			Fact:   "All spot tickers come in one response; errors have status 200 and retCode.",
			Source: "github.com/bybit-exchange/docs v5/market/tickers (2026-07-24)",
		},
		{
			Fact:   "403 with \"access too frequent\" is a ban of ten minutes.",
			Source: "github.com/bybit-exchange/docs v5/rate-limit (2026-07-24)",
		},
	},
}

// Connect implements provider.Settings.
func (c *Config) Connect(f *upstream.Factory) (provider.Clients, error) {
	return provider.Connected(New(*c, f))
}
