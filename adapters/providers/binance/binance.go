// Package binance reads the best bids and asks of order books from the market-data host of Binance.
//
// API: GET {base}/api/v3/ticker/bookTicker, no key
// (https://github.com/binance/binance-spot-api-docs rest-api.md and errors.md of 2026-07-21,
// "Symbol order book ticker"; read 2026-08, nothing here was called live). A request has weight 4,
// of 6000 per minute and address.
//
// Quirks:
//   - The list of symbols is a JSON array inside the query.
//   - A duplicate symbol fails the whole request (-1151), and so does an illegal character (-1100).
//   - So does one unknown symbol (status 400, code -1121): then all tickers are requested once.
//   - There is no time in the response: a quote is stamped on receipt.
//   - An empty book is "0.00000000": that market is left out.
//   - 418 is a ban of the address, from 2 minutes to 3 days, of clients that continue after a 429:
//     the source waits for Retry-After. 403 is the firewall, 451 a country that Binance does not
//     serve.
package binance

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"time"

	"causeway/adapters/providers/provider"
	"causeway/adapters/upstream"
	"causeway/core"
	"causeway/ports"
)

const (
	// Name of the source.
	Name = "binance"
	// BaseURL of the host that serves market data and nothing else.
	BaseURL = "https://data-api.binance.vision"

	tickerPath    = "/api/v3/ticker/bookTicker"
	weight        = 4 // of a call for several symbols, or all
	invalidSymbol = -1121
)

// Descriptor describes Binance.
var Descriptor = provider.Descriptor{
	Name: Name, Title: "Binance", Homepage: "https://www.binance.com",
	BaseURL:  BaseURL,
	Settings: func() provider.Settings { return &Config{} },
	Evidence: []provider.Evidence{
		{
			Fact:   "One unknown symbol fails the whole request with code -1121.",
			Source: "github.com/binance/binance-spot-api-docs rest-api.md and errors.md (2026-07-21)",
		},
		{
			Fact:   "418 is a ban of the address of up to three days.",
			Source: "github.com/binance/binance-spot-api-docs rest-api.md and errors.md (2026-07-21)",
		},
	},
}

// Config of the source.
type Config struct {
	BaseURL   string `json:"-"` // empty: the constant
	Socket    bool   `json:"socket" doc:"Whether to stream quotes over a WebSocket and poll only while it is silent. With a base URL of its own, the WebSocket is there too."`
	SocketURL string `json:"-"`
}

// Source is Binance as a source of rates.
type Source struct {
	client *upstream.Client
	socket *upstream.Socket // nil: everything is polled
}

var _ ports.RateSource = (*Source)(nil)

// Connect implements provider.Settings.
func (c *Config) Connect(factory *upstream.Factory) (provider.Clients, error) {
	base := cmp.Or(c.BaseURL, BaseURL)
	client, err := factory.Client(upstream.Provider{
		Name: Name, BaseURL: base, Limits: []upstream.Limit{{Calls: 6000, Per: time.Minute}},
	})
	if err != nil {
		return provider.Clients{}, err
	}
	source := &Source{client: client}
	if !c.Socket {
		return provider.Connected(source, nil)
	}
	address := SocketURL
	if base != BaseURL {
		address = "ws" + strings.TrimPrefix(base, "http")
	}
	if source.socket, err = factory.Socket(stream(cmp.Or(c.SocketURL, address))); err != nil {
		return provider.Clients{}, err
	}
	return provider.Connected(source, nil)
}

// Close closes the socket, if there is one.
func (s *Source) Close() error {
	s.socket.Close()
	return nil
}

// Name returns "binance".
func (*Source) Name() string { return Name }

// errUnknownSymbol means that a request failed because Binance does not list one of its markets.
// For a request of all markets it is an ordinary failure.
var errUnknownSymbol error = core.Errorf(core.Unavailable, "Temporarily unavailable. Retry later.").
	With(errors.New("binance: a market of the call is unknown"))

// MinInterval returns the shortest polling interval, whatever the number of markets.
func (s *Source) MinInterval(int) time.Duration { return s.client.MinInterval(1, weight) }

// Observe returns the quotes of the socket and polls the other markets.
func (s *Source) Observe(ctx context.Context, markets []core.Pair) ([]core.Observation, error) {
	return s.socket.Observe(ctx, markets, s.poll)
}

// poll returns the quotes of all markets from one response, or from a second one if Binance does
// not list one of them.
func (s *Source) poll(ctx context.Context, markets []core.Pair) ([]core.Observation, error) {
	symbols := symbols(markets)
	if len(symbols) == 0 {
		return nil, nil // without markets the response would have all of them
	}
	list, err := json.Marshal(symbols)
	if err != nil {
		return nil, core.Errorf(core.Internal, "Internal error").With(err)
	}
	books, at, err := s.books(ctx, "book_ticker", url.Values{"symbols": {string(list)}})
	if errors.Is(err, errUnknownSymbol) {
		books, at, err = s.books(ctx, "book_ticker_all", nil)
	}
	if err != nil {
		return nil, err
	}
	out := make([]core.Observation, 0, len(markets))
	for _, m := range markets {
		if o, ok := books[m.ID()].quote(m); ok {
			o.At = at
			out = append(out, o)
		}
	}
	return out, nil
}

// legal is the form of a symbol, according to Binance's error text (-1100).
var legal = regexp.MustCompile(`^[A-Z0-9-_.]{1,20}$`)

// symbols returns the symbols of the markets, each once. It leaves out illegal symbols, which would
// fail the request.
func symbols(markets []core.Pair) []string {
	out := make([]string, 0, len(markets))
	for _, m := range markets {
		if id := m.ID(); legal.MatchString(id) && !slices.Contains(out, id) {
			out = append(out, id)
		}
	}
	return out
}

// book is the top of one market's order book.
type book struct {
	Symbol string          `json:"symbol"`
	Bid    json.RawMessage `json:"bidPrice"`
	Ask    json.RawMessage `json:"askPrice"`
}

// quote reads the prices.
func (b book) quote(market core.Pair) (core.Observation, bool) {
	bid, bidOK := upstream.Decimal(b.Bid)
	ask, askOK := upstream.Decimal(b.Ask)
	if !bidOK || !askOK || bid.IsZero() || ask.IsZero() {
		return core.Observation{}, false
	}
	return core.Observation{Pair: market, Bid: bid, Ask: ask, Source: Name}, true
}

// books requests tickers and returns them by symbol, with the time of receipt.
func (s *Source) books(ctx context.Context, op string, query url.Values) (map[string]book, time.Time, error) {
	var (
		books map[string]book
		at    time.Time
	)
	request := upstream.Request{Op: op, Path: tickerPath, Query: query, Cost: weight}
	err := s.client.Do(ctx, request, func(a upstream.Response) error {
		books, at = map[string]book{}, a.At
		if err := fault(a); err != nil {
			return err
		}
		var rows []json.RawMessage
		if err := a.JSON(&rows); err != nil {
			return err
		}
		for _, row := range rows {
			var b book
			if upstream.Decode(row, &b) == nil {
				books[b.Symbol] = b
			}
		}
		return nil
	})
	return books, at, err
}

// fault returns the error of a response that is not a list. Only the code -1121 matters; others
// have a sufficient status: -1003 has 429 or 418, -1008 has 503.
func fault(a upstream.Response) error {
	if a.Status == http.StatusBadRequest {
		var refusal struct {
			Code int `json:"code"`
		}
		if a.JSON(&refusal) == nil && refusal.Code == invalidSymbol {
			return errUnknownSymbol
		}
	}
	return a.Err()
}
