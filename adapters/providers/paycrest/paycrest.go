// Package paycrest reads quotes of the dealers behind Paycrest, who exchange stablecoins for African
// currencies.
//
// API: GET {base}/v2/rates/{network}/{token}/{amount}/{fiat}, no key (github.com/paycrest/docs
// openapi-v2.yaml and api-reference/general/get-token-rate.mdx @7647f74, 2026-08-21, and the server,
// github.com/paycrest/aggregator @476372c, 2026-04-05; nothing here was called live).
//
// Quirks:
//   - Each market is a request of its own. The rates come from the dealer who would get an order
//     of that amount; buy is what a customer pays for one token, and sell what a customer gets. The
//     example of the documentation has them the wrong way round; the price engine rejects such
//     quotes.
//   - There is no time. A quote is stamped on receipt.
//   - If no dealer takes an order of either side, that is 404, and a currency or token that is not
//     offered is 400 with "… is not supported": the market is missing. Trouble of all dealers of a
//     currency is 503.
//   - Dealers may follow a reference rate, for which Paycrest asks Quidax, Binance and an aggregator
//     of official rates. So it is no family of its own for the naira.
package paycrest

import (
	"context"
	"encoding/json"
	"net/http"
	"regexp"
	"strings"
	"time"

	"causeway/adapters/providers/provider"
	"causeway/adapters/providers/tickers"
	"causeway/adapters/upstream"
	"causeway/core"
	"causeway/ports"
)

const (
	// Name of the source.
	Name = "paycrest"
	// BaseURL of the public API.
	BaseURL = "https://api.paycrest.io"

	network = "base"
	amount  = "100" // tokens
)

// Descriptor describes Paycrest.
var Descriptor = provider.Descriptor{
	Name: Name, Title: "Paycrest", Homepage: "https://paycrest.io",
	BaseURL: BaseURL,
	Settings: provider.Keyless(upstream.Provider{
		Name: Name, BaseURL: BaseURL, Limits: []upstream.Limit{{Calls: 20, Per: time.Second}},
	}, func(client *upstream.Client) any { return &Source{client} }),
	Evidence: []provider.Evidence{
		{
			Fact:   "Rates need no key. sell is for customers who sell tokens, buy for customers who buy them.",
			Source: "github.com/paycrest/docs api-reference/general/get-token-rate.mdx @7647f74 (2026-08-21)",
		},
		{
			Fact:   "NGN, KES, UGX and TZS are offered, GHS is not.",
			Source: "github.com/paycrest/docs resources/supported-currencies.mdx @7647f74 (2026-08-21)",
		},
		{
			Fact:   "404 means that no dealer takes the amount, 400 that a token or currency is not supported.",
			Source: "github.com/paycrest/aggregator controllers/index.go @476372c (2026-04-05)",
		},
		{
			Fact: "Dealers set their own rates, or follow a reference rate that is made of other providers' rates.",
			Source: "github.com/paycrest/aggregator tasks/rates.go @476372c (2026-04-05) and" +
				" github.com/paycrest/stablecoin-rates src/rates/sources @7980f1e (2025-11-04)",
		},
		{
			Fact:   "A limit of 20 requests per second without a key.",
			Source: "github.com/paycrest/docs resources/troubleshooting.mdx @7647f74 (2026-08-21)",
		},
		{Fact: "USDT on the network base has dealers for KES."},
	},
}

// Source is Paycrest as a source of rates.
type Source struct{ *upstream.Client }

var _ ports.RateSource = (*Source)(nil)

// MinInterval returns the shortest polling interval for so many markets.
func (s *Source) MinInterval(markets int) time.Duration { return s.Client.MinInterval(markets, 1) }

// Observe returns the quotes of the markets, each from a response of its own.
func (s *Source) Observe(ctx context.Context, markets []core.Pair) ([]core.Observation, error) {
	return tickers.OneByOne(ctx, markets, s.observe)
}

// code is the form of a token or currency, which becomes part of a path.
var code = regexp.MustCompile(`^[A-Z0-9]{2,10}$`)

// side is what a customer pays or gets for one token.
type side struct {
	Rate json.RawMessage `json:"rate"`
}

// observe requests one market, which is core.NotFound if no dealer quotes it. ok is false if its rates
// are unreadable.
func (s *Source) observe(ctx context.Context, market core.Pair) (o core.Observation, ok bool, err error) {
	if !code.MatchString(market.Base) || !code.MatchString(market.Counter) {
		return o, false, nil
	}
	path := "/v2/rates/" + network + "/" + market.Base + "/" + amount + "/" + market.Counter
	err = s.Get(ctx, "rates", path, nil, func(a upstream.Response) error {
		o, ok = core.Observation{}, false
		if unquoted(a) {
			return core.Errorf(core.NotFound, "Nobody quotes the market")
		}
		var quote struct {
			Status string `json:"status"`
			Data   *struct {
				Buy  side `json:"buy"`
				Sell side `json:"sell"`
			} `json:"data"`
		}
		if err := a.Decode(&quote); err != nil {
			return err
		}
		if quote.Status != "success" || quote.Data == nil {
			return upstream.Fail(upstream.Malformed, "no rates")
		}
		t := tickers.Ticker{Bid: quote.Data.Sell.Rate, Ask: quote.Data.Buy.Rate, At: a.At}
		o, ok = t.Observation(Name, market)
		return nil
	})
	return o, ok, err
}

// unquoted reports whether a response says that no dealer quotes the market.
func unquoted(a upstream.Response) bool {
	var refusal struct {
		Status  string `json:"status"`
		Message string `json:"message"`
	}
	if a.JSON(&refusal) != nil || refusal.Status != "error" {
		return false
	}
	return a.Status == http.StatusNotFound && strings.Contains(refusal.Message, "no provider available") ||
		a.Status == http.StatusBadRequest && strings.Contains(refusal.Message, "not supported")
}
