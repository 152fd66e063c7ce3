// Package coingecko simulates the API of CoinGecko: simple prices, made once a minute.
package coingecko

import (
	"encoding/json"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/shopspring/decimal"

	"causeway/core"
	"causeway/simulator/wire/provider"
	"causeway/simulator/world"
)

// Name of the provider.
const Name = "coingecko"

const pricePath = "/api/v3/simple/price"

// Descriptor describes the simulated provider.
var Descriptor = provider.Descriptor{
	Name:  Name,
	Hosts: []string{"api.coingecko.com"},
	New:   func(w *world.World) http.Handler { return provider.Serve(w, (&coinGecko{w}).respond) },
	FaultPoints: provider.FaultPoints{
		Operations: []provider.Operation{{Name: "simple_price", Path: pricePath}},
		Priced:     []string{"simple_price"},
		Prices:     []string{"*.*"},
		Unpriced:   "last_updated_at",
		Times:      []provider.TimeField{{Place: "*.last_updated_at", Unit: provider.Seconds}},
	},
	Divergences: []provider.Divergence{
		{
			What: "Prices are made at every full minute, all at once, and have all their digits.",
			Why:  "Real ones are as old as each coin's last trade; what matters to clients is the cache of a minute.",
			Test: "simulator/wire.TestCoinGecko_Minute",
		},
		{
			What: "The failure of a rejected key has no time.",
			Why:  provider.Unread,
			Test: "simulator/wire.TestDocumentedShape",
		},
	},
}

// coins are the coins of the market, by CoinGecko's ids. cNGN and GRAM are not among them.
var coins = map[string]string{
	"bitcoin": "BTC", "ethereum": "ETH", "tether": "USDT", "usd-coin": "USDC", "binancecoin": "BNB", "solana": "SOL",
	"ripple": "XRP", "dogecoin": "DOGE", "cardano": "ADA", "tron": "TRX", "the-open-network": "TON", "avalanche-2": "AVAX",
	"shiba-inu": "SHIB", "polkadot": "DOT", "chainlink": "LINK", "bitcoin-cash": "BCH", "litecoin": "LTC",
	"stellar": "XLM",
	"near":    "NEAR", "uniswap": "UNI", "polygon-ecosystem-token": "POL", "cosmos": "ATOM", "ethereum-classic": "ETC",
	"aave": "AAVE", "filecoin": "FIL", "algorand": "ALGO", "aptos": "APT", "arbitrum": "ARB", "optimism": "OP",
	"injective-protocol": "INJ", "sui": "SUI", "dai": "DAI", "paypal-usd": "PYUSD", "euro-coin": "EURC", "tezos": "XTZ",
	"eos": "EOS", "hedera-hashgraph": "HBAR", "internet-computer": "ICP", "vechain": "VET",
}

// currencies are those in which CoinGecko quotes and of which the market has a price.
var currencies = []string{
	"btc", "eth", "ltc", "bch", "bnb", "eos", "xrp", "xlm", "link", "dot", "sol", "usd", "eur", "gbp", "ngn", "zar",
}

// coinGecko is the free plan of CoinGecko, https://docs.coingecko.com/reference/simple-price (read
// 2026-11): middle prices as JSON numbers by its own ids, made at every full minute; unknown coins
// and currencies are left out. A key is optional; one that is sent must have the right form.
type coinGecko struct{ world *world.World }

func (c *coinGecko) respond(r *http.Request, now time.Time) provider.Reply {
	query := r.URL.Query()
	key := r.Header.Get("X-Cg-Demo-Api-Key")
	switch {
	case key != "" && !strings.HasPrefix(key, "CG-"):
		return provider.Answer(http.StatusUnauthorized, map[string]any{"status": map[string]any{
			"error_code":    10002,
			"error_message": "API Key Missing. Please make sure you're using the right authentication method.",
		}})
	case r.URL.Path != pricePath:
		return refuse(http.StatusNotFound, "Incorrect path. Please check https://www.coingecko.com/api/")
	case query.Get("ids") == "":
		return refuse(http.StatusUnprocessableEntity, "Missing parameter ids")
	case query.Get("vs_currencies") == "":
		return refuse(http.StatusUnprocessableEntity, "Missing parameter vs_currencies")
	}
	made := now.Truncate(time.Minute)
	prices := map[string]map[string]json.Number{}
	for id := range strings.SplitSeq(query.Get("ids"), ",") {
		code := coins[strings.TrimSpace(id)]
		if code == "" {
			continue
		}
		row := c.row(code, strings.Split(strings.ToLower(query.Get("vs_currencies")), ","), made)
		if query.Get("include_last_updated_at") == "true" {
			row["last_updated_at"] = json.Number(strconv.FormatInt(made.Unix(), 10))
		}
		prices[strings.TrimSpace(id)] = row
	}
	return provider.Answer(http.StatusOK, prices)
}

func refuse(status int, text string) provider.Reply {
	return provider.Answer(status, map[string]string{"error": text})
}

// row returns a coin's price in every currency.
func (c *coinGecko) row(code string, vs []string, made time.Time) map[string]json.Number {
	row := map[string]json.Number{}
	for _, currency := range vs {
		currency = strings.TrimSpace(currency)
		pair := core.Pair{Base: code, Counter: strings.ToUpper(currency)}
		price, known := c.world.Market().Aggregate(pair, made)
		if pair.Base == pair.Counter {
			price, known = decimal.New(1, 0), true
		}
		if known && slices.Contains(currencies, currency) {
			row[currency] = json.Number(strings.TrimSuffix(string(provider.Printed(price)), ".0"))
		}
	}
	return row
}
