// Package coingecko reads middle prices from CoinGecko, an aggregate of exchanges. It is used for
// prices that no other source has.
//
// API: GET {base}/api/v3/simple/price (https://docs.coingecko.com/reference/simple-price and
// /docs/errors-and-rate-limits, github:coingecko/coingecko-api-oas demo-api.json, read 2026-11;
// nothing here was called live). Without a key there is a limit per address. A key is in the header
// x-cg-demo-api-key, with 30 to 100 requests per minute, or in x-cg-pro-api-key at the host of the
// paid plans, pro-api.coingecko.com. Each host refuses the other's keys.
//
// Quirks:
//   - Coins have ids (bitcoin, the-open-network), because several coins share a ticker. Currencies
//     are lower-case codes; USDT is not one of them.
//   - An unknown coin or currency is missing in a response with status 200.
//   - Every coin comes in every currency of the request.
//   - Prices are JSON numbers with up to 17 digits, small ones with an exponent.
//   - last_updated_at is in seconds and per coin: prices are a minute old and may be much older. A
//     coin without it is left out, because its price may be of any age.
//   - Prices in fiat other than USD are conversions at nearly official rates: its naira is not the
//     street price.
//   - Errors are {"status":{"error_code","error_message"}} or {"error":"…"}, and the code is more
//     specific than the status. "status" may also be the id of a coin.
package coingecko

import (
	"cmp"
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"causeway/adapters/providers/provider"
	"causeway/adapters/upstream"
	"causeway/core"
	"causeway/ports"
)

const (
	// Name of the source.
	Name = "coingecko"
	// BaseURL of the API.
	BaseURL = "https://api.coingecko.com"

	pricePath = "/api/v3/simple/price"
	madeAt    = "last_updated_at"

	paidHost   = "pro-api.coingecko.com"
	paidHeader = "X-Cg-Pro-Api-Key"
)

// Descriptor describes CoinGecko.
var Descriptor = provider.Descriptor{
	Name: Name, Title: "CoinGecko", Homepage: "https://www.coingecko.com",
	BaseURL:  BaseURL,
	Settings: func() provider.Settings { return &Config{} },
	Evidence: []provider.Evidence{
		{
			Fact:   "The host decides which header carries the key.",
			Source: "docs.coingecko.com/reference/simple-price and /docs/errors-and-rate-limits (2026-11)",
		},
		{
			Fact:   "The demo plan has 10,000 requests a month and 100 a minute.",
			Source: "docs.coingecko.com/docs/errors-and-rate-limits (2026-11)",
		},
	},
}

// Config of the source.
type Config struct {
	BaseURL string      `json:"-"` // empty: the constant
	APIKey  core.Secret `json:"api_key" doc:"API key. Empty: the public limit per address applies."`
}

// Credentials implements provider.Authenticated.
func (c *Config) Credentials() []provider.Credential {
	return []provider.Credential{
		{Setting: "api_key", Value: c.APIKey, Live: "CG-"},
	}
}

// Source is CoinGecko as a source of rates.
type Source struct{ *upstream.Client }

var _ ports.RateSource = (*Source)(nil)

// Connect implements provider.Settings.
func (c *Config) Connect(factory *upstream.Factory) (provider.Clients, error) {
	header := http.Header{}
	if c.APIKey != "" {
		header.Set(keyHeader(c.BaseURL), c.APIKey.Reveal())
	}
	client, err := factory.Client(upstream.Provider{
		Name: Name, BaseURL: cmp.Or(c.BaseURL, BaseURL), Header: header, Limits: c.limits(),
	})
	return provider.Connected(&Source{Client: client}, err)
}

// limits returns the plan's limits. The calls of a month are counted by key. Without a key a third
// of the published calls a minute is assumed, and the paid plans are called no faster than the demo
// plan.
func (c *Config) limits() []upstream.Limit {
	switch {
	case c.APIKey == "":
		return []upstream.Limit{{Calls: 10, Per: time.Minute}}
	case keyHeader(c.BaseURL) == paidHeader:
		return []upstream.Limit{{Calls: 30, Per: time.Minute}}
	default:
		return []upstream.Limit{{Calls: 30, Per: time.Minute}, {Calls: 10_000, Per: upstream.Month}}
	}
}

// keyHeader returns the header for the key at a host.
func keyHeader(baseURL string) string {
	if u, err := url.Parse(baseURL); err == nil && u.Hostname() == paidHost {
		return paidHeader
	}
	return "X-Cg-Demo-Api-Key"
}

// MinInterval returns the shortest polling interval, whatever the number of markets.
func (s *Source) MinInterval(int) time.Duration { return s.Client.MinInterval(1, 1) }

// Observe returns the prices of all known coins and currencies from one response.
func (s *Source) Observe(ctx context.Context, markets []core.Pair) ([]core.Observation, error) {
	markets = slices.DeleteFunc(slices.Clone(markets), func(m core.Pair) bool {
		return coins[m.Base] == "" || !slices.Contains(currencies, m.Counter) || m.Base == m.Counter
	})
	if len(markets) == 0 {
		return nil, nil
	}
	rows, err := s.prices(ctx, markets)
	if err != nil {
		return nil, err
	}
	out := make([]core.Observation, 0, len(markets))
	for _, m := range markets {
		if o, ok := quote(rows[coins[m.Base]], m); ok {
			out = append(out, o)
		}
	}
	return out, nil
}

// prices requests all coins in all currencies of the markets and returns the rows by coin.
func (s *Source) prices(ctx context.Context, markets []core.Pair) (rows map[string]json.RawMessage, err error) {
	var ids, vs []string
	for _, m := range markets {
		ids, vs = append(ids, coins[m.Base]), append(vs, strings.ToLower(m.Counter))
	}
	query := url.Values{
		"ids": {list(ids)}, "vs_currencies": {list(vs)}, "include_last_updated_at": {"true"}, "precision": {"full"},
	}
	err = s.Get(ctx, "simple_price", pricePath, query, func(a upstream.Response) error {
		rows = nil
		if err := fault(a); err != nil {
			return err
		}
		if err := a.JSON(&rows); err != nil {
			return err
		}
		if rows == nil {
			return upstream.Fail(upstream.Malformed, "no prices")
		}
		return nil
	})
	return rows, err
}

// list sorts names and joins them, each once.
func list(names []string) string {
	slices.Sort(names)
	return strings.Join(slices.Compact(names), ",")
}

// fault returns the error of a response without prices, by the code in its body or by its status.
func fault(a upstream.Response) error {
	var said struct {
		Status struct {
			Code int `json:"error_code"`
		} `json:"status"`
		Error json.RawMessage `json:"error"`
	}
	if a.JSON(&said) != nil {
		return a.Err()
	}
	if f, ok := faults[said.Status.Code]; ok {
		return upstream.Fail(f.outcome, f.reason)
	}
	if err := a.Err(); err != nil {
		return err
	}
	var text string
	if said.Status.Code != 0 || len(said.Error) > 0 && upstream.Decode(said.Error, &text) == nil {
		return upstream.Fail(upstream.Unavailable, "unknown error")
	}
	return nil
}

// quote reads a coin's price in one currency.
func quote(raw json.RawMessage, market core.Pair) (core.Observation, bool) {
	var row map[string]json.RawMessage
	var seconds int64
	if upstream.Decode(raw, &row) != nil || upstream.Decode(row[madeAt], &seconds) != nil ||
		seconds <= 0 || seconds > mostSeconds {
		return core.Observation{}, false
	}
	price, ok := upstream.Decimal(row[strings.ToLower(market.Counter)])
	if !ok || price.IsZero() {
		return core.Observation{}, false
	}
	return core.Observation{Pair: market, Bid: price, Ask: price, At: time.Unix(seconds, 0).UTC(), Source: Name}, true
}

// mostSeconds is the largest accepted time. Milliseconds are accepted, and the price engine rejects
// them.
const mostSeconds = 10_000_000_000_000
