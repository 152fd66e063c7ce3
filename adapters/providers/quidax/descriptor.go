package quidax

import (
	"causeway/adapters/providers/provider"
	"causeway/adapters/upstream"
)

// Descriptor describes Quidax.
var Descriptor = provider.Descriptor{
	Name: Name, Title: "Quidax", Homepage: "https://www.quidax.io",
	BaseURL:      BaseURL,
	Settings:     func() provider.Settings { return &Config{} },
	Alternatives: []string{"https://app.quidax.io/api/v1", "https://www.quidax.com/api/v1"},
	Evidence: []provider.Evidence{
		{
			Fact:   "buy is the best bid and sell the best ask.",
			Source: "docs.quidax.io \"List market tickers\", as quoted by public clients (2026-08)",
		},
		{
			Fact:   "The API is at openapi.quidax.io, below /exchange-open-api/api/v1.",
			Source: "response seen 2026-09-14",
		},
		{
			Fact:   "Other clients call app.quidax.io or www.quidax.com, below /api/v1.",
			Source: "public client code (2026)",
		},
		{
			Fact: "A limit of one request per second.",
		},
	},
}

// Connect implements provider.Settings.
func (c *Config) Connect(f *upstream.Factory) (provider.Clients, error) {
	return provider.Connected(New(*c, f))
}
