// Package kraken quotes markets from the order books of Kraken, for the price engine. It reads the public ticker alone:
// it holds no key, places no order, and decides nothing about a price.
//
// API: https://docs.kraken.com/api/docs/rest-api/get-ticker-information (read 2026-08, with the clients that call it;
// nothing here was called live). No authentication. About one call a second and address is tolerated.
//
// Surprises:
//   - bitcoin is XBT and dogecoin XDG;
//   - an answer is keyed by Kraken's canonical name (XXBTZUSD for XBTUSD, USDTZUSD for USDTUSD, but SOLUSD for SOLUSD), sometimes by
//     the name of the WebSocket feed (XBT/USD): a quote is looked for under all of them;
//   - failures come with status 200 and an error array; entries that start with W are warnings;
//   - one unknown pair fails the whole call: then all tickers are asked for, once, and ours picked;
//   - there is no time in the answer: a quote is stamped on receipt;
//   - outages are Cloudflare's HTML pages.
//
// Where it is configured to, it streams the ticker channel of the WebSocket API v2 instead, and polls what that does not tell
// (upstream.Socket): https://docs.kraken.com/exchange/api-reference/spot-websocket-v2/ticker (read 2026-10; answers as clients recorded
// them, 2026-09). No authentication. About 150 connections in 10 minutes and address are tolerated.
//
// Its surprises:
//   - currencies have their usual tickers here: BTC and DOGE. XBT/USD is "not supported", although AssetPairs calls it the name for sockets;
//   - updates come with trades unless the best bid and offer (bbo) are asked for: a quiet market would keep the quote of its last trade;
//   - numbers are JSON numbers, with exponents where they are small;
//   - each symbol of a request is acknowledged or refused by itself;
//   - a heartbeat comes in each second without another message of a channel, so five seconds without either are a feed that stands still,
//     however quiet the markets are;
//   - an update has a time, which is the quote's. So has a snapshot, of which nobody says whether it is that of the last change, maybe
//     hours ago; a snapshot is the book at the moment of subscribing, and its time the instant of receipt;
//   - after a minute without traffic it hangs up: our pings prevent that.
package kraken

import (
	"context"
	"encoding/json"
	"errors"
	"net/url"
	"strings"
	"time"

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

// Config of the source.
type Config struct {
	BaseURL   string `json:"base_url" doc:"Base URL of the API. Empty: https://api.kraken.com."`
	Socket    bool   `json:"socket" doc:"Whether to stream quotes over a WebSocket and poll only while it is silent. With base_url, the WebSocket is there too."`
	SocketURL string `json:"-"`
}

// Source is Kraken as a source of rates.
type Source struct {
	client *upstream.Client
	socket *upstream.Socket // nil: everything is polled
}

var _ ports.RateSource = (*Source)(nil)

// New makes the source.
func New(cfg Config, factory *upstream.Factory) (*Source, error) {
	if cfg.BaseURL == "" {
		cfg.BaseURL = BaseURL
	}
	client, err := factory.Client(upstream.Provider{
		Name: Name, BaseURL: cfg.BaseURL,
		Limits: []upstream.Limit{{Calls: 10, Per: 10 * time.Second}}, // about one a second, as third parties measured
	})
	if err != nil {
		return nil, err
	}
	source := &Source{client: client}
	if !cfg.Socket {
		return source, nil
	}
	switch {
	case cfg.SocketURL != "":
	case cfg.BaseURL != BaseURL:
		cfg.SocketURL = "ws" + strings.TrimPrefix(cfg.BaseURL, "http")
	default:
		cfg.SocketURL = SocketURL
	}
	if source.socket, err = factory.Socket(stream(cfg.SocketURL)); err != nil {
		return nil, err
	}
	return source, nil
}

// Close hangs up. A source that is not configured to stream has nothing to close.
func (s *Source) Close() error {
	s.socket.Close()
	return nil
}

// Name is "kraken".
func (*Source) Name() string { return Name }

// errUnknownPair is a whole call that failed for one market that Kraken does not list. From a call without
// markets it makes no sense, and stays what it is: unavailable.
var errUnknownPair error = core.Errorf(core.Unavailable, "Temporarily unavailable. Retry later.").
	With(errors.New("kraken: a market of the call is unknown"))

// Fits checks that the markets, however many, can be polled at every interval, as they are where no socket tells them.
func (s *Source) Fits(interval time.Duration, _ int) error { return s.client.Fits(interval, 1, 1) }

// Observe tells what the socket knows, and polls the rest.
func (s *Source) Observe(ctx context.Context, markets []core.Pair) ([]core.Observation, error) {
	return s.socket.Observe(ctx, markets, s.poll)
}

// poll quotes all markets in one call, or two where one of them is unknown to Kraken.
func (s *Source) poll(ctx context.Context, markets []core.Pair) ([]core.Observation, error) {
	if len(markets) == 0 {
		return nil, nil // without a market the provider would answer all of them
	}
	names := make([]string, len(markets))
	for i, m := range markets {
		names[i] = spell(m.Base) + spell(m.Counter)
	}
	tickers, at, err := s.tickers(ctx, "ticker", url.Values{"pair": {strings.Join(names, ",")}})
	if errors.Is(err, errUnknownPair) {
		tickers, at, err = s.tickers(ctx, "ticker_all", nil)
	}
	if err != nil {
		return nil, err
	}
	out := make([]core.Observation, 0, len(markets))
	for _, m := range markets {
		if o, ok := quote(tickers, m); ok {
			o.At = at
			out = append(out, o)
		}
	}
	return out, nil
}

// answer is the envelope of every call.
type answer struct {
	Error  []string                   `json:"error"`
	Result map[string]json.RawMessage `json:"result"`
}

// ticker is one market: best ask and best bid, each as price, whole-lot volume, lot volume.
type ticker struct {
	Ask []json.RawMessage `json:"a"`
	Bid []json.RawMessage `json:"b"`
}

func (s *Source) tickers(ctx context.Context, op string, query url.Values) (map[string]json.RawMessage, time.Time, error) {
	var (
		body answer
		at   time.Time
	)
	err := s.client.Get(ctx, op, tickerPath, query, func(a upstream.Response) error {
		body, at = answer{}, a.At
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

// quote finds a market's best prices. A side that is zero means an empty book: no quote.
func quote(tickers map[string]json.RawMessage, market core.Pair) (core.Observation, bool) {
	for _, key := range keys(market) {
		raw, ok := tickers[key]
		if !ok {
			continue
		}
		var t ticker
		if err := upstream.Decode(raw, &t); err != nil || len(t.Bid) == 0 || len(t.Ask) == 0 {
			return core.Observation{}, false
		}
		bid, bidOK := upstream.Decimal(t.Bid[0])
		ask, askOK := upstream.Decimal(t.Ask[0])
		if !bidOK || !askOK || bid.IsZero() || ask.IsZero() {
			return core.Observation{}, false
		}
		return core.Observation{Pair: market, Bid: bid, Ask: ask, Source: Name}, true
	}
	return core.Observation{}, false
}
