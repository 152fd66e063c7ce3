// Package luno reads tickers from the order books of Luno, which trades in naira and rand.
//
// API: GET {base}/api/1/tickers, no key (https://www.luno.com/en/developers/api and the vendor's
// SDK github.com/luno/luno-go, read 2026-11; nothing here was called live).
//
// Quirks:
//   - Bitcoin is XBT: XBTNGN.
//   - A market that is POSTONLY or DISABLED shows old orders: it is left out. Older responses have
//     no status.
//   - The time is in milliseconds, as a number. It is passed on as it is; the price engine judges
//     ages.
//   - A side without orders is "0.00": that market is left out.
package luno

import (
	"encoding/json"
	"time"

	"causeway/adapters/providers/provider"
	"causeway/adapters/providers/tickers"
	"causeway/adapters/upstream"
	"causeway/core"
)

const (
	// Name of the source.
	Name = "luno"
	// BaseURL of the public API.
	BaseURL = "https://api.luno.com"

	active = "ACTIVE"
)

// Descriptor describes Luno.
var Descriptor = provider.Descriptor{
	Name: Name, Title: "Luno", Homepage: "https://www.luno.com",
	BaseURL: BaseURL,
	Settings: tickers.Settings(upstream.Provider{
		Name: Name, BaseURL: BaseURL, Limits: []upstream.Limit{{Calls: 60, Per: time.Minute}},
	}, tickers.API{
		Path: "/api/1/tickers", Read: read,
		Symbol: func(m core.Pair) string { return currency(m.Base) + currency(m.Counter) },
	}),
	Evidence: []provider.Evidence{
		{
			Fact:   "One response has the tickers of all pairs; bitcoin is XBT. Status is ACTIVE, POSTONLY or DISABLED.",
			Source: "vendor SDK github.com/luno/luno-go types.go and api.go (2026-11)",
		},
		{
			Fact:   "Times are in milliseconds.",
			Source: "www.luno.com/en/developers/api (2026-11)",
		},
		{
			Fact:   "One request per second and address, five in a burst; data may be one second old.",
			Source: "www.luno.com/en/developers/api (2026-11)",
		},
		{
			Fact:   "USDT/NGN has an order book without a key.",
			Source: "live response in a public client's record (2026-09-29)",
		},
		{
			Fact:   "USDT/ZAR has an order book without a key; an unknown pair alone is 400 ErrMarketUnavailable.",
			Source: "public clients, one with live responses of 2026-09-27",
		},
	},
}

// currency returns Luno's code of a currency.
func currency(code string) string {
	if code == "BTC" {
		return "XBT"
	}
	return code
}

// ticker is the top of the book of one market.
type ticker struct {
	Pair   string          `json:"pair"`
	Bid    json.RawMessage `json:"bid"`
	Ask    json.RawMessage `json:"ask"`
	Time   json.RawMessage `json:"timestamp"`
	Status string          `json:"status"`
}

func read(r upstream.Response) (map[string]tickers.Ticker, error) {
	var body struct {
		Tickers []json.RawMessage `json:"tickers"`
	}
	if err := r.Decode(&body); err != nil {
		return nil, err
	}
	if body.Tickers == nil {
		return nil, upstream.Fail(upstream.Malformed, "no tickers")
	}
	return tickers.Collect(body.Tickers, func(t ticker) (string, tickers.Ticker) {
		const digits = 14 // microseconds have more
		if t.Status != "" && t.Status != active {
			return t.Pair, tickers.Ticker{}
		}
		return t.Pair, tickers.Ticker{Bid: t.Bid, Ask: t.Ask, At: tickers.Milliseconds(t.Time, digits)}
	}), nil
}
