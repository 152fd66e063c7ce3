// Package afriex lists institutions through Afriex, and names holders of bank accounts of Nigeria and Ghana and of wallets of Kenya, Uganda,
// Tanzania, Rwanda, Ivory Coast, Senegal and Cameroon. It moves no money, and it never concludes from a doubt: an account is "not found" only where Afriex says
// so in one of the ways of the table of known texts; everything else is "cannot tell".
//
// API: https://docs.afriex.com/development and its OpenAPI document 1.0.13 (as kept in github:api-evangelist/afriex @26c341a, 2026-09; read
// 2026-11; nothing here was called live): GET /api/v1/payment-method/resolve and /institution. Header "x-api-key". Test and live are two hosts,
// https://sandbox.api.afriex.com and https://api.afriex.com, and a key does not show which of them it is for. Limits are not published.
//
// Surprises:
//   - an answer does not say which account it is about, only the holder and the institution; empty fields are left out;
//   - an older page has the answer without "data" around it: both forms are read, and one with both is none;
//   - banks are asked for by their NIP or CBN codes, and the answer has the NIP code: 058 comes back as 000013. A code that is another
//     institution's leaves the question open;
//   - wallets need no institution. Where Afriex's list has told the operator's code it is sent, else the operator that the answer names is
//     compared, as far as its code is known;
//   - accounts of banks are told of Nigeria and Ghana alone, wallets of other countries than these two, although Ghana's are paid out to;
//   - 404 has the code PAYMENT_METHOD_NOT_FOUND where the account is meant, and NOT_FOUND_ERROR where the path is. What is said of a wrong
//     institution is not documented: Ghana's banks are asked about only by codes of Afriex's own list;
//   - VALIDATION_ERROR, and details such as PHONE_COUNTRY_MISMATCH, are about our question and say nothing about an account;
//   - 502 and 504 are not Afriex's but the network's before it, and HTML.
//
// General knowledge: that a phone number is taken in E.164 with its "+", and how closed and dormant accounts are worded.
package afriex

import (
	"maps"
	"net/http"
	"slices"

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

// Config of the provider. Without a key it is off.
type Config struct {
	BaseURL string      `json:"base_url" doc:"Base URL of the API. Empty: https://api.afriex.com. With test keys: https://sandbox.api.afriex.com."`
	APIKey  core.Secret `json:"api_key" doc:"API key of the business. Empty: not used."`
}

// Provider is Afriex as a directory of institutions and as a resolver of accounts.
type Provider struct{ client *upstream.Client } // nil: off

var (
	_ ports.BankDirectory   = (*Provider)(nil)
	_ ports.AccountResolver = (*Provider)(nil)
)

// New makes the provider. Without a key it is off: it serves no country, and resolves nothing.
func New(cfg Config, factory *upstream.Factory) (*Provider, error) {
	if cfg.APIKey == "" {
		return &Provider{}, nil
	}
	if cfg.BaseURL == "" {
		cfg.BaseURL = BaseURL
	}
	client, err := factory.Client(upstream.Provider{
		Name: Name, BaseURL: cfg.BaseURL, Header: http.Header{"X-Api-Key": {cfg.APIKey.Reveal()}},
	})
	if err != nil {
		return nil, err
	}
	return &Provider{client: client}, nil
}

// Name is "afriex".
func (*Provider) Name() string { return Name }

// Countries are those of which it names accounts, sorted; none where it is off.
func (p *Provider) Countries() []string {
	if p.client == nil {
		return nil
	}
	return slices.Sorted(maps.Keys(countries))
}
