// Package bybit quotes markets from the order books of Bybit's spot market, for the price engine. It reads the public tickers alone:
// it holds no key, places no order, and decides nothing about a price.
//
// API: https://bybit-exchange.github.io/docs/v5/market/tickers, …/v5/error and …/v5/rate-limit (github:bybit-exchange/docs, 2026-07-24; read
// 2026-10, nothing here was called live). No authentication. 600 calls in 5 seconds and address.
//
// Surprises:
//   - a question is for one symbol or for all: all tickers of the spot market (some 600) come in one call, and ours are picked. So a
//     market that Bybit does not list cannot fail the others;
//   - a symbol is base and counter joined, BTCUSDT;
//   - errors come with status 200 and a number in retCode; 0 is success. 10006 and 10018 mean that we ask too often;
//   - who asks far too often is answered 403 "access too frequent", and is to keep still for ten minutes: no Retry-After says so, so
//     the error does. A 403 of other words is a refusal (a country that Bybit does not serve), and so an alert;
//   - the time is that of the answer, in the envelope, in milliseconds, as a number; the tickers have none of their own. It is passed on as it
//     is: seconds in its place are a time in January 1970, and the engine refuses them for their age. An answer without a readable time is
//     not the documented one: it is an outage, because to stamp it on receipt could show old prices as new;
//   - a side without orders is "" or missing: that market is left out. Only usdIndexPrice is documented as possibly empty.
package bybit

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"net/http"
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
	Name = "bybit"
	// BaseURL of the public API.
	BaseURL = "https://api.bybit.com"

	tickersPath = "/v5/market/tickers"
	category    = "spot"

	// lockout is how long an address is to keep still after "access too frequent".
	lockout = 10 * time.Minute
)

// Config of the source.
type Config struct {
	BaseURL string `json:"base_url" doc:"Base URL of the API. Empty: https://api.bybit.com."`
}

// Source is Bybit as a source of rates.
type Source struct{ client *upstream.Client }

var _ ports.RateSource = (*Source)(nil)

// New makes the source.
func New(cfg Config, factory *upstream.Factory) (*Source, error) {
	if cfg.BaseURL == "" {
		cfg.BaseURL = BaseURL
	}
	client, err := factory.Client(upstream.Provider{
		Name: Name, BaseURL: cfg.BaseURL, Limits: []upstream.Limit{{Calls: 600, Per: 5 * time.Second}},
	})
	if err != nil {
		return nil, err
	}
	return &Source{client: client}, nil
}

// Name is "bybit".
func (*Source) Name() string { return Name }

// Fits checks that the markets, however many, can be asked for at every interval.
func (s *Source) Fits(interval time.Duration, _ int) error { return s.client.Fits(interval, 1, 1) }

// Observe quotes all markets in one call.
func (s *Source) Observe(ctx context.Context, markets []core.Pair) ([]core.Observation, error) {
	if len(markets) == 0 {
		return nil, nil
	}
	wanted := make(map[string]*ticker, len(markets)) // by symbol
	for _, m := range markets {
		wanted[m.ID()] = nil
	}
	var (
		at     time.Time
		banned bool
	)
	err := s.client.Get(ctx, "tickers", tickersPath, url.Values{"category": {category}}, func(a upstream.Answer) (err error) {
		if banned = tooFrequent(a); banned {
			return upstream.Fail(upstream.Throttled, "access too frequent")
		}
		at, err = pick(a, wanted)
		return err
	})
	if failed, ok := errors.AsType[*core.Error](err); ok && banned {
		return nil, failed.Retry(max(failed.RetryAfter, lockout))
	}
	if err != nil {
		return nil, err
	}
	out := make([]core.Observation, 0, len(markets))
	for _, m := range markets {
		if o, ok := wanted[m.ID()].quote(m); ok {
			o.At = at
			out = append(out, o)
		}
	}
	return out, nil
}

// tooFrequent reports whether an answer locks our address out.
func tooFrequent(a upstream.Answer) bool {
	return a.Status == http.StatusForbidden && bytes.Contains(bytes.ToLower(a.Body), []byte("access too frequent"))
}

// answer is the envelope of every call.
type answer struct {
	Code   *int `json:"retCode"`
	Result struct {
		Category string             `json:"category"`
		List     *[]json.RawMessage `json:"list"`
	} `json:"result"`
	Time json.RawMessage `json:"time"`
}

// ticker is one market.
type ticker struct {
	Symbol string          `json:"symbol"`
	Bid    json.RawMessage `json:"bid1Price"`
	Ask    json.RawMessage `json:"ask1Price"`
}

// pick fills in the wanted tickers of an answer, and returns its time.
func pick(a upstream.Answer, wanted map[string]*ticker) (time.Time, error) {
	for symbol := range wanted {
		wanted[symbol] = nil // of an attempt before this one
	}
	if err := a.Fault(); err != nil {
		return time.Time{}, err
	}
	var body answer
	if err := a.JSON(&body); err != nil {
		return time.Time{}, err
	}
	if err := fault(body.Code); err != nil {
		return time.Time{}, err
	}
	at, timed := milliseconds(body.Time)
	switch {
	case body.Result.Category != category || body.Result.List == nil:
		return time.Time{}, upstream.Fail(upstream.Malformed, "success without a list of the spot market")
	case !timed:
		return time.Time{}, upstream.Fail(upstream.Malformed, "success without a time")
	}
	for _, row := range *body.Result.List {
		var t ticker
		if upstream.Decode(row, &t) != nil {
			continue
		}
		if _, ours := wanted[t.Symbol]; ours {
			wanted[t.Symbol] = &t
		}
	}
	return at, nil
}

// quote reads the prices. A side that is zero means an empty book: no quote.
func (t *ticker) quote(market core.Pair) (core.Observation, bool) {
	if t == nil {
		return core.Observation{}, false
	}
	bid, bidOK := upstream.Decimal(t.Bid)
	ask, askOK := upstream.Decimal(t.Ask)
	if !bidOK || !askOK || bid.IsZero() || ask.IsZero() {
		return core.Observation{}, false
	}
	return core.Observation{Pair: market, Bid: bid, Ask: ask, Source: Name}, true
}

// wholeNumber is a count since 1970 as number or text, of at most 16 digits: microseconds of today have them, and are refused by the engine
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
