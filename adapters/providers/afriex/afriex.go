// Package afriex lists institutions through Afriex, and resolves the holders of bank accounts of
// Nigeria and Ghana and of wallets of Kenya, Uganda, Tanzania, Rwanda, Ivory Coast, Senegal and
// Cameroon. An account is "not found" only if Afriex says so in a known text; everything else is
// "unavailable".
//
// API: https://docs.afriex.com/development and its OpenAPI document 1.0.13 (as kept in
// github.com/api-evangelist/afriex @26c341a, 2026-09; read 2026-11; never called live): GET
// /api/v1/payment-method/resolve and /institution, with the header "x-api-key". Test and live are
// two hosts, https://sandbox.api.afriex.com and https://api.afriex.com; a key does not show which
// one it is for. Limits are not published.
//
// Quirks:
//   - A response names the holder and the institution, but not the account. Empty fields are
//     omitted.
//   - An older page shows the response without "data" around it. Both forms are read.
//   - Banks are requested by NIP or CBN code, and the response has the NIP code: 058 comes back as
//     000013. A response with the code of another institution is "unavailable".
//   - institutionCode is required on both channels, and numbers are sent as digits without "+". A
//     wallet without an operator code is not requested: the same number may exist at two operators.
//   - 404 has the code PAYMENT_METHOD_NOT_FOUND for the account and NOT_FOUND_ERROR for the path.
//     The response to an unknown institution is not documented, so banks of Ghana are requested
//     only by codes from Afriex's own list.
//   - VALIDATION_ERROR, and details such as PHONE_COUNTRY_MISMATCH, concern the request and say
//     nothing about an account.
//   - 502 and 504 come from the network in front of Afriex, as HTML.
//
// Assumed: the texts for closed and dormant accounts, and the operators of Kenya, SAFARICOM and Airtel.
package afriex

import (
	"cmp"

	"causeway/adapters/providers/provider"
	"causeway/adapters/upstream"
	"causeway/core"
	"causeway/ports"
)

const (
	// Name of the provider, also the key of its codes in core.Bank.Codes.
	Name = "afriex"
	// BaseURL of the API.
	BaseURL = "https://api.afriex.com"
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
			Fact: "Limits, the texts for closed and dormant accounts, and the operators of Kenya: the document lists " +
				"operators of Ghana, whose codes are their names.",
		},
	},
}

// Config of the provider. Without a key it is off.
type Config struct {
	BaseURL string      `json:"-"` // empty: the constant
	APIKey  core.Secret `json:"api_key" doc:"API key of the business. Empty: not used."`
}

// Credentials implements provider.Authenticated.
func (c *Config) Credentials() []provider.Credential {
	return []provider.Credential{
		{Setting: "api_key", Value: c.APIKey},
	}
}

// Provider is Afriex as a directory of institutions and as a resolver of accounts.
type Provider struct{ provider.Keyed }

var (
	_ ports.BankDirectory   = (*Provider)(nil)
	_ ports.AccountResolver = (*Provider)(nil)
)

// Connect implements provider.Settings.
func (c *Config) Connect(factory *upstream.Factory) (provider.Clients, error) {
	keyed, err := provider.OpenKeyed(factory, upstream.Provider{Name: Name, BaseURL: cmp.Or(c.BaseURL, BaseURL)},
		"X-Api-Key", "", c.APIKey, countries)
	return provider.Connected(&Provider{keyed}, err)
}
