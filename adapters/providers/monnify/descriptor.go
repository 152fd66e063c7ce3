package monnify

import (
	"causeway/adapters/providers/provider"
	"causeway/adapters/upstream"
	"causeway/core"
)

// Descriptor describes Monnify.
var Descriptor = provider.Descriptor{
	Name: Name, Title: "Monnify", Homepage: "https://monnify.com",
	BaseURL: BaseURL, TestURL: "https://sandbox.monnify.com",
	Settings: func() provider.Settings { return &Config{} },
	Accounts: []provider.Coverage{
		{Country: "NG", Channels: []core.Channel{core.BankTransfer, core.MobileMoney}},
	},
	Evidence: []provider.Evidence{
		{
			Fact:   "Credentials are exchanged for a token of about an hour.",
			Source: "developers.monnify.com/docs/verification-api/verifying-your-customers (2026-11)",
		},
		{
			Fact:   "Name inquiry failed … Invalid Account is documented for /vas/bvn-account-match.",
			Source: "teamapt.atlassian.net/wiki/spaces/MON/pages/454557732",
		},
		{
			Fact: "account/validate has the same text for an unknown account.",
		},
		{
			Fact: "HTTP statuses and the fields of the bank list.",
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
		{Setting: "api_key", Value: c.APIKey, Live: "MK_PROD_", Test: "MK_TEST_"},
		{Setting: "secret_key", Value: c.SecretKey, Mistaken: "MK_"},
	}
}
