package paystack

import (
	"causeway/adapters/providers/provider"
	"causeway/adapters/upstream"
	"causeway/core"
)

// Descriptor describes Paystack.
var Descriptor = provider.Descriptor{
	Name: Name, Title: "Paystack", Homepage: "https://paystack.com",
	BaseURL:  BaseURL,
	Settings: func() provider.Settings { return &Config{} },
	Accounts: []provider.Coverage{
		{Country: "NG", Channels: []core.Channel{core.BankTransfer, core.MobileMoney}},
		{Country: "GH", Channels: []core.Channel{core.BankTransfer, core.MobileMoney}},
		{Country: "ZA", Channels: []core.Channel{core.BankTransfer}, ByDocument: true},
	},
	Evidence: []provider.Evidence{
		{
			Fact:   "One secret key belongs to a business in one country.",
			Source: "github.com/PaystackOSS/openapi @9678dea (2025-10-24)",
		},
		{
			Fact:   "Resolve covers Nigeria and Ghana.",
			Source: "paystack.com/docs/identity-verification/verify-account-number (2026-08)",
		},
		{
			Fact:   "An unknown account is 422 or 400; the text decides.",
			Source: "published test fixtures of clients",
		},
		{
			Fact:   "422 with the code invalid_bank_code says nothing about the account.",
			Source: "published test fixtures of clients",
		},
		{
			Fact:   "An unknown bank code is 400, Unknown bank code.",
			Source: "github.com/PaystackOSS/openapi @9678dea (2025-10-24)",
		},
		{
			Fact:   "The test mode allows three real accounts a day and says so with 429 or 400.",
			Source: "measured by a third party (2026-09-14)",
		},
		{
			Fact: "In South Africa accountHolderMatch compares the account with the number of a document and says " +
				"nothing about the name. Each call costs ZAR 3.",
			Source: "paystack.com/docs/identity-verification/verify-account-number (2026-08)",
		},
		{
			Fact: "A document of another holder is verified false without accountOpen. With test keys every document is " +
				"another holder's. An invalid number is 400 with a verificationMessage.",
			Source: "responses recorded by third parties (2026-09 and 2026-11)",
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

// Credentials implements provider.Authenticated: one key per country.
func (c *Config) Credentials() []provider.Credential {
	return provider.CountryKeys(c.Keys, []string{"NG", "GH", "KE", southAfrica, "CI"},
		provider.Credential{Live: "sk_live_", Test: "sk_test_", Mistaken: "pk_"})
}

// Validate implements provider.Validator: country codes become upper case and empty keys are
// removed.
func (c *Config) Validate() (err error) {
	c.Keys, err = provider.ValidateCountryKeys(c.Keys, served(), "", nil)
	return err
}
