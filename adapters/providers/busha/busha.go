// Package busha reads prices from Busha, a second source of the naira's street price. With a key,
// it also lists institutions and resolves the holders of Nigerian accounts and of Kenyan wallets,
// pay bills and tills.
//
// An account is not found only if Busha says so in a known text (see texts). Every other failure is
// undecided.
//
// API: https://docs.busha.io/guides/reference/pairs, /addresses-banks-mobile and
// /supported-countries, as quoted by public clients, one of which is "verified live" on 2026-08-25
// (read 2026-11; nothing here was called live), and Causeway's own contract, sections 2 and 3,
// which is Busha's interface. GET /v1/pairs and GET /v1/banks need no key; POST
// /v1/recipients/resolve-bank-account needs "Authorization: Bearer …". 100 requests a minute.
//
// Quirks of pairs:
//   - Prices are an operator's own quotes with its margin: about 1.2 % between the sides for
//     stablecoins, 5 % for bitcoin.
//   - They are the customer's: sell_price is the bid and buy_price the ask, so that buy is the
//     larger one.
//   - A pair that is not on offer stays in the list with its last price; is_buy_supported or
//     is_sell_supported is false, or the status is halted. It is left out.
//   - updated_at is in the contract but not in Busha's pages. A pair without it is stamped on
//     receipt.
//   - A price names its currency. One in another currency is left out.
//   - Failures are {"error":{"name","message"}} with a fitting status.
//
// Quirks of accounts:
//   - A found account is 201 or 200. The response repeats the request in normal form; the account
//     and the institution are compared.
//   - Codes are the catalog's: NIP codes in Nigeria, the operator's usual short code in Kenya.
//     Codes of its own list take precedence.
//   - 404 is also the status of unknown paths: only not_found with a known text is about the
//     account.
//   - 400 means a defect of the request and decides nothing about the account.
//   - The rows of its list are as in the contract; that Kenyan rows without a type are wallets is
//     assumed.
package busha

import (
	"cmp"
	"net/http"
	"time"

	"causeway/adapters/providers/provider"
	"causeway/adapters/providers/tickers"
	"causeway/adapters/upstream"
	"causeway/core"
	"causeway/ports"
)

const (
	// Name of the provider, also the key of its codes in core.Bank.Codes.
	Name = "busha"
	// BaseURL of the API.
	BaseURL = "https://api.busha.co"
)

// Descriptor describes Busha.
var Descriptor = provider.Descriptor{
	Name: Name, Title: "Busha", Homepage: "https://busha.co",
	BaseURL:  BaseURL,
	Settings: func() provider.Settings { return &Config{} },
	Accounts: []provider.Coverage{
		{Country: "NG", Channels: []core.Channel{core.BankTransfer, core.MobileMoney}, Rank: 2},
		{Country: "KE", Channels: []core.Channel{core.MobileMoney, core.PayBill, core.Till}, Rank: 2},
	},
	Evidence: []provider.Evidence{
		{
			Fact:   "Pairs and banks need no key; resolve does.",
			Source: "docs.busha.io/guides/reference, as quoted by public clients (2026-08-25)",
		},
		{
			Fact:   "100 requests per minute.",
			Source: "docs.busha.io/guides/reference, as quoted by public clients (2026-08-25)",
		},
		{
			Fact: "Kenyan wallets, pay bills and tills, and the text for an unknown account.",
		},
		{
			Fact:   "A pair that cannot be bought or sold has is_buy_supported or is_sell_supported false and is left out.",
			Source: "docs.busha.io/guides/reference, as quoted by public clients (2026-08-25)",
		},
	},
}

// Config of the provider. Without a key it quotes rates only.
type Config struct {
	BaseURL string      `json:"-"` // empty: the constant
	APIKey  core.Secret `json:"api_key" doc:"API key of the business. Empty: used for rates only."`
}

// Credentials implements provider.Authenticated.
func (c *Config) Credentials() []provider.Credential {
	return []provider.Credential{
		{Setting: "api_key", Value: c.APIKey, Untested: true},
	}
}

// Provider is Busha as a source of rates, a directory of institutions and a resolver of accounts.
type Provider struct {
	*tickers.Source

	accounts *upstream.Client // nil: off
}

var (
	_ ports.RateSource      = (*Provider)(nil)
	_ ports.BankDirectory   = (*Provider)(nil)
	_ ports.AccountResolver = (*Provider)(nil)
)

// Connect implements provider.Settings.
func (c *Config) Connect(factory *upstream.Factory) (provider.Clients, error) {
	client := upstream.Provider{
		Name: Name, BaseURL: cmp.Or(c.BaseURL, BaseURL), Limits: []upstream.Limit{{Calls: 100, Per: time.Minute}},
	}
	rates, err := tickers.New(factory, client, pairsAPI)
	if err != nil || c.APIKey == "" {
		return provider.Connected(&Provider{Source: rates}, err)
	}
	client.Header = http.Header{"Authorization": {"Bearer " + c.APIKey.Reveal()}}
	accounts, err := factory.Client(client)
	return provider.Connected(&Provider{Source: rates, accounts: accounts}, err)
}
