// Package coinbase reads tickers from the order books of Coinbase Exchange.
//
// API: GET {base}/products/{product}/ticker, no key
// (https://docs.cdp.coinbase.com/api-reference/exchange-api/rest-api/products/get-product-ticker
// and …/exchange/rest-api/rate-limits, read 2026-10 with the clients that call it; nothing here was
// called live). 10 requests per second and address, 15 in a burst.
//
// Quirks:
//   - Each product is a request of its own. A product that fails is missing and does not fail the
//     others. If all fail, or the provider throttles, the source is unavailable.
//   - The response does not name its product.
//   - The time is the time of the last trade, while the sides come from the current book: ccxt's
//     record of BTC-USDT (github:ccxt/ccxt pull request 22502) has a trade of five seconds before
//     at 62499.23 and a book of 62479.41 and 62479.42. A quote is stamped on receipt, but never
//     before the trade, so that the price engine rejects a trade from the future. The engine
//     detects a stalled venue by prices that do not change.
//   - 404 "NotFound" is a product that is not traded, and 400 or 404 "Not allowed for delisted
//     products" one that no longer is. Both are missing. Any other 400 or 404 is a failure.
//   - A request without a User-Agent is refused with 400.
//   - 429 comes without a Retry-After.
//   - USDC is a dollar there: no USDC-USD is traded, and BTC-USDC is BTC-USD by another name.
//   - A ticker has no status: products is requested every 30 seconds. A product in limit_only
//     matches orders.
package coinbase

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"

	"causeway/adapters/providers/provider"
	"causeway/adapters/providers/tickers"
	"causeway/adapters/upstream"
	"causeway/core"
	"causeway/ports"
)

const (
	// Name of the source.
	Name = "coinbase"
	// BaseURL of the public API.
	BaseURL = "https://api.exchange.coinbase.com"
)

// Descriptor describes Coinbase Exchange.
var Descriptor = provider.Descriptor{
	Name: Name, Title: "Coinbase Exchange", Homepage: "https://exchange.coinbase.com",
	BaseURL: BaseURL,
	Settings: provider.KeylessWith(upstream.Provider{
		Name: Name, BaseURL: BaseURL, Limits: []upstream.Limit{{Calls: 10, Per: time.Second}},
	}, connect),
	Evidence: []provider.Evidence{
		{
			Fact:   "Each product is a request of its own, 10 per second.",
			Source: "docs.cdp.coinbase.com exchange-api get-product-ticker (2026-10)",
		},
		{
			Fact:   "The time of a ticker is the time of the last trade.",
			Source: "record of BTC-USDT in github.com/ccxt/ccxt pull request 22502",
		},
		{
			Fact:   "A delisted product is 400 or 404 and concerns that product alone.",
			Source: "public client code",
		},
		{
			Fact:   "One response of products has status, trading_disabled, cancel_only, post_only and auction_mode.",
			Source: "docs.cdp.coinbase.com exchange-api get-all-known-trading-pairs (2026-11)",
		},
	},
}

// Source is Coinbase Exchange as a source of rates.
type Source struct {
	*upstream.Client

	serial bool // one product after another
	status *tickers.Status
}

var _ ports.RateSource = (*Source)(nil)

func connect(factory *upstream.Factory, p upstream.Provider) (any, error) {
	client, err := factory.Client(p)
	status := &tickers.Status{Open: open, Symbol: func(m core.Pair) string { return m.Base + "-" + m.Counter }}
	return &Source{Client: client, serial: factory.Serial(), status: status}, err
}

// product is a market with its status. With limit_only orders are matched.
type product struct {
	ID       string `json:"id"`
	Status   string `json:"status"`
	Disabled bool   `json:"trading_disabled"`
	Cancel   bool   `json:"cancel_only"`
	Post     bool   `json:"post_only"`
	Auction  bool   `json:"auction_mode"`
}

var open = tickers.OpenRows(tickers.At("/products"), tickers.Rows, func(p product) (string, bool) {
	return p.ID, p.Status == "online" && !p.Disabled && !p.Cancel && !p.Post && !p.Auction
})

// MinInterval returns the shortest polling interval for so many markets.
func (s *Source) MinInterval(markets int) time.Duration { return s.Client.MinInterval(markets, 1) }

// reply is the result of one request.
type reply struct {
	observation core.Observation
	quoted      bool
	err         error
}

// Observe returns the quotes of the markets, each from a response of its own.
func (s *Source) Observe(ctx context.Context, markets []core.Pair) ([]core.Observation, error) {
	asked := products(markets)
	replies := make([]reply, len(asked))
	work, going := errgroup.WithContext(ctx)
	if s.serial {
		work.SetLimit(1)
	}
	for i, market := range asked {
		work.Go(func() error {
			if throttled(context.Cause(going)) {
				return nil // further requests would prolong it
			}
			replies[i] = s.request(going, market)
			if throttled(replies[i].err) {
				return replies[i].err
			}
			return nil
		})
	}
	if err := work.Wait(); err != nil {
		return nil, err
	}
	var failure error
	out := make([]core.Observation, 0, len(asked))
	for _, r := range replies {
		switch {
		case r.quoted:
			out = append(out, r.observation)
		case r.err != nil && failure == nil:
			failure = r.err
		}
	}
	if len(out) == 0 && failure != nil {
		return nil, failure
	}
	return s.status.Filter(ctx, s.Client, out)
}

// throttled reports whether an error concerns all products.
func throttled(err error) bool {
	failure, ok := errors.AsType[*upstream.Failure](err)
	return ok && failure.Outcome == upstream.Throttled
}

// code is the form of a currency's ticker, which becomes a part of a path.
var code = regexp.MustCompile(`^[A-Z0-9]{1,20}$`)

// products returns the markets that can be requested, each once.
func products(markets []core.Pair) []core.Pair {
	out := make([]core.Pair, 0, len(markets))
	for _, m := range markets {
		if code.MatchString(m.Base) && code.MatchString(m.Counter) && !slices.Contains(out, m) {
			out = append(out, m)
		}
	}
	return out
}

// ticker is the top of a product's book, and its last trade.
type ticker struct {
	Bid  json.RawMessage `json:"bid"`
	Ask  json.RawMessage `json:"ask"`
	Time json.RawMessage `json:"time"` // of the trade
}

// request requests one product. It is no error if the product is not traded.
func (s *Source) request(ctx context.Context, market core.Pair) reply {
	var r reply
	path := "/products/" + market.Base + "-" + market.Counter + "/ticker"
	r.err = s.Get(ctx, "ticker", path, nil, func(a upstream.Response) error {
		r.quoted = false
		if err := fault(a); err != nil {
			return err
		}
		var t ticker
		if err := a.JSON(&t); err != nil {
			return err
		}
		r.observation, r.quoted = t.quote(market, a.At)
		return nil
	})
	if core.CodeOf(r.err) == core.NotFound {
		r.err = nil
	}
	return r
}

// delisted is the message about a product that is no longer traded.
const delisted = "Not allowed for delisted products"

// fault returns the error of a response that is not a ticker. Only a known text means that a
// product is not traded: any other 404 may be a wrong address.
func fault(a upstream.Response) error {
	if a.Status == http.StatusNotFound || a.Status == http.StatusBadRequest {
		var refusal struct {
			Message string `json:"message"`
		}
		if a.JSON(&refusal) == nil && (strings.EqualFold(refusal.Message, delisted) ||
			refusal.Message == "NotFound" && a.Status == http.StatusNotFound) {
			return core.Errorf(core.NotFound, "The market is not traded")
		}
	}
	return a.Err()
}

// quote reads the prices.
func (t ticker) quote(market core.Pair, received time.Time) (core.Observation, bool) {
	at := received
	var traded time.Time
	if json.Unmarshal(t.Time, &traded) == nil && traded.After(at) { // a product that was never traded has no time
		at = traded.UTC()
	}
	return tickers.Ticker{Bid: t.Bid, Ask: t.Ask, At: at}.Observation(Name, market)
}
