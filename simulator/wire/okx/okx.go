// Package okx simulates the API of OKX: the tickers of its spot market.
package okx

import (
	"net/http"
	"strconv"
	"time"

	"causeway/core"
	"causeway/simulator/market"
	"causeway/simulator/wire/provider"
	"causeway/simulator/world"
)

// Name of the provider.
const Name = "okx"

// Descriptor describes the simulated provider.
var Descriptor = provider.Descriptor{
	Name:  Name,
	Hosts: []string{"www.okx.com"},
	New:   func(w *world.World) http.Handler { return provider.Serve(w, (&okx{w}).respond) },
	FaultPoints: provider.FaultPoints{
		Operations: []provider.Operation{{Name: "tickers", Path: "/api/v5/market/tickers"}},
		Priced:     []string{"tickers"},
		Prices: []string{
			"data.*.askPx", "data.*.bidPx", "data.*.last", "data.*.open24h", "data.*.high24h", "data.*.low24h",
			"data.*.sodUtc0", "data.*.sodUtc8",
		},
		Times: []provider.TimeField{{Place: "data.*.ts", Unit: provider.Milliseconds}},
	},
	Divergences: []provider.Divergence{
		{
			What: "The list of all tickers has the sandbox's markets, and not some 700.",
			Why:  "No other market is priced.",
			Test: "adapters/providers/okx.TestRates",
		},
	},
}

// okx is the public REST API of OKX,
// https://www.okx.com/docs-v5/en/#order-book-trading-market-data-get-tickers (read 2026-10): an
// envelope with a code as text, errors with status 200 or 400, every number as text, and with every
// ticker a time in milliseconds.
type okx struct{ world *world.World }

// envelope is around every response.
type envelope struct {
	Code string `json:"code"`
	Msg  string `json:"msg"`
	Data any    `json:"data"`
}

func refuse(code, text string) provider.Reply {
	return provider.Answer(http.StatusBadRequest, envelope{Code: code, Msg: text, Data: []struct{}{}})
}

func (o *okx) respond(r *http.Request, now time.Time) provider.Reply {
	if r.URL.Path != "/api/v5/market/tickers" {
		notFound := provider.Text(http.StatusNotFound, `{"msg":"API endpoint does not exist","code":"404","data":[]}`)
		notFound.Content = provider.ContentJSON
		return notFound
	}
	switch r.URL.Query().Get("instType") {
	case "":
		return refuse("50014", "Parameter instType can not be empty.")
	case "SPOT":
	default:
		return refuse("51000", "Parameter instType error")
	}
	all := []ticker{}
	for _, pair := range o.world.Market().Traded(market.OKX, now) {
		all = append(all, o.ticker(pair, now))
	}
	return provider.Answer(http.StatusOK, envelope{Code: "0", Data: all})
}

// ticker is one market.
type ticker struct {
	Kind     string `json:"instType"`
	ID       string `json:"instId"`
	Last     string `json:"last"`
	LastSize string `json:"lastSz"`
	Ask      string `json:"askPx"`
	AskSize  string `json:"askSz"`
	Bid      string `json:"bidPx"`
	BidSize  string `json:"bidSz"`
	Open     string `json:"open24h"`
	High     string `json:"high24h"`
	Low      string `json:"low24h"`
	Turnover string `json:"volCcy24h"`
	Volume   string `json:"vol24h"`
	Time     string `json:"ts"`
	Midnight string `json:"sodUtc0"`
	Hongkong string `json:"sodUtc8"` // price at midnight in Hong Kong
}

func (o *okx) ticker(pair core.Pair, now time.Time) ticker {
	m := o.world.Market()
	top, _ := m.Book(market.OKX, pair, now)
	_, day, _ := m.Day(market.OKX, pair, now)
	before, _ := m.Book(market.OKX, pair, now.Add(-24*time.Hour))
	east, _ := m.Book(market.OKX, pair, now.Add(8*time.Hour).Truncate(24*time.Hour).Add(-8*time.Hour))
	return ticker{
		Kind: "SPOT", ID: pair.Base + "-" + pair.Counter, Last: top.Last.Trimmed(), LastSize: top.LastSize.Trimmed(),
		Ask: top.Ask.Trimmed(), AskSize: top.AskSize.Trimmed(), Bid: top.Bid.Trimmed(), BidSize: top.BidSize.Trimmed(),
		Open: before.Last.Trimmed(), High: provider.Higher(day.High, before.Last).Trimmed(),
		Low: provider.Lower(day.Low, before.Last).Trimmed(), Turnover: provider.Turnover(day), Volume: day.Volume.Trimmed(),
		Time: strconv.FormatInt(now.UnixMilli(), 10), Midnight: top.Open.Trimmed(), Hongkong: east.Last.Trimmed(),
	}
}
