package paycrest_test

import (
	"testing"
	"time"

	"causeway/adapters/providers/paycrest"
	"causeway/adapters/providers/providertest"
	"causeway/adapters/upstream"
	"causeway/core"
)

func spec() providertest.Rates {
	kes := providertest.Pairs("USDT/KES")
	return providertest.Rates{
		Settings: paycrest.Descriptor.Settings(),
		URL:      "https://api.paycrest.io/v2/rates/base/",
		Good:     providertest.File(200, "usdtkes.json"), First: "/KES",
		Except: []providertest.Exception{
			{Contains: "/NGN", Respond: providertest.File(200, "usdtngn.json")},
			{Contains: "/GHS", Respond: providertest.File(400, "unsupported.json")},
		},
		Listed: providertest.Quotes(
			"USDT/KES 129.85 131.4",
			"USDT/NGN 1363.05 1381.25",
		),
		Unlisted: core.Pair{Base: "USDT", Counter: "GHS"},
		Requests: []string{"USDT/100/KES", "USDT/100/NGN", "USDT/100/GHS"},
		Limits:   []providertest.PollingLimit{{Fits: time.Second, Markets: 10}},
		Price:    [2]string{`"sell":{"rate":`, `"129.85"`},
		Unreadable: map[string]providertest.Response{
			"sell side alone": providertest.File(200, "sell_only.json"),
			"no dealer":       providertest.File(404, "no_dealer.json"),
			"empty data":      providertest.Body(200, `{"status":"success","data":{}}`),
		},
		Broken: map[string]providertest.Response{
			"rate of v1":       providertest.Body(200, `{"status":"success","data":"129.85"}`),
			"error with 200":   providertest.File(200, "unsupported.json"),
			"network issue":    providertest.File(503, "network_issue.json"),
			"unknown path":     providertest.Body(404, `404 page not found`),
			"404 of a route":   providertest.Body(404, `{"status":"error","message":"route"}`),
			"400 of a request": providertest.Body(400, `{"status":"error","message":"Invalid amount","data":null}`),
		},
		Cases: []providertest.RateCase{
			{
				Name: "failure after the first market", Want: []string{"USDT/KES 129.85 131.4 2026-11-21T12:00:00Z"},
				Respond: providertest.File(200, "usdtkes.json"), Then: providertest.File(503, "network_issue.json"),
				Outcomes: []string{"rates ok", "rates unavailable"},
			},
			{
				Name: "no dealer", Respond: providertest.File(404, "no_dealer.json"), Markets: kes,
				Outcomes: []string{"rates not_found"},
			},
			{
				Name: "invalid amount", Respond: providertest.Body(400, `{"status":"error","message":"Invalid amount"}`),
				Markets: kes, Outcome: upstream.Undecided,
			},
			{
				Name: "code that is no path", Respond: providertest.File(200, "usdtkes.json"),
				Markets: []core.Pair{{Base: "..", Counter: "KES"}}, Outcomes: []string{},
			},
		},
		Simulated: &providertest.SimulatedRates{Unlisted: core.Pair{Base: "USDT", Counter: "GHS"}},
	}
}

func TestRates(t *testing.T) { spec().Run(t) }

func FuzzRates(f *testing.F) { spec().Fuzz(f) }
