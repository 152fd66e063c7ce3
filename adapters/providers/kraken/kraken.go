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
//     for SOLUSD), sometimes those of the WebSocket feed (XBT/USD). A quote is looked up under all
//     of them.
//   - Failures come with status 200 and an array of errors. Entries that start with W are warnings.
//   - One unknown pair fails the whole request: then all tickers are requested once.
//   - There is no time in the response: a quote is stamped on receipt.
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
//   - A heartbeat comes in each second without another message of a channel. Five seconds without
//     either are a stalled feed, however quiet the markets are.
//   - The time of an update is that of the quote. The time of a snapshot is undocumented and may be
//     that of the last change; because a snapshot is the current book, it is stamped on receipt.
//   - A connection without traffic is closed after a minute, which pings prevent.
package kraken

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"net/url"
	"strings"
	"time"

	"causeway/adapters/providers/provider"
	"causeway/adapters/providers/tickers"
	"causeway/adapters/upstream"
	"causeway/core"
	"causeway/ports"
)

const (
	// Name of the source.
	Name = "kraken"
	// BaseURL of the public API.
	BaseURL = "https://api.kraken.com"

	tickerPath = "/0/public/Ticker"
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
	},
}

// Config of the source.
type Config struct {
	BaseURL   string `json:"-"` // empty: the constant
	Socket    bool   `json:"socket" doc:"Whether to stream quotes over a WebSocket and poll only while it is silent. With a base URL of its own, the WebSocket is there too."`
	SocketURL string `json:"-"`
}

// Source is Kraken as a source of rates.
type Source struct {
	client *upstream.Client
	socket *upstream.Socket // nil: everything is polled
}

var _ ports.RateSource = (*Source)(nil)

// Connect implements provider.Settings.
func (c *Config) Connect(factory *upstream.Factory) (provider.Clients, error) {
	base := cmp.Or(c.BaseURL, BaseURL)
	client, err := factory.Client(upstream.Provider{
		Name: Name, BaseURL: base,
		Limits: []upstream.Limit{{Calls: 10, Per: 10 * time.Second}}, // about one a second, as third parties measured
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

// Name returns "kraken".
func (*Source) Name() string { return Name }

// errUnknownPair means that a request failed because Kraken does not list one of its markets. For a
// request of all markets it is an ordinary failure.
var errUnknownPair error = core.Errorf(core.Unavailable, "Temporarily unavailable. Retry later.").
	With(errors.New("kraken: a market of the call is unknown"))

// MinInterval returns the shortest polling interval, whatever the number of markets.
func (s *Source) MinInterval(int) time.Duration { return s.client.MinInterval(1, 1) }

// Observe returns the quotes of the socket and polls the other markets.
func (s *Source) Observe(ctx context.Context, markets []core.Pair) ([]core.Observation, error) {
	return s.socket.Observe(ctx, markets, s.poll)
}

// poll returns the quotes of all markets from one response, or from a second one if Kraken does not
// list one of them.
func (s *Source) poll(ctx context.Context, markets []core.Pair) ([]core.Observation, error) {
	if len(markets) == 0 {
		return nil, nil // without markets the response would have all of them
	}
	names := make([]string, len(markets))
	for i, m := range markets {
		names[i] = spell(m.Base) + spell(m.Counter)
	}
	all, at, err := s.tickers(ctx, "ticker", url.Values{"pair": {strings.Join(names, ",")}})
	if errors.Is(err, errUnknownPair) {
		all, at, err = s.tickers(ctx, "ticker_all", nil)
	}
	if err != nil {
		return nil, err
	}
	out := make([]core.Observation, 0, len(markets))
	for _, m := range markets {
		if o, ok := quote(all, m, at); ok {
			out = append(out, o)
		}
	}
	return out, nil
}

// envelope is around every response.
type envelope struct {
	Error  []string                   `json:"error"`
	Result map[string]json.RawMessage `json:"result"`
}

// ticker is one market: best ask and best bid, each as price, whole-lot volume, lot volume.
type ticker struct {
	Ask []json.RawMessage `json:"a"`
	Bid []json.RawMessage `json:"b"`
}

func (s *Source) tickers(
	ctx context.Context, op string, query url.Values,
) (map[string]json.RawMessage, time.Time, error) {
	var (
		body envelope
		at   time.Time
	)
	err := s.client.Get(ctx, op, tickerPath, query, func(a upstream.Response) error {
		body, at = envelope{}, a.At
		if err := a.Err(); err != nil {
			return err
		}
		if err := a.JSON(&body); err != nil {
			return err
		}
		if err := fault(body.Error); err != nil {
			return err
		}
		if body.Result == nil {
			return upstream.Fail(upstream.Malformed, "neither a result nor an error")
		}
		return nil
	})
	return body.Result, at, err
}

// quote returns the best prices of a market.
func quote(all map[string]json.RawMessage, market core.Pair, at time.Time) (core.Observation, bool) {
	for _, key := range keys(market) {
		raw, ok := all[key]
		if !ok {
			continue
		}
		var t ticker
		if err := upstream.Decode(raw, &t); err != nil || len(t.Bid) == 0 || len(t.Ask) == 0 {
			return core.Observation{}, false
		}
		return tickers.Ticker{Bid: t.Bid[0], Ask: t.Ask[0], At: at}.Observation(Name, market)
	}
	return core.Observation{}, false
}
