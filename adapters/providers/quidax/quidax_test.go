package quidax_test

import (
	"testing"
	"time"

	"causeway/adapters/providers/providertest"
	"causeway/adapters/providers/quidax"
	"causeway/adapters/upstream"
	"causeway/core"
)

func spec() providertest.Rates {
	const at = `"usdtngn": {"at": 1795262398`
	edited := func(part, by string) providertest.Response { return providertest.Edited("tickers.json", part, by) }
	return providertest.Rates{
		Settings: quidax.Descriptor.Settings(),
		URL:      "https://openapi.quidax.io/exchange-open-api/api/v1/markets/tickers",
		Good:     providertest.File(200, "tickers.json"),
		Listed: providertest.Quotes( // "buy" is the bid, "sell" the ask
			"USDT/NGN 1380.52 1382.74",
			"BTC/NGN 93756093 93906223.1",
			"USDT/GHS 10.7553 10.7726",
		),
		At:       time.Unix(1795262398, 0),
		Requests: []string{""}, // one for all markets, without a key
		Limits:   []providertest.PollingLimit{{Fits: 3 * time.Second, TooOften: time.Second}},
		Price:    [2]string{`"buy": `, `"1380.52"`},
		Unreadable: map[string]providertest.Response{
			"empty side":       edited(`"sell": "1382.74"`, `"sell": "0.0"`),
			"missing ticker":   edited(`"usdtngn": {`, `"usdtngn": {}, "usdtngnx": {`),
			"string as row":    edited(`"usdtngn": {`, `"usdtngn": "1380.52", "usdtngnx": {`),
			"null row":         edited(`"usdtngn": {`, `"usdtngn": null, "usdtngnx": {`),
			"date as time":     edited(at, `"usdtngn": {"at": "2026-11-21"`),
			"time of zero":     edited(at, `"usdtngn": {"at": 0`),
			"microsecond time": edited(at, `"usdtngn": {"at": 1795262398000000`),
		},
		Broken: map[string]providertest.Response{
			"error with 503":       providertest.File(503, "error.json"),
			"null data":            providertest.Body(200, `{"status":"success","message":"Successful","data":null}`),
			"list as data":         providertest.Body(200, `{"status":"success","message":"Successful","data":[]}`),
			"recorded page":        providertest.File(200, "cloudflare.html"),
			"recorded page of 522": providertest.File(522, "cloudflare.html"),
			"market given twice":   edited(`"dashngn"`, `"usdtngn"`),
		},
		Cases: []providertest.RateCase{
			{Name: "empty book", Respond: providertest.File(200, "tickers.json"), Markets: providertest.Pairs("DASH/NGN")},
			{
				Name: "one side empty", Respond: providertest.File(200, "one_side_empty.json"),
				Markets: providertest.Pairs("BTC/NGN USDT/NGN"), Want: []string{"BTC/NGN "},
			},
			{
				Name: "without time", Respond: providertest.File(200, "without_time.json"), Markets: providertest.Pairs("BTC/NGN"),
				Want: []string{"BTC/NGN 93756093 93906223.1 2026-11-21T12:00:00Z"},
			},
			{
				Name: "milliseconds stay in the far future", Respond: edited(at, `"usdtngn": {"at": 1795262398000`),
				Markets: providertest.Pairs("USDT/NGN"), Want: []string{"USDT/NGN 1380.52 1382.74 58859-08-07"},
			},
			{
				Name: "error with 200", Outcome: upstream.Unavailable,
				Respond: providertest.Body(200, `{"status":"error","message":"planted words"}`),
			},
			{Name: "recorded error with 200", Respond: providertest.File(200, "error.json"), Outcome: upstream.Unavailable},
			{Name: "no data", Respond: providertest.Body(200, `{"status":"success"}`), Outcome: upstream.Malformed},
			{Name: "not found", Respond: providertest.File(404, "not_found.json"), Outcome: upstream.Undecided},
		},
		Simulated: &providertest.SimulatedRates{Unlisted: core.Pair{Base: "DASH", Counter: "NGN"}}, // listed, with an empty book
	}
}

func TestRates(t *testing.T) { spec().Run(t) }

func FuzzRates(f *testing.F) { spec().Fuzz(f) }
