package kraken

import (
	"causeway/adapters/providers/provider"
	"causeway/adapters/upstream"
)

// Descriptor describes Kraken.
var Descriptor = provider.Descriptor{
	Name: Name, Title: "Kraken", Homepage: "https://www.kraken.com",
	Settings: func() provider.Settings { return &Config{} },
}

// Connect implements provider.Settings.
func (c *Config) Connect(f *upstream.Factory) (provider.Clients, error) {
	return provider.Connected(New(*c, f))
}
