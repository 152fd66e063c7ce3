// Package acme simulates the API of Acme: the tickers of its markets.
package acme

import (
	"net/http"
	"time"

	"causeway/simulator/wire/provider"
	"causeway/simulator/world"
)

// Name of the provider.
const Name = "acme"

// Descriptor describes the simulated provider.
var Descriptor = provider.Descriptor{
	Name:  Name,
	Hosts: []string{"api.acme.example"},
	New:   func(w *world.World) http.Handler { return provider.Serve(w, (&acme{w}).respond) },
	FaultPoints: provider.FaultPoints{
		Operations: []provider.Operation{{Name: "tickers", Path: "/tickers"}},
		Priced:     []string{"tickers"},
		Prices:     []string{"*.bid", "*.ask"},
		Times:      []provider.TimeField{{Place: "*.at", Unit: provider.Seconds}},
	},
}

type acme struct{ world *world.World }

// respond returns the markets that simulator/market/tables.go lists for the venue.
func (a *acme) respond(_ *http.Request, now time.Time) provider.Reply {
	rows := map[string]any{}
	for _, pair := range a.world.Market().Traded(Name, now) {
		top, _ := a.world.Market().Book(Name, pair, now)
		at := a.world.Market().Made(Name, pair, now).Unix()
		rows[pair.ID()] = map[string]any{"bid": top.Bid.String(), "ask": top.Ask.String(), "at": at}
	}
	return provider.Answer(http.StatusOK, rows)
}
