package gemini_test

import (
	"testing"
	"time"

	"causeway/adapters/providers/gemini"
	"causeway/adapters/providers/providertest"
	"causeway/adapters/upstream"
	"causeway/core"
)

func spec() providertest.Rates {
	return providertest.Rates{
		Settings: gemini.Descriptor.Settings(),
		URL:      "https://api.gemini.com/v1/pubticker/",
		Good:     providertest.File(200, "btcusd.json"), First: "btcusd",
		Except: []providertest.Exception{
			{Contains: "usdcusd", Respond: providertest.File(200, "usdcusd.json")},
			{Contains: "shellngn", Respond: providertest.File(400, "invalid_symbol.json")},
		},
		Listed: providertest.Quotes(
			"BTC/USD 64006.11 64011.2",
			"USDC/USD 0.99971 0.99979",
		),
		Requests: []string{"btcusd", "usdcusd", "shellngn"},
		Limits:   []providertest.PollingLimit{{Fits: 4 * time.Second, TooOften: 2 * time.Second, Markets: 4}},
		Price:    [2]string{`"bid":`, `"64006.11"`},
		Broken: map[string]providertest.Response{
			"maintenance": providertest.File(503, "maintenance.json"),
			"not found":   providertest.Body(404, ``),
		},
		Throttled: providertest.Response{Status: 429, File: "rate_limit.json", Header: []string{"Retry-After", "30"}}, RetryAfter: 30 * time.Second,
		Cases: []providertest.RateCase{
			{
				Name: "failure after the first market", Want: []string{"BTC/USD 64006.11 64011.2 2026-11-21T12:00:00Z"},
				Respond: providertest.File(200, "btcusd.json"), Then: providertest.File(503, "maintenance.json"),
				Outcomes: []string{"ticker ok", "ticker unavailable"},
			},
			{Name: "other reason", Respond: providertest.Body(400, `{"reason":"Bad"}`), Markets: providertest.Pairs("BTC/USD"), Outcome: upstream.Undecided},
			{Name: "symbol that is no path", Respond: providertest.File(200, "btcusd.json"), Markets: []core.Pair{{Base: "..", Counter: "/x"}}, Outcomes: []string{}},
		},
		Status: []providertest.Exception{{Contains: "/details/all", Respond: providertest.File(200, "symbols_details.json")}},
		Halted: map[string]providertest.Exception{
			"closed":      {Contains: "/details/all", Respond: providertest.Edited("symbols_details.json", `"open"`, `"closed"`)},
			"cancel_only": {Contains: "/details/all", Respond: providertest.Edited("symbols_details.json", `"open"`, `"cancel_only"`)},
			"post_only":   {Contains: "/details/all", Respond: providertest.Edited("symbols_details.json", `"open"`, `"post_only"`)},
		},
		Simulated: &providertest.SimulatedRates{Unlisted: core.Pair{Base: "ADA", Counter: "USD"}},
	}
}

func TestRates(t *testing.T) { spec().Run(t) }

func FuzzRates(f *testing.F) { spec().Fuzz(f) }
