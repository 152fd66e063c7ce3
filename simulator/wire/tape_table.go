package wire

// recordable are the questions about prices, by provider: those that a tape may answer. Nothing about an account is among them.
var recordable = map[string][]string{
	Kraken:            {"/0/public/Ticker"},
	Binance:           {"/api/v3/ticker/bookTicker"},
	Coinbase:          {"/products/*/ticker"},
	OKX:               {"/api/v5/market/tickers", "/api/v5/market/ticker"},
	Bybit:             {"/v5/market/tickers"},
	Quidax:            {"/api/v1/markets/tickers", "/api/v1/markets/tickers/*"},
	Busha:             {"/v1/pairs"},
	OpenExchangeRates: {"/api/latest.json"},
	Frankfurter:       {"/v2/rates"},
	CoinGecko:         {"/api/v3/simple/price"},
}
