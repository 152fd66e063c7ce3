package luno_test

import (
	"testing"
	"time"

	"causeway/adapters/providers/luno"
	"causeway/adapters/providers/providertest"
	"causeway/adapters/upstream"
	"causeway/core"
)

func spec() providertest.Rates {
	const at, status = `"pair":"USDTNGN","timestamp":1795262400000`, `"215441.51","status":"ACTIVE"`
	edited := func(part, by string) providertest.Response { return providertest.Edited("tickers.json", part, by) }
	timed := func(text string) providertest.Response { return edited(at, `"pair":"USDTNGN","timestamp":`+text) }
	return providertest.Rates{
		Settings: luno.Descriptor.Settings(),
		URL:      "https://api.luno.com/api/1/tickers",
		Good:     providertest.File(200, "tickers.json"),
		Listed: providertest.Quotes(
			"USDT/NGN 1381.2 1382.4",
			"BTC/NGN 88420100 88511999",
			"BTC/ZAR 1057793 1057994",
		),
		Requests: []string{""}, // all tickers in one request
		Limits:   []providertest.PollingLimit{{Fits: 3 * time.Second, TooOften: time.Second}},
		Price:    [2]string{`"bid":`, `"1381.20"`},
		Unreadable: map[string]providertest.Response{
			"missing time":         edited(at, `"pair":"USDTNGN"`),
			"text as time":         timed(`"2026-11-21T12:00:00Z"`),
			"time of zero":         timed(`0`),
			"time in microseconds": timed(`1795262400000000`),
			"number as name":       edited(`"pair":"USDTNGN"`, `"pair":7`),
			"post-only market":     edited(status, `"215441.51","status":"POSTONLY"`),
			"disabled market":      edited(status, `"215441.51","status":"DISABLED"`),
			"string as row":        edited(`{"pair":"USDTNGN"`, `"USDTNGN",{"pair":"USDTNGNX"`),
		},
		Broken: map[string]providertest.Response{
			"null tickers": providertest.Body(200, `{"tickers":null}`),
			"error object": providertest.File(200, "maintenance.json"),
			"maintenance":  providertest.File(503, "maintenance.json"),
		},
		Throttled: providertest.Response{Status: 429, File: "rate_limit.json", Header: []string{"Retry-After", "30"}}, RetryAfter: 30 * time.Second,
		Cases: []providertest.RateCase{
			{
				Name: "no status", Respond: edited(status, `"215441.51"`), Markets: providertest.Pairs("USDT/NGN"),
				Want: []string{"USDT/NGN 1381.2 1382.4 2026-11-21T12:00:00Z"},
			},
			{
				Name: "time in seconds", Respond: timed(`1795262400`), Markets: providertest.Pairs("USDT/NGN"),
				Want: []string{"USDT/NGN 1381.2 1382.4 1970-01-21T"},
			},
			{Name: "post-only pair", Respond: providertest.File(200, "tickers.json"), Markets: providertest.Pairs("ETH/BTC")},
			{Name: "unknown pair", Respond: providertest.File(400, "unknown_pair.json"), Outcome: upstream.Undecided},
		},
		Simulated: &providertest.SimulatedRates{Unlisted: core.Pair{Base: "BTC", Counter: "USD"}},
	}
}

func TestRates(t *testing.T) { spec().Run(t) }

func FuzzRates(f *testing.F) { spec().Fuzz(f) }
