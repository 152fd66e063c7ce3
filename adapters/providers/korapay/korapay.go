// Package korapay lists institutions through Kora (Korapay), and resolves the holders of bank
// accounts of Nigeria and Kenya and of wallets of Ghana.
//
// An account is not found only if Kora says so in a known text (see texts). Every other failure is
// undecided.
//
// API: https://developers.korapay.com/docs/payout-via-api (updated 2026-06-07),
// https://developers.korapay.com/docs/errors (read 2026-11; nothing here was called live). Header
// "Authorization: Bearer sk_…"; the key selects test or live mode.
//
// Documented: GET /misc/banks for NG, KE, ZA and GET /misc/mobile-money for KE, GH (rows of name,
// slug, code, country); POST /misc/banks/resolve "for Nigerian and Kenyan banks"; POST
// /misc/mobile-money/resolve "for Ghanaian mobile money networks"; the texts of errors. Assumed:
// the statuses of failures, and that "currency" is the code of the currency: the documentation says
// "E.g, KE, NG", its samples and public clients send NGN and GHS.
//
// Quirks:
//   - Kenya's codes are KBA codes with the prefix 00 (0035 is ABC Bank, KBA 35). Operators of
//     mobile money have codes of the same form: 0001 may be both. Operators also have a slug,
//     "mtn-gh".
//   - Nigeria's rows have the NIP code as nibss_bank_code, often null (recorded lists). Kora's own
//     codes have three digits like CBN codes and are others: Paga is 916.
//   - Payouts use an operator's slug, the resolution its code.
//   - A phone number is in international form without "+", also in the response. The response
//     repeats the code of the bank or operator; both are compared.
//   - "Unable to resolve bank account" is the text for wrong numbers and for outages and decides
//     nothing; "Invalid account" does.
//   - "Invalid authorization key" and "Internal server error" may be temporary, according to the
//     documentation.
package korapay

import (
	"cmp"
	"encoding/json"

	"causeway/adapters/providers/provider"
	"causeway/adapters/upstream"
	"causeway/core"
	"causeway/ports"
)

const (
	// Name of the provider, also the key of its codes in core.Bank.Codes.
	Name = "korapay"
	// BaseURL of the API.
	BaseURL = "https://api.korapay.com/merchant/api/v1"
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
			Fact:   "Rows of Nigeria with the NIP code as nibss_bank_code.",
			Source: "recorded list, github.com/haddiebakrie/braketpay_codemagic @111a5f6 (2022-08)",
		},
		{
			Fact: "HTTP statuses of failures, and the texts for closed and dormant accounts.",
		},
	},
}

// Config of the provider. Without a key it is off.
type Config struct {
	BaseURL   string      `json:"-"` // empty: the constant
	SecretKey core.Secret `json:"secret_key" doc:"Secret key, sk_…. Empty: not used."`
}

// Credentials implements provider.Authenticated.
func (c *Config) Credentials() []provider.Credential {
	return []provider.Credential{
		{Setting: "secret_key", Value: c.SecretKey, Live: "sk_live_", Test: "sk_test_", Mistaken: "pk_"},
	}
}

// Provider is Kora as a directory of institutions and as a resolver of accounts.
type Provider struct{ provider.Keyed }

var (
	_ ports.BankDirectory   = (*Provider)(nil)
	_ ports.AccountResolver = (*Provider)(nil)
)

// Connect implements provider.Settings.
func (c *Config) Connect(factory *upstream.Factory) (provider.Clients, error) {
	keyed, err := provider.OpenKeyed(factory, upstream.Provider{Name: Name, BaseURL: cmp.Or(c.BaseURL, BaseURL)},
		"Authorization", "Bearer ", c.SecretKey, countries)
	return provider.Connected(&Provider{keyed}, err)
}

// envelope is around every response.
type envelope struct {
	Status  *bool           `json:"status"`
	Message string          `json:"message"`
	Data    json.RawMessage `json:"data"`
}
