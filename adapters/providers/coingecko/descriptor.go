package coingecko

import (
	"causeway/adapters/providers/provider"
	"causeway/adapters/upstream"
)

// Descriptor describes CoinGecko.
var Descriptor = provider.Descriptor{
	Name: Name, Title: "CoinGecko", Homepage: "https://www.coingecko.com",
	Settings: func() provider.Settings { return &Config{} },
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
