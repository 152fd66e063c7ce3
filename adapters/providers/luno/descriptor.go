package luno

import (
	"causeway/adapters/providers/provider"
	"causeway/adapters/upstream"
)

// Descriptor describes Luno.
var Descriptor = provider.Descriptor{
	Name: Name, Title: "Luno", Homepage: "https://www.luno.com",
	BaseURL:  BaseURL,
	Settings: func() provider.Settings { return &Config{} },
	Evidence: []provider.Evidence{
		{
			Fact:   "One response has the tickers of all pairs; bitcoin is XBT. Status is ACTIVE, POSTONLY or DISABLED.",
			Source: "vendor SDK github.com/luno/luno-go types.go and api.go (2026-11)",
		},
		{
			Fact:   "Times are in milliseconds.",
			Source: "www.luno.com/en/developers/api (2026-11)",
		},
		{
			Fact:   "One request per second and address, five in a burst; data may be one second old.",
			Source: "www.luno.com/en/developers/api (2026-11)",
		},
		{
			Fact:   "USDT/NGN has an order book without a key.",
			Source: "live response in a public client's record (2026-09-29)",
		},
		{
			Fact:   "USDT/ZAR has an order book without a key; an unknown pair alone is 400 ErrMarketUnavailable.",
			Source: "public clients, one with live responses of 2026-09-27",
		},
	},
}

// Connect implements provider.Settings.
func (c *Config) Connect(f *upstream.Factory) (provider.Clients, error) {
	return provider.Connected(New(*c, f))
}
