package flutterwave

import (
	"causeway/adapters/providers/provider"
	"causeway/adapters/upstream"
	"causeway/core"
)

// Descriptor describes Flutterwave.
var Descriptor = provider.Descriptor{
	Name: Name, Title: "Flutterwave", Homepage: "https://flutterwave.com",
	BaseURL:  BaseURL,
	Settings: func() provider.Settings { return &Config{} },
	Accounts: []provider.Coverage{
		{Country: "NG", Channels: []core.Channel{core.BankTransfer, core.MobileMoney}},
	},
	Evidence: []provider.Evidence{
		{
			Fact:   "Resolve covers Nigerian banks only.",
			Source: "developer.flutterwave.com/v3.0/docs/bank-account-verification-1 (2026-11)",
		},
		{
			Fact:   "The text for an unknown account is also used for outages: a second provider must agree.",
			Source: "tests of the vendor SDK",
		},
		{
			Fact:   "Operators of mobile money are rows of the bank list without a mark.",
			Source: "dump of the lists of 2022, github.com/johnalalade/clyp",
		},
		{
			Fact: "Closed and dormant accounts have texts of their own.",
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
		{Setting: "secret_key", Value: c.SecretKey, Live: "FLWSECK-", Test: "FLWSECK_TEST-", Mistaken: "FLWPUBK"},
	}
}
