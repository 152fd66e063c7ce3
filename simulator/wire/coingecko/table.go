package coingecko

// geckoCoins are the coins of the market, by CoinGecko's ids. cNGN and GRAM are not among them.
var geckoCoins = map[string]string{
	"bitcoin": "BTC", "ethereum": "ETH", "tether": "USDT", "usd-coin": "USDC", "binancecoin": "BNB", "solana": "SOL", "ripple": "XRP",
	"dogecoin": "DOGE", "cardano": "ADA", "tron": "TRX", "the-open-network": "TON", "avalanche-2": "AVAX", "shiba-inu": "SHIB",
	"polkadot": "DOT", "chainlink": "LINK", "bitcoin-cash": "BCH", "litecoin": "LTC", "stellar": "XLM", "near": "NEAR", "uniswap": "UNI",
	"polygon-ecosystem-token": "POL", "cosmos": "ATOM", "ethereum-classic": "ETC", "aave": "AAVE", "filecoin": "FIL", "algorand": "ALGO",
	"aptos": "APT", "arbitrum": "ARB", "optimism": "OP", "injective-protocol": "INJ", "sui": "SUI", "dai": "DAI", "paypal-usd": "PYUSD",
	"euro-coin": "EURC", "tezos": "XTZ", "eos": "EOS", "hedera-hashgraph": "HBAR", "internet-computer": "ICP", "vechain": "VET",
}

// geckoCurrencies are what CoinGecko quotes in, less what the market has no price of.
var geckoCurrencies = []string{
	"btc", "eth", "ltc", "bch", "bnb", "eos", "xrp", "xlm", "link", "dot", "sol", "usd", "eur", "gbp", "ngn", "zar",
}
