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

// binance is the market data of Binance Spot, https://github.com/binance/binance-spot-api-docs rest-api.md and errors.md
// (2026-07-21): an object for one symbol and an array for several or all, in its own order; one unknown symbol fails
// the whole call; eight decimal places everywhere; no time of a quote.
type binance struct{ world *world.World }

// What the symbol parameters may hold, as its errors quote it.
var (
	legalSymbol  = regexp.MustCompile(`^[A-Z0-9-_.]{1,20}$`)
	legalSymbols = regexp.MustCompile(`^\[("[A-Z0-9-_.]{1,20}"(,"[A-Z0-9-_.]{1,20}"){0,}){0,1}\]$`)
)

// Weights of calls, by what they ask for.
const (
	weightPing = 1
	weightOne  = 2
	weightMany = 4
	weightInfo = 20
)

// ServeHTTP answers one call.
func (b *binance) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if isBinanceSocket(r.URL.Path) {
		b.socket(w, r)
		return
	}
	a, weight := b.call(r)
	used := strconv.Itoa(weight)
	a.With("X-Mbx-Used-Weight", used).With("X-Mbx-Used-Weight-1m", used).Send(w, b.world.Now())
}

func (b *binance) call(r *http.Request) (provider.Reply, int) {
	now := b.world.Now()
	switch r.URL.Path {
	case "/api/v3/ping":
		return provider.Answer(http.StatusOK, struct{}{}), weightPing
	case "/api/v3/time":
		return provider.Answer(http.StatusOK, map[string]int64{"serverTime": now.UnixMilli()}), weightPing
	case "/api/v3/ticker/bookTicker":
		pairs, one, refused := b.asked(r, now)
		if refused != nil {
			return *refused, weightOne
		}
		tickers := make([]bookTicker, len(pairs))
		for i, pair := range pairs {
			tickers[i] = b.ticker(pair, now)
		}
		if one {
			return provider.Answer(http.StatusOK, tickers[0]), weightOne
		}
		return provider.Answer(http.StatusOK, tickers), weightMany
	case "/api/v3/exchangeInfo":
		pairs, _, refused := b.asked(r, now)
		if refused != nil {
			return *refused, weightInfo
		}
		if status := r.URL.Query().Get("symbolStatus"); status != "" && status != "TRADING" {
			pairs = nil // nothing is halted
		}
		return provider.Answer(http.StatusOK, b.info(pairs, now)), weightInfo
	default:
		return provider.Reply{Status: http.StatusNotFound, Content: provider.ContentHTML, Body: []byte("<html><body><h2>404 Not found</h2></body></html>")}, weightPing
	}
}

// asked returns the pairs of the query in the venue's order, and whether one was asked for by itself.
func (b *binance) asked(r *http.Request, now time.Time) (pairs []core.Pair, one bool, refused *provider.Reply) {
	listed := b.world.Market().Traded(market.Binance, now)
	symbols, one, refused := symbolsAsked(r.URL.Query())
	if refused != nil || symbols == nil {
		return listed, false, refused
	}
	wanted := make(map[string]bool, len(symbols))
	for _, symbol := range symbols {
		if wanted[symbol] {
			return nil, false, binanceError(-1151, "Symbol is present multiple times in the list.")
		}
		wanted[symbol] = true
	}
	pairs = slices.DeleteFunc(listed, func(p core.Pair) bool { return !wanted[p.ID()] })
	if len(pairs) < len(wanted) {
		return nil, false, binanceError(-1121, "Invalid symbol.")
	}
	return pairs, one, nil
}

// symbolsAsked reads the two parameters that name symbols; none where neither is there: all are meant.
func symbolsAsked(query url.Values) (symbols []string, one bool, refused *provider.Reply) {
	switch single, list := query.Has("symbol"), query.Has("symbols"); {
	case single && list:
		return nil, false, binanceError(-1128, "Combination of optional parameters invalid.")
	case single:
		symbol := query.Get("symbol")
		return []string{symbol}, true, legal("symbol", symbol, legalSymbol)
	case list:
		text := query.Get("symbols")
		if text == "[]" {
			text = ""
		}
		refused = legal("symbols", text, legalSymbols)
		symbols = strings.Split(strings.Trim(text, `[]"`), `","`)
	}
	return symbols, false, refused
}

// legal refuses a parameter that is empty or holds what it may not.
func legal(parameter, text string, accepted *regexp.Regexp) *provider.Reply {
	if text == "" {
		return binanceError(-1105, fmt.Sprintf("Parameter '%s' was empty.", parameter))
	}
	if !accepted.MatchString(text) {
		return binanceError(-1100, fmt.Sprintf("Illegal characters found in parameter '%s'; legal range is '%s'.", parameter, accepted))
	}
	return nil
}

func binanceError(code int, text string) *provider.Reply {
	a := provider.Answer(http.StatusBadRequest, struct {
		Code int    `json:"code"`
		Msg  string `json:"msg"`
	}{code, text})
	return &a
}

// bookTicker is the top of one book.
type bookTicker struct {
	Symbol   string `json:"symbol"`
	BidPrice string `json:"bidPrice"`
	BidQty   string `json:"bidQty"`
	AskPrice string `json:"askPrice"`
	AskQty   string `json:"askQty"`
}

const binancePlaces = 8

func (b *binance) ticker(pair core.Pair, now time.Time) bookTicker {
	top, _ := b.world.Market().Book(market.Binance, pair, now)
	return bookTicker{
		Symbol:   pair.ID(),
		BidPrice: top.Bid.Padded(binancePlaces), BidQty: top.BidSize.Padded(binancePlaces),
		AskPrice: top.Ask.Padded(binancePlaces), AskQty: top.AskSize.Padded(binancePlaces),
	}
}

// exchangeInfo is what the venue tells of itself, as far as anybody here could ask.
type exchangeInfo struct {
	Timezone        string          `json:"timezone"`
	ServerTime      int64           `json:"serverTime"`
	RateLimits      []binanceLimit  `json:"rateLimits"`
	ExchangeFilters []struct{}      `json:"exchangeFilters"`
	Symbols         []binanceSymbol `json:"symbols"`
}

type binanceLimit struct {
	Type     string `json:"rateLimitType"`
	Interval string `json:"interval"`
	Num      int    `json:"intervalNum"`
	Limit    int    `json:"limit"`
}

type binanceSymbol struct {
	Symbol             string              `json:"symbol"`
	Status             string              `json:"status"`
	BaseAsset          string              `json:"baseAsset"`
	BaseAssetPrecision int                 `json:"baseAssetPrecision"`
	QuoteAsset         string              `json:"quoteAsset"`
	QuotePrecision     int                 `json:"quotePrecision"`
	QuoteAssetPrec     int                 `json:"quoteAssetPrecision"`
	SpotAllowed        bool                `json:"isSpotTradingAllowed"`
	Filters            []map[string]string `json:"filters"`
}

func (b *binance) info(pairs []core.Pair, now time.Time) exchangeInfo {
	info := exchangeInfo{
		Timezone: "UTC", ServerTime: now.UnixMilli(),
		RateLimits: []binanceLimit{
			{Type: "REQUEST_WEIGHT", Interval: "MINUTE", Num: 1, Limit: 6000},
			{Type: "RAW_REQUESTS", Interval: "MINUTE", Num: 5, Limit: 61000},
		},
		ExchangeFilters: []struct{}{}, Symbols: []binanceSymbol{},
	}
	for _, p := range pairs {
		listing, _ := b.world.Market().Listing(market.Binance, p)
		tick := market.Amount{Units: 1, Places: listing.Places}.Padded(binancePlaces)
		info.Symbols = append(info.Symbols, binanceSymbol{
			Symbol: p.ID(), Status: "TRADING", BaseAsset: p.Base, BaseAssetPrecision: binancePlaces,
			QuoteAsset: p.Counter, QuotePrecision: binancePlaces, QuoteAssetPrec: binancePlaces, SpotAllowed: true,
			Filters: []map[string]string{
				{"filterType": "PRICE_FILTER", "minPrice": tick, "tickSize": tick},
				{"filterType": "LOT_SIZE", "minQty": listing.MinSize.Padded(binancePlaces), "stepSize": "0.00000100"},
				{"filterType": "NOTIONAL", "minNotional": "5.00000000"},
			},
		})
	}
	return info
}
