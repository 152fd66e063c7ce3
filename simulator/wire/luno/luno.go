// Package luno simulates the API of Luno: the tickers of its markets.
package luno

import (
	"net/http"
	"time"

	"github.com/shopspring/decimal"

	"causeway/simulator/market"
	"causeway/simulator/wire/provider"
	"causeway/simulator/world"
)

// Descriptor describes the simulated provider.
var Descriptor = provider.Descriptor{
	Name:  market.Luno,
	Hosts: []string{"api.luno.com"},
	New:   func(w *world.World) http.Handler { return provider.Serve(w, (&luno{w}).respond) },
	FaultPoints: provider.FaultPoints{
		Operations: []provider.Operation{{Name: "tickers", Path: "/api/1/tickers"}},
		Priced:     []string{"tickers"},
		Prices:     []string{"tickers.*.ask", "tickers.*.bid", "tickers.*.last_trade"},
		Times:      []provider.TimeField{{Place: "tickers.*.timestamp", Unit: provider.Milliseconds}},
	},
	Divergences: []provider.Divergence{
		{
			What: "Every market is ACTIVE.",
			Why:  "A market that is suspended is simulated as absent.",
			Test: "adapters/providers/luno.TestRates",
		},
	},
}

// luno is the public market data of Luno, https://www.luno.com/en/developers/api (read 2026-11):
// bitcoin is XBT, prices are text and times are in milliseconds.
type luno struct{ world *world.World }

func (l *luno) respond(r *http.Request, now time.Time) provider.Reply {
	if r.URL.Path != "/api/1/tickers" {
		return provider.Answer(http.StatusNotFound, map[string]string{"error": "Not found", "error_code": "ErrNotFound"})
	}
	tickers := provider.Tickers(l.world, market.Luno, now, func(q provider.Quote) map[string]any {
		return map[string]any{
			"pair": symbol(q.Pair.Base) + symbol(q.Pair.Counter), "timestamp": q.Made.UnixMilli(), "status": "ACTIVE",
			"bid": price(q.Bid), "ask": price(q.Ask), "last_trade": price(q.Last),
			"rolling_24_hour_volume": market.Padded(q.Day.Volume, 6),
		}
	})
	return provider.Answer(http.StatusOK, map[string]any{"tickers": tickers})
}

// symbol is Luno's code of a currency.
func symbol(currency string) string {
	if currency == "BTC" {
		return "XBT"
	}
	return currency
}

// price has two decimals or more.
func price(a decimal.Decimal) string { return market.Padded(a, 2) }
