// Package korapay lists institutions through Kora (Korapay), and names holders of bank accounts of Nigeria and Kenya and of wallets of Ghana. It
// moves no money, and it never concludes from a doubt: an account is "not found" only where Kora says so in one of the ways of the
// table of known texts; everything else is "cannot tell".
//
// API: https://developers.korapay.com/docs/payout-via-api (updated 2026-06-07), https://developers.korapay.com/docs/errors (read 2026-11;
// nothing here was called live). Header "Authorization: Bearer sk_…"; test and live are told apart by the key.
//
// What is documented: GET /misc/banks for NG, KE, ZA and GET /misc/mobile-money for KE, GH (rows of name, slug, code, country);
// POST /misc/banks/resolve "for Nigerian and Kenyan banks"; POST /misc/mobile-money/resolve "for Ghanaian mobile money networks"; the texts
// of the errors. General knowledge: with which statuses failures come, and that "currency" is the currency's code: the documentation says
// "E.g, KE, NG", its samples and public clients send NGN and GHS.
//
// Surprises:
//   - Kenya's codes are the KBA codes with 00 in front (0035 is ABC Bank, KBA 35), and operators of mobile money have codes of the
//     same form: 0001 may be both; Ghana's and Kenya's operators have a slug too, "mtn-gh";
//   - payouts want an operator's slug, the resolution its code;
//   - a phone number is sent, and comes back, in international form without "+"; so does the code of the bank or operator: both are compared;
//   - "Unable to resolve bank account" is said of wrong numbers and of outages: it says nothing; "Invalid account" does;
//   - "Invalid authorization key" and "Internal server error" may be no fault of the question's, says the documentation.
package korapay

import (
	"encoding/json"
	"maps"
	"net/http"
	"slices"

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

// Config of the provider. Without a key it is off.
type Config struct {
	BaseURL   string      `json:"base_url" doc:"Base URL of the API. Empty: https://api.korapay.com/merchant/api/v1."`
	SecretKey core.Secret `json:"secret_key" doc:"Secret key, sk_…. Empty: not used."`
}

// Provider is Kora as a directory of institutions and as a resolver of accounts.
type Provider struct{ client *upstream.Client } // nil: off

var (
	_ ports.BankDirectory   = (*Provider)(nil)
	_ ports.AccountResolver = (*Provider)(nil)
)

// New makes the provider. Without a key it is off: it serves no country, and resolves nothing.
func New(cfg Config, factory *upstream.Factory) (*Provider, error) {
	if cfg.SecretKey == "" {
		return &Provider{}, nil
	}
	if cfg.BaseURL == "" {
		cfg.BaseURL = BaseURL
	}
	client, err := factory.Client(upstream.Provider{
		Name: Name, BaseURL: cfg.BaseURL, Header: http.Header{"Authorization": {"Bearer " + cfg.SecretKey.Reveal()}},
	})
	if err != nil {
		return nil, err
	}
	return &Provider{client: client}, nil
}

// Name is "korapay".
func (*Provider) Name() string { return Name }

// Countries are those that it lists, sorted; none where it is off.
func (p *Provider) Countries() []string {
	if p.client == nil {
		return nil
	}
	return slices.Sorted(maps.Keys(countries))
}

// envelope is around every answer.
type envelope struct {
	Status  *bool           `json:"status"`
	Message string          `json:"message"`
	Data    json.RawMessage `json:"data"`
}
