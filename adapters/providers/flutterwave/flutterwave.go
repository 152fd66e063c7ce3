// Package flutterwave lists institutions and resolves account holders of Nigeria through
// Flutterwave's API v3.
//
// An account is not found only if Flutterwave says so in a known text (see texts). Every other
// failure is undecided.
//
// API: https://developer.flutterwave.com/v3.0/docs/bank-account-verification-1 ("for Nigerian Banks
// only"), https://flutterwavedoc.readme.io/docs/bank-account-verification, and GET /banks/{country}
// as public clients call it (read 2026-11; nothing here was called live). Header "Authorization:
// Bearer FLWSECK-…"; a test key is FLWSECK_TEST-…. API v4 has other hosts, OAuth 2.0 and other
// bodies.
//
// Quirks of the list:
//   - Operators of mobile money are rows among the banks, without a mark: MTN and VODAFONE in
//     Ghana, MPS (M-PESA) in Kenya.
//   - A row has an id, a code and a name, no type, currency or state. MPS is also the code of all
//     operators of Uganda, Tanzania and Rwanda.
//   - Ghana's codes are "GH" and the GHIPSS code; Kenya's are KBA codes except Absa's, 10276.
//   - It contains central banks, NIP Virtual Bank (999999), Flutterwave itself and closed banks, which
//     the registry excludes.
//
// Quirks of the resolution:
//   - It is a POST that changes nothing and may be repeated.
//   - A failure has status "error" in the body, usually with status 400. "Sorry, recipient account
//     could not be validated. Please try again" is the text for wrong numbers and for outages: a
//     second provider must agree.
//   - API v2 responded to an invalid account with status 200, "success", responsecode "RN0" and a
//     null accountname: a name is required.
//   - A test key resolves accounts of Access Bank (044) only; the text for others is "account_bank
//     must be numeric and only 044 is allowed".
//   - 302 and 303, the central bank's codes of TAJ Bank and Lotus Bank, were seen as Eartholeum and
//     ChamsMobile (dump of 2022-06).
package flutterwave

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
	Name = "flutterwave"
	// BaseURL of the API.
	BaseURL = "https://api.flutterwave.com/v3"
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

// Config of the provider. Without a key it is off.
type Config struct {
	BaseURL   string      `json:"-"` // empty: the constant
	SecretKey core.Secret `json:"secret_key" doc:"Secret key, FLWSECK-…. Empty: not used."`
}

// Credentials implements provider.Authenticated.
func (c *Config) Credentials() []provider.Credential {
	return []provider.Credential{
		{Setting: "secret_key", Value: c.SecretKey, Live: "FLWSECK-", Test: "FLWSECK_TEST-", Mistaken: "FLWPUBK"},
	}
}

// Provider is Flutterwave as a directory of banks and as a resolver of accounts.
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
	Status  string          `json:"status"` // success, error
	Message string          `json:"message"`
	Data    json.RawMessage `json:"data"`
}

const (
	succeeded = "success"
	failed    = "error"
)
