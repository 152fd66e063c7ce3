package cli

import "causeway/simulator/wire"

// upstreamProvider is a simulated provider as the configuration knows it.
type upstreamProvider struct {
	name        string // at the wire, and its base path
	section     string // of the configuration, as variables spell it
	path        string // of the API at the provider's host
	credentials []variable
}

// upstreamProviders are all of them, with the credentials that their wire accepts.
var upstreamProviders = []upstreamProvider{
	{name: wire.Paystack, section: "PAYSTACK", credentials: []variable{
		{"KEYS__NG", wire.PaystackKey("NG")}, {"KEYS__GH", wire.PaystackKey("GH")}, {"KEYS__KE", wire.PaystackKey("KE")}, {"KEYS__ZA", wire.PaystackKey("ZA")},
	}},
	{name: wire.Flutterwave, section: "FLUTTERWAVE", path: "/v3", credentials: []variable{{"SECRET_KEY", wire.FlutterwaveKey}}},
	{name: wire.Korapay, section: "KORAPAY", path: "/merchant/api/v1", credentials: []variable{{"SECRET_KEY", wire.KorapayKey}}},
	{name: wire.Monnify, section: "MONNIFY", credentials: []variable{{"API_KEY", wire.MonnifyAPIKey}, {"SECRET_KEY", wire.MonnifySecretKey}}},
	{name: wire.Afriex, section: "AFRIEX", credentials: []variable{{"API_KEY", wire.AfriexKey}}},
	{name: wire.Daraja, section: "DARAJA", credentials: []variable{{"CONSUMER_KEY", wire.DarajaKey}, {"CONSUMER_SECRET", wire.DarajaSecret}}},
	{name: wire.Kraken, section: "KRAKEN"},
	{name: wire.Binance, section: "BINANCE"},
	{name: wire.Coinbase, section: "COINBASE"},
	{name: wire.OKX, section: "OKX"},
	{name: wire.Bybit, section: "BYBIT"},
	{name: wire.Quidax, section: "QUIDAX"},
	{name: wire.Busha, section: "BUSHA", credentials: []variable{{"API_KEY", wire.BushaKey}}},
	{name: wire.OpenExchangeRates, section: "OPEN_EXCHANGE_RATES", credentials: []variable{{"APP_ID", wire.AppID}}},
	{name: wire.Frankfurter, section: "FRANKFURTER"},
	{name: wire.CoinGecko, section: "COINGECKO"},
}
