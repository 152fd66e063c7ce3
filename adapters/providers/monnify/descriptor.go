package monnify

import (
	"causeway/adapters/providers/provider"
	"causeway/adapters/upstream"
	"causeway/core"
)

// Descriptor describes Monnify.
var Descriptor = provider.Descriptor{
	Name: Name, Title: "Monnify", Homepage: "https://monnify.com",
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
		{Setting: "api_key", Value: c.APIKey, Live: "MK_PROD_", Test: "MK_TEST_"},
		{Setting: "secret_key", Value: c.SecretKey, Mistaken: "MK_"},
	}
}
