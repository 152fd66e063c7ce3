// Package luno reads tickers from the order books of Luno, which trades in naira and rand.
//
// API: GET {base}/api/1/tickers, no key (https://www.luno.com/en/developers/api and the vendor's SDK
// github.com/luno/luno-go, read 2026-11; nothing here was called live).
//
// Quirks:
//   - One response has the tickers of all pairs, so a pair that is not traded cannot fail the others.
//   - Bitcoin is XBT: XBTNGN.
//   - A market that is POSTONLY or DISABLED shows old orders: it is left out. Older responses have no
//     status.
//   - The time is in milliseconds, as a number. It is passed on as it is; the price engine judges ages.
//   - A side without orders is "0.00": that market is left out.
package luno

import (
	"context"
	"encoding/json"
	"time"

	"causeway/adapters/upstream"
	"causeway/core"
	"causeway/ports"
)

const (
	// Name of the source.
	Name = "luno"
	// BaseURL of the public API.
	BaseURL = "https://api.luno.com"

	tickersPath = "/api/1/tickers"
	active      = "ACTIVE"
)

// Config of the source.
type Config struct {
	BaseURL string `json:"base_url" doc:"Base URL of the API. Empty: https://api.luno.com."`
}

// Source is Luno as a source of rates.
type Source struct{ client *upstream.Client }

var _ ports.RateSource = (*Source)(nil)

// New returns the source. It sends no request.
func New(cfg Config, factory *upstream.Factory) (*Source, error) {
	if cfg.BaseURL == "" {
		cfg.BaseURL = BaseURL
	}
	client, err := factory.Client(upstream.Provider{
		Name: Name, BaseURL: cfg.BaseURL, Limits: []upstream.Limit{{Calls: 60, Per: time.Minute}},
	})
	if err != nil {
		return nil, err
	}
	return &Source{client: client}, nil
}

// Name returns "luno".
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
		if o, ok := tickers[symbol(m.Base)+symbol(m.Counter)].observation(m); ok {
			out = append(out, o)
		}
	}
	return out, nil
}

// symbol returns Luno's code of a currency.
func symbol(currency string) string {
	if currency == "BTC" {
		return "XBT"
	}
	return currency
}

// ticker is the top of the book of one market.
type ticker struct {
	Pair   string          `json:"pair"`
	Bid    json.RawMessage `json:"bid"`
	Ask    json.RawMessage `json:"ask"`
	Time   int64           `json:"timestamp"`
	Status string          `json:"status"`
}

// read returns the tickers of a response by pair. It leaves out rows that it cannot read.
func read(a upstream.Answer) (map[string]ticker, error) {
	if err := a.Fault(); err != nil {
		return nil, err
	}
	var body struct {
		Tickers []json.RawMessage `json:"tickers"`
	}
	if err := a.JSON(&body); err != nil {
		return nil, err
	}
	if body.Tickers == nil {
		return nil, upstream.Fail(upstream.Malformed, "no tickers")
	}
	tickers := make(map[string]ticker, len(body.Tickers))
	for _, row := range body.Tickers {
		var t ticker
		if upstream.Decode(row, &t) == nil {
			tickers[t.Pair] = t
		}
	}
	return tickers, nil
}

// maxMilliseconds is the latest time that is read: any later one is in another unit.
const maxMilliseconds = 10_000_000_000_000

// observation reads prices and time. A side that is zero means an empty book: no quote.
func (t ticker) observation(market core.Pair) (core.Observation, bool) {
	bid, bidOK := upstream.Decimal(t.Bid)
	ask, askOK := upstream.Decimal(t.Ask)
	trading := t.Status == "" || t.Status == active
	if !bidOK || !askOK || !trading || bid.IsZero() || ask.IsZero() || t.Time <= 0 || t.Time > maxMilliseconds {
		return core.Observation{}, false
	}
	return core.Observation{Pair: market, Bid: bid, Ask: ask, At: time.UnixMilli(t.Time).UTC(), Source: Name}, true
}
