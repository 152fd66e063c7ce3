package coinbase

import (
	"causeway/adapters/providers/provider"
	"causeway/adapters/upstream"
)

// Descriptor describes Coinbase Exchange.
var Descriptor = provider.Descriptor{
	Name: Name, Title: "Coinbase Exchange", Homepage: "https://exchange.coinbase.com",
	Settings: func() provider.Settings { return new(Default()) },
}

// Connect implements provider.Settings.
func (c *Config) Connect(f *upstream.Factory) (provider.Clients, error) {
	return provider.Connected(New(*c, f))
}
