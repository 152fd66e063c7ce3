// Package coinbase quotes markets from the order books of Coinbase Exchange, for the price engine. It reads the public ticker alone:
// it holds no key, places no order, and decides nothing about a price.
//
// API: https://docs.cdp.coinbase.com/api-reference/exchange-api/rest-api/products/get-product-ticker and …/exchange/rest-api/rate-limits (read
// 2026-10, with the clients that call it; nothing here was called live). No authentication. 10 calls a second and address, 15 in a burst.
//
// Surprises:
//   - a question is for one product: each market is a call of its own. They wait for their turn (upstream's Limits), and one that fails costs no
//     other: its market is missing. Where nothing at all could be told, or the provider throttles us, the source is unavailable;
//   - the answer does not name its product: that it is the right one is known from the question alone;
//   - the time is that of the last trade and no time of the quote. The sides are of the book as it is now: ccxt's record of BTC-USDT
//     (github:ccxt/ccxt pull request 22502) has a trade of five seconds before at 62499.23 beside a book of 62479.41 and 62479.42. A quiet
//     pair's book is newer than its last trade, so a quote is stamped on receipt, as where no time is given; but never
//     before the trade, so that a trade from the future is refused by the engine for what it is. That the venue stands still cannot be
//     seen here: the engine sees it by the prices that do not move;
//   - 404 with "NotFound" is a product that is not traded, and 400 or 404 with "Not allowed for delisted products" one that no longer
//     is: missing, no error. Any other 400 or 404 is a failure;
//   - a call without a User-Agent is refused with 400;
//   - 429 comes with a text and no Retry-After;
//   - USDC is a dollar there: no USDC-USD is traded, and BTC-USDC is BTC-USD by another name.
package coinbase

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"causeway/adapters/upstream"
	"causeway/core"
	"causeway/ports"
)

const (
	// Name of the source.
	Name = "coinbase"
	// BaseURL of the public API.
	BaseURL = "https://api.exchange.coinbase.com"

	// mostRequests is the documented limit, a second and address.
	mostRequests = 10
)

// Config of the source. Without a rate, products are requested one after another and without a pause.
type Config struct {
	BaseURL           string `json:"base_url" doc:"Base URL of the API. Empty: https://api.exchange.coinbase.com."`
	RequestsPerSecond int    `json:"-"`
}

// Default keeps a fifth of the documented limit in reserve.
func Default() Config { return Config{RequestsPerSecond: 8} }

// Source is Coinbase Exchange as a source of rates.
type Source struct {
	client *upstream.Client
	inTurn bool // one product after another
}

var _ ports.RateSource = (*Source)(nil)

// New makes the source.
func New(cfg Config, factory *upstream.Factory) (*Source, error) {
	if cfg.BaseURL == "" {
		cfg.BaseURL = BaseURL
	}
	if cfg.RequestsPerSecond < 0 || cfg.RequestsPerSecond > mostRequests {
		return nil, fmt.Errorf("coinbase: requests_per_second is %d; accepted: 0 to %d", cfg.RequestsPerSecond, mostRequests)
	}
	client, err := factory.Client(upstream.Provider{Name: Name, BaseURL: cfg.BaseURL, Limits: limits(cfg.RequestsPerSecond)})
	if err != nil {
		return nil, err
	}
	return &Source{client: client, inTurn: cfg.RequestsPerSecond == 0 || factory.Serial()}, nil
}

// limits are those of which polling may use a rate: a quarter more. There are none for no rate.
func limits(rate int) []upstream.Limit {
	if rate == 0 {
		return nil
	}
	return []upstream.Limit{{Calls: (rate*5 + 3) / 4, Per: time.Second}}
}

// Name is "coinbase".
func (*Source) Name() string { return Name }

// Fits checks that so many markets can be asked for at every interval.
func (s *Source) Fits(interval time.Duration, markets int) error {
	return s.client.Fits(interval, markets, 1)
}

// reply is what came of one product.
type reply struct {
	observation core.Observation
	quoted      bool
	err         error
}

// Observe quotes each market in a call of its own.
func (s *Source) Observe(ctx context.Context, markets []core.Pair) ([]core.Observation, error) {
	asked := products(markets)
	replies := make([]reply, len(asked))
	going, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	s.each(len(asked), func(i int) {
		if throttled(context.Cause(going)) {
			return // whoever goes on asking is kept out for longer
		}
		replies[i] = s.ask(going, asked[i])
		if err := replies[i].err; throttled(err) {
			stop(err)
		}
	})
	if err := context.Cause(going); throttled(err) {
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
	return out, nil
}

// each calls do for 0 to n-1, and returns when all calls have.
func (s *Source) each(n int, do func(i int)) {
	var work sync.WaitGroup
	for i := range n {
		if s.inTurn {
			do(i)
			continue
		}
		work.Go(func() { do(i) })
	}
	work.Wait()
}

// throttled reports whether an error concerns whoever asks, and not the product asked for.
func throttled(err error) bool {
	failure, ok := errors.AsType[*upstream.Failure](err)
	return ok && failure.Outcome == upstream.Throttled
}

// code is what a currency's ticker may be made of: it becomes a part of a path.
var code = regexp.MustCompile(`^[A-Z0-9]{1,20}$`)

// products are the markets that can be asked for, each once.
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

// ask asks for one product. One that is not traded is no error.
func (s *Source) ask(ctx context.Context, market core.Pair) reply {
	var r reply
	path := "/products/" + market.Base + "-" + market.Counter + "/ticker"
	r.err = s.client.Get(ctx, "ticker", path, nil, func(a upstream.Response) error {
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

// fault judges a response that is not a ticker. A product is not traded only if the provider says so in its own words: any other
// 404 may be a wrong address.
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

// quote reads the prices. A side that is zero means an empty book: no quote.
func (t ticker) quote(market core.Pair, received time.Time) (core.Observation, bool) {
	bid, bidOK := upstream.Decimal(t.Bid)
	ask, askOK := upstream.Decimal(t.Ask)
	if !bidOK || !askOK || bid.IsZero() || ask.IsZero() {
		return core.Observation{}, false
	}
	at := received
	var traded time.Time
	if json.Unmarshal(t.Time, &traded) == nil && traded.After(at) { // a product that was never traded has none
		at = traded.UTC()
	}
	return core.Observation{Pair: market, Bid: bid, Ask: ask, At: at, Source: Name}, true
}
