package bybit

import (
	"causeway/adapters/providers/provider"
	"causeway/adapters/upstream"
)

// Descriptor describes Bybit.
var Descriptor = provider.Descriptor{
	Name: Name, Title: "Bybit", Homepage: "https://www.bybit.com",
	Settings: func() provider.Settings { return &Config{} },
}

// Connect implements provider.Settings.
func (c *Config) Connect(f *upstream.Factory) (provider.Clients, error) {
	return provider.Connected(New(*c, f))
}
