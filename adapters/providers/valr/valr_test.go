package valr_test

import (
	"testing"
	"time"

	"causeway/adapters/providers/providertest"
	"causeway/adapters/providers/valr"
	"causeway/adapters/upstream"
	"causeway/core"
)

func spec() providertest.Rates {
	const at = `"lowPrice":"1011305","created":"2026-11-21T12:00:00.000Z"`
	edited := func(part, by string) providertest.Response {
		return providertest.Edited("marketsummary.json", part, by)
	}
	timed := func(text string) providertest.Response { return edited(at, `"lowPrice":"1011305","created":`+text) }
	return providertest.Rates{
		Settings: valr.Descriptor.Settings(),
		URL:      "https://api.valr.com/v1/public/marketsummary",
		Good:     providertest.File(200, "marketsummary.json"),
		Listed: providertest.Quotes(
			"BTC/ZAR 1041749 1042384",
			"USDT/ZAR 16.552 16.561",
			"BTC/USDC 67120 67162",
		),
		Unlisted: core.Pair{Base: "BTC", Counter: "USDT"}, // a perpetual contract alone
		Requests: []string{""},                            // all summaries in one request
		Limits:   []providertest.PollingLimit{{Fits: 3 * time.Second, TooOften: 2 * time.Second}},
		Price:    [2]string{`"bidPrice":`, `"1041749"`},
		Unreadable: map[string]providertest.Response{
			"missing time":   edited(at, `"lowPrice":"1011305"`),
			"null time":      timed(`null`),
			"number as time": timed(`1795262400`),
			"date as time":   timed(`"2026-11-21"`),
			"number as name": edited(`"BTCZAR"`, `7`),
			"string as row":  edited(`{"currencyPair":"BTCZAR"`, `"BTCZAR",{"currencyPair":"BTCZARX"`),
			"null row":       edited(`{"currencyPair":"BTCZAR"`, `null,{"currencyPair":"BTCZARX"`),
		},
		Broken: map[string]providertest.Response{
			"one summary":  providertest.Body(200, `{"currencyPair":"BTCZAR","askPrice":"2","bidPrice":"1"}`),
			"error object": providertest.File(200, "rate_limit.json"),
		},
		Valid:      []string{"bad input: empty list"},
		Throttled:  providertest.Response{Status: 429, File: "rate_limit.json", Header: []string{"Retry-After", "30"}},
		RetryAfter: 30 * time.Second,
		Cases: []providertest.RateCase{
			{
				Name: "time in South Africa", Respond: timed(`"2026-11-21T14:00:01+02:00"`), Markets: providertest.Pairs("BTC/ZAR"),
				Want: []string{"BTC/ZAR 1041749 1042384 2026-11-21T12:00:01Z"},
			},
			{Name: "not found", Respond: providertest.Body(404, ``), Outcome: upstream.Undecided},
		},
		Status: []providertest.Exception{{Contains: "/public/status", Respond: providertest.File(200, "status.json")}, {Contains: "/public/pairs", Respond: providertest.File(200, "pairs.json")}},
		Halted: map[string]providertest.Exception{
			"inactive":  {Contains: "/public/pairs", Respond: providertest.Edited("pairs.json", `"shortName":"BTC/ZAR","active":true`, `"shortName":"BTC/ZAR","active":false`)},
			"read-only": {Contains: "/public/status", Respond: providertest.Body(200, `{"status":"read-only"}`)},
		},
		Simulated: &providertest.SimulatedRates{Unlisted: core.Pair{Base: "BTC", Counter: "USD"}},
	}
}

func TestRates(t *testing.T) { spec().Run(t) }

func FuzzRates(f *testing.F) { spec().Fuzz(f) }
