package mtnmomo

import (
	"causeway/adapters/providers/provider"
	"causeway/adapters/upstream"
	"causeway/core"
)

const sdk = "github.com/MTN-Group/MoMoAPIs_Android_sdk (2023-05-04)"

// Descriptor describes MTN MoMo.
var Descriptor = provider.Descriptor{
	Name: Name, Title: "MTN MoMo", Homepage: "https://momodeveloper.mtn.com",
	BaseURL: BaseURL, TestURL: "https://sandbox.momodeveloper.mtn.com/disbursement",
	Settings: func() provider.Settings { return &Config{} },
	Accounts: provider.Cover(served(), core.MobileMoney),
	Evidence: []provider.Evidence{
		{
			Fact:   "Paths, headers and members of the token and of basicuserinfo; the sandbox and its response.",
			Source: sdk,
		},
		{
			Fact:   "The production host and X-Target-Environment of each country.",
			Source: "github.com/lepresk/momo-api and other public clients (read 2026-11)",
		},
		{
			Fact:   "ACCOUNTHOLDER_NOT_FOUND and RESOURCE_NOT_FOUND are rejected as a wrong number.",
			Source: "public client code for Rwanda (read 2026-11)",
		},
		{
			Fact: "The status of these codes, ACCOUNTHOLDER_NOT_ACTIVE, and that credentials belong to one country.",
		},
	},
}

// Connect implements provider.Settings.
func (c *Config) Connect(f *upstream.Factory) (provider.Clients, error) {
	return provider.Connected(New(*c, f))
}

// Credentials implements provider.Authenticated.
func (c *Config) Credentials() []provider.Credential {
	return provider.CountryKeys(c.Keys, served(), provider.Credential{})
}

// Validate implements provider.Validator: country codes become upper case and empty keys are
// removed.
func (c *Config) Validate() (err error) {
	c.Keys, err = provider.ValidateCountryKeys(c.Keys, served(),
		"a subscription key, an API user and an API key, separated by colons", func(key core.Secret) bool {
			_, _, ok := parse(key)
			return ok
		})
	return err
}
