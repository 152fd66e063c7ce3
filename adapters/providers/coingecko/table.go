package coingecko

import (
	"net/http"

	"causeway/adapters/upstream"
)

// coins are the ids of coins. Ids are not derived from tickers: POL is not matic-network, the coin
// that it replaced, and cNGN is left out because no source has its id. Source:
// https://docs.coingecko.com/reference/coins-list, through public clients that use these ids (read
// 2026-11).
var coins = map[string]string{
	"AAVE": "aave", "ADA": "cardano", "ALGO": "algorand", "APT": "aptos", "ARB": "arbitrum", "ATOM": "cosmos",
	"AVAX": "avalanche-2",
	"BCH":  "bitcoin-cash", "BNB": "binancecoin", "BTC": "bitcoin", "DAI": "dai", "DOGE": "dogecoin", "DOT": "polkadot",
	"EOS": "eos",
	"ETC": "ethereum-classic", "ETH": "ethereum", "EURC": "euro-coin", "FIL": "filecoin", "HBAR": "hedera-hashgraph",
	"ICP": "internet-computer", "INJ": "injective-protocol", "LINK": "chainlink", "LTC": "litecoin", "NEAR": "near",
	"OP":  "optimism",
	"POL": "polygon-ecosystem-token", "PYUSD": "paypal-usd", "SHIB": "shiba-inu", "SOL": "solana", "SUI": "sui",
	"TON": "the-open-network", "TRX": "tron", "UNI": "uniswap", "USDC": "usd-coin", "USDT": "tether", "VET": "vechain",
	"XLM": "stellar", "XRP": "ripple", "XTZ": "tezos",
}

// currencies are the catalog's currencies that CoinGecko quotes. GHS, KES, RWF, TZS, UGX, XAF, XOF
// and USDT are missing. Source: github:coingecko/coingecko-api-oas demo-api.json,
// /simple/supported_vs_currencies (read 2026-11).
var currencies = []string{
	"USD", "EUR", "GBP", "NGN", "ZAR", "BTC", "ETH", "LTC", "BCH", "BNB", "EOS", "XRP", "XLM", "LINK", "DOT", "SOL",
}

// faults are the codes in an error's body. For other codes the status decides.
// Source: https://docs.coingecko.com/docs/errors-and-rate-limits (read 2026-11).
var faults = map[int]struct {
	outcome upstream.Outcome
	reason  string
}{
	http.StatusTooManyRequests: {upstream.Throttled, "rate limit exceeded"},
	1020:                       {upstream.Refused, "blocked by the firewall"},
	10002:                      {upstream.Refused, "the key is missing or not accepted"},
	10005:                      {upstream.Refused, "the plan does not allow this"},
	10010:                      {upstream.Refused, "a paid plan's key at the free host"},
	10011:                      {upstream.Refused, "a free plan's key at the paid host"},
}
