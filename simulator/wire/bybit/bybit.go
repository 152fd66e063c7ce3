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

const (
	tickersPath = "/v5/market/tickers"
	spot        = "spot" // category
)

// Descriptor describes the simulated provider.
var Descriptor = provider.Descriptor{
	Name:  market.Bybit,
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

func (b *bybit) respond(r *http.Request, now time.Time) provider.Reply {
	if r.URL.Path != tickersPath {
		return provider.Text(http.StatusNotFound, "404 page not found")
	}
	code, text, result := 0, "OK", map[string]any{}
	if r.URL.Query().Get("category") == spot {
		result = map[string]any{"category": spot, "list": provider.Tickers(b.world, market.Bybit, now, b.ticker(now))}
	} else {
		code, text = 10001, "Illegal category"
	}
	return provider.Answer(http.StatusOK, map[string]any{
		"retCode": code, "retMsg": text, "result": result, "retExtInfo": map[string]any{}, "time": now.UnixMilli(),
	})
}

func (b *bybit) ticker(now time.Time) func(provider.Quote) map[string]any {
	return func(q provider.Quote) map[string]any {
		t := map[string]any{
			"symbol":    q.Pair.ID(),
			"bid1Price": q.Bid.String(), "bid1Size": q.BidSize.String(),
			"ask1Price": q.Ask.String(), "ask1Size": q.AskSize.String(),
			"lastPrice": q.Last.String(), "prevPrice24h": q.Before.String(), "price24hPcnt": q.Change(0, 4).String(),
			"highPrice24h": q.Day.High.String(), "lowPrice24h": q.Day.Low.String(),
			"turnover24h": q.Turnover(), "volume24h": q.Day.Volume.String(),
		}
		if index, ok := b.world.Market().Reference(core.Pair{Base: q.Pair.Base, Counter: "USD"}, now); ok {
			t["usdIndexPrice"] = index.String()
		}
		return t
	}
}
