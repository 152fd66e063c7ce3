package coingecko_test

import (
	"strings"
	"testing"
	"time"

	"causeway/adapters/providers/coingecko"
	"causeway/adapters/providers/providertest"
	"causeway/adapters/upstream"
	"causeway/core"
	"causeway/simulator/wire/wiretest"
	"causeway/simulator/world"
)

const (
	base = "https://api.coingecko.com/api/v3/simple/price"
	pro  = "https://pro-api.coingecko.com"
	key  = "CG-f00dfeed0123456789abcdef"
)

func spec() providertest.Rates {
	const (
		row   = `"tether": {"usd": 1.00055318951172, "ngn": 1371.34167968333, "last_updated_at": 1795262370}`
		query = "?ids=bitcoin%2Cshiba-inu%2Ctether%2Cthe-open-network&include_last_updated_at=true&precision=full&vs_currencies=ngn%2Cusd"
	)
	all := []string{"USDT/USD ", "BTC/USD ", "SHIB/USD ", "TON/USD ", "USDT/NGN "}
	good := providertest.File(200, "simple_price.json")
	edited := func(part, by string) providertest.Response { return providertest.Edited("simple_price.json", part, by) }
	return providertest.Rates{
		Settings: &coingecko.Config{},
		Rejected: []providertest.BadSettings{
			{Settings: &coingecko.Config{BaseURL: "https://api.coingecko.com?x_cg_demo_api_key=" + key}, Error: "coingecko: "},
			{Settings: &coingecko.Config{APIKey: key + "\n"}, Error: "coingecko: "},
		},
		Secrets: []string{key},
		URL:     base, Good: good,
		Listed: providertest.Quotes(
			"USDT/USD 1.00055318951172 1.00055318951172",
			"BTC/USD 67963.629027452 67963.629027452",
			"SHIB/USD 0.0000063206849647289 0.0000063206849647289",
			"TON/USD 1 1",
			"USDT/NGN 1371.34167968333 1371.34167968333",
		),
		Unlisted: core.Pair{Base: "SHELL", Counter: "USD"},
		Limits: []providertest.PollingLimit{
			{Markets: 100, Fits: time.Minute, TooOften: 6 * time.Second}, // without a key
			{
				Settings: &coingecko.Config{APIKey: key}, Markets: 100, Fits: 6 * time.Minute, TooOften: time.Minute,
			},
			{
				Settings: &coingecko.Config{APIKey: key, BaseURL: pro}, Markets: 100, Fits: 3 * time.Second,
				TooOften: time.Second,
			},
		},
		At:       time.Unix(1795262370, 0),
		Requests: []string{query}, // all coins in all currencies, each once, by the ids of CoinGecko
		Price:    [2]string{`"usd": `, "1.00055318951172"},
		Unreadable: map[string]providertest.Response{
			"no such coin":         edited(row, `"tether-gold": {"usd": 4100.5}`),
			"empty coin":           edited(row, `"tether": {}`),
			"null coin":            edited(row, `"tether": null`),
			"string as coin":       edited(row, `"tether": "1.0005"`),
			"no time":              edited(row, `"tether": {"usd": 1.00055318951172}`),
			"null time":            edited(row, `"tether": {"usd": 1.00055318951172, "last_updated_at": null}`),
			"date as time":         edited(row, `"tether": {"usd": 1.00055318951172, "last_updated_at": "2026-11-21"}`),
			"time of zero":         edited(row, `"tether": {"usd": 1.00055318951172, "last_updated_at": 0}`),
			"time in microseconds": edited(row, `"tether": {"usd": 1.00055318951172, "last_updated_at": 1795262370000000}`),
		},
		Broken: map[string]providertest.Response{
			"plan that lacks it":     providertest.File(401, "plan_restricted.json"),
			"firewall":               providertest.Body(403, `error code: 1020`),
			"error with 200":         providertest.File(200, "missing_parameter.json"),
			"unknown code with 200":  providertest.Body(200, `{"status":{"error_code":10999,"error_message":"of today"}}`),
			"coin given twice":       edited(`"bitcoin"`, `"tether"`),
			"error as a text member": providertest.Body(200, `{"error":"planted words"}`),
		},
		Valid:      []string{"bad input: object of another shape"}, // an unknown coin
		Throttled:  providertest.Response{Status: 429, File: "rate_limit.json", Header: []string{"Retry-After", "60"}},
		RetryAfter: time.Minute,
		Cases: []providertest.RateCase{
			// Each host refuses the key of the other one.
			{
				Name: "no key", Respond: good, Want: all, Queries: []string{query},
				Header: map[string]string{"X-Cg-Demo-Api-Key": "", "X-Cg-Pro-Api-Key": ""},
			},
			{
				Name: "free plan", Settings: &coingecko.Config{APIKey: key}, Respond: good, Want: all, Queries: []string{query},
				Header: map[string]string{"X-Cg-Demo-Api-Key": key, "X-Cg-Pro-Api-Key": ""},
			},
			{
				Name: "paid plan", Settings: &coingecko.Config{APIKey: key, BaseURL: pro}, URL: pro + "/api/v3/simple/price",
				Respond: good, Want: all, Queries: []string{query},
				Header: map[string]string{"X-Cg-Demo-Api-Key": "", "X-Cg-Pro-Api-Key": key},
			},
			{Name: "in the order given", Respond: good, Markets: providertest.Pairs("USDT/NGN TON/USD SHIB/USD BTC/USD USDT/USD"), Want: []string{"USDT/NGN ", "TON/USD ", "SHIB/USD ", "BTC/USD ", "USDT/USD "}},
			{Name: "requested markets only", Respond: good, Markets: providertest.Pairs("USDT/USD BTC/NGN"), Want: []string{"USDT/USD ", "BTC/NGN "}},
			{
				Name: "unknown markets need no request", Respond: good, Queries: []string{}, Outcomes: []string{},
				Markets: providertest.Pairs("SHELL/USD USD/NGN BTC/USDT USDT/GHS BTC/BTC CNGN/NGN"),
			},
			{
				Name:    "the coin status is not an error",
				Respond: edited(`"bitcoin":`, `"status": {"usd": 0.0102}, "bitcoin":`),
				Want:    all,
			},
			{
				Name:    "milliseconds stay in the far future",
				Respond: providertest.Body(200, `{"tether":{"usd":1.0005,"last_updated_at":1795262370000}}`),
				Markets: providertest.Pairs("USDT/USD"), Want: []string{"USDT/USD 1.0005 1.0005 58859-08-07"},
			},
			{Name: "rate limit with 200", Respond: providertest.File(200, "rate_limit.json"), Outcome: upstream.Throttled},
			{Name: "missing key", Respond: providertest.File(401, "key_missing.json"), Outcome: upstream.Refused},
			{Name: "plan that lacks it with 400", Respond: providertest.File(400, "plan_restricted.json"), Outcome: upstream.Refused},
			{Name: "paid key at the free host", Respond: providertest.File(400, "paid_key_at_free_host.json"), Outcome: upstream.Refused},
			{Name: "free key at the paid host", Respond: providertest.File(400, "free_key_at_paid_host.json"), Outcome: upstream.Refused},
			{Name: "missing parameter", Respond: providertest.File(422, "missing_parameter.json"), Outcome: upstream.Undecided},
		},
		FuzzStatus: 429,
		Simulated: &providertest.SimulatedRates{
			Unlisted: core.Pair{Base: "CNGN", Counter: "USD"}, Quotes: simulatedQuotes,
			Rejected: &coingecko.Config{APIKey: "nonsense"},
		},
	}
}

// simulatedQuotes returns the prices of all coins in dollars, and some in other currencies.
func simulatedQuotes(w *world.World) []providertest.Quote {
	pairs := providertest.Pairs("USDT/USD USDT/NGN ETH/EUR USDC/GBP ETH/BTC SOL/ZAR")
	for code := range strings.FieldsSeq(`AAVE ADA ALGO APT ARB ATOM AVAX BCH BNB BTC DAI DOGE DOT EOS ETC ETH EURC FIL
		HBAR ICP INJ LINK LTC NEAR OP POL PYUSD SHIB SOL SUI TON TRX UNI USDC VET XLM XRP XTZ`) {
		pairs = append(pairs, core.Pair{Base: code, Counter: "USD"})
	}
	quotes := make([]providertest.Quote, len(pairs))
	for i, pair := range pairs {
		price, _ := w.Market().Aggregate(pair, wiretest.Noon())
		quotes[i] = providertest.Quote{Pair: pair, Bid: price.String(), Ask: price.String()}
	}
	return quotes
}

func TestRates(t *testing.T) { spec().Run(t) }

func FuzzRates(f *testing.F) { spec().Fuzz(f) }
