// Package quidax quotes markets from the order books of Quidax, a Nigerian exchange, for the price engine: the street
// price of the naira and the cedi. It reads the tickers of all markets and nothing else: it holds no key, places no order, and
// decides nothing about a price.
//
// API: https://docs.quidax.io "List market tickers" (as quoted by public clients up to 2026-08; read 2026-11, nothing here was
// called live). No authentication; a bearer key is accepted and changes nothing. Limits are not published: a call a second is ours.
//
// Surprises:
//   - the API has had three hosts: openapi.quidax.io is the current one, many clients of 2026 call app.quidax.io, and older ones
//     www.quidax.com;
//   - markets are keyed in lower case without a separator: usdtngn; the counter may be a stablecoin: usdtcngn;
//   - the words are those of the order book (Peatio): buy is the best bid, sell the best ask. Clients exist that take
//     them for what a customer buys and sells at, the other way round;
//   - a side without orders is "0.0": that market is left out;
//   - "at" is in seconds and tells when the ticker was made. A row without it is stamped on receipt; one that is in milliseconds comes
//     out as it is, far in the future, for whoever judges ages;
//   - failures may come with status 200 and "status":"error";
//   - a market that is asked for alone and unknown is 404; in the list it is just not there, so the list is what is asked for.
package quidax

import (
	"context"
	"encoding/json"
	"strings"
	"time"

	"causeway/adapters/upstream"
	"causeway/core"
	"causeway/ports"
)

const (
	// Name of the source.
	Name = "quidax"
	// BaseURL of the API.
	BaseURL = "https://openapi.quidax.io/exchange-open-api/api/v1"

	tickersPath = "/markets/tickers"
)

// Config of the source.
type Config struct {
	BaseURL string `json:"base_url" doc:"Base URL of the API. Empty: https://openapi.quidax.io/exchange-open-api/api/v1. Older ones: https://app.quidax.io/api/v1 and https://www.quidax.com/api/v1."`
}

// Source is Quidax as a source of rates.
type Source struct{ client *upstream.Client }

var _ ports.RateSource = (*Source)(nil)

// New makes the source.
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

// Name is "quidax".
func (*Source) Name() string { return Name }

// Fits checks that the markets, however many, can be asked for at every interval.
func (s *Source) Fits(interval time.Duration, _ int) error { return s.client.Fits(interval, 1, 1) }

// Observe quotes the markets from the list of all tickers, in one call.
func (s *Source) Observe(ctx context.Context, markets []core.Pair) ([]core.Observation, error) {
	if len(markets) == 0 {
		return nil, nil
	}
	rows, received, err := s.tickers(ctx)
	if err != nil {
		return nil, err
	}
	out := make([]core.Observation, 0, len(markets))
	for _, m := range markets {
		var r row
		if upstream.Decode(rows[strings.ToLower(m.ID())], &r) != nil {
			continue
		}
		if o, ok := r.quote(m, received); ok {
			out = append(out, o)
		}
	}
	return out, nil
}

// envelope is around every answer.
type envelope struct {
	Status string                     `json:"status"` // "success" or "error"
	Data   map[string]json.RawMessage `json:"data"`   // by market
}

// row is the ticker of one market.
type row struct {
	At     json.RawMessage `json:"at"`
	Ticker struct {
		Bid json.RawMessage `json:"buy"`
		Ask json.RawMessage `json:"sell"`
	} `json:"ticker"`
}

// tickers asks for all rows, and returns them with the instant of receipt.
func (s *Source) tickers(ctx context.Context) (rows map[string]json.RawMessage, received time.Time, err error) {
	err = s.client.Get(ctx, "tickers", tickersPath, nil, func(a upstream.Answer) error {
		rows, received = nil, a.At
		if err := a.Fault(); err != nil {
			return err
		}
		var e envelope
		if err := a.JSON(&e); err != nil {
			return err
		}
		switch {
		case e.Status != "success":
			return upstream.Fail(upstream.Unavailable, "an answer that does not say success")
		case e.Data == nil:
			return upstream.Fail(upstream.Malformed, "no tickers")
		}
		rows = e.Data
		return nil
	})
	return rows, received, err
}

// quote reads the prices. A side that is zero means an empty book: no quote.
func (r row) quote(market core.Pair, received time.Time) (core.Observation, bool) {
	bid, bidOK := upstream.Decimal(r.Ticker.Bid)
	ask, askOK := upstream.Decimal(r.Ticker.Ask)
	at, atOK := made(r.At, received)
	if !bidOK || !askOK || !atOK || bid.IsZero() || ask.IsZero() {
		return core.Observation{}, false
	}
	return core.Observation{Pair: market, Bid: bid, Ask: ask, At: at, Source: Name}, true
}

// mostSeconds is the largest number that is taken for an instant: now, in milliseconds for seconds, and some more.
const mostSeconds = 10_000_000_000_000

// made is when a ticker was made; the instant of receipt where it does not say.
func made(raw json.RawMessage, received time.Time) (time.Time, bool) {
	if len(raw) == 0 || string(raw) == "null" {
		return received, true
	}
	var seconds int64
	if upstream.Decode(raw, &seconds) != nil || seconds <= 0 || seconds > mostSeconds {
		return time.Time{}, false
	}
	return time.Unix(seconds, 0).UTC(), true
}
