package wire

// hosts are those of the internet that the world has, with the provider behind each.
var hosts = map[string]string{
	"api.paystack.co":     Paystack,
	"api.flutterwave.com": Flutterwave,
	"api.korapay.com":     Korapay,
	"api.monnify.com":     Monnify, "sandbox.monnify.com": Monnify,
	"api.afriex.com": Afriex, "sandbox.api.afriex.com": Afriex,
	"api.safaricom.co.ke": Daraja, "sandbox.safaricom.co.ke": Daraja,

	"api.kraken.com": Kraken, "ws.kraken.com": Kraken,
	"data-api.binance.vision": Binance, "data-stream.binance.vision": Binance, "stream.binance.com": Binance,
	"api.binance.com": Binance, "api-gcp.binance.com": Binance,
	"api1.binance.com": Binance, "api2.binance.com": Binance, "api3.binance.com": Binance, "api4.binance.com": Binance,
	"api.exchange.coinbase.com": Coinbase,
	"www.okx.com":               OKX,
	"api.bybit.com":             Bybit, "api.bytick.com": Bybit,
	"www.quidax.com": Quidax, "app.quidax.io": Quidax,
	"api.busha.co":          Busha,
	"openexchangerates.org": OpenExchangeRates,
	"api.frankfurter.dev":   Frankfurter,
	"api.coingecko.com":     CoinGecko,
}
