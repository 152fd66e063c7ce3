package afriex

import (
	"causeway/adapters/providers/provider"
	"causeway/adapters/upstream"
	"causeway/core"
)

// Descriptor describes Afriex.
var Descriptor = provider.Descriptor{
	Name: Name, Title: "Afriex", Homepage: "https://www.afriex.com",
	Settings: func() provider.Settings { return &Config{} },
	Accounts: []provider.Coverage{
		{Country: "NG", Channels: []core.Channel{core.BankTransfer, core.MobileMoney}, Rank: 1},
		{Country: "GH", Channels: []core.Channel{core.BankTransfer}},
		{Country: "KE", Channels: []core.Channel{core.MobileMoney}},
		{Country: "UG", Channels: []core.Channel{core.MobileMoney}},
		{Country: "TZ", Channels: []core.Channel{core.MobileMoney}},
		{Country: "RW", Channels: []core.Channel{core.MobileMoney}},
		{Country: "CI", Channels: []core.Channel{core.MobileMoney}},
		{Country: "SN", Channels: []core.Channel{core.MobileMoney}},
		{Country: "CM", Channels: []core.Channel{core.MobileMoney}},
	},
}

// Connect implements provider.Settings.
func (c *Config) Connect(f *upstream.Factory) (provider.Clients, error) {
	return provider.Connected(New(*c, f))
}

// Credentials implements provider.Authenticated.
func (c *Config) Credentials() []provider.Credential {
	return []provider.Credential{
		{Setting: "api_key", Value: c.APIKey},
	}
}
