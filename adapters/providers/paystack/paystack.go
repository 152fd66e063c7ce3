// Package paystack lists banks, resolves account holders of Nigeria and Ghana, and confirms those
// of South Africa by their documents through Paystack.
//
// An account is not found only if Paystack says so in a known text (see texts). Every other failure
// is undecided.
//
// API: https://github.com/PaystackOSS/openapi (@9678dea, 2025-10-24), paths bank, bank_resolve and
// bank_validate, and https://paystack.com/docs/identity-verification/verify-account-number (read
// 2026-08; nothing here was called live). Header "Authorization: Bearer sk_…". The key selects test
// or live mode and belongs to a business in one country.
//
// Quirks of the list:
//   - Pages need use_cursor; meta.next is the cursor of the next page. Some responses have no meta.
//   - Rows may be inactive, deleted (is_deleted may be null) or without a code, and codes may be
//     duplicate.
//   - Codes have no fixed form: 058, 50211, 035A, FC40163, MFB50094, 120001. The NIP code is a
//     separate, optional field.
//   - The specification has the type ghipps, responses have ghipss. MPTILL and MPPAYBILL are ways
//     to pay, not institutions.
//
// Quirks of the resolution:
//   - An unknown account is 422, in some clients 400: the text decides. The same text with another
//     status may be an outage of the bank.
//   - The cap of the test mode (three real accounts a day) is 429 or 400 and says nothing about the
//     account.
//   - An outage may be plain text or HTML.
//   - The response repeats the account number, which is compared.
//   - Ghana's wallets have the bank codes MTN, VOD, ATL and the national phone number.
//
// Quirks of the validation (South Africa only; a POST that changes nothing, but costs ZAR 3):
//   - It discloses no name.
//   - Not all banks support it. A separate list, with enabled_for_verification, has banks that do,
//     and is read together with the list of banks. Until then all banks may be requested, and one
//     without support leaves the result open.
//   - accountHolderMatch compares the account with the number of a document (identity, passport or
//     business registration) and says nothing about the name. Without a number there is no result.
//   - Another holder is "verified" false, accountHolderMatch false and no accountOpen. "verified"
//     false with all flags false decides nothing. Older samples have no flags.
//   - An account that is verified and not open is closed. An invalid number is 400 with a
//     verificationMessage.
package paystack

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"sync/atomic"

	"causeway/adapters/providers/provider"
	"causeway/adapters/upstream"
	"causeway/core"
	"causeway/ports"
)

const (
	// Name of the provider, also the key of its codes in core.Bank.Codes.
	Name = "paystack"
	// BaseURL of the API.
	BaseURL = "https://api.paystack.co"
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

// Config of the provider.
type Config struct {
	BaseURL string                 `json:"-"` // empty: the constant
	Keys    map[string]core.Secret `json:"keys" doc:"Secret keys by country (NG, GH, KE, ZA, CI): a key belongs to a business in one country."`
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

// Provider is Paystack as a directory of banks, as a resolver of accounts and as a confirmer of
// their holders.
type Provider struct {
	clients map[string]*upstream.Client // by country

	// validates are the codes of South African banks that support validation; nil: not known yet.
	validates atomic.Pointer[map[string]struct{}]
}

var (
	_ ports.BankDirectory    = (*Provider)(nil)
	_ ports.AccountResolver  = (*Provider)(nil)
	_ ports.AccountConfirmer = (*Provider)(nil)
)

// Connect implements provider.Settings. Without a key the provider serves no country and resolves
// nothing.
func (c *Config) Connect(factory *upstream.Factory) (provider.Clients, error) {
	cfg := *c // Validate changes it
	if err := cfg.Validate(); err != nil {
		return provider.Clients{}, fmt.Errorf("paystack: %w", err)
	}
	p := &Provider{clients: map[string]*upstream.Client{}}
	for country, key := range cfg.Keys {
		client, err := factory.Client(upstream.Provider{
			Name: Name, BaseURL: cmp.Or(c.BaseURL, BaseURL),
			Header: http.Header{"Authorization": {"Bearer " + key.Reveal()}},
		})
		if err != nil {
			return provider.Clients{}, err
		}
		p.clients[country] = client
	}
	return provider.Connected(p, nil)
}

// Name returns "paystack".
func (*Provider) Name() string { return Name }

// Countries returns those with a key, sorted.
func (p *Provider) Countries() []string { return slices.Sorted(maps.Keys(p.clients)) }

// envelope is around every response.
type envelope struct {
	Status  bool            `json:"status"`
	Message string          `json:"message"`
	Data    json.RawMessage `json:"data"`
	Meta    json.RawMessage `json:"meta"` // of a page: where the next one is; of a failure: advice
	Code    string          `json:"code"` // of a failure, for example "invalid_bank_code"
	Type    string          `json:"type"` // of a failure: validation_error, processor_error, api_error
}
