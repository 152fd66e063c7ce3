package bitstamp

import (
	"causeway/adapters/providers/provider"
	"causeway/adapters/upstream"
)

// Descriptor describes Bitstamp.
var Descriptor = provider.Descriptor{
	Name: Name, Title: "Bitstamp", Homepage: "https://www.bitstamp.net",
	BaseURL:  BaseURL,
	Settings: func() provider.Settings { return &Config{} },
	Evidence: []provider.Evidence{
		{
			Fact:   "One response has the tickers of all pairs, with the names of pairs as BTC/USD.",
			Source: "www.bitstamp.net/api GetCurrencyPairTickers, as in github.com/ccxt/ccxt ts/src/bitstamp.ts (2026-11)",
		},
		{
			Fact:   "A limit of 10,000 requests in 10 minutes and of 400 per second.",
			Source: "github.com/api-evangelist/bitstamp rate-limits.yml (2026-11)",
		},
		{
			Fact:   "Response codes 400.002, 400.067 and 400.068 mean that a limit is exceeded.",
			Source: "github.com/api-evangelist/bitstamp rate-limits.yml (2026-11)",
		},
		{
			Fact:   "PYUSD/USD, USDC/USD, USDT/USD, DAI/USD and EUR/USD are traded.",
			Source: "live responses in a public client's record (2026-05)",
		},
		{
			Fact: "The time of a ticker is that of its sides.",
		},
	},
}

// Connect implements provider.Settings.
func (c *Config) Connect(f *upstream.Factory) (provider.Clients, error) {
	return provider.Connected(New(*c, f))
}
