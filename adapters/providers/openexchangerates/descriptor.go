package openexchangerates

import (
	"causeway/adapters/providers/provider"
	"causeway/adapters/upstream"
)

// Descriptor describes Open Exchange Rates.
var Descriptor = provider.Descriptor{
	Name: Name, Title: "Open Exchange Rates", Homepage: "https://openexchangerates.org", Section: "open_exchange_rates",
	BaseURL:  BaseURL,
	Required: "a source of fiat rates",
	Settings: func() provider.Settings { return &Config{} },
	Evidence: []provider.Evidence{
		{
			Fact:   "The key is a query parameter; the free plan has 1,000 requests a month.",
			Source: "docs.openexchangerates.org/reference/latest-json and /errors (2026-08)",
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
		{Setting: "app_id", Value: c.AppID},
	}
}
