// Package okx reads tickers from the order books of OKX.
//
// API: GET {base}/api/v5/market/tickers?instType=SPOT, no key
// (https://www.okx.com/docs-v5/en/#order-book-trading-market-data-get-tickers, read 2026-10 with
// the clients that call it; nothing here was called live). 20 requests in 2 seconds per address.
//
// Quirks:
//   - An instrument is named with a hyphen, BTC-USDT.
//   - Errors come with status 200, or a fitting one, and a code as text; "0" is success.
//   - The time is in milliseconds, as text. It is passed on as it is: the price engine rejects
//     seconds as a time in January 1970. A ticker without a whole number as its time is left out;
//     stamped on receipt, an old price could appear new.
//   - A side without orders is "" or "0": that market is left out.
//   - A ticker has no status: instruments is requested every 30 seconds.
package okx

import (
	"encoding/json"
	"net/url"
	"time"

	"causeway/adapters/providers/provider"
	"causeway/adapters/providers/tickers"
	"causeway/adapters/upstream"
	"causeway/core"
)

const (
	// Name of the source.
	Name = "okx"
	// BaseURL of the public API.
	BaseURL = "https://www.okx.com"
)

// Descriptor describes OKX.
var Descriptor = provider.Descriptor{
	Name: Name, Title: "OKX", Homepage: "https://www.okx.com",
	BaseURL: BaseURL,
	Settings: tickers.Settings(upstream.Provider{
		Name: Name, BaseURL: BaseURL, Limits: []upstream.Limit{{Calls: 20, Per: 2 * time.Second}},
	}, tickers.API{
		Path: "/api/v5/market/tickers", Query: spot, Read: read,
		Open: tickers.OpenRows(instruments, rows, func(i instrument) (string, bool) {
			return i.Instrument, i.State == "live"
		}),
		Symbol: func(m core.Pair) string { return m.Base + "-" + m.Counter },
	}),
	Evidence: []provider.Evidence{
		{
			Fact:   "All spot tickers come in one response; errors have status 200 and a code.",
			Source: "www.okx.com/docs-v5 get-tickers (2026-10)",
		},
		{
			Fact:   "One response of instruments has the state of all spot markets: live, suspend, preopen, test.",
			Source: "docs.rs/xapi-okx instrument_state and public client code (2026-11)",
		},
	},
}

var spot = url.Values{"instType": {"SPOT"}}

func instruments([]string) upstream.Request {
	return upstream.Request{Op: tickers.StatusOperation, Path: "/api/v5/public/instruments", Query: spot}
}

// instrument is one market with its state.
type instrument struct {
	Instrument string `json:"instId"`
	State      string `json:"state"`
}

// envelope is around every response.
type envelope struct {
	Code string            `json:"code"`
	Data []json.RawMessage `json:"data"`
}

// ticker is one market.
type ticker struct {
	Instrument string          `json:"instId"`
	Bid        json.RawMessage `json:"bidPx"`
	Ask        json.RawMessage `json:"askPx"`
	Time       json.RawMessage `json:"ts"`
}

// success is the code of a response without an error.
const success = "0"

// failures are the codes of requests that need no account. All others count as outages.
// Source: https://www.okx.com/docs-v5/en/#error-code-rest-api-public, a copy at
// cloudquant.github.io/bt_api_py (read 2026-10).
var failures = map[string]upstream.Failure{
	"50001": {Outcome: upstream.Unavailable, Reason: "service temporarily unavailable"},
	"50004": {Outcome: upstream.Unavailable, Reason: "time-out at the provider"},
	"50005": {Outcome: upstream.Unavailable, Reason: "the API is offline"},
	"50011": {Outcome: upstream.Throttled, Reason: "rate limit reached"},
	"50013": {Outcome: upstream.Unavailable, Reason: "system busy"},
	"50026": {Outcome: upstream.Unavailable, Reason: "system error"},
	"50030": {Outcome: upstream.Refused, Reason: "no permission for the endpoint"},
	"51000": {Outcome: upstream.Undecided, Reason: "invalid parameter"},
}

// rows reads the list of a response.
func rows(r upstream.Response) ([]json.RawMessage, error) {
	var body envelope
	if err := r.Decode(&body); err != nil {
		return nil, err
	}
	failure, known := failures[body.Code]
	switch {
	case known:
		return nil, upstream.Fail(failure.Outcome, failure.Reason)
	case body.Code != success:
		return nil, upstream.Fail(upstream.Unavailable, "unknown code")
	case body.Data == nil:
		return nil, upstream.Fail(upstream.Malformed, "success without data")
	}
	return body.Data, nil
}

func read(r upstream.Response) (map[string]tickers.Ticker, error) {
	list, err := rows(r)
	if err != nil {
		return nil, err
	}
	return tickers.Collect(list, func(t ticker) (string, tickers.Ticker) {
		const digits = 16
		return t.Instrument, tickers.Ticker{Bid: t.Bid, Ask: t.Ask, At: tickers.Milliseconds(t.Time, digits)}
	}), nil
}
