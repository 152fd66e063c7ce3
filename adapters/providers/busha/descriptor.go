package busha

import (
	"causeway/adapters/providers/provider"
	"causeway/adapters/upstream"
	"causeway/core"
)

// Descriptor describes Busha.
var Descriptor = provider.Descriptor{
	Name: Name, Title: "Busha", Homepage: "https://busha.co",
	Settings: func() provider.Settings { return &Config{} },
	Accounts: []provider.Coverage{
		{Country: "NG", Channels: []core.Channel{core.BankTransfer, core.MobileMoney}, Rank: 2},
		{Country: "KE", Channels: []core.Channel{core.MobileMoney, core.PayBill, core.Till}, Rank: 2},
	},
}

// Connect implements provider.Settings.
func (c *Config) Connect(f *upstream.Factory) (provider.Clients, error) {
	return provider.Connected(New(*c, f))
}

// Credentials implements provider.Authenticated.
func (c *Config) Credentials() []provider.Credential {
	return []provider.Credential{
		{Setting: "api_key", Value: c.APIKey, Untested: true},
	}
}
