// Package bitstamp simulates the API of Bitstamp: the tickers of its pairs.
package bitstamp

import (
	"net/http"
	"strconv"
	"time"

	"causeway/simulator/market"
	"causeway/simulator/wire/provider"
	"causeway/simulator/world"
)

const tickersPath = "/api/v2/ticker/"

// Descriptor describes the simulated provider.
var Descriptor = provider.Descriptor{
	Name:  market.Bitstamp,
	Hosts: []string{"www.bitstamp.net"},
	New:   func(w *world.World) http.Handler { return provider.Serve(w, (&bitstamp{w}).respond) },
	FaultPoints: provider.FaultPoints{
		Operations: []provider.Operation{{Name: "tickers", Path: tickersPath}},
		Priced:     []string{"tickers"},
		Prices:     []string{"*.ask", "*.bid", "*.last", "*.open", "*.open_24", "*.high", "*.low", "*.vwap"},
		Times:      []provider.TimeField{{Place: "*.timestamp", Unit: provider.Seconds}},
	},
	Divergences: []provider.Divergence{
		{
			What: "The list of all tickers has the sandbox's pairs, without perpetual contracts.",
			Why:  "No other market is priced.",
			Test: "adapters/providers/bitstamp.TestRates",
		},
	},
}

// bitstamp is the public market data of Bitstamp, https://www.bitstamp.net/api/#tag/Tickers (read
// 2026-11): every number is text, and times are in seconds.
type bitstamp struct{ world *world.World }

func (b *bitstamp) respond(r *http.Request, now time.Time) provider.Reply {
	if r.URL.Path != tickersPath {
		return provider.Answer(http.StatusNotFound, map[string]string{
			"status": "error", "reason": "Not found", "code": "API0404",
		})
	}
	tickers := provider.Tickers(b.world, market.Bitstamp, now, func(q provider.Quote) map[string]any {
		return map[string]any{
			"pair": q.Pair.String(), "market": q.Pair.String(), "market_type": "SPOT",
			"timestamp": strconv.FormatInt(q.Made.Unix(), 10), "bid": q.Bid.String(), "ask": q.Ask.String(),
			"last": q.Last.String(),
			"side": strconv.Itoa(int(q.Last.Coefficient().Bit(0))), // of the last trade: 0 is a purchase
			"open": q.Open.String(), "high": q.Day.High.String(), "low": q.Day.Low.String(),
			"volume": market.Padded(q.Day.Volume, 8), "vwap": q.Day.Average.String(),
			"open_24": q.Before.String(), "percent_change_24": q.Change(2, 2).StringFixed(2),
		}
	})
	return provider.Answer(http.StatusOK, tickers)
}
