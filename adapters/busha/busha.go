// Package busha quotes markets from the public service busha, for the price engine: what it pays and takes for coins in
// naira, the second voice of the street price. It reads the public list of pairs, without a key, and decides nothing about a price.
//
// API: https://docs.busha.io/guides/reference/pairs (as quoted by public clients, one of which says "verified live" on 2026-08-25;
// read 2026-11, nothing here was called live). GET /v1/pairs needs no authentication. Limits are not published:
// ten calls a second are ours.
//
// Surprises:
//   - it is no order book but an operator's own quote, with its margin inside: about 1.2 % between the sides for stablecoins, 5 % for
//     bitcoin and the like;
//   - the words are the customer's: sell_price is what a customer gets (the bid), buy_price what one pays (the ask), so
//     buy is the larger one; at an exchange's book it is the other way round;
//   - a pair that is not on offer stays in the list with its last price, and is_buy_supported or is_sell_supported false, or the
//     status halted: it is left out, and so is one that does not say that both sides are on offer;
//   - updated_at is documented in our contract and not in its own pages: a pair without it is stamped on receipt;
//   - a price names its currency, which is compared with the pair's counter: another unit is no quote;
//   - failures are {"error":{"name","message"}} with a fitting status.
package busha

import (
	"time"

	"causeway/adapters/upstream"
	"causeway/ports"
)

const (
	// Name of the provider.
	Name = "busha"
	// BaseURL of the API.
	BaseURL = "https://api.busha.co"
)

// Config of the provider.
type Config struct {
	BaseURL string `json:"base_url" doc:"where the API is; empty: https://api.busha.co"`
}

// Provider is busha as a source of rates.
type Provider struct{ rates *upstream.Client }

var _ ports.RateSource = (*Provider)(nil)

// New makes the provider.
func New(cfg Config, factory *upstream.Factory) (*Provider, error) {
	if cfg.BaseURL == "" {
		cfg.BaseURL = BaseURL
	}
	rates, err := factory.Client(upstream.Provider{
		Name: Name, BaseURL: cfg.BaseURL, Patient: true, Limits: []upstream.Limit{{Calls: 10, Per: time.Second}},
	})
	if err != nil {
		return nil, err
	}
	return &Provider{rates: rates}, nil
}

// Name is "busha".
func (*Provider) Name() string { return Name }
