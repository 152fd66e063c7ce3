package coinbase

import (
	"net/http"
	"slices"
	"strings"
	"time"

	"causeway/core"
	"causeway/simulator/market"
	"causeway/simulator/wire/provider"
	"causeway/simulator/world"
)

// coinbase is the public REST API of Coinbase Exchange, https://docs.cdp.coinbase.com/api-reference/exchange-api/rest-api/products/get-product-ticker
// (read 2026-10): one product a call, the sides of the book as of now beside the price, the size and the time of the last trade,
// 400 for callers without a User-Agent, 404 with a message for what it does not trade.
type coinbase struct{ world *world.World }

// ServeHTTP answers one call.
func (c *coinbase) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	now := c.world.Now()
	c.call(r, now).Send(w, now)
}

func coinbaseError(status int, text string) provider.Reply {
	return provider.Answer(status, map[string]string{"message": text})
}

func (c *coinbase) call(r *http.Request, now time.Time) provider.Reply {
	if r.Header.Get("User-Agent") == "" {
		return coinbaseError(http.StatusBadRequest, "User-Agent header is required.")
	}
	path := strings.Split(strings.TrimPrefix(r.URL.Path, "/"), "/")
	switch {
	case r.URL.Path == "/time":
		return provider.Answer(http.StatusOK, map[string]any{"iso": coinbaseTime(now), "epoch": now.Unix()})
	case path[0] != "products" || len(path) > 3:
		return coinbaseError(http.StatusNotFound, "Route not found")
	case len(path) == 1:
		products := []coinbaseProduct{}
		for _, pair := range c.world.Market().Traded(market.Coinbase, now) {
			products = append(products, c.product(pair))
		}
		return provider.Answer(http.StatusOK, products)
	}
	pair, listed := c.pair(path[1], now)
	switch {
	case strings.EqualFold(path[1], delisted):
		return coinbaseError(http.StatusBadRequest, "Not allowed for delisted products")
	case !listed:
		return coinbaseError(http.StatusNotFound, "NotFound")
	case len(path) == 2:
		return provider.Answer(http.StatusOK, c.product(pair))
	case path[2] == "ticker":
		return provider.Answer(http.StatusOK, c.ticker(pair, now))
	default:
		return coinbaseError(http.StatusNotFound, "Route not found")
	}
}

// delisted is a product that was traded once.
const delisted = "REP-USD"

// pair finds a product by its name, in capitals or not.
func (c *coinbase) pair(product string, now time.Time) (core.Pair, bool) {
	base, counter, _ := strings.Cut(strings.ToUpper(product), "-")
	pair := core.Pair{Base: base, Counter: counter}
	return pair, slices.Contains(c.world.Market().Traded(market.Coinbase, now), pair)
}

// coinbaseTicker is the last trade, and the top of the book.
type coinbaseTicker struct {
	Ask     string `json:"ask"`
	Bid     string `json:"bid"`
	Volume  string `json:"volume"`
	TradeID int64  `json:"trade_id"`
	Price   string `json:"price"`
	Size    string `json:"size"`
	Time    string `json:"time"` // of the trade
}

// tradeSeldom is how many times fewer trades a product sees than its turnover would allow: the quiet ones go without for half a minute.
const tradeSeldom = 20

// ticker shows a book with its last trade: the quieter a market is, the longer ago that was.
func (c *coinbase) ticker(pair core.Pair, now time.Time) coinbaseTicker {
	top, _ := c.world.Market().Book(market.Coinbase, pair, now)
	_, day, _ := c.world.Market().Day(market.Coinbase, pair, now)
	gap := tradeSeldom * 24 * time.Hour / time.Duration(max(day.Trades, 1))
	var phase time.Duration // markets do not trade in step
	for _, letter := range []byte(pair.ID()) {
		phase += time.Duration(letter) * 7919 * time.Microsecond
	}
	return coinbaseTicker{
		Ask: top.Ask.Trimmed(), Bid: top.Bid.Trimmed(), Volume: day.Volume.Padded(8),
		TradeID: now.UnixNano() / int64(gap), Price: top.Last.Trimmed(), Size: top.LastSize.Padded(8),
		Time: coinbaseTime(now.Add(-phase).Truncate(gap).Add(phase)),
	}
}

// coinbaseTime has microseconds.
func coinbaseTime(at time.Time) string { return at.UTC().Format("2006-01-02T15:04:05.000000Z") }

// coinbaseProduct describes a market.
type coinbaseProduct struct {
	ID             string `json:"id"`
	Base           string `json:"base_currency"`
	Quote          string `json:"quote_currency"`
	QuoteIncrement string `json:"quote_increment"`
	BaseIncrement  string `json:"base_increment"`
	DisplayName    string `json:"display_name"`
	MinFunds       string `json:"min_market_funds"`
	PostOnly       bool   `json:"post_only"`
	LimitOnly      bool   `json:"limit_only"`
	CancelOnly     bool   `json:"cancel_only"`
	Status         string `json:"status"`
	StatusMessage  string `json:"status_message"`
	Disabled       bool   `json:"trading_disabled"`
	AuctionMode    bool   `json:"auction_mode"`
}

func (c *coinbase) product(pair core.Pair) coinbaseProduct {
	listing, _ := c.world.Market().Listing(market.Coinbase, pair)
	return coinbaseProduct{
		ID: pair.Base + "-" + pair.Counter, Base: pair.Base, Quote: pair.Counter,
		QuoteIncrement: market.Amount{Units: 1, Places: listing.Places}.String(), BaseIncrement: "0.00000001",
		DisplayName: pair.Base + "-" + pair.Counter, MinFunds: "1", Status: "online",
	}
}
