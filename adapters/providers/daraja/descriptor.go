package daraja

import (
	"causeway/adapters/providers/provider"
	"causeway/adapters/upstream"
	"causeway/core"
)

// Descriptor describes Safaricom Daraja.
var Descriptor = provider.Descriptor{
	Name: Name, Title: "Safaricom Daraja", Homepage: "https://developer.safaricom.co.ke",
	BaseURL: BaseURL, TestURL: "https://sandbox.safaricom.co.ke",
	Settings: func() provider.Settings { return &Config{} },
	Accounts: []provider.Coverage{
		{Country: "KE", Channels: []core.Channel{core.PayBill, core.Till}},
	},
	Evidence: []provider.Evidence{
		{
			Fact:   "IdentifierType is 4 for pay bills and 2 for tills.",
			Source: "developer.safaricom.co.ke, B2B Hakikisha, page of 2026-05-30 as quoted by a client",
		},
		{
			Fact:   "An unknown number is 200 with Invalid Identifier.",
			Source: "published test fixture of a client",
		},
		{
			Fact:   "A till may have a TillNumber beside the OrganizationShortCode of its parent.",
			Source: "public client code (2026-11)",
		},
		{
			Fact:   "A response may take up to 45 s.",
			Source: "time-outs of public clients (2026-11)",
		},
		{
			Fact: "Texts for closed organizations, and responses to wrong keys.",
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
		{Setting: "consumer_key", Value: c.ConsumerKey},
		{Setting: "consumer_secret", Value: c.ConsumerSecret},
	}
}
