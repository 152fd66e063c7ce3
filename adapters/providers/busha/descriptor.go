package busha

import (
	"causeway/adapters/providers/provider"
	"causeway/adapters/upstream"
	"causeway/core"
)

// Descriptor describes Busha.
var Descriptor = provider.Descriptor{
	Name: Name, Title: "Busha", Homepage: "https://busha.co",
	BaseURL:  BaseURL,
	Settings: func() provider.Settings { return &Config{} },
	Accounts: []provider.Coverage{
		{Country: "NG", Channels: []core.Channel{core.BankTransfer, core.MobileMoney}, Rank: 2},
		{Country: "KE", Channels: []core.Channel{core.MobileMoney, core.PayBill, core.Till}, Rank: 2},
	},
	Evidence: []provider.Evidence{
		{
			Fact:   "Pairs and banks need no key; resolve does.",
			Source: "docs.busha.io/guides/reference, as quoted by public clients (2026-08-25)",
		},
		{
			Fact:   "100 requests per minute.",
			Source: "docs.busha.io/guides/reference, as quoted by public clients (2026-08-25)",
		},
		{
			Fact: "Kenyan wallets, pay bills and tills, and the text for an unknown account.",
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
		{Setting: "api_key", Value: c.APIKey, Untested: true},
	}
}
