// Package acme simulates the API of Acme: the tickers of its markets.
package acme

import (
	"net/http"

	"causeway/simulator/wire/provider"
)

// Descriptor describes the simulated provider.
var Descriptor = provider.Descriptor{
	Name:       "acme",
	Hosts:      []string{"api.acme.example"},
	Respond:    respond,
	Operations: []provider.Operation{{Name: "tickers", Path: "/tickers", Priced: true}},
	Prices:     []string{"*.bid", "*.ask"},
	Times:      []provider.TimeField{{Place: "*.at", Unit: provider.Seconds}},
}

// respond returns the markets that simulator/market/tables.go lists for the venue.
func respond(r *provider.Request) provider.Reply {
	rows := map[string]any{}
	for _, pair := range r.Traded() {
		b := r.Book(pair)
		rows[pair.ID()] = map[string]any{"bid": b.Bid.String(), "ask": b.Ask.String(), "at": b.Made.Unix()}
	}
	return provider.Answer(http.StatusOK, rows)
}
