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
//   - A ticker has no status: exchangeInfo is requested every 30 seconds, for the quoted symbols
//     alone, because the list of all takes megabytes.
package binance

import (
	"cmp"
	"encoding/json"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"time"

	"causeway/adapters/providers/provider"
	"causeway/adapters/providers/tickers"
	"causeway/adapters/upstream"
	"causeway/core"
)

const (
	// Name of the source.
	Name = "binance"
	// BaseURL of the host that serves market data and nothing else.
	BaseURL = "https://data-api.binance.vision"

	weight        = 4  // of a call for several symbols, or all
	infoWeight    = 20 // of a call for the status of symbols
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
		{
			Fact:   "exchangeInfo has the status of given symbols: TRADING, HALT or BREAK. Its weight is 20.",
			Source: "github.com/binance/binance-spot-api-docs rest-api.md (2026-07-21); developers.binance.com (2026-11)",
		},
	},
}

// Config of the source.
type Config struct {
	BaseURL   string `json:"-"` // empty: the constant
	Socket    bool   `json:"socket" doc:"Whether to stream quotes over a WebSocket and poll only while it is silent. With a base URL of its own, the WebSocket is there too."`
	SocketURL string `json:"-"`
}

// Connect implements provider.Settings.
func (c *Config) Connect(factory *upstream.Factory) (provider.Clients, error) {
	api := tickers.API{
		Operation: "book_ticker", Path: "/api/v3/ticker/bookTicker", Cost: weight, Symbol: symbol, Select: query,
		Read: readTickers, Open: tickers.OpenRows(info, readInfo, func(s listed) (string, bool) {
			return s.Symbol, s.Status == "TRADING"
		}),
	}
	base := cmp.Or(c.BaseURL, BaseURL)
	if c.Socket {
		address := SocketURL
		if base != BaseURL {
			address = "ws" + strings.TrimPrefix(base, "http")
		}
		api.Stream = stream(cmp.Or(c.SocketURL, address))
	}
	return provider.Connected(tickers.New(factory, upstream.Provider{
		Name: Name, BaseURL: base, Limits: []upstream.Limit{{Calls: 6000, Per: time.Minute}},
	}, api))
}

// legal is the form of a symbol, according to Binance's error text (-1100).
var legal = regexp.MustCompile(`^[A-Z0-9-_.]{1,20}$`)

// symbol returns the symbol of a market, or "" if it is illegal and would fail the request.
func symbol(market core.Pair) string {
	if id := market.ID(); legal.MatchString(id) {
		return id
	}
	return ""
}

// query returns the query for the tickers of symbols. Legal ones need no escaping in JSON.
func query(symbols []string) url.Values {
	return url.Values{"symbols": {`["` + strings.Join(symbols, `","`) + `"]`}}
}

// info requests the status of these symbols only: the status of all symbols takes megabytes.
func info(symbols []string) upstream.Request {
	q := query(symbols)
	q.Set("showPermissionSets", "false")
	return upstream.Request{Op: tickers.StatusOperation, Path: "/api/v3/exchangeInfo", Query: q, Cost: infoWeight}
}

func readInfo(r upstream.Response) ([]json.RawMessage, error) {
	var body struct {
		Symbols []json.RawMessage `json:"symbols"`
	}
	err := r.Decode(&body)
	return body.Symbols, err
}

// listed is a symbol with its status.
type listed struct {
	Symbol string `json:"symbol"`
	Status string `json:"status"`
}

// book is the top of one market's order book.
type book struct {
	Symbol string          `json:"symbol"`
	Bid    json.RawMessage `json:"bidPrice"`
	Ask    json.RawMessage `json:"askPrice"`
}

// readTickers returns the tickers of a response by symbol. Of the codes of errors only -1121
// matters; others have a sufficient status: -1003 has 429 or 418, -1008 has 503.
func readTickers(r upstream.Response) (map[string]tickers.Ticker, error) {
	var refusal struct {
		Code int `json:"code"`
	}
	if r.Status == http.StatusBadRequest && r.JSON(&refusal) == nil && refusal.Code == invalidSymbol {
		return nil, tickers.ErrUnknownSymbol
	}
	rows, err := tickers.Rows(r)
	if err != nil {
		return nil, err
	}
	return tickers.Collect(rows, func(b book) (string, tickers.Ticker) {
		return b.Symbol, tickers.Ticker{Bid: b.Bid, Ask: b.Ask, At: r.At}
	}), nil
}
