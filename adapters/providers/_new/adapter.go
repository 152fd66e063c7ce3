// Package acme reads tickers from Acme.
//
// API: GET {base}/tickers, no key. Write here what documents it, with the date, and its quirks.
//
// This is a source of rates; package quidax is a finished one. A provider that names account holders implements
// ports.BankDirectory and ports.AccountResolver instead, as package korapay does.
package acme

import (
	"time"

	"causeway/adapters/providers/provider"
	"causeway/adapters/providers/tickers"
	"causeway/adapters/upstream"
	"causeway/core"
)

const (
	// Name of the provider.
	Name = "acme"
	// BaseURL of the API.
	BaseURL = "https://api.acme.example"
)

// Descriptor describes Acme. Evidence without a source is an assumption.
var Descriptor = provider.Descriptor{
	Name: Name, Title: "Acme", Homepage: "https://www.acme.example",
	BaseURL: BaseURL,
	Settings: tickers.Settings(upstream.Provider{
		Name: Name, BaseURL: BaseURL, Limits: []upstream.Limit{{Calls: 60, Per: time.Minute}},
	}, tickers.API{Path: "/tickers", Read: read, Symbol: core.Pair.ID}),
	Evidence: []provider.Evidence{{Fact: "A limit of one request per second."}},
}

// read returns the tickers of a response by symbol.
func read(r upstream.Response) (map[string]tickers.Ticker, error) {
	if err := r.Err(); err != nil {
		return nil, err
	}
	return nil, upstream.Fail(upstream.Malformed, "reading tickers is not implemented")
}
