// Package quidax simulates the API of Quidax: the tickers of its markets.
package quidax

import (
	"net/http"
	"strings"
	"time"

	"github.com/shopspring/decimal"

	"causeway/simulator/market"
	"causeway/simulator/wire/provider"
	"causeway/simulator/world"
)

const (
	basePath    = "/exchange-open-api/api/v1"
	tickersPath = basePath + "/markets/tickers"
)

// Descriptor describes the simulated provider.
var Descriptor = provider.Descriptor{
	Name:  market.Quidax,
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

func (v *quidax) respond(r *http.Request, now time.Time) provider.Reply {
	if r.URL.Path != tickersPath {
		return provider.Answer(http.StatusNotFound, map[string]any{"status": "error", "message": "Not Found", "data": nil})
	}
	const none = "0.0"
	markets := map[string]any{emptyMarket: map[string]any{"at": now.Unix(), "ticker": map[string]string{
		"buy": none, "sell": none, "low": none, "high": none, "open": none, "last": none, "vol": none,
	}}}
	for _, pair := range v.world.Market().Traded(market.Quidax, now) {
		q := provider.QuoteOf(v.world, market.Quidax, pair, now)
		markets[strings.ToLower(pair.ID())] = map[string]any{"at": q.Made.Unix(), "ticker": map[string]string{
			"buy": number(q.Bid), "sell": number(q.Ask), // the best bid and ask
			"low": number(q.Day.Low), "high": number(q.Day.High), "open": number(q.Open), "last": number(q.Last),
			"vol": number(q.Day.Volume),
		}}
	}
	return provider.Answer(http.StatusOK, map[string]any{"status": "success", "message": "Successful", "data": markets})
}

// number has one decimal place or more.
func number(a decimal.Decimal) string { return provider.Pointed(a.String()) }
