package afriex

import (
	"causeway/adapters/providers/provider"
	"causeway/adapters/upstream"
	"causeway/core"
)

// Descriptor describes Afriex.
var Descriptor = provider.Descriptor{
	Name: Name, Title: "Afriex", Homepage: "https://www.afriex.com",
	BaseURL: BaseURL, TestURL: "https://sandbox.api.afriex.com",
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
	Evidence: []provider.Evidence{
		{
			Fact:   "Countries and channels of resolve; institutionCode is required for both channels.",
			Source: "OpenAPI document 1.0.13, github.com/api-evangelist/afriex @26c341a (2026-09); vendor SDK 4.0.0",
		},
		{
			Fact:   "Account numbers of wallets are digits without +.",
			Source: "vendor SDK 4.0.0",
		},
		{
			Fact:   "PAYMENT_METHOD_NOT_FOUND means that the account does not exist.",
			Source: "OpenAPI document 1.0.13, github.com/api-evangelist/afriex @26c341a (2026-09)",
		},
		{
			Fact: "Limits, and the texts for closed and dormant accounts.",
		},
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
