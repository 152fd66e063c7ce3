// Package tickers polls providers whose API returns the best bid and ask of all markets in one
// response.
//
// A market that a provider does not trade is missing in the response, so that it cannot fail the
// others.
package tickers

import (
	"context"
	"encoding/json"
	"net/url"
	"strconv"
	"strings"
	"time"

	"causeway/adapters/upstream"
	"causeway/core"
	"causeway/ports"
)

// Ticker is the top of an order book. Prices are JSON strings or numbers.
type Ticker struct {
	Bid, Ask json.RawMessage
	At       time.Time // zero: unreadable
}

// Observation returns the ticker as a quote of a market. It reports false if a side or the time is
// unreadable. A side of zero means that the book is empty.
func (t Ticker) Observation(source string, market core.Pair) (core.Observation, bool) {
	bid, bidOK := upstream.Decimal(t.Bid)
	ask, askOK := upstream.Decimal(t.Ask)
	if !bidOK || !askOK || t.At.IsZero() || bid.IsZero() || ask.IsZero() {
		return core.Observation{}, false
	}
	return core.Observation{Pair: market, Bid: bid, Ask: ask, At: t.At, Source: source}, true
}

// API is the operation that returns the tickers.
type API struct {
	Operation string // in metrics; empty: tickers
	Path      string
	Query     url.Values
	Symbol    func(core.Pair) string

	// Read returns the tickers of a response by symbol.
	Read func(r upstream.Response) (map[string]Ticker, error)
}

// Source polls one provider.
type Source struct {
	name   string
	client *upstream.Client
	api    API
}

var _ ports.RateSource = (*Source)(nil)

// New returns a source. It sends no request.
func New(factory *upstream.Factory, p upstream.Provider, api API) (*Source, error) {
	client, err := factory.Client(p)
	if err != nil {
		return nil, err
	}
	if api.Operation == "" {
		api.Operation = "tickers"
	}
	return &Source{name: p.Name, client: client, api: api}, nil
}

// Name returns the name of the provider.
func (s *Source) Name() string { return s.name }

// MinInterval returns the shortest polling interval, whatever the number of markets.
func (s *Source) MinInterval(int) time.Duration { return s.client.MinInterval(1, 1) }

// Observe returns the quotes of all markets from one response.
func (s *Source) Observe(ctx context.Context, markets []core.Pair) ([]core.Observation, error) {
	if len(markets) == 0 {
		return nil, nil
	}
	var all map[string]Ticker
	err := s.client.Get(ctx, s.api.Operation, s.api.Path, s.api.Query, func(r upstream.Response) (err error) {
		all, err = s.api.Read(r)
		return err
	})
	if err != nil {
		return nil, err
	}
	out := make([]core.Observation, 0, len(markets))
	for _, m := range markets {
		if o, ok := all[s.api.Symbol(m)].Observation(s.name, m); ok {
			out = append(out, o)
		}
	}
	return out, nil
}

// Collect decodes rows and returns their tickers by symbol. It leaves out rows that it cannot
// decode.
func Collect[T any](rows []json.RawMessage, ticker func(row T) (symbol string, t Ticker)) map[string]Ticker {
	out := make(map[string]Ticker, len(rows))
	for _, raw := range rows {
		var row T
		if upstream.Decode(raw, &row) == nil {
			symbol, t := ticker(row)
			out[symbol] = t
		}
	}
	return out
}

// Seconds reads a time in seconds since 1970, a JSON string or number of at most so many digits: a
// number of more digits has another unit. It returns the zero time if there is none.
func Seconds(raw json.RawMessage, digits int) time.Time {
	if n := count(raw, digits); n > 0 {
		return time.Unix(n, 0).UTC()
	}
	return time.Time{}
}

// Milliseconds reads a time in milliseconds since 1970, as Seconds does.
func Milliseconds(raw json.RawMessage, digits int) time.Time {
	if n := count(raw, digits); n > 0 {
		return time.UnixMilli(n).UTC()
	}
	return time.Time{}
}

func count(raw json.RawMessage, digits int) int64 {
	text := strings.Trim(string(raw), `"`)
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil || len(text) > digits {
		return 0
	}
	return n
}
