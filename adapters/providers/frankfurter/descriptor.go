package frankfurter

import (
	"causeway/adapters/providers/provider"
	"causeway/adapters/upstream"
)

// Descriptor describes Frankfurter.
var Descriptor = provider.Descriptor{
	Name: Name, Title: "Frankfurter", Homepage: "https://frankfurter.dev",
	Settings: func() provider.Settings { return &Config{} },
}

// Connect implements provider.Settings.
func (c *Config) Connect(f *upstream.Factory) (provider.Clients, error) {
	return provider.Connected(New(*c, f))
}
