package okx_test

import (
	"testing"
	"time"

	"causeway/adapters/providers/okx"
	"causeway/adapters/providers/providertest"
	"causeway/adapters/upstream"
	"causeway/core"
)

func spec() providertest.Rates {
	const ts = `"ts":"1795262400000","sodUtc0":"63676.8"`
	edited := func(part, by string) providertest.Response { return providertest.Edited("tickers.json", part, by) }
	s := providertest.Rates{
		Settings: okx.Descriptor.Settings(),
		URL:      "https://www.okx.com/api/v5/market/tickers",
		Good:     providertest.File(200, "tickers.json"),
		Listed: providertest.Quotes(
			"BTC/USDT 64010.1 64010.2",
			"ETH/USDT 3120.55 3120.56",
			"SHIB/USDT 0.00001234 0.000012345",
		),
		Requests: []string{"?instType=SPOT"}, // all tickers of the spot market in one request
		Limits:   []providertest.PollingLimit{{Fits: 2 * time.Second, TooOften: 100 * time.Millisecond}},
		Price:    [2]string{`"bidPx":`, `"64010.1"`},
		Unreadable: map[string]providertest.Response{
			"empty side":           providertest.File(200, "empty_side.json"),
			"no time":              providertest.File(200, "no_time.json"),
			"empty time":           edited(ts, `"ts":""`),
			"null time":            edited(ts, `"ts":null`),
			"time with a fraction": edited(ts, `"ts":"1795262400.000"`),
			"time of RFC 3339":     edited(ts, `"ts":"2026-11-21T12:00:00Z"`),
			"negative time":        edited(ts, `"ts":"-1795262400000"`),
			"time of zero":         edited(ts, `"ts":"0"`),
			"time of 19 digits":    edited(ts, `"ts":"1795262400000000000"`),
			"number as row":        edited(`{"instType":"SPOT","instId":"BTC-USDT",`, `7,{"instType":"SPOT","instId":"BTC_USDT",`),
			"number as name":       edited(`"BTC-USDT"`, `17`),
			"lower-case name":      edited(`"BTC-USDT"`, `"btc-usdt"`),
		},
		Broken: map[string]providertest.Response{
			"rate limit with 200":  providertest.File(200, "rate_limit.json"),
			"unavailable with 200": providertest.File(200, "unavailable.json"),
			"unavailable with 503": providertest.File(503, "unavailable.json"),
			"bad parameter":        providertest.File(400, "bad_parameter.json"),
			"no code":              providertest.Body(200, `{"data":[]}`),
			"number as code":       providertest.Body(200, `{"code":0,"msg":"","data":[]}`),
			"no data":              providertest.Body(200, `{"code":"0","msg":""}`),
			"object as data":       providertest.Body(200, `{"code":"0","msg":"","data":{}}`),
			"recorded block":       providertest.File(403, "cloudflare.html"),
			"recorded limit":       providertest.File(429, "cloudflare.html"),
			"recorded page":        providertest.File(200, "cloudflare.html"),
		},
		Throttled: providertest.Response{Status: 429, File: "rate_limit.json", Header: []string{"Retry-After", "2"}}, RetryAfter: 2 * time.Second,
		Cases: []providertest.RateCase{
			{Name: "none of our markets", Respond: providertest.File(200, "nothing.json")},
			{
				Name: "nothing is kept of an attempt that failed", Want: []string{"ETH/USDT "},
				Respond: providertest.File(502, "tickers.json"), Then: providertest.File(200, "empty_side.json"),
			},
			{
				Name: "seconds as recorded", Respond: providertest.File(200, "seconds.json"),
				Want: []string{"BTC/USDT 64010.1 64010.2 1970-01-21T", "ETH/USDT 3120.55 3120.56 2026-11-21T12:00:00Z"},
			},
		},
		Status: []providertest.Exception{{Contains: "/instruments", Respond: providertest.File(200, "instruments.json")}},
		Halted: map[string]providertest.Exception{
			"suspend": {Contains: "/instruments", Respond: providertest.Edited("instruments.json", `"instId":"BTC-USDT","baseCcy":"BTC","quoteCcy":"USDT","state":"live"`, `"instId":"BTC-USDT","baseCcy":"BTC","quoteCcy":"USDT","state":"suspend"`)},
			"preopen": {Contains: "/instruments", Respond: providertest.Edited("instruments.json", `"instId":"BTC-USDT","baseCcy":"BTC","quoteCcy":"USDT","state":"live"`, `"instId":"BTC-USDT","baseCcy":"BTC","quoteCcy":"USDT","state":"preopen"`)},
		},
		Simulated: &providertest.SimulatedRates{Unlisted: core.Pair{Base: "CNGN", Counter: "USD"}},
	}
	// Times are translated and never corrected: the price engine rejects them for their age.
	for by, want := range map[string]string{
		`"1795262400123"`: "2026-11-21T12:00:00.123Z", `1795262400123`: "2026-11-21T12:00:00.123Z",
		`"1795258800000"`: "2026-11-21T11:00:00Z", `"1795262400"`: "1970-01-21T18:41:02.4Z",
		`"1795262400000000"`: "58859-08-08T00:00:00Z",
	} {
		s.Cases = append(s.Cases, providertest.RateCase{
			Name: "time " + by, Respond: edited(`"1795262400000","sodUtc0":"63676.8"`, by), Markets: providertest.Pairs("BTC/USDT"),
			Want: []string{"BTC/USDT 64010.1 64010.2 " + want},
		})
	}
	for code, outcome := range map[string]upstream.Outcome{
		"50001": upstream.Unavailable, "50004": upstream.Unavailable, "50005": upstream.Unavailable, "50011": upstream.Throttled,
		"50013": upstream.Unavailable, "50026": upstream.Unavailable, "50030": upstream.Refused, "51000": upstream.Undecided,
		"51001": upstream.Unavailable, "59999": upstream.Unavailable, "": upstream.Unavailable,
	} {
		s.Cases = append(s.Cases, providertest.RateCase{
			Name: "code " + code, Outcome: outcome,
			Respond: providertest.Body(200, `{"code":"`+code+`","msg":"planted words","data":[]}`),
		})
	}
	return s
}

func TestRates(t *testing.T) { spec().Run(t) }

func FuzzRates(f *testing.F) { spec().Fuzz(f) }
