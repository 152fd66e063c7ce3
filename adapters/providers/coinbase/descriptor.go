package coinbase

import (
	"causeway/adapters/providers/provider"
	"causeway/adapters/upstream"
)

// Descriptor describes Coinbase Exchange.
var Descriptor = provider.Descriptor{
	Name: Name, Title: "Coinbase Exchange", Homepage: "https://exchange.coinbase.com",
	BaseURL:  BaseURL,
	Settings: func() provider.Settings { return new(Default()) },
	Evidence: []provider.Evidence{
		{
			Fact:   "Each product is a request of its own, 10 per second.",
			Source: "docs.cdp.coinbase.com exchange-api get-product-ticker (2026-10)",
		},
		{
			Fact:   "The time of a ticker is that of the last trade.",
			Source: "record of BTC-USDT in github.com/ccxt/ccxt pull request 22502",
		},
		{
			Fact:   "A delisted product is 400 or 404 and concerns that product alone.",
			Source: "public client code",
		},
	},
}

// Connect implements provider.Settings.
func (c *Config) Connect(f *upstream.Factory) (provider.Clients, error) {
	return provider.Connected(New(*c, f))
}
