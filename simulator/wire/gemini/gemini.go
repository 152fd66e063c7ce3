// Package gemini simulates the API of Gemini: the tickers of its symbols.
package gemini

import (
	"net/http"
	"strings"
	"time"

	"causeway/core"
	"causeway/simulator/market"
	"causeway/simulator/wire/provider"
	"causeway/simulator/world"
)

const tickerPath = "/v1/pubticker/"

// Descriptor describes the simulated provider.
var Descriptor = provider.Descriptor{
	Name:  market.Gemini,
	Hosts: []string{"api.gemini.com"},
	New:   func(w *world.World) http.Handler { return provider.Serve(w, (&gemini{w}).respond) },
	FaultPoints: provider.FaultPoints{
		Operations: []provider.Operation{{Name: "ticker", Path: tickerPath + "*"}},
		Priced:     []string{"ticker"},
		Prices:     []string{"ask", "bid", "last"},
		Times:      []provider.TimeField{{Place: "volume.timestamp", Unit: provider.Milliseconds}},
		Another:    provider.AnotherPath(tickerPath+"btcusd", tickerPath+"solusd"),
	},
	Divergences: []provider.Divergence{
		{
			What: "There is no list of symbols.",
			Why:  provider.Unread,
			Test: "adapters/providers/gemini.TestRates",
		},
	},
}

// gemini is the public market data of Gemini, https://developer.gemini.com (read 2026-11): one
// symbol per request, prices as text, and no time but that of the volume.
type gemini struct{ world *world.World }

func (g *gemini) respond(r *http.Request, now time.Time) provider.Reply {
	name, found := strings.CutPrefix(r.URL.Path, tickerPath)
	if !found {
		return refuse(http.StatusNotFound, "EndpointNotFound",
			"API entry point `"+provider.Clip(r.URL.Path)+"` not found")
	}
	for _, pair := range g.world.Market().Traded(market.Gemini, now) {
		if strings.EqualFold(name, pair.ID()) {
			return provider.Answer(http.StatusOK, g.ticker(pair, now))
		}
	}
	return refuse(http.StatusBadRequest, "InvalidSymbol", "Received unsupported symbol '"+provider.Clip(name)+"'")
}

func refuse(status int, reason, message string) provider.Reply {
	return provider.Answer(status, map[string]string{"result": "error", "reason": reason, "message": message})
}

func (g *gemini) ticker(pair core.Pair, now time.Time) map[string]any {
	q := provider.QuoteOf(g.world, market.Gemini, pair, now)
	return map[string]any{
		"ask": q.Ask.String(), "bid": q.Bid.String(), "last": q.Last.String(),
		"volume": map[string]any{
			pair.Base: q.Day.Volume.String(), pair.Counter: q.Turnover(),
			"timestamp": now.Truncate(time.Minute).UnixMilli(),
		},
	}
}
