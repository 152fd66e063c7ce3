package airtel

import (
	"causeway/adapters/providers/provider"
	"causeway/adapters/upstream"
	"causeway/core"
)

// Descriptor describes Airtel Africa.
var Descriptor = provider.Descriptor{
	Name: Name, Title: "Airtel Money", Homepage: "https://developers.airtel.africa",
	BaseURL: BaseURL, TestURL: "https://openapiuat.airtel.africa",
	Settings: func() provider.Settings { return &Config{} },
	Accounts: provider.Cover(served(), core.MobileMoney),
	Evidence: []provider.Evidence{
		{
			Fact: "Path and response of the user lookup, national numbers, X-Country and X-Currency, the sandbox host.",
			Source: "github.com/mtvbrianking/laravel-airtel-money (2025-11-19), tests/Products/KycTest.php and " +
				"src/Products/Kyc.php",
		},
		{
			Fact:   "The token request with the credentials in a JSON body, and a lifetime of 180 seconds as text.",
			Source: "github.com/fredpatch/ono_ticketr_server (2024-12-05), services/airtelmoney/documentations.md",
		},
		{
			Fact:   "The codes DP02200000000 to DP02200000002.",
			Source: "Airtel's table of codes, as quoted by several public clients (read 2026-11)",
		},
		{
			Fact: "The status of these codes, the response to rejected credentials, the meaning of is_barred for payouts, " +
				"and that credentials belong to one country.",
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
		"a client ID and a client secret, separated by a colon", func(key core.Secret) bool {
			_, _, ok := parse(key)
			return ok
		})
	return err
}
