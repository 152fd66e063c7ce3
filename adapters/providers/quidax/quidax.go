// Package quidax reads tickers from the order books of Quidax, a Nigerian exchange: the street
// price of the naira and the cedi.
//
// API: GET {base}/markets/tickers, no key (https://docs.quidax.io "List market tickers", as quoted
// by public clients up to 2026-08; read 2026-11, nothing here was called live). Limits are not
// published: one request per second is assumed.
//
// Quirks:
//   - The API has had three hosts: openapi.quidax.io is the current one, many clients of 2026 call
//     app.quidax.io, and older ones www.quidax.com.
//   - Markets are in lower case without a separator: usdtngn, usdtcngn.
//   - buy is the best bid and sell the best ask, as in Peatio. Some clients read them the other way
//     round.
//   - A side without orders is "0.0": that market is left out.
//   - "at" is the time of the ticker in seconds. A row without it is stamped on receipt.
//     Milliseconds are passed on as a time far in the future, which the price engine rejects.
//   - Failures may come with status 200 and "status":"error".
package quidax

import (
	"encoding/json"
	"strings"
	"time"

	"causeway/adapters/providers/provider"
	"causeway/adapters/providers/tickers"
	"causeway/adapters/upstream"
	"causeway/core"
)

const (
	// Name of the source.
	Name = "quidax"
	// BaseURL of the API.
	BaseURL = "https://openapi.quidax.io/exchange-open-api/api/v1"
)

// Descriptor describes Quidax.
var Descriptor = provider.Descriptor{
	Name: Name, Title: "Quidax", Homepage: "https://www.quidax.io",
	BaseURL: BaseURL,
	Settings: tickers.Settings(upstream.Provider{
		Name: Name, BaseURL: BaseURL, Limits: []upstream.Limit{{Calls: 60, Per: time.Minute}},
	}, tickers.API{
		Path: "/markets/tickers", Read: read, Symbol: func(m core.Pair) string { return strings.ToLower(m.ID()) },
	}),
	Alternatives: []string{"https://app.quidax.io/api/v1", "https://www.quidax.com/api/v1"},
	Evidence: []provider.Evidence{
		{
			Fact:   "buy is the best bid and sell the best ask.",
			Source: "docs.quidax.io \"List market tickers\", as quoted by public clients (2026-08)",
		},
		{
			Fact:   "The API is at openapi.quidax.io, below /exchange-open-api/api/v1.",
			Source: "response seen 2026-09-14",
		},
		{
			Fact:   "Other clients call app.quidax.io or www.quidax.com, below /api/v1.",
			Source: "public client code (2026)",
		},
		{
			Fact: "A limit of one request per second.",
		},
		{
			Fact:   "A ticker has no status.",
			Source: "docs.quidax.io \"List market tickers\", as quoted by public clients (2026-08)",
		},
	},
}

// row is the ticker of one market.
type row struct {
	At     json.RawMessage `json:"at"`
	Ticker struct {
		Bid json.RawMessage `json:"buy"`
		Ask json.RawMessage `json:"sell"`
	} `json:"ticker"`
}

func read(r upstream.Response) (map[string]tickers.Ticker, error) {
	var body struct {
		Status string                     `json:"status"` // "success" or "error"
		Data   map[string]json.RawMessage `json:"data"`   // by market
	}
	if err := r.Decode(&body); err != nil {
		return nil, err
	}
	switch {
	case body.Status != "success":
		return nil, upstream.Fail(upstream.Unavailable, "a response without success")
	case body.Data == nil:
		return nil, upstream.Fail(upstream.Malformed, "no tickers")
	}
	out := make(map[string]tickers.Ticker, len(body.Data))
	for market, raw := range body.Data {
		var row row
		if upstream.Decode(raw, &row) != nil {
			continue
		}
		const digits = 14 // microseconds have more
		t := tickers.Ticker{Bid: row.Ticker.Bid, Ask: row.Ticker.Ask, At: tickers.Seconds(row.At, digits)}
		if len(row.At) == 0 || string(row.At) == "null" {
			t.At = r.At
		}
		out[market] = t
	}
	return out, nil
}
