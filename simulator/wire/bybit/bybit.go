// Package bybit simulates the API of Bybit: the tickers of its spot market.
package bybit

import (
	"net/http"
	"time"

	"causeway/core"
	"causeway/simulator/market"
	"causeway/simulator/wire/provider"
	"causeway/simulator/world"
)

// Name of the provider.
const Name = "bybit"

const (
	tickersPath = "/v5/market/tickers"
	spot        = "spot" // category
)

// Descriptor describes the simulated provider.
var Descriptor = provider.Descriptor{
	Name:  Name,
	Hosts: []string{"api.bybit.com", "api.bytick.com"},
	New:   func(w *world.World) http.Handler { return provider.Serve(w, (&bybit{w}).respond) },
	FaultPoints: provider.FaultPoints{
		Operations: []provider.Operation{{Name: "tickers", Path: tickersPath}},
		Priced:     []string{"tickers"},
		Prices: []string{
			"result.list.*.ask1Price", "result.list.*.bid1Price", "result.list.*.lastPrice", "result.list.*.prevPrice24h",
			"result.list.*.highPrice24h", "result.list.*.lowPrice24h",
		},
		Times: []provider.TimeField{{Place: "time", Unit: provider.Milliseconds}},
	},
	Divergences: []provider.Divergence{
		{
			What: "The list of all tickers has the sandbox's markets, and not some 600.",
			Why:  "No other market is priced.",
			Test: "adapters/providers/bybit.TestRates",
		},
	},
}

// bybit is the market data of Bybit's spot market,
// https://bybit-exchange.github.io/docs/v5/market/tickers (read 2026-10): an envelope with a
// numeric code and the time of the response in milliseconds, errors with status 200, every other
// number as text, changes as fractions.
type bybit struct{ world *world.World }

// envelope is around every response.
type envelope struct {
	Code   int      `json:"retCode"`
	Msg    string   `json:"retMsg"`
	Result any      `json:"result"`
	Extra  struct{} `json:"retExtInfo"`
	Time   int64    `json:"time"`
}

// tickers is the result of a request for tickers.
type tickers struct {
	Category string   `json:"category"`
	List     []ticker `json:"list"`
}

func (b *bybit) respond(r *http.Request, now time.Time) provider.Reply {
	if r.URL.Path != tickersPath {
		return provider.Text(http.StatusNotFound, "404 page not found")
	}
	body := envelope{Msg: "OK", Time: now.UnixMilli()}
	if r.URL.Query().Get("category") != spot {
		body.Code, body.Msg, body.Result = 10001, "Illegal category", struct{}{}
		return provider.Answer(http.StatusOK, body)
	}
	all := []ticker{}
	for _, pair := range b.world.Market().Traded(market.Bybit, now) {
		all = append(all, b.ticker(pair, now))
	}
	body.Result = tickers{Category: spot, List: all}
	return provider.Answer(http.StatusOK, body)
}

// ticker is one market.
type ticker struct {
	Symbol   string `json:"symbol"`
	Bid      string `json:"bid1Price"`
	BidSize  string `json:"bid1Size"`
	Ask      string `json:"ask1Price"`
	AskSize  string `json:"ask1Size"`
	Last     string `json:"lastPrice"`
	Before   string `json:"prevPrice24h"`
	Change   string `json:"price24hPcnt"` // a fraction
	High     string `json:"highPrice24h"`
	Low      string `json:"lowPrice24h"`
	Turnover string `json:"turnover24h"`
	Volume   string `json:"volume24h"`
	InUSD    string `json:"usdIndexPrice,omitempty"` // of coins that have an index
}

func (b *bybit) ticker(pair core.Pair, now time.Time) ticker {
	m := b.world.Market()
	top, _ := m.Book(market.Bybit, pair, now)
	_, day, _ := m.Day(market.Bybit, pair, now)
	before, _ := m.Book(market.Bybit, pair, now.Add(-24*time.Hour))
	t := ticker{
		Symbol: pair.ID(), Bid: top.Bid.Trimmed(), BidSize: top.BidSize.Trimmed(), Ask: top.Ask.Trimmed(),
		AskSize: top.AskSize.Trimmed(), Last: top.Last.Trimmed(), Before: before.Last.Trimmed(),
		Change: provider.Change(before.Last, top.Last, 0, 4).String(),
		High:   provider.Higher(day.High, before.Last).Trimmed(), Low: provider.Lower(day.Low, before.Last).Trimmed(),
		Turnover: provider.Turnover(day), Volume: day.Volume.Trimmed(),
	}
	if index, ok := m.Reference(core.Pair{Base: pair.Base, Counter: "USD"}, now); ok {
		t.InUSD = index.Trimmed()
	}
	return t
}
