package wire

import (
	"net/http"
	"sync"

	"causeway/simulator"
)

// layout says what a provider can be asked, and where its answers have prices and the times of these.
type layout struct {
	operations []operation
	members    map[string]string // by operation: the place of what matters most, where that is no price
	priced     []string          // the operations whose answers have prices
	prices     []string          // first what is asked for a unit; for a middle price there is nothing else
	unpriced   string            // a member that stands among the prices and is none
	times      []timed
	another    func(*http.Request) *http.Request // a question for another pair, where an answer is about one alone
}

// operation is a kind of question, with the pattern of its path.
type operation struct{ name, path string }

// timed is a place of times.
type timed struct {
	place string
	unit  unit
}

// layouts are all providers. Operations are named as in the metrics of their adapters, where one asks.
var layouts = map[string]layout{
	Paystack: {
		operations: []operation{{"banks", "/bank"}, {"resolve", "/bank/resolve"}, {"validate", "/bank/validate"}},
		members:    map[string]string{"resolve": "data.account_name", "validate": "data.accountHolderMatch"},
	},
	Flutterwave: {
		operations: []operation{{"banks", "/v3/banks/*"}, {"resolve", "/v3/accounts/resolve"}},
		members:    map[string]string{"resolve": "data.account_name"},
	},
	Korapay: {
		operations: []operation{{"banks", "/merchant/api/v1/misc/*"}, {"resolve", "/merchant/api/v1/misc/*/resolve"}},
		members:    map[string]string{"resolve": "data.account_name"},
	},
	Monnify: {
		operations: []operation{{"login", "/api/v1/auth/login"}, {"banks", "/api/v1/banks"}, {"resolve", "/api/v1/disbursements/account/validate"}},
		members:    map[string]string{"login": "responseBody.accessToken", "resolve": "responseBody.accountName"},
	},
	Afriex: {
		operations: []operation{{"banks", "/api/v1/payment-method/institution"}, {"resolve", "/api/v1/payment-method/resolve"}},
		members:    map[string]string{"resolve": "data.recipientName"},
	},
	Daraja: {
		operations: []operation{{"login", "/oauth/v1/generate"}, {"resolve", "/sfcverify/v1/query/info"}},
		members:    map[string]string{"login": "access_token", "resolve": "OrganizationName"},
	},
	Kraken: {
		operations: []operation{{"ticker", "/0/public/Ticker"}, {"asset_pairs", "/0/public/AssetPairs"}, {"system_status", "/0/public/SystemStatus"}, {"time", "/0/public/Time"}},
		priced:     []string{"ticker"},
		prices:     []string{"result.*.a.0", "result.*.b.0", "result.*.c.0", "result.*.h.*", "result.*.l.*", "result.*.p.*", "result.*.o"},
	},
	Binance: {
		operations: []operation{{"book_ticker", "/api/v3/ticker/bookTicker"}, {"exchange_info", "/api/v3/exchangeInfo"}, {"ping", "/api/v3/ping"}, {"time", "/api/v3/time"}},
		priced:     []string{"book_ticker"},
		prices:     []string{"*.askPrice", "*.bidPrice", "askPrice", "bidPrice"},
	},
	Coinbase: {
		operations: []operation{{"ticker", "/products/*/ticker"}, {"product", "/products/*"}, {"products", "/products"}, {"time", "/time"}},
		priced:     []string{"ticker"},
		prices:     []string{"ask", "bid", "price"},
		times:      []timed{{"time", clockTime}},
		another:    anotherProduct,
	},
	OKX: {
		operations: []operation{{"tickers", "/api/v5/market/tickers"}, {"ticker", "/api/v5/market/ticker"}, {"time", "/api/v5/public/time"}},
		priced:     []string{"tickers", "ticker"},
		prices: []string{
			"data.*.askPx", "data.*.bidPx", "data.*.last", "data.*.open24h", "data.*.high24h", "data.*.low24h", "data.*.sodUtc0", "data.*.sodUtc8",
		},
		times: []timed{{"data.*.ts", milliseconds}},
	},
	Bybit: {
		operations: []operation{{"tickers", "/v5/market/tickers"}, {"time", "/v5/market/time"}},
		priced:     []string{"tickers"},
		prices: []string{
			"result.list.*.ask1Price", "result.list.*.bid1Price", "result.list.*.lastPrice", "result.list.*.prevPrice24h",
			"result.list.*.highPrice24h", "result.list.*.lowPrice24h",
		},
		times: []timed{{"time", milliseconds}},
	},
	Quidax: {
		operations: []operation{{"tickers", "/api/v1/markets/tickers"}, {"ticker", "/api/v1/markets/tickers/*"}, {"markets", "/api/v1/markets"}},
		priced:     []string{"tickers", "ticker"},
		prices: []string{
			"data.*.ticker.sell", "data.*.ticker.buy", "data.*.ticker.last", "data.*.ticker.open", "data.*.ticker.high", "data.*.ticker.low",
			"data.ticker.sell", "data.ticker.buy", "data.ticker.last", "data.ticker.open", "data.ticker.high", "data.ticker.low",
		},
		times: []timed{{"data.*.at", seconds}, {"data.at", seconds}},
	},
	Busha: {
		operations: []operation{{"pairs", "/v1/pairs"}, {"banks", "/v1/banks"}, {"resolve", "/v1/recipients/resolve-bank-account"}},
		members:    map[string]string{"resolve": "data.account_name"},
		priced:     []string{"pairs"},
		prices:     []string{"data.*.buy_price.amount", "data.*.sell_price.amount"},
	},
	OpenExchangeRates: {
		operations: []operation{{"latest", "/api/latest.json"}, {"usage", "/api/usage.json"}},
		priced:     []string{"latest"},
		prices:     []string{"rates.*"},
		times:      []timed{{"timestamp", seconds}},
	},
	Frankfurter: {
		operations: []operation{{"rates", "/v2/rates"}},
		priced:     []string{"rates"},
		prices:     []string{"*.rate"},
		times:      []timed{{"*.date", date}},
	},
	CoinGecko: {
		operations: []operation{{"simple_price", "/api/v3/simple/price"}, {"ping", "/api/v3/ping"}},
		priced:     []string{"simple_price"},
		prices:     []string{"*.*"},
		unpriced:   "last_updated_at",
		times:      []timed{{"*.last_updated_at", seconds}},
	},
}

// offers are those of all providers, made once.
var offers = sync.OnceValue(func() map[string]simulator.Offer {
	out := map[string]simulator.Offer{}
	for _, provider := range providers {
		out[provider] = layouts[provider].offer()
	}
	return out
})

// providers are all of them.
var providers = []string{
	Paystack, Flutterwave, Korapay, Monnify, Afriex, Daraja, Kraken, Binance, Coinbase, OKX, Bybit, Quidax, Busha,
	OpenExchangeRates, Frankfurter, CoinGecko,
}

// anotherProduct asks Coinbase for a product that is worth something quite different.
func anotherProduct(r *http.Request) *http.Request {
	const usual, other = "/products/BTC-USD/ticker", "/products/SOL-USD/ticker"
	again := r.Clone(r.Context())
	if again.URL.Path = usual; r.URL.Path == usual {
		again.URL.Path = other
	}
	return again
}
