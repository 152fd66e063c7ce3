package simulator

// The venues of the street.
const (
	Quidax = "quidax" // an exchange
	Busha  = "busha"  // an operator who quotes for himself
	Luno   = "luno"   // an exchange, in naira and rand
)

// The street venues, by what they quote. Sources: Quidax's documentation of its order book (markets of January 2025, as quoted
// by public clients, less those that the market has no price of) and usdtcngn of a client of 2026; busha's pairs in naira
// that a public client found on offer on 2026-08-25, less GRAM, and USDT in Kenyan shillings of its documentation. Luno's pairs in naira
// and rand are those of public clients of 2026; USDT/NGN by a live response of 2026-09-29.
var (
	quidaxCounters = map[string]string{
		"BTC": "NGN GHS USDT", "ETH": "NGN USDT", "USDT": "NGN GHS CNGN", "XRP": "NGN USDT", "LTC": "NGN USDT", "TRX": "NGN USDT",
		"AAVE": "USDT", "BNB": "USDT", "DOGE": "USDT", "DOT": "USDT", "LINK": "USDT", "SHIB": "USDT", "XLM": "USDT",
	}
	bushaCounters = map[string]string{
		"ADA": "NGN", "BNB": "NGN", "BTC": "NGN", "CNGN": "NGN", "DOGE": "NGN", "ETH": "NGN", "LTC": "NGN", "POL": "NGN", "SHIB": "NGN",
		"SOL": "NGN", "TRX": "NGN", "USDC": "NGN", "USDT": "NGN KES", "XLM": "NGN", "XRP": "NGN",
	}
	lunoBooks = map[string]string{
		"BTC": "NGN ZAR", "ETH": "NGN ZAR BTC", "USDT": "NGN ZAR", "USDC": "NGN ZAR", "XRP": "NGN ZAR", "LTC": "ZAR", "SOL": "ZAR",
	}
)

// What busha takes between its two prices, in tenths of a basis point: 1.2 % of a stablecoin, 5 % of the rest
// (measured by third parties in August 2026).
const (
	retailStable = 1200
	retailCoin   = 5000
)

// retail is the spread of an operator who quotes for himself, in tenths of a basis point.
func retail(a asset) int64 {
	if a.kind == stable {
		return retailStable
	}
	return retailCoin
}
