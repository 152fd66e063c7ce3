package korapay

import (
	"causeway/adapters/providers/provider"
	"causeway/adapters/upstream"
	"causeway/core"
)

// Descriptor describes Kora.
var Descriptor = provider.Descriptor{
	Name: Name, Title: "Kora", Homepage: "https://www.korahq.com",
	BaseURL:  BaseURL,
	Settings: func() provider.Settings { return &Config{} },
	Accounts: []provider.Coverage{
		{Country: "NG", Channels: []core.Channel{core.BankTransfer, core.MobileMoney}, Rank: 1},
		{Country: "GH", Channels: []core.Channel{core.MobileMoney}, Rank: 1},
		{Country: "KE", Channels: []core.Channel{core.BankTransfer}},
	},
	Evidence: []provider.Evidence{
		{
			Fact:   "Resolve of banks is a POST with bank, account and currency.",
			Source: "pypi.org/project/korapay-cli",
		},
		{
			Fact:   "Lists and channels of each country.",
			Source: "developers.korapay.com/docs/payout-via-api (2026-06-07)",
		},
		{
			Fact: "HTTP statuses of failures, and the texts for closed and dormant accounts.",
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
		{Setting: "secret_key", Value: c.SecretKey, Live: "sk_live_", Test: "sk_test_", Mistaken: "pk_"},
	}
}
