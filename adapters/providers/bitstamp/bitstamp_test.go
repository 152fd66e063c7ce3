package bitstamp_test

import (
	"testing"
	"time"

	"causeway/adapters/providers/bitstamp"
	"causeway/adapters/providers/providertest"
	"causeway/adapters/upstream"
	"causeway/core"
)

func spec() providertest.Rates {
	const at = `{"timestamp": "1795262400", "open": "63600"`
	edited := func(part, by string) providertest.Response { return providertest.Edited("tickers.json", part, by) }
	timed := func(text string) providertest.Response { return edited(at, `{"timestamp": `+text+`, "open": "63600"`) }
	return providertest.Rates{
		Settings: bitstamp.Descriptor.Settings(),
		URL:      "https://www.bitstamp.net/api/v2/ticker/",
		Good:     providertest.File(200, "tickers.json"),
		Listed: providertest.Quotes(
			"BTC/USD 64006 64011",
			"USDT/USD 0.99957 0.99962",
			"EUR/USD 1.1699 1.17004",
		),
		Requests: []string{""}, // all tickers in one request
		Limits:   []providertest.PollingLimit{{Fits: 2 * time.Second, TooOften: 50 * time.Millisecond}},
		Price:    [2]string{`"bid": `, `"64006"`},
		Unreadable: map[string]providertest.Response{
			"missing time":         edited(`"timestamp": "1795262400", "open": "63600"`, `"open": "63600"`),
			"empty time":           timed(`""`),
			"negative time":        timed(`"-1795262400"`),
			"time in milliseconds": timed(`"1795262400000"`),
			"time of RFC 3339":     timed(`"2026-11-21T12:00:00Z"`),
			"number as name":       edited(`"pair": "BTC/USD", `, `"pair": 17, `),
			"name without slash":   edited(`"pair": "BTC/USD", `, `"pair": "BTCUSD", `),
			"number as row":        edited(`"pair": "BTC/USD", "market": "BTC/USD", "market_type": "SPOT"},`, `"market": "BTC/USD"},7,`),
		},
		Broken: map[string]providertest.Response{
			"object":        providertest.Body(200, `{}`),
			"recorded page": providertest.File(520, "cloudflare.html"),
			"page with 200": providertest.File(200, "cloudflare.html"),
		},
		Valid: []string{"bad input: empty list"},
		Cases: []providertest.RateCase{
			{
				Name: "time as a number", Respond: timed(`1795262399`), Markets: providertest.Pairs("BTC/USD"),
				Want: []string{"BTC/USD 64006 64011 2026-11-21T11:59:59Z"},
			},
			{Name: "no tickers", Respond: providertest.Body(200, `[]`)},
			{Name: "limit exceeded", Respond: providertest.File(400, "rate_limit.json"), Outcome: upstream.Throttled},
			{Name: "other code", Respond: providertest.Body(400, `{"response_code":"400.001"}`), Outcome: upstream.Undecided},
			{Name: "not found", Respond: providertest.File(404, "not_found.json"), Outcome: upstream.Undecided},
		},
		Status: []providertest.Exception{{Contains: "/markets/", Respond: providertest.File(200, "markets.json")}},
		Halted: map[string]providertest.Exception{
			"disabled": {Contains: "/markets/", Respond: providertest.Edited("markets.json", `"name":"BTC/USD","market_symbol":"btcusd","base_currency":"BTC","counter_currency":"USD","trading":"Enabled"`, `"name":"BTC/USD","market_symbol":"btcusd","base_currency":"BTC","counter_currency":"USD","trading":"Disabled"`)},
			"unlisted": {Contains: "/markets/", Respond: providertest.Edited("markets.json", `"name":"BTC/USD"`, `"name":"BTC/PAX"`)},
		},
		Simulated: &providertest.SimulatedRates{Unlisted: core.Pair{Base: "TRX", Counter: "USD"}},
	}
}

func TestRates(t *testing.T) { spec().Run(t) }

func FuzzRates(f *testing.F) { spec().Fuzz(f) }
