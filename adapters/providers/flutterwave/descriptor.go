package flutterwave

import (
	"causeway/adapters/providers/provider"
	"causeway/adapters/upstream"
	"causeway/core"
)

// Descriptor describes Flutterwave.
var Descriptor = provider.Descriptor{
	Name: Name, Title: "Flutterwave", Homepage: "https://flutterwave.com",
	Settings: func() provider.Settings { return &Config{} },
	Accounts: []provider.Coverage{
		{Country: "NG", Channels: []core.Channel{core.BankTransfer, core.MobileMoney}},
	},
}

// Connect implements provider.Settings.
func (c *Config) Connect(f *upstream.Factory) (provider.Clients, error) {
	return provider.Connected(New(*c, f))
}

// Credentials implements provider.Authenticated.
func (c *Config) Credentials() []provider.Credential {
	return []provider.Credential{
		{Setting: "secret_key", Value: c.SecretKey, Live: "FLWSECK-", Test: "FLWSECK_TEST-", Mistaken: "FLWPUBK"},
	}
}
