// Package coingecko simulates the free plan of CoinGecko: middle prices as JSON numbers by its own
// ids, made at every full minute. Unknown coins and currencies are left out. A key is optional; one
// that is sent must have the right form.
//
// API: https://docs.coingecko.com/reference/simple-price (read 2026-11).
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
	"causeway/simulator/wire/format"
)

const pricePath = "/api/v3/simple/price"

// Descriptor describes the simulated provider.
var Descriptor = format.Descriptor{
	Name:       "coingecko",
	Hosts:      []string{"api.coingecko.com"},
	Respond:    respond,
	Operations: []format.Operation{{Name: "simple_price", Path: pricePath, Priced: true}},
	Prices:     []string{"*.*"},
	Unpriced:   "last_updated_at",
	Times:      []format.TimeField{{Place: "*.last_updated_at", Unit: format.Seconds}},
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

// currencies are the currencies that CoinGecko quotes and that have a price in the market.
var currencies = []string{
	"btc", "eth", "ltc", "bch", "bnb", "eos", "xrp", "xlm", "link", "dot", "sol", "usd", "eur", "gbp", "ngn", "zar",
}

func respond(r *format.Request) format.Reply {
	query := r.URL.Query()
	key := r.Header.Get("X-Cg-Demo-Api-Key")
	switch {
	case key != "" && !strings.HasPrefix(key, "CG-"):
		return format.Answer(http.StatusUnauthorized, map[string]any{"status": map[string]any{
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
	made := r.Now.Truncate(time.Minute)
	prices := map[string]map[string]json.Number{}
	for id := range strings.SplitSeq(query.Get("ids"), ",") {
		code := coins[strings.TrimSpace(id)]
		if code == "" {
			continue
		}
		row := pricesOf(r, code, strings.Split(strings.ToLower(query.Get("vs_currencies")), ","), made)
		if query.Get("include_last_updated_at") == "true" {
			row["last_updated_at"] = json.Number(strconv.FormatInt(made.Unix(), 10))
		}
		prices[strings.TrimSpace(id)] = row
	}
	return format.Answer(http.StatusOK, prices)
}

func refuse(status int, text string) format.Reply {
	return format.Answer(status, map[string]string{"error": text})
}

// pricesOf returns a coin's price in every currency.
func pricesOf(r *format.Request, code string, vs []string, made time.Time) map[string]json.Number {
	row := map[string]json.Number{}
	for _, currency := range vs {
		currency = strings.TrimSpace(currency)
		pair := core.Pair{Base: code, Counter: strings.ToUpper(currency)}
		price, known := r.World.Market().Aggregate(pair, made)
		if pair.Base == pair.Counter {
			price, known = decimal.New(1, 0), true
		}
		if known && slices.Contains(currencies, currency) {
			row[currency] = json.Number(strings.TrimSuffix(string(format.Printed(price)), ".0"))
		}
	}
	return row
}
