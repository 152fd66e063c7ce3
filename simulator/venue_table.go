package simulator

// coinbaseBooks are what Coinbase Exchange trades each asset in. USDC is a dollar there: no USDC/USD book exists, and what is
// named X-USDC is X-USD under another name. TRX and EOS are not traded; of BNB and TON only the dollar book is known.
// General knowledge of 2026-08, the EUR books beside a list that was checked against the API (cited in the adapter); to be confirmed against /products.
var coinbaseBooks = map[string]string{
	"BTC": "USD EUR GBP USDT", "ETH": "USD EUR GBP USDT BTC", "USDT": "USD EUR GBP", "USDC": "EUR GBP", "BNB": "USD",
	"SOL": "USD EUR GBP USDT BTC", "XRP": "USD EUR GBP USDT", "DOGE": "USD EUR GBP USDT BTC", "ADA": "USD EUR GBP USDT BTC",
	"TON": "USD", "AVAX": "USD EUR USDT BTC", "SHIB": "USD EUR GBP USDT", "DOT": "USD EUR GBP USDT BTC", "LINK": "USD EUR GBP USDT BTC",
	"BCH": "USD EUR GBP BTC", "LTC": "USD EUR GBP BTC", "XLM": "USD EUR USDT BTC", "NEAR": "USD USDT", "UNI": "USD EUR GBP BTC",
	"POL": "USD", "ATOM": "USD EUR", "ETC": "USD EUR GBP BTC", "AAVE": "USD EUR GBP BTC", "FIL": "USD EUR", "ALGO": "USD EUR",
	"APT": "USD USDT", "ARB": "USD", "OP": "USD USDT", "INJ": "USD", "SUI": "USD", "DAI": "USD", "PYUSD": "USD", "EURC": "USD",
	"XTZ": "USD EUR GBP BTC", "HBAR": "USD USDT", "ICP": "USD EUR USDT", "VET": "USD",
}

// okxBooks are what OKX trades each asset in. VET, EOS and EURC are not traded. General knowledge of 2026-08, to be confirmed against
// /api/v5/public/instruments.
var okxBooks = map[string]string{
	"BTC": "USDT USDC EUR", "ETH": "USDT USDC EUR BTC", "USDT": "EUR", "USDC": "EUR USDT", "BNB": "USDT", "SOL": "USDT USDC BTC", "XRP": "USDT USDC BTC",
	"DOGE": "USDT USDC", "ADA": "USDT BTC", "TRX": "USDT", "TON": "USDT USDC", "AVAX": "USDT BTC", "SHIB": "USDT", "DOT": "USDT BTC",
	"LINK": "USDT BTC", "BCH": "USDT BTC", "LTC": "USDT BTC", "XLM": "USDT", "NEAR": "USDT", "UNI": "USDT", "POL": "USDT", "ATOM": "USDT",
	"ETC": "USDT", "AAVE": "USDT", "FIL": "USDT", "ALGO": "USDT", "APT": "USDT", "ARB": "USDT", "OP": "USDT", "INJ": "USDT", "SUI": "USDT",
	"DAI": "USDT", "PYUSD": "USDT", "XTZ": "USDT", "HBAR": "USDT", "ICP": "USDT",
}

// bybitBooks are what Bybit trades each asset in on its spot market. EURC and EOS are not traded. General knowledge of 2026-08, DAI and PYUSD
// also by a public client's list (github:berkerol/berkerol.github.io); to be confirmed against /v5/market/instruments-info.
var bybitBooks = map[string]string{
	"BTC": "USDT USDC EUR", "ETH": "USDT USDC EUR BTC", "USDC": "USDT", "BNB": "USDT USDC", "SOL": "USDT USDC BTC", "XRP": "USDT USDC BTC",
	"DOGE": "USDT USDC", "ADA": "USDT", "TRX": "USDT", "TON": "USDT", "AVAX": "USDT", "SHIB": "USDT", "DOT": "USDT", "LINK": "USDT",
	"BCH": "USDT", "LTC": "USDT BTC", "XLM": "USDT", "NEAR": "USDT", "UNI": "USDT", "POL": "USDT", "ATOM": "USDT", "ETC": "USDT",
	"AAVE": "USDT", "FIL": "USDT", "ALGO": "USDT", "APT": "USDT", "ARB": "USDT", "OP": "USDT", "INJ": "USDT", "SUI": "USDT", "DAI": "USDT",
	"PYUSD": "USDT", "XTZ": "USDT", "HBAR": "USDT", "ICP": "USDT", "VET": "USDT",
}

// bitstampBooks are what Bitstamp trades each asset in. Source: subscriptions of public clients (2023 to 2026); USDT, USDC, DAI and
// PYUSD in USD and EUR/USD by live responses in a public client's record (2026-05).
var bitstampBooks = map[string]string{
	"BTC": "USD EUR GBP USDT USDC", "ETH": "USD EUR GBP BTC USDT USDC", "USDT": "USD EUR", "USDC": "USD EUR USDT",
	"XRP": "USD EUR GBP BTC USDT", "LTC": "USD EUR GBP BTC", "BCH": "USD EUR BTC", "XLM": "USD EUR GBP BTC", "LINK": "USD EUR GBP BTC",
	"ADA": "USD EUR BTC", "AVAX": "USD EUR", "DOGE": "USD EUR", "DOT": "USD EUR", "SHIB": "USD EUR", "SOL": "USD EUR",
	"NEAR": "USD EUR", "UNI": "USD EUR BTC", "AAVE": "USD EUR BTC", "ALGO": "USD EUR BTC", "INJ": "USD EUR", "HBAR": "USD EUR",
	"SUI": "USD EUR", "DAI": "USD", "PYUSD": "USD EUR", "EUR": "USD", "GBP": "USD",
}

// geminiBooks are what Gemini trades each asset in. Source: the vendor's example of GET /v1/symbols as in
// github.com/DistortionPoint/dp-exchange-gemini (2026-08), and gemini.com/fees/marketplace (2024-09).
var geminiBooks = map[string]string{
	"BTC": "USD EUR GBP USDT", "ETH": "USD EUR GBP BTC USDT", "USDT": "USD", "USDC": "USD", "DAI": "USD", "XRP": "USD",
	"LTC": "USD BTC", "BCH": "USD", "LINK": "USD BTC", "AVAX": "USD", "DOGE": "USD BTC", "DOT": "USD", "SHIB": "USD",
	"SOL": "USD BTC", "UNI": "USD", "ATOM": "USD", "AAVE": "USD", "FIL": "USD", "ARB": "USD", "OP": "USD", "INJ": "USD", "XTZ": "USD",
}
