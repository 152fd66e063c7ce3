package busha_test

import (
	"testing"
	"time"

	"causeway/adapters/providers/busha"
	"causeway/adapters/providers/providertest"
	"causeway/adapters/upstream"
	"causeway/core"
)

func rates() providertest.Rates {
	const (
		price  = `"sell_price": {"amount": "1364.26", "currency": "NGN"}`
		market = `"base": "USDT", "base_currency_name": "Tether USD", "counter": "NGN"`
		base   = `"id": "USDTNGN", "base": "USDT"`
		bought = price + ",\n      \"is_buy_supported\": true"
	)
	file, body := providertest.File, providertest.Body
	edited := func(part, by string) providertest.Response { return providertest.Edited("pairs.json", part, by) }
	return providertest.Rates{
		Settings: &busha.Config{},
		URL:      "https://api.busha.co/v1/pairs",
		Good:     file(200, "pairs.json"),
		// The words take the customer's point of view: "sell" is the bid.
		Listed: providertest.Quotes(
			"USDT/NGN 1364.26 1380.72",
			"BTC/NGN 88919802.32 93501695.36",
			"USDT/KES 128.02 130.81",
		),
		Unlisted: core.Pair{Base: "SHELL", Counter: "NGN"},
		Requests: []string{""}, // all pairs in one request, without a key
		Limits:   []providertest.PollingLimit{{Fits: 3 * time.Second, TooOften: 100 * time.Millisecond}},
		Price:    [2]string{`"amount": `, `"1364.26"`},
		Unreadable: map[string]providertest.Response{
			"no price":           edited(price+`,`, ``),
			"null price":         edited(price, `"sell_price": null`),
			"no currency":        edited(price, `"sell_price": {"amount": "1364.26"}`),
			"price in kobo":      edited(price, `"sell_price": {"amount": "136426", "currency": "NGk"}`),
			"another currency":   edited(price, `"sell_price": {"amount": "1364.26", "currency": "USDT"}`),
			"price as a number":  edited(price, `"sell_price": 1364.26`),
			"malformed time":     edited(market, `"base": "USDT", "updated_at": "yesterday", "counter": "NGN"`),
			"time as a number":   edited(market, `"base": "USDT", "updated_at": 1795262398, "counter": "NGN"`),
			"number as the base": edited(base, `"id": "USDTNGN", "base": 7`),
			"another base":       edited(base, `"id": "USDTNGN", "base": "TUSD"`),
			"halted":             edited(price, price+`, "status": "halted"`),
			"support as text":    edited(bought, price+`, "is_buy_supported": "yes"`),
		},
		Broken: map[string]providertest.Response{
			"error":            file(503, "error.json"),
			"error with 200":   file(200, "error.json"),
			"failure with 200": body(200, `{"status":"error","message":"planted words","data":[]}`),
			"rejected key":     body(401, `{"error":{"name":"unauthorized","message":"no"}}`),
			"not found":        body(404, `{"error":{"name":"not_found","message":"no"}}`),
			"null data":        body(200, `{"status":"success","data":null}`),
			"object as data":   body(200, `{"status":"success","data":{}}`),
		},
		Throttled: providertest.Response{
			Status: 429, Body: `{"error":{"name":"too_many_requests","message":"slow down"}}`, Header: []string{"Retry-After", "12"},
		},
		RetryAfter: 12 * time.Second,
		Cases: []providertest.RateCase{
			{
				Name:    "not on offer", // cannot be bought, cannot be sold, unknown, halted; the last one is fine
				Respond: file(200, "not_on_offer.json"),
				Markets: providertest.Pairs("BTC/NGN ETH/NGN XLM/NGN SOL/NGN USDT/NGN"),
				Want:    []string{"USDT/NGN 1364.26 1380.72 2026-11-21T11:59:58.25Z"},
			},
			{Name: "failure is an outage", Respond: body(200, `{"error":{"name":"x","message":"planted words"}}`), Outcome: upstream.Unavailable},
			{Name: "no data is malformed", Respond: body(200, `{"status":"success"}`), Outcome: upstream.Malformed},
			{Name: "bad request", Respond: body(400, `{"error":{"name":"bad_request","message":"planted words"}}`), Outcome: upstream.Undecided},
			{Name: "forbidden", Respond: body(403, `{"error":{"name":"forbidden","message":"planted words"}}`), Outcome: upstream.Refused},
		},
		Simulated: &providertest.SimulatedRates{Unlisted: core.Pair{Base: "USDT", Counter: "GHS"}},
	}
}

func TestRates(t *testing.T) { rates().Run(t) }

func FuzzRates(f *testing.F) { rates().Fuzz(f) }
