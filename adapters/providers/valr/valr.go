// Package valr reads tickers from the order books of VALR, which trades in rand.
//
// API: GET {base}/v1/public/marketsummary, no key (github.com/valrdotcom/valr-agent-skills
// references/market-data.md @c1aad4f, 2026-04-10; nothing here was called live).
//
// Quirks:
//   - One response has the summaries of all pairs: BTCZAR. Perpetual contracts are among them, as
//     BTCUSDTPERP.
//   - All numbers are text. A side without orders is assumed to be "0" or missing: that market is
//     left out.
//   - created is the time of the summary, with milliseconds.
//   - A summary has no status: the status of the exchange and the list of pairs are requested every 30
//     seconds.
package valr

import (
	"context"
	"encoding/json"
	"time"

	"causeway/adapters/providers/provider"
	"causeway/adapters/providers/tickers"
	"causeway/adapters/upstream"
	"causeway/core"
)

const (
	// Name of the source.
	Name = "valr"
	// BaseURL of the public API.
	BaseURL = "https://api.valr.com"
)

// Descriptor describes VALR.
var Descriptor = provider.Descriptor{
	Name: Name, Title: "VALR", Homepage: "https://www.valr.com",
	BaseURL: BaseURL,
	Settings: tickers.Settings(upstream.Provider{
		Name: Name, BaseURL: BaseURL, Limits: []upstream.Limit{{Calls: 30, Per: time.Minute}},
	}, tickers.API{Path: "/v1/public/marketsummary", Read: read, Symbol: core.Pair.ID, Open: open}),
	Evidence: []provider.Evidence{
		{
			Fact:   "One response has the summaries of all pairs. created is the time of the summary.",
			Source: "github.com/valrdotcom/valr-agent-skills references/market-data.md @c1aad4f (2026-04-10)",
		},
		{
			Fact:   "A limit of 30 requests per minute below /v1/public, and of 1,200 per address.",
			Source: "vendor's page Rate Limiting at api-docs.rooibos.dev/guides/rate-limiting (read 2026-11)",
		},
		{
			Fact:   "USDT/ZAR has bid and ask without a key.",
			Source: "public client code (read 2026-11)",
		},
		{
			Fact:   "A summary has no status. The exchange is online or read-only, and a pair is active or not.",
			Source: "docs.valr.com /v1/public/status and /v1/public/pairs, as public clients read them (2026-11)",
		},
		{Fact: "A side without orders is zero or missing."},
	},
}

// open returns the symbols of the active pairs if the exchange is online. In read-only mode it
// matches no orders.
func open(ctx context.Context, c *upstream.Client, symbols []string) ([]string, error) {
	var exchange struct {
		Status string `json:"status"`
	}
	err := c.Get(ctx, tickers.StatusOperation, "/v1/public/status", nil, func(r upstream.Response) error {
		if err := r.Decode(&exchange); err != nil || exchange.Status != "" {
			return err
		}
		return upstream.Fail(upstream.Malformed, "no status")
	})
	if err != nil || exchange.Status != "online" {
		return nil, err
	}
	return activePairs(ctx, c, symbols)
}

var activePairs = tickers.OpenRows(func([]string) upstream.Request {
	return upstream.Request{Op: tickers.StatusOperation + "_pairs", Path: "/v1/public/pairs"}
}, tickers.Rows, func(p pair) (string, bool) { return p.Symbol, p.Active })

// pair is one market.
type pair struct {
	Symbol string `json:"symbol"`
	Active bool   `json:"active"`
}

// summary is the state of one market.
type summary struct {
	Pair    string          `json:"currencyPair"`
	Bid     json.RawMessage `json:"bidPrice"`
	Ask     json.RawMessage `json:"askPrice"`
	Created time.Time       `json:"created"`
}

func read(r upstream.Response) (map[string]tickers.Ticker, error) {
	rows, err := tickers.Rows(r)
	if err != nil {
		return nil, err
	}
	return tickers.Collect(rows, func(s summary) (string, tickers.Ticker) {
		return s.Pair, tickers.Ticker{Bid: s.Bid, Ask: s.Ask, At: s.Created.UTC()}
	}), nil
}
