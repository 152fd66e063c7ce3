// Package gemini simulates the public market data of Gemini: the ticker of one symbol per request,
// and the details of all symbols. Prices are text, and the only time is the time of the volume.
//
// API: https://developer.gemini.com (read 2026-11).
package gemini

import (
	"net/http"
	"strings"
	"time"

	"causeway/core"
	"causeway/simulator/market"
	"causeway/simulator/wire/format"
)

const (
	tickerPath  = "/v1/pubticker/"
	detailsPath = "/v1/symbols/details/all"
)

// Descriptor describes the simulated provider.
var Descriptor = format.Descriptor{
	Name:    market.Gemini,
	Hosts:   []string{"api.gemini.com"},
	Respond: respond,
	Operations: []format.Operation{
		{Name: "ticker", Path: tickerPath + "*", Priced: true}, {Name: "status", Path: detailsPath},
	},
	Prices:  []string{"ask", "bid", "last"},
	Times:   []format.TimeField{{Place: "volume.timestamp", Unit: format.Milliseconds}},
	Markets: [2]string{tickerPath + "btcusd", tickerPath + "solusd"},
}

func respond(r *format.Request) format.Reply {
	if r.URL.Path == detailsPath {
		return format.Answer(http.StatusOK, r.Markets(func(pair core.Pair) map[string]any {
			return map[string]any{
				"symbol": pair.ID(), "base_currency": pair.Base, "quote_currency": pair.Counter, "status": "open",
			}
		}))
	}
	name, found := strings.CutPrefix(r.URL.Path, tickerPath)
	if !found {
		return refuse(http.StatusNotFound, "EndpointNotFound",
			"API entry point `"+format.Clip(r.URL.Path)+"` not found")
	}
	for _, pair := range r.Traded() {
		if strings.EqualFold(name, pair.ID()) {
			q := r.Book(pair)
			return format.Answer(http.StatusOK, map[string]any{
				"ask": q.Ask.String(), "bid": q.Bid.String(), "last": q.Last.String(),
				"volume": map[string]any{
					pair.Base: q.Volume.String(), "timestamp": r.Now.Truncate(time.Minute).UnixMilli(),
				},
			})
		}
	}
	return refuse(http.StatusBadRequest, "InvalidSymbol", "Received unsupported symbol '"+format.Clip(name)+"'")
}

func refuse(status int, reason, message string) format.Reply {
	return format.Answer(status, map[string]string{"result": "error", "reason": reason, "message": message})
}
