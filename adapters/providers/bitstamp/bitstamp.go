// Package bitstamp reads tickers from the order books of Bitstamp.
//
// API: GET {base}/api/v2/ticker/, no key (https://www.bitstamp.net/api/#tag/Tickers, read 2026-11 in
// the clients that call it; nothing here was called live).
//
// Quirks:
//   - One response has the tickers of all pairs, so a pair that is not traded cannot fail the others.
//   - A pair is named with a slash, BTC/USD. Perpetual contracts are in the same list as BTC/USD-PERP.
//   - The time is in seconds, as text. It is passed on as it is; the price engine judges ages. A ticker
//     without a time is left out.
//   - A side without orders is "0" or missing: that market is left out.
//   - An exceeded limit may come as status 400 with a response_code.
package bitstamp

import (
	"context"
	"encoding/json"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"time"

	"causeway/adapters/upstream"
	"causeway/core"
	"causeway/ports"
)

const (
	// Name of the source.
	Name = "bitstamp"
	// BaseURL of the public API.
	BaseURL = "https://www.bitstamp.net"

	tickersPath = "/api/v2/ticker/"
)

// Config of the source.
type Config struct {
	BaseURL string `json:"base_url" doc:"Base URL of the API. Empty: https://www.bitstamp.net."`
}

// Source is Bitstamp as a source of rates.
type Source struct{ client *upstream.Client }

var _ ports.RateSource = (*Source)(nil)

// New returns the source. It sends no request.
func New(cfg Config, factory *upstream.Factory) (*Source, error) {
	if cfg.BaseURL == "" {
		cfg.BaseURL = BaseURL
	}
	client, err := factory.Client(upstream.Provider{
		Name: Name, BaseURL: cfg.BaseURL, Limits: []upstream.Limit{{Calls: 10_000, Per: 10 * time.Minute}},
	})
	if err != nil {
		return nil, err
	}
	return &Source{client: client}, nil
}

// Name returns "bitstamp".
func (*Source) Name() string { return Name }

// Fits checks that polling at the interval keeps the limits, whatever the number of markets.
func (s *Source) Fits(interval time.Duration, _ int) error { return s.client.Fits(interval, 1, 1) }

// Observe returns the quotes of all markets from one response.
func (s *Source) Observe(ctx context.Context, markets []core.Pair) ([]core.Observation, error) {
	if len(markets) == 0 {
		return nil, nil
	}
	var tickers map[string]ticker
	err := s.client.Get(ctx, "tickers", tickersPath, nil, func(a upstream.Answer) (err error) {
		tickers, err = read(a)
		return err
	})
	if err != nil {
		return nil, err
	}
	out := make([]core.Observation, 0, len(markets))
	for _, m := range markets {
		if o, ok := tickers[m.String()].observation(m); ok {
			out = append(out, o)
		}
	}
	return out, nil
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

// read returns the tickers of a response by pair. It leaves out rows that it cannot read.
func read(a upstream.Answer) (map[string]ticker, error) {
	if a.Status == http.StatusBadRequest {
		var refusal struct {
			Code string `json:"response_code"`
		}
		if a.JSON(&refusal) == nil && slices.Contains(limitCodes, refusal.Code) {
			return nil, upstream.Fail(upstream.Throttled, "rate limit exceeded")
		}
	}
	if err := a.Fault(); err != nil {
		return nil, err
	}
	var rows []json.RawMessage
	if err := a.JSON(&rows); err != nil {
		return nil, err
	}
	if rows == nil {
		return nil, upstream.Fail(upstream.Malformed, "no tickers")
	}
	tickers := make(map[string]ticker, len(rows))
	for _, row := range rows {
		var t ticker
		if upstream.Decode(row, &t) == nil {
			tickers[t.Pair] = t
		}
	}
	return tickers, nil
}

// observation reads prices and time. A side that is zero means an empty book: no quote.
func (t ticker) observation(market core.Pair) (core.Observation, bool) {
	bid, bidOK := upstream.Decimal(t.Bid)
	ask, askOK := upstream.Decimal(t.Ask)
	at, timed := seconds(t.Time)
	if !bidOK || !askOK || !timed || bid.IsZero() || ask.IsZero() {
		return core.Observation{}, false
	}
	return core.Observation{Pair: market, Bid: bid, Ask: ask, At: at, Source: Name}, true
}

// wholeNumber is a count since 1970 as text or number, of at most 11 digits: milliseconds have more
// and are no time of a ticker.
var wholeNumber = regexp.MustCompile(`^(?:"([0-9]{1,11})"|([0-9]{1,11}))$`)

// seconds reads a time in seconds since 1970.
func seconds(raw json.RawMessage) (time.Time, bool) {
	match := wholeNumber.FindSubmatch(raw)
	if match == nil {
		return time.Time{}, false
	}
	count, err := strconv.ParseInt(string(match[1])+string(match[2]), 10, 64)
	return time.Unix(count, 0).UTC(), err == nil
}
