package binance

import (
	"causeway/adapters/providers/provider"
	"causeway/adapters/upstream"
)

// Descriptor describes Binance.
var Descriptor = provider.Descriptor{
	Name: Name, Title: "Binance", Homepage: "https://www.binance.com",
	Settings: func() provider.Settings { return &Config{} },
}

// Connect implements provider.Settings.
func (c *Config) Connect(f *upstream.Factory) (provider.Clients, error) {
	return provider.Connected(New(*c, f))
}
