// Package bitstamp reads tickers from the order books of Bitstamp.
//
// API: GET {base}/api/v2/ticker/, no key (https://www.bitstamp.net/api/#tag/Tickers, read 2026-11
// in the clients that call it; nothing here was called live).
//
// Quirks:
//   - A pair is named with a slash, BTC/USD. Perpetual contracts are in the same list as
//     BTC/USD-PERP.
//   - The time is in seconds, as text. It is passed on as it is; the price engine judges ages. A
//     ticker without a time is left out.
//   - A side without orders is "0" or missing: that market is left out.
//   - An exceeded limit may come as status 400 with a response_code.
//   - A ticker has no status: markets is requested every ten seconds.
package bitstamp

import (
	"encoding/json"
	"net/http"
	"slices"
	"time"

	"causeway/adapters/providers/provider"
	"causeway/adapters/providers/tickers"
	"causeway/adapters/upstream"
	"causeway/core"
)

const (
	// Name of the source.
	Name = "bitstamp"
	// BaseURL of the public API.
	BaseURL = "https://www.bitstamp.net"
)

// Descriptor describes Bitstamp.
var Descriptor = provider.Descriptor{
	Name: Name, Title: "Bitstamp", Homepage: "https://www.bitstamp.net",
	BaseURL: BaseURL,
	Settings: tickers.Settings(upstream.Provider{
		Name: Name, BaseURL: BaseURL, Limits: []upstream.Limit{{Calls: 10_000, Per: 10 * time.Minute}},
	}, tickers.API{
		Path: "/api/v2/ticker/", Symbol: core.Pair.String, Read: read, OpenEvery: 10 * time.Second,
		Open: tickers.OpenRows(tickers.At("/api/v2/markets/"), readRows, func(m market) (string, bool) {
			return m.Name, m.Trading == "Enabled"
		}),
	}),
	Evidence: []provider.Evidence{
		{
			Fact:   "One response has the tickers of all pairs, with the names of pairs as BTC/USD.",
			Source: "www.bitstamp.net/api GetCurrencyPairTickers, as in github.com/ccxt/ccxt ts/src/bitstamp.ts (2026-11)",
		},
		{
			Fact:   "A limit of 10,000 requests in 10 minutes and of 400 per second.",
			Source: "github.com/api-evangelist/bitstamp rate-limits.yml (2026-11)",
		},
		{
			Fact:   "Response codes 400.002, 400.067 and 400.068 mean that a limit is exceeded.",
			Source: "github.com/api-evangelist/bitstamp rate-limits.yml (2026-11)",
		},
		{
			Fact:   "PYUSD/USD, USDC/USD, USDT/USD, DAI/USD and EUR/USD are traded.",
			Source: "live responses in a public client's record (2026-05)",
		},
		{
			Fact: "The time of a ticker is the time of its sides.",
		},
		{
			Fact:   "A ticker has no status. One response of markets has all pairs by name, and trading is Enabled or Disabled.",
			Source: "github.com/thrasher-corp/gocryptotrader; a public client that called markets on 2026-09-27",
		},
	},
}

// market is a row of the list of markets.
type market struct {
	Name    string `json:"name"`
	Trading string `json:"trading"`
}

// ticker is the top of the book of one market.
type ticker struct {
	Pair string          `json:"pair"`
	Bid  json.RawMessage `json:"bid"`
	Ask  json.RawMessage `json:"ask"`
	Time json.RawMessage `json:"timestamp"`
}

// limitCodes mean that a limit is exceeded.
var limitCodes = []string{"400.002", "400.067", "400.068"}

// readRows reads a list, or that a limit is exceeded.
func readRows(r upstream.Response) ([]json.RawMessage, error) {
	var refusal struct {
		Code string `json:"response_code"`
	}
	if r.Status == http.StatusBadRequest && r.JSON(&refusal) == nil && slices.Contains(limitCodes, refusal.Code) {
		return nil, upstream.Fail(upstream.Throttled, "rate limit exceeded")
	}
	return tickers.Rows(r)
}

func read(r upstream.Response) (map[string]tickers.Ticker, error) {
	rows, err := readRows(r)
	if err != nil {
		return nil, err
	}
	return tickers.Collect(rows, func(t ticker) (string, tickers.Ticker) {
		const digits = 11 // milliseconds have more
		return t.Pair, tickers.Ticker{Bid: t.Bid, Ask: t.Ask, At: tickers.Seconds(t.Time, digits)}
	}), nil
}
