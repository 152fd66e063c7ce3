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

// gemini is the public market data of Gemini, https://developer.gemini.com (read 2026-11): one symbol
// per request, prices as text, and no time but that of the volume.
type gemini struct{ world *world.World }

// ServeHTTP implements http.Handler.
func (g *gemini) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	now := g.world.Now()
	g.respond(r, now).Send(w, now)
}

func (g *gemini) respond(r *http.Request, now time.Time) provider.Reply {
	const path = "/v1/pubticker/"
	name, found := strings.CutPrefix(r.URL.Path, path)
	if !found {
		return refusal(http.StatusNotFound, "EndpointNotFound", "API entry point `"+provider.Clip(r.URL.Path)+"` not found")
	}
	for _, pair := range g.world.Market().Traded(market.Gemini, now) {
		if strings.EqualFold(name, pair.ID()) {
			return provider.Answer(http.StatusOK, g.ticker(pair, now))
		}
	}
	return refusal(http.StatusBadRequest, "InvalidSymbol", "Received unsupported symbol '"+provider.Clip(name)+"'")
}

func refusal(status int, reason, message string) provider.Reply {
	return provider.Answer(status, map[string]string{"result": "error", "reason": reason, "message": message})
}

func (g *gemini) ticker(pair core.Pair, now time.Time) map[string]any {
	top, _ := g.world.Market().Book(market.Gemini, pair, now)
	_, day, _ := g.world.Market().Day(market.Gemini, pair, now)
	return map[string]any{
		"ask": top.Ask.Trimmed(), "bid": top.Bid.Trimmed(), "last": top.Last.Trimmed(),
		"volume": map[string]any{
			pair.Base: day.Volume.Trimmed(), pair.Counter: provider.TurnoverOf(day), "timestamp": now.Truncate(time.Minute).UnixMilli(),
		},
	}
}
