// Package gemini reads tickers from the order books of Gemini.
//
// API: GET {base}/v1/pubticker/{symbol}, no key (https://developer.gemini.com, "Get Ticker", read
// 2026-11; nothing here was called live).
//
// Quirks:
//   - Each symbol is a request of its own, and the limit is 120 requests per minute: markets are
//     requested one after the other, and few of them are configured.
//   - The response does not name its symbol.
//   - The only time is the time of the volume. A quote is stamped on receipt.
//   - An unknown symbol is 400 with the reason InvalidSymbol. Any other failure ends the poll, and
//     the markets that were read before it are returned.
//   - A ticker has no status: the details of all symbols are requested every 30 seconds. A symbol in
//     limit_only matches orders.
package gemini

import (
	"context"
	"encoding/json"
	"net/http"
	"regexp"
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
	Name = "gemini"
	// BaseURL of the public API.
	BaseURL = "https://api.gemini.com"
)

// Descriptor describes Gemini.
var Descriptor = provider.Descriptor{
	Name: Name, Title: "Gemini", Homepage: "https://www.gemini.com",
	BaseURL: BaseURL,
	Settings: provider.Keyless(upstream.Provider{
		Name: Name, BaseURL: BaseURL,
		Limits: []upstream.Limit{{Calls: 2, Per: time.Second}}, // 120 per minute; polling uses the recommended 60
	}, func(client *upstream.Client) any {
		return &Source{client, &tickers.Status{Open: open, Symbol: name}}
	}),
	Evidence: []provider.Evidence{
		{
			Fact:   "Each symbol is a request of its own. The time in a ticker is the time of its volume.",
			Source: "developer.gemini.com trading/rest-api/market-data/get-ticker (2026-11)",
		},
		{
			Fact:   "An unknown symbol is 400 with the reason InvalidSymbol.",
			Source: "responses recorded 2026-09-06 by a public client (github.com/DistortionPoint/dp-exchange-gemini)",
		},
		{
			Fact:   "A limit of 120 public requests per minute; not more than one per second is recommended.",
			Source: "docs.gemini.com/rest-api, as quoted by github.com/bmoscon/cryptofeed",
		},
		{
			Fact:   "BTC, ETH, USDC, USDT and DAI trade in USD, BTC and ETH also in EUR and GBP.",
			Source: "vendor's example of GET /v1/symbols in github.com/DistortionPoint/dp-exchange-gemini (2026-08)",
		},
		{
			Fact:   "One response of details/all has all symbols: open, closed, cancel_only, post_only, limit_only.",
			Source: "docs.gemini.com/rest-api symbol details, and four public clients that request details/all (2026-11)",
		},
	},
}

// Source is Gemini as a source of rates.
type Source struct {
	*upstream.Client

	status *tickers.Status
}

var _ ports.RateSource = (*Source)(nil)

// details are a symbol with its status.
type details struct {
	Symbol string `json:"symbol"`
	Status string `json:"status"`
}

// open requests the status of all symbols. With limit_only orders are matched.
var open = tickers.OpenRows(tickers.At("/v1/symbols/details/all"), tickers.Rows, func(d details) (string, bool) {
	return strings.ToLower(d.Symbol), d.Status == "open" || d.Status == "limit_only"
})

// MinInterval returns the shortest polling interval for so many markets.
func (s *Source) MinInterval(markets int) time.Duration { return s.Client.MinInterval(markets, 1) }

// Observe returns the quotes of the markets, each from a response of its own.
func (s *Source) Observe(ctx context.Context, markets []core.Pair) ([]core.Observation, error) {
	out, err := tickers.OneByOne(ctx, markets, s.observe)
	if err != nil {
		return nil, err
	}
	return s.status.Filter(ctx, s.Client, out)
}

func name(market core.Pair) string { return strings.ToLower(market.ID()) }

// symbol is what becomes part of a path.
var symbol = regexp.MustCompile(`^[a-z0-9]{2,40}$`)

// observe requests one market, which is core.NotFound if it is not traded. ok is false if its book is
// empty or unreadable.
func (s *Source) observe(ctx context.Context, market core.Pair) (o core.Observation, ok bool, err error) {
	name := name(market)
	if !symbol.MatchString(name) {
		return o, false, nil
	}
	err = s.Get(ctx, "ticker", "/v1/pubticker/"+name, nil, func(a upstream.Response) error {
		o, ok = core.Observation{}, false
		if unknown(a) {
			return core.Errorf(core.NotFound, "The market is not traded")
		}
		var t struct {
			Bid json.RawMessage `json:"bid"`
			Ask json.RawMessage `json:"ask"`
		}
		if err := a.Decode(&t); err != nil {
			return err
		}
		if len(t.Bid) == 0 && len(t.Ask) == 0 {
			return upstream.Fail(upstream.Malformed, "no ticker")
		}
		o, ok = tickers.Ticker{Bid: t.Bid, Ask: t.Ask, At: a.At}.Observation(Name, market)
		return nil
	})
	return o, ok, err
}

// unknown reports whether a response says that the symbol is not traded.
func unknown(a upstream.Response) bool {
	var refusal struct {
		Reason string `json:"reason"`
	}
	return a.Status == http.StatusBadRequest && a.JSON(&refusal) == nil && refusal.Reason == "InvalidSymbol"
}
