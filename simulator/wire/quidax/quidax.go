// Package quidax simulates the API of Quidax: the tickers of its markets.
package quidax

import (
	"net/http"
	"strings"
	"time"

	"causeway/core"
	"causeway/simulator/market"
	"causeway/simulator/wire/provider"
	"causeway/simulator/world"
)

// Name of the provider.
const Name = "quidax"

const (
	basePath    = "/exchange-open-api/api/v1"
	tickersPath = basePath + "/markets/tickers"
)

// Descriptor describes the simulated provider.
var Descriptor = provider.Descriptor{
	Name:  Name,
	Hosts: []string{"openapi.quidax.io"},
	Path:  basePath,
	New:   func(w *world.World) http.Handler { return provider.Serve(w, (&quidax{w}).respond) },
	FaultPoints: provider.FaultPoints{
		Operations: []provider.Operation{{Name: "tickers", Path: tickersPath}},
		Priced:     []string{"tickers"},
		Prices: []string{
			"data.*.ticker.sell", "data.*.ticker.buy", "data.*.ticker.last", "data.*.ticker.open", "data.*.ticker.high",
			"data.*.ticker.low",
		},
		Times: []provider.TimeField{{Place: "data.*.at", Unit: provider.Seconds}},
	},
	Divergences: []provider.Divergence{
		{
			What: "The older hosts app.quidax.io and www.quidax.com do not exist.",
			Why:  "Clients must call the current one.",
			Test: "adapters/providers/quidax.TestRates",
		},
		{
			What: "One listed market never has orders.",
			Why:  "Clients must handle an empty side in every sim.",
			Test: "simulator/wire.TestGolden",
		},
	},
}

// quidax is the public market data of Quidax, https://docs.quidax.io (read 2026-11): tickers with
// the members of Peatio, keyed by markets in lower case, with a time in seconds; a side without
// orders is "0.0".
type quidax struct{ world *world.World }

// emptyMarket is listed and has no orders.
const emptyMarket = "dashngn"

// envelope is around every response.
type envelope struct {
	Status  string `json:"status"`
	Message string `json:"message"`
	Data    any    `json:"data"`
}

// row is a ticker with its time.
type row struct {
	At     int64  `json:"at"`
	Ticker ticker `json:"ticker"`
}

type ticker struct {
	Buy  string `json:"buy"` // the best bid
	Sell string `json:"sell"`
	Low  string `json:"low"`
	High string `json:"high"`
	Open string `json:"open"`
	Last string `json:"last"`
	Vol  string `json:"vol"`
}

func (q *quidax) respond(r *http.Request, now time.Time) provider.Reply {
	if r.URL.Path != tickersPath {
		return provider.Answer(http.StatusNotFound, envelope{Status: "error", Message: "Not Found"})
	}
	const none = "0.0"
	rows := map[string]row{emptyMarket: {At: now.Unix(), Ticker: ticker{none, none, none, none, none, none, none}}}
	for _, p := range q.world.Market().Traded(market.Quidax, now) {
		rows[strings.ToLower(p.ID())] = q.row(p, now)
	}
	return provider.Answer(http.StatusOK, envelope{Status: "success", Message: "Successful", Data: rows})
}

func (q *quidax) row(pair core.Pair, now time.Time) row {
	m := q.world.Market()
	top, _ := m.Book(market.Quidax, pair, now)
	_, day, _ := m.Day(market.Quidax, pair, now)
	return row{At: m.Made(market.Quidax, pair, now).Unix(), Ticker: ticker{
		Buy: number(top.Bid), Sell: number(top.Ask), Low: number(day.Low), High: number(day.High),
		Open: number(top.Open), Last: number(top.Last), Vol: number(day.Volume),
	}}
}

// number has one decimal place or more.
func number(a market.Amount) string { return provider.Pointed(a.Trimmed()) }
