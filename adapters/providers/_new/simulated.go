// Package acme simulates the API of Acme: the tickers of its markets.
package acme

import (
	"net/http"

	"causeway/simulator/wire/format"
)

// Descriptor describes the simulated provider.
var Descriptor = format.Descriptor{
	Name:       "acme",
	Hosts:      []string{"api.acme.example"},
	Respond:    respond,
	Operations: []format.Operation{{Name: "tickers", Path: "/tickers", Priced: true}},
	Prices:     []string{"*.bid", "*.ask"},
	Times:      []format.TimeField{{Place: "*.at", Unit: format.Seconds}},
}

// respond returns the markets that simulator/market/tables.go lists for the venue.
func respond(r *format.Request) format.Reply {
	rows := map[string]any{}
	for _, pair := range r.Traded() {
		b := r.Book(pair)
		rows[pair.ID()] = map[string]any{"bid": b.Bid.String(), "ask": b.Ask.String(), "at": b.Made.Unix()}
	}
	return format.Answer(http.StatusOK, rows)
}
