// Package okx simulates the API of OKX: the tickers of its spot market.
package okx

import (
	"net/http"
	"strconv"
	"time"

	"causeway/simulator/market"
	"causeway/simulator/wire/provider"
	"causeway/simulator/world"
)

// Descriptor describes the simulated provider.
var Descriptor = provider.Descriptor{
	Name:  market.OKX,
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
func envelope(status int, code, text string, data any) provider.Reply {
	return provider.Answer(status, map[string]any{"code": code, "msg": text, "data": data})
}

func refuse(code, text string) provider.Reply {
	return envelope(http.StatusBadRequest, code, text, []any{})
}

func (o *okx) respond(r *http.Request, now time.Time) provider.Reply {
	if r.URL.Path != "/api/v5/market/tickers" {
		return envelope(http.StatusNotFound, "404", "API endpoint does not exist", []any{})
	}
	switch r.URL.Query().Get("instType") {
	case "":
		return refuse("50014", "Parameter instType can not be empty.")
	case "SPOT":
	default:
		return refuse("51000", "Parameter instType error")
	}
	tickers := provider.Tickers(o.world, market.OKX, now, func(q provider.Quote) map[string]any {
		const hongkong = 8 * time.Hour
		midnight := now.Add(hongkong).Truncate(24 * time.Hour).Add(-hongkong)
		east, _ := o.world.Market().Book(market.OKX, q.Pair, midnight)
		return map[string]any{
			"instType": "SPOT", "instId": q.Pair.Base + "-" + q.Pair.Counter, "ts": strconv.FormatInt(now.UnixMilli(), 10),
			"bidPx": q.Bid.String(), "bidSz": q.BidSize.String(),
			"askPx": q.Ask.String(), "askSz": q.AskSize.String(),
			"last": q.Last.String(), "lastSz": q.LastSize.String(),
			"open24h": q.Before.String(), "high24h": q.Day.High.String(), "low24h": q.Day.Low.String(),
			"vol24h": q.Day.Volume.String(), "volCcy24h": q.Turnover(),
			"sodUtc0": q.Open.String(), "sodUtc8": east.Last.String(),
		}
	})
	return envelope(http.StatusOK, "0", "", tickers)
}
