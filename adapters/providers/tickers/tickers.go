// Package tickers polls providers whose API returns the best bid and ask of many markets, or the
// rates of many currencies, in one response, and streams them if the provider has a WebSocket.
//
// A market that a provider does not trade is missing in the response. Where it would fail the
// request, all tickers are requested instead.
package tickers

import (
	"context"
	"encoding/json"
	"errors"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"causeway/adapters/providers/provider"
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
	Cost      int // see upstream.Request

	Symbol func(core.Pair) string   // "" if the market cannot be requested
	Names  func(core.Pair) []string // that a market may have in a response; nil: its symbol

	// Select returns the query for the tickers of some symbols; nil: all are requested.
	Select func(symbols []string) url.Values

	// Read returns the tickers of a response by name, or ErrUnknownSymbol.
	Read func(r upstream.Response) (map[string]Ticker, error)

	Stream *upstream.Stream // nil: everything is polled

	Open      OpenMarkets   // nil: the tickers themselves say which markets are open
	OpenEvery time.Duration // see Status.Every
}

// ErrUnknownSymbol means that a request failed because the provider does not trade one of its
// markets. For a request of all tickers it is an ordinary failure.
var ErrUnknownSymbol error = core.Errorf(core.Unavailable, "Temporarily unavailable. Retry later.").
	With(errors.New("a market of the call is unknown"))

// Source polls one provider.
type Source struct {
	name   string
	client *upstream.Client
	socket *upstream.Socket // nil: everything is polled
	status *Status          // nil: not requested
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
	s := &Source{name: p.Name, client: client, api: api}
	if api.Open != nil {
		s.status = &Status{Open: api.Open, Every: api.OpenEvery, Symbol: api.Symbol, Names: api.Names}
	}
	if api.Stream != nil {
		s.socket, err = factory.Socket(*api.Stream)
	}
	return s, err
}

// Settings returns the settings of a provider that has no others than its tickers.
func Settings(p upstream.Provider, api API) func() provider.Settings {
	return provider.KeylessWith(p, func(factory *upstream.Factory, p upstream.Provider) (any, error) {
		return New(factory, p, api)
	})
}

// Close closes the WebSocket, if there is one.
func (s *Source) Close() error {
	s.socket.Close()
	return nil
}

// Name returns the name of the provider.
func (s *Source) Name() string { return s.name }

// MinInterval returns the shortest polling interval, whatever the number of markets.
func (s *Source) MinInterval(int) time.Duration { return s.client.MinInterval(1, s.api.Cost) }

// Observe returns the quotes of the WebSocket and polls the other markets. It leaves out markets
// that are not open.
func (s *Source) Observe(ctx context.Context, markets []core.Pair) ([]core.Observation, error) {
	quotes, err := s.socket.Observe(ctx, markets, s.poll)
	if err != nil {
		return nil, err
	}
	return s.status.Filter(ctx, s.client, quotes)
}

// poll returns the quotes of all markets from one response, or from a second one if the provider
// does not trade one of them.
func (s *Source) poll(ctx context.Context, markets []core.Pair) ([]core.Observation, error) {
	var symbols []string
	for _, m := range markets {
		if symbol := s.api.Symbol(m); symbol != "" && !slices.Contains(symbols, symbol) {
			symbols = append(symbols, symbol)
		}
	}
	if len(symbols) == 0 {
		return nil, nil
	}
	query := s.api.Query
	if s.api.Select != nil {
		query = s.api.Select(symbols)
	}
	all, err := s.request(ctx, s.api.Operation, query)
	if errors.Is(err, ErrUnknownSymbol) {
		all, err = s.request(ctx, s.api.Operation+"_all", s.api.Query)
	}
	if err != nil {
		return nil, err
	}
	out := make([]core.Observation, 0, len(markets))
	for _, m := range markets {
		names := []string{s.api.Symbol(m)}
		if s.api.Names != nil {
			names = s.api.Names(m)
		}
		i := slices.IndexFunc(names, func(name string) bool { _, ok := all[name]; return ok })
		if i < 0 {
			continue
		}
		if o, ok := all[names[i]].Observation(s.name, m); ok {
			out = append(out, o)
		}
	}
	return out, nil
}

// OneByOne requests one market after another. A market that is core.NotFound is left out, as one
// that is not ok. A failure ends the requests, and is an error only if there are no quotes yet.
func OneByOne(
	ctx context.Context, markets []core.Pair,
	request func(context.Context, core.Pair) (o core.Observation, ok bool, err error),
) ([]core.Observation, error) {
	out := make([]core.Observation, 0, len(markets))
	for _, m := range markets {
		o, ok, err := request(ctx, m)
		switch {
		case core.CodeOf(err) == core.NotFound:
		case err != nil && len(out) == 0:
			return nil, err
		case err != nil:
			return out, nil
		case ok:
			out = append(out, o)
		}
	}
	return out, nil
}

// request returns the tickers of one response.
func (s *Source) request(ctx context.Context, op string, query url.Values) (all map[string]Ticker, err error) {
	request := upstream.Request{Op: op, Path: s.api.Path, Query: query, Cost: s.api.Cost}
	err = s.client.Do(ctx, request, func(r upstream.Response) (err error) {
		all, err = s.api.Read(r)
		return err
	})
	return all, err
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
