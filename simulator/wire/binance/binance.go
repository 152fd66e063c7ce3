// Package binance simulates the API of Binance: the order book over REST and WebSocket.
package binance

import (
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"causeway/core"
	"causeway/simulator/market"
	"causeway/simulator/wire/provider"
	"causeway/simulator/world"
)

const tickerPath = "/api/v3/ticker/bookTicker"

// Descriptor describes the simulated provider.
var Descriptor = provider.Descriptor{
	Name: market.Binance,
	Hosts: []string{
		"api-gcp.binance.com", "api.binance.com", "api1.binance.com", "api2.binance.com", "api3.binance.com",
		"api4.binance.com", "data-api.binance.vision", "data-stream.binance.vision", "stream.binance.com",
	},
	New: newBinance,
	FaultPoints: provider.FaultPoints{
		Operations: []provider.Operation{{Name: "book_ticker", Path: tickerPath}},
		Priced:     []string{"book_ticker"},
		Prices:     []string{"*.askPrice", "*.bidPrice", "askPrice", "bidPrice"},
	},
	Divergences: append([]provider.Divergence{
		{
			What: "X-MBX-USED-WEIGHT-1M counts one request only.",
			Why:  "Nothing is stored between requests.",
			Test: "simulator/wire.TestGolden",
		},
	}, provider.SocketDivergences...),
}

// binance is the market data of Binance Spot, https://github.com/binance/binance-spot-api-docs
// rest-api.md and errors.md (2026-07-21): an object for one symbol and an array for several or all,
// in its own order; one unknown symbol fails the whole request; eight decimal places everywhere; no
// time of a quote.
type binance struct{ world *world.World }

func newBinance(sim *world.World) http.Handler {
	b := &binance{sim}
	mux := http.NewServeMux()
	mux.HandleFunc(streamPath, b.stream)
	mux.Handle("/", provider.Serve(sim, b.respond))
	return mux
}

// Weights of requests.
const (
	weightOther = 1
	weightOne   = 2
	weightMany  = 4
)

func (b *binance) respond(r *http.Request, now time.Time) provider.Reply {
	reply, weight := provider.Text(http.StatusNotFound, "<html><body><h2>404 Not found</h2></body></html>"), weightOther
	reply.Content = provider.ContentHTML
	if r.URL.Path == tickerPath {
		reply, weight = b.tickers(r.URL.Query(), now)
	}
	used := strconv.Itoa(weight)
	return reply.With("X-Mbx-Used-Weight", used).With("X-Mbx-Used-Weight-1m", used)
}

func (b *binance) tickers(query url.Values, now time.Time) (provider.Reply, int) {
	symbols, failure := requested(query)
	pairs := b.world.Market().Traded(market.Binance, now)
	if symbols != nil {
		pairs = slices.DeleteFunc(pairs, func(p core.Pair) bool { return !slices.Contains(symbols, p.ID()) })
	}
	switch {
	case failure != nil:
		return *failure, weightOne
	case symbols != nil && len(pairs) < len(symbols):
		return *refuse(-1121, "Invalid symbol."), weightOne
	}
	tickers := make([]map[string]string, len(pairs))
	for i, pair := range pairs {
		tickers[i] = b.ticker(pair, now)
	}
	if query.Has("symbol") {
		return provider.Answer(http.StatusOK, tickers[0]), weightOne
	}
	return provider.Answer(http.StatusOK, tickers), weightMany
}

// The accepted values of the symbol parameters, as errors quote them.
var (
	legalSymbol  = regexp.MustCompile(`^[A-Z0-9-_.]{1,20}$`)
	legalSymbols = regexp.MustCompile(`^\[("[A-Z0-9-_.]{1,20}"(,"[A-Z0-9-_.]{1,20}"){0,}){0,1}\]$`)
)

// requested returns the symbols of a request; nil: all.
func requested(query url.Values) (symbols []string, failure *provider.Reply) {
	switch single, list := query.Has("symbol"), query.Has("symbols"); {
	case single && list:
		return nil, refuse(-1128, "Combination of optional parameters invalid.")
	case single:
		symbol := query.Get("symbol")
		return []string{symbol}, check("symbol", symbol, legalSymbol)
	case list:
		text := query.Get("symbols")
		if text == "[]" {
			text = ""
		}
		symbols = strings.Split(strings.Trim(text, `[]"`), `","`)
		if failure = check("symbols", text, legalSymbols); failure != nil {
			return nil, failure
		}
		if len(slices.Compact(slices.Sorted(slices.Values(symbols)))) < len(symbols) {
			failure = refuse(-1151, "Symbol is present multiple times in the list.")
		}
	}
	return symbols, failure
}

// check returns the error of a parameter that is empty or has illegal characters; nil: none.
func check(parameter, text string, accepted *regexp.Regexp) *provider.Reply {
	switch {
	case text == "":
		return refuse(-1105, fmt.Sprintf("Parameter '%s' was empty.", parameter))
	case !accepted.MatchString(text):
		return refuse(-1100, fmt.Sprintf(
			"Illegal characters found in parameter '%s'; legal range is '%s'.", parameter, accepted))
	}
	return nil
}

func refuse(code int, text string) *provider.Reply {
	a := provider.Answer(http.StatusBadRequest, map[string]any{"code": code, "msg": text})
	return &a
}

func (b *binance) ticker(pair core.Pair, now time.Time) map[string]string {
	const places = 8
	top, _ := b.world.Market().Book(market.Binance, pair, now)
	return map[string]string{
		"symbol":   pair.ID(),
		"bidPrice": market.Padded(top.Bid, places), "bidQty": market.Padded(top.BidSize, places),
		"askPrice": market.Padded(top.Ask, places), "askQty": market.Padded(top.AskSize, places),
	}
}
