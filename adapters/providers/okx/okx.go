// Package okx quotes markets from the order books of OKX, for the price engine. It reads the public tickers of the spot market alone:
// it holds no key, places no order, and decides nothing about a price.
//
// API: https://www.okx.com/docs-v5/en/#order-book-trading-market-data-get-tickers (read 2026-10, with the clients that call it; nothing
// here was called live). No authentication. 20 calls in 2 seconds and address.
//
// Surprises:
//   - there is no list of instruments in a question: all tickers of the spot market (some 700) come in one call, and ours are picked. So
//     a market that OKX does not list cannot fail the others;
//   - an instrument is written with a hyphen, BTC-USDT;
//   - errors come with status 200, or a fitting one, and a code as text; "0" is success. 50011 means that we ask too often;
//   - a ticker has its own time, in milliseconds, as text. It is passed on as it is: seconds in its place are a time in January 1970, and the
//     engine refuses them for their age. A ticker of which the time is missing or is no whole number is left out: the provider gives a time
//     for every quote, so one without it is not the documented answer, and to stamp it on receipt could show an old price as new;
//   - a side without orders is "" or "0": that market is left out.
package okx

import (
	"context"
	"encoding/json"
	"net/url"
	"regexp"
	"strconv"
	"time"

	"causeway/adapters/upstream"
	"causeway/core"
	"causeway/ports"
)

const (
	// Name of the source.
	Name = "okx"
	// BaseURL of the public API.
	BaseURL = "https://www.okx.com"

	tickersPath = "/api/v5/market/tickers"
)

// Config of the source.
type Config struct {
	BaseURL string `json:"base_url" doc:"Base URL of the API. Empty: https://www.okx.com."`
}

// Source is OKX as a source of rates.
type Source struct{ client *upstream.Client }

var _ ports.RateSource = (*Source)(nil)

// New makes the source.
func New(cfg Config, factory *upstream.Factory) (*Source, error) {
	if cfg.BaseURL == "" {
		cfg.BaseURL = BaseURL
	}
	client, err := factory.Client(upstream.Provider{
		Name: Name, BaseURL: cfg.BaseURL, Limits: []upstream.Limit{{Calls: 20, Per: 2 * time.Second}},
	})
	if err != nil {
		return nil, err
	}
	return &Source{client: client}, nil
}

// Name is "okx".
func (*Source) Name() string { return Name }

// Fits checks that the markets, however many, can be asked for at every interval.
func (s *Source) Fits(interval time.Duration, _ int) error { return s.client.Fits(interval, 1, 1) }

// Observe quotes all markets in one call.
func (s *Source) Observe(ctx context.Context, markets []core.Pair) ([]core.Observation, error) {
	if len(markets) == 0 {
		return nil, nil
	}
	wanted := make(map[string]*ticker, len(markets)) // by instrument
	for _, m := range markets {
		wanted[instrument(m)] = nil
	}
	err := s.client.Get(ctx, "tickers", tickersPath, url.Values{"instType": {"SPOT"}}, func(a upstream.Answer) error {
		return pick(a, wanted)
	})
	if err != nil {
		return nil, err
	}
	out := make([]core.Observation, 0, len(markets))
	for _, m := range markets {
		if o, ok := wanted[instrument(m)].quote(m); ok {
			out = append(out, o)
		}
	}
	return out, nil
}

// instrument is a market as OKX spells it.
func instrument(m core.Pair) string { return m.Base + "-" + m.Counter }

// answer is the envelope of every call.
type answer struct {
	Code string             `json:"code"`
	Data *[]json.RawMessage `json:"data"`
}

// ticker is one market.
type ticker struct {
	Instrument string          `json:"instId"`
	Bid        json.RawMessage `json:"bidPx"`
	Ask        json.RawMessage `json:"askPx"`
	Time       json.RawMessage `json:"ts"`
}

// pick fills in the wanted tickers of an answer.
func pick(a upstream.Answer, wanted map[string]*ticker) error {
	for id := range wanted {
		wanted[id] = nil // of an attempt before this one
	}
	if err := a.Fault(); err != nil {
		return err
	}
	var body answer
	if err := a.JSON(&body); err != nil {
		return err
	}
	if body.Code != success {
		return fault(body.Code)
	}
	if body.Data == nil {
		return upstream.Fail(upstream.Malformed, "success without data")
	}
	for _, row := range *body.Data {
		var t ticker
		if upstream.Decode(row, &t) != nil {
			continue
		}
		if _, ours := wanted[t.Instrument]; ours {
			wanted[t.Instrument] = &t
		}
	}
	return nil
}

// quote reads the prices and the time. A side that is zero means an empty book: no quote.
func (t *ticker) quote(market core.Pair) (core.Observation, bool) {
	if t == nil {
		return core.Observation{}, false
	}
	bid, bidOK := upstream.Decimal(t.Bid)
	ask, askOK := upstream.Decimal(t.Ask)
	at, timed := milliseconds(t.Time)
	if !bidOK || !askOK || !timed || bid.IsZero() || ask.IsZero() {
		return core.Observation{}, false
	}
	return core.Observation{Pair: market, Bid: bid, Ask: ask, At: at, Source: Name}, true
}

// wholeNumber is a count since 1970 as text or number, of at most 16 digits: microseconds of today have them, and are refused by the engine
// as a time far in the future.
var wholeNumber = regexp.MustCompile(`^(?:"([0-9]{1,16})"|([0-9]{1,16}))$`)

// milliseconds reads a time in milliseconds since 1970.
func milliseconds(raw json.RawMessage) (time.Time, bool) {
	match := wholeNumber.FindSubmatch(raw)
	if match == nil {
		return time.Time{}, false
	}
	count, err := strconv.ParseInt(string(match[1])+string(match[2]), 10, 64)
	return time.UnixMilli(count).UTC(), err == nil
}
