// Package bybit reads tickers from the order books of Bybit's spot market.
//
// API: GET {base}/v5/market/tickers?category=spot, no key
// (https://bybit-exchange.github.io/docs/v5/market/tickers, …/v5/error and …/v5/rate-limit,
// github:bybit-exchange/docs of 2026-07-24; read 2026-10, nothing here was called live). 600
// requests in 5 seconds per address.
//
// Quirks:
//   - A symbol is base and counter joined, BTCUSDT.
//   - Errors come with status 200 and a number in retCode; 0 is success.
//   - 403 "access too frequent" bans the address for ten minutes, without a Retry-After. Any other
//     403 is a refusal, for example of a country that Bybit does not serve.
//   - The only time is the response's, in milliseconds, as a number; tickers have none of their
//     own. It is passed on as it is. A response without a readable time is an outage; stamped on
//     receipt, old prices could appear new.
//   - A side without orders is "" or missing: that market is left out.
//   - A ticker has no status: instruments-info is requested every 30 seconds. The spot market has
//     no pages.
package bybit

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"time"

	"causeway/adapters/providers/provider"
	"causeway/adapters/providers/tickers"
	"causeway/adapters/upstream"
	"causeway/core"
)

const (
	// Name of the source.
	Name = "bybit"
	// BaseURL of the public API.
	BaseURL = "https://api.bybit.com"

	category = "spot"

	// tooFrequent is the text of a ban, and banned how long it lasts.
	tooFrequent = "access too frequent"
	banned      = 10 * time.Minute
)

// Descriptor describes Bybit.
var Descriptor = provider.Descriptor{
	Name: Name, Title: "Bybit", Homepage: "https://www.bybit.com",
	BaseURL: BaseURL,
	Settings: provider.KeylessWith(upstream.Provider{
		Name: Name, BaseURL: BaseURL, Limits: []upstream.Limit{{Calls: 600, Per: 5 * time.Second}},
	}, connect),
	Evidence: []provider.Evidence{
		{
			Fact:   "All spot tickers come in one response; errors have status 200 and retCode.",
			Source: "github.com/bybit-exchange/docs v5/market/tickers (2026-07-24)",
		},
		{
			Fact:   "403 with \"access too frequent\" is a ban of ten minutes.",
			Source: "github.com/bybit-exchange/docs v5/rate-limit (2026-07-24)",
		},
		{
			Fact: "One response of instruments-info has the status of all spot markets; an open one is Trading.",
			Source: "github.com/bybit-exchange/docs v5/market/tickers (2026-07-24) and" +
				" api-explorer/v5/market/instrument (2026-11)",
		},
	},
}

// Source is Bybit as a source of rates.
type Source struct{ *tickers.Source }

func connect(factory *upstream.Factory, p upstream.Provider) (any, error) {
	source, err := tickers.New(factory, p, tickers.API{
		Path: "/v5/market/tickers", Query: spot, Symbol: core.Pair.ID, Read: read,
		Open: tickers.OpenRows(instruments, rows, func(i instrument) (string, bool) {
			return i.Symbol, i.Status == "Trading"
		}),
	})
	return &Source{source}, err
}

var spot = url.Values{"category": {category}}

func instruments([]string) upstream.Request {
	return upstream.Request{Op: tickers.StatusOperation, Path: "/v5/market/instruments-info", Query: spot}
}

// instrument is one market with its status.
type instrument struct {
	Symbol string `json:"symbol"`
	Status string `json:"status"`
}

// Observe returns the quotes of all markets from one response. The error of a ban says how long it
// lasts.
func (s *Source) Observe(ctx context.Context, markets []core.Pair) ([]core.Observation, error) {
	out, err := s.Source.Observe(ctx, markets)
	failure, failed := errors.AsType[*upstream.Failure](err)
	unavailable, ok := errors.AsType[*core.Error](err)
	if failed && ok && failure.Reason == tooFrequent {
		return nil, unavailable.Retry(max(unavailable.RetryAfter, banned))
	}
	return out, err
}

// envelope is around every response.
type envelope struct {
	Code   *int `json:"retCode"`
	Result struct {
		Category string            `json:"category"`
		List     []json.RawMessage `json:"list"`
	} `json:"result"`
	Time json.RawMessage `json:"time"`
}

// ticker is one market.
type ticker struct {
	Symbol string          `json:"symbol"`
	Bid    json.RawMessage `json:"bid1Price"`
	Ask    json.RawMessage `json:"ask1Price"`
}

// failures are the codes of requests that need no account. All others count as outages.
// Source: https://bybit-exchange.github.io/docs/v5/error (read 2026-10).
var failures = map[int]upstream.Failure{
	10000: {Outcome: upstream.Unavailable, Reason: "time-out at the provider"},
	10001: {Outcome: upstream.Undecided, Reason: "invalid parameter"},
	10005: {Outcome: upstream.Refused, Reason: "permission denied"},
	10006: {Outcome: upstream.Throttled, Reason: "too many visits"},
	10009: {Outcome: upstream.Refused, Reason: "address banned"},
	10016: {Outcome: upstream.Unavailable, Reason: "internal error of the provider"},
	10018: {Outcome: upstream.Throttled, Reason: "rate limit of the address exceeded"},
	10024: {Outcome: upstream.Refused, Reason: "compliance rules"},
}

// readEnvelope reads a response that succeeded.
func readEnvelope(r upstream.Response) (body envelope, err error) {
	if r.Status == http.StatusForbidden && bytes.Contains(bytes.ToLower(r.Body), []byte(tooFrequent)) {
		return body, upstream.Fail(upstream.Throttled, tooFrequent)
	}
	if err := r.Decode(&body); err != nil {
		return body, err
	}
	if body.Code == nil {
		return body, upstream.Fail(upstream.Malformed, "no code")
	}
	failure, known := failures[*body.Code]
	switch {
	case known:
		return body, upstream.Fail(failure.Outcome, failure.Reason)
	case *body.Code != 0:
		return body, upstream.Fail(upstream.Unavailable, "unknown code")
	case body.Result.Category != category || body.Result.List == nil:
		return body, upstream.Fail(upstream.Malformed, "success without a list of the spot market")
	}
	return body, nil
}

// rows reads the list of a response.
func rows(r upstream.Response) ([]json.RawMessage, error) {
	body, err := readEnvelope(r)
	return body.Result.List, err
}

func read(r upstream.Response) (map[string]tickers.Ticker, error) {
	body, err := readEnvelope(r)
	if err != nil {
		return nil, err
	}
	const digits = 16
	at := tickers.Milliseconds(body.Time, digits)
	if at.IsZero() {
		return nil, upstream.Fail(upstream.Malformed, "success without a time")
	}
	return tickers.Collect(body.Result.List, func(t ticker) (string, tickers.Ticker) {
		return t.Symbol, tickers.Ticker{Bid: t.Bid, Ask: t.Ask, At: at}
	}), nil
}
