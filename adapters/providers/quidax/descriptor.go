package quidax

import (
	"causeway/adapters/providers/provider"
	"causeway/adapters/upstream"
)

// Descriptor describes Quidax.
var Descriptor = provider.Descriptor{
	Name: Name, Title: "Quidax", Homepage: "https://www.quidax.io",
	Settings: func() provider.Settings { return &Config{} },
}

// Connect implements provider.Settings.
func (c *Config) Connect(f *upstream.Factory) (provider.Clients, error) {
	return provider.Connected(New(*c, f))
}
