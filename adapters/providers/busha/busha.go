// Package busha quotes markets from the public service busha, for the price engine: what it pays and takes for coins in
// naira, the second voice of the street price; and, with a key, lists institutions and names holders of accounts of Nigeria and of wallets, pay
// bills and tills of Kenya. It decides nothing about a price, moves no money, and never concludes from a doubt: an account is
// "not found" only where busha says so in one of the ways of the table of known texts; everything else is "cannot tell".
//
// API: https://docs.busha.io/guides/reference/pairs, /addresses-banks-mobile and /supported-countries (as quoted by public clients, one of which says
// "verified live" on 2026-08-25; read 2026-11, nothing here was called live), and our own contract, sections 2 and 3, which is its interface. GET
// /v1/pairs and GET /v1/banks need no authentication, POST /v1/recipients/resolve-bank-account "Authorization: Bearer …" with the key as the
// dashboard shows it. Limits: 100 requests a minute, as its pages have them for a start.
//
// Surprises of the pairs:
//   - it is no order book but an operator's own quote, with its margin inside: about 1.2 % between the sides for stablecoins, 5 % for
//     bitcoin and the like;
//   - the words are the customer's: sell_price is what a customer gets (the bid), buy_price what one pays (the ask), so
//     buy is the larger one; at an exchange's book it is the other way round;
//   - a pair that is not on offer stays in the list with its last price, and is_buy_supported or is_sell_supported false, or the
//     status halted: it is left out, and so is one that does not say that both sides are on offer;
//   - updated_at is documented in our contract and not in its own pages: a pair without it is stamped on receipt;
//   - a price names its currency, which is compared with the pair's counter: another unit is no quote;
//   - failures are {"error":{"name","message"}} with a fitting status.
//
// Surprises of the accounts:
//   - a found account is 201 or 200; what was asked for comes back normalised: the account and the institution are compared;
//   - its codes are ours: NIP codes in Nigeria, an operator's usual short code in Kenya. Its list is believed where it has another;
//   - 404 is also said of paths; only "not_found" with a known text is about the account;
//   - 400 is about our question, which is then a defect of ours, and says nothing about the account;
//   - the rows of its list are as in our contract; that those of Kenya without a type are wallets is general knowledge.
package busha

import (
	"net/http"
	"time"

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

// Config of the provider. Without a key it is asked for rates alone.
type Config struct {
	BaseURL string      `json:"base_url" doc:"Base URL of the API. Empty: https://api.busha.co."`
	APIKey  core.Secret `json:"api_key" doc:"API key of the business. Empty: used for rates only."`
}

// Provider is busha as a source of rates, as a directory of institutions and as a resolver of accounts.
type Provider struct {
	rates    *upstream.Client
	accounts *upstream.Client // nil: off
}

var (
	_ ports.RateSource      = (*Provider)(nil)
	_ ports.BankDirectory   = (*Provider)(nil)
	_ ports.AccountResolver = (*Provider)(nil)
)

// New makes the provider. Without a key it lists no country, and resolves nothing.
func New(cfg Config, factory *upstream.Factory) (*Provider, error) {
	if cfg.BaseURL == "" {
		cfg.BaseURL = BaseURL
	}
	limits := []upstream.Limit{{Calls: 100, Per: time.Minute}}
	rates, err := factory.Client(upstream.Provider{Name: Name, BaseURL: cfg.BaseURL, Limits: limits})
	if err != nil {
		return nil, err
	}
	if cfg.APIKey == "" {
		return &Provider{rates: rates}, nil
	}
	accounts, err := factory.Client(upstream.Provider{
		Name: Name, BaseURL: cfg.BaseURL, Header: http.Header{"Authorization": {"Bearer " + cfg.APIKey.Reveal()}}, Limits: limits,
	})
	if err != nil {
		return nil, err
	}
	return &Provider{rates: rates, accounts: accounts}, nil
}

// Name is "busha".
func (*Provider) Name() string { return Name }
