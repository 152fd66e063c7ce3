// Package kraken reads tickers from the order books of Kraken.
//
// API: GET {base}/0/public/Ticker, no key
// (https://docs.kraken.com/api/docs/rest-api/get-ticker-information, read 2026-08 with the clients
// that call it; nothing here was called live). About one request per second and address is
// tolerated.
//
// Quirks:
//   - Bitcoin is XBT and dogecoin XDG.
//   - Results have Kraken's canonical names (XXBTZUSD for XBTUSD, USDTZUSD for USDTUSD, but SOLUSD
//     for SOLUSD), sometimes names of the WebSocket feed (XBT/USD). A quote is looked up under all
//     of them.
//   - Failures come with status 200 and an array of errors. Entries that start with W are warnings.
//   - One unknown pair fails the whole request: then all tickers are requested once.
//   - There is no time in the response: a quote is stamped on receipt.
//   - There is no status in the response. SystemStatus has the status of the trading engine, and
//     AssetPairs the status of each pair (docs.kraken.com/api-reference/market-data/get-system-status,
//     read 2026-11): both are requested every ten seconds. Nothing is quoted unless the engine is
//     online, and no pair unless it is online or limit_only, which matches orders.
//   - Outages are HTML pages of Cloudflare.
//
// If configured, it streams the ticker channel of the WebSocket API v2 and polls what that does not
// send (upstream.Socket): https://docs.kraken.com/exchange/api-reference/spot-websocket-v2/ticker
// (read 2026-10; messages as clients recorded them, 2026-09). No key. About 150 connections in 10
// minutes and address are tolerated.
//
// Quirks of the socket:
//   - Currencies have their usual tickers, BTC and DOGE. XBT/USD is not supported, although
//     AssetPairs has it as the name for sockets.
//   - Updates come with trades unless event_trigger is bbo: a quiet market would keep the quote of
//     its last trade.
//   - Numbers are JSON numbers, small ones with exponents.
//   - Each symbol of a request is acknowledged or refused by itself.
//   - A status comes with each connection and each change: online, maintenance, cancel_only, post_only,
//     in the status of pairs also limit_only
//     (https://docs.kraken.com/exchange/api-reference/spot-websocket-v2/status, read 2026-11). Quotes
//     and heartbeats go on in all of them, but orders are matched online only: until then nothing is
//     quoted.
//   - A heartbeat comes in each second without another message of a channel. Five seconds without
//     either are a stalled feed, however quiet the markets are.
//   - An update has the time of the quote. The time of a snapshot is undocumented and may be the
//     time of the last change; because a snapshot is the current book, it is stamped on receipt.
//   - A connection without traffic is closed after a minute, which pings prevent.
package kraken

import (
	"cmp"
	"context"
	"encoding/json"
	"net/url"
	"strings"
	"time"

	"causeway/adapters/providers/provider"
	"causeway/adapters/providers/tickers"
	"causeway/adapters/upstream"
	"causeway/core"
)

const (
	// Name of the source.
	Name = "kraken"
	// BaseURL of the public API.
	BaseURL = "https://api.kraken.com"

	online = "online" // the status in which orders are matched
)

// Descriptor describes Kraken.
var Descriptor = provider.Descriptor{
	Name: Name, Title: "Kraken", Homepage: "https://www.kraken.com",
	BaseURL:  BaseURL,
	Settings: func() provider.Settings { return &Config{} },
	Evidence: []provider.Evidence{
		{
			Fact:   "Canonical names of old assets have the prefix X or Z.",
			Source: "github.com/ccxt/ccxt ts/src/kraken.ts (2026-07)",
		},
		{
			Fact:   "Errors are texts in an array, with status 200.",
			Source: "docs.kraken.com/api/docs/guides/spot-errors (2026-08)",
		},
		{
			Fact:   "About one request per second is tolerated.",
			Source: "measured by third parties",
		},
		{
			Fact:   "SystemStatus and the socket say when orders are not matched: maintenance, cancel_only, post_only.",
			Source: "docs.kraken.com/api-reference/market-data/get-system-status and …/spot-websocket-v2/status (2026-11)",
		},
		{
			Fact:   "AssetPairs has the status of each pair: online, cancel_only, post_only, limit_only, reduce_only.",
			Source: "docs.kraken.com/openapi/spot-rest.yaml and docs.rs/architect-api (2026-11)",
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
		Operation: "ticker", Path: "/0/public/Ticker", Names: names, Read: readTickers,
		Symbol: func(m core.Pair) string { return spell(m.Base) + spell(m.Counter) },
		Select: selected, Open: open, OpenEvery: 10 * time.Second,
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
		Name: Name, BaseURL: base,
		Limits: []upstream.Limit{{Calls: 10, Per: 10 * time.Second}}, // about one a second, as third parties measured
	}, api))
}

func selected(symbols []string) url.Values { return url.Values{"pair": {strings.Join(symbols, ",")}} }

// open returns the names of the pairs in which orders are matched.
func open(ctx context.Context, c *upstream.Client, symbols []string) (names []string, err error) {
	var system struct {
		Status string `json:"status"`
	}
	err = c.Get(ctx, tickers.StatusOperation, "/0/public/SystemStatus", nil, func(r upstream.Response) error {
		if err := result(r, &system); err != nil || system.Status != "" {
			return err
		}
		return upstream.Fail(upstream.Malformed, "no status")
	})
	if err != nil || system.Status != online {
		return nil, err
	}
	pairs := map[string]json.RawMessage{}
	op := tickers.StatusOperation + "_pairs"
	err = c.Get(ctx, op, "/0/public/AssetPairs", selected(symbols), func(r upstream.Response) error {
		return result(r, &pairs)
	})
	for name, raw := range pairs {
		if upstream.Decode(raw, &system) == nil && (system.Status == online || system.Status == "limit_only") {
			names = append(names, name)
		}
	}
	return names, err
}

// result decodes the result of a response, which has either a result or an error.
func result(r upstream.Response, out any) error {
	var body struct {
		Error  []string        `json:"error"`
		Result json.RawMessage `json:"result"`
	}
	if err := r.Decode(&body); err != nil {
		return err
	}
	if err := fault(body.Error); err != nil {
		return err
	}
	if upstream.Decode(body.Result, out) != nil {
		return upstream.Fail(upstream.Malformed, "neither a result nor an error")
	}
	return nil
}

// readTickers returns the tickers of a response. Each has the best ask and bid, each as price,
// whole-lot volume and lot volume.
func readTickers(r upstream.Response) (map[string]tickers.Ticker, error) {
	var rows map[string]json.RawMessage
	if err := result(r, &rows); err != nil {
		return nil, err
	}
	out := make(map[string]tickers.Ticker, len(rows))
	for name, raw := range rows {
		var t struct {
			Ask []json.RawMessage `json:"a"`
			Bid []json.RawMessage `json:"b"`
		}
		out[name] = tickers.Ticker{}
		if upstream.Decode(raw, &t) == nil && len(t.Bid) > 0 && len(t.Ask) > 0 {
			out[name] = tickers.Ticker{Bid: t.Bid[0], Ask: t.Ask[0], At: r.At}
		}
	}
	return out, nil
}
