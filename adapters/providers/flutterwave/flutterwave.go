// Package flutterwave lists institutions and names account holders of Nigeria through Flutterwave's API v3. It moves no money, and it
// never concludes from a doubt: an account is "not found" only where Flutterwave says so in one of the ways of the table of known
// texts; everything else is "cannot tell".
//
// API: https://developer.flutterwave.com/v3.0/docs/bank-account-verification-1 ("for Nigerian Banks only"),
// https://flutterwavedoc.readme.io/docs/bank-account-verification, and GET /banks/{country} as public clients call it (read 2026-11; nothing
// here was called live). Header "Authorization: Bearer FLWSECK-…"; a test key is FLWSECK_TEST-…. API v4 is another one: other
// hosts, OAuth2 and bodies.
//
// Surprises of the list:
//   - operators of mobile money are rows among the banks, without a mark: MTN and VODAFONE in Ghana, MPS (M-PESA) in Kenya;
//   - a row has an id, a code and a name, no type, currency or state; MPS is also the one code of all operators of Uganda, Tanzania and Rwanda;
//   - Ghana's codes are "GH" and the GHIPSS code; Kenya's are the KBA codes but for Absa's, 10276;
//   - central banks and NIP Virtual Bank (999) are in it, which keep no accounts of people.
//
// Surprises of the resolution:
//   - it is a POST, which changes nothing: asking twice is safe;
//   - a failure has status "error" in the body, with HTTP 400 in general, and the same sentence "Sorry, recipient account could not be
//     validated. Please try again" for wrong numbers and for outages: a second provider must agree;
//   - API v2 answered an invalid account with HTTP 200, status "success", responsecode "RN0" and a null accountname: a name must
//     be there, and be one;
//   - a test key answers for Access Bank (044) alone, and says of all others "account_bank must be numeric and only 044 is allowed";
//   - 302 and 303, at the central bank TAJ Bank and Lotus Bank, were seen as Eartholeum and ChamsMobile (dump of 2022-06).
package flutterwave

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
	Name = "flutterwave"
	// BaseURL of the API.
	BaseURL = "https://api.flutterwave.com/v3"
)

// Config of the provider. Without a key it is off.
type Config struct {
	BaseURL   string      `json:"base_url" doc:"Base URL of the API. Empty: https://api.flutterwave.com/v3."`
	SecretKey core.Secret `json:"secret_key" doc:"Secret key, FLWSECK-…. Empty: not used."`
}

// Provider is Flutterwave as a directory of banks and as a resolver of accounts.
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

// Name is "flutterwave".
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
	Status  string          `json:"status"` // success, error
	Message string          `json:"message"`
	Data    json.RawMessage `json:"data"`
}

const (
	succeeded = "success"
	failed    = "error"
)
