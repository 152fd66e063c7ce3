package bybit_test

import (
	"testing"
	"time"

	"causeway/adapters/providers/bybit"
	"causeway/adapters/providers/providertest"
	"causeway/adapters/upstream"
	"causeway/core"
)

func spec() providertest.Rates {
	const at = `"time":1795262400000`
	edited := func(part, by string) providertest.Response { return providertest.Edited("tickers.json", part, by) }
	s := providertest.Rates{
		Settings: bybit.Descriptor.Settings(),
		URL:      "https://api.bybit.com/v5/market/tickers",
		Good:     providertest.File(200, "tickers.json"),
		Listed: providertest.Quotes(
			"BTC/USDT 64010.01 64010.02",
			"ETH/USDT 3120.55 3120.56",
			"SHIB/USDT 0.00001234 0.000012345",
		),
		Requests: []string{"?category=spot"}, // all tickers of the spot market in one request
		Limits:   []providertest.PollingLimit{{Fits: 2 * time.Second, TooOften: 10 * time.Millisecond}},
		Price:    [2]string{`"bid1Price":`, `"64010.01"`},
		Unreadable: map[string]providertest.Response{
			"empty side":      providertest.File(200, "empty_side.json"),
			"missing side":    providertest.File(200, "missing_side.json"),
			"number as row":   edited(`{"symbol":"BTCUSDT",`, `7,{"symbol":"BTC-USDT",`),
			"number as name":  edited(`"BTCUSDT"`, `17`),
			"lower-case name": edited(`"BTCUSDT"`, `"btcusdt"`),
		},
		Broken: map[string]providertest.Response{
			"rate limit with 200": providertest.File(200, "rate_limit.json"),
			"rate limit with 429": providertest.File(429, "rate_limit.json"),
			"bad parameter":       providertest.File(200, "bad_parameter.json"),
			"another category":    providertest.File(200, "another_category.json"),
			"no time":             providertest.File(200, "no_time.json"),
			"null time":           edited(at, `"time":null`),
			"empty time":          edited(at, `"time":""`),
			"negative time":       edited(at, `"time":-1795262400000`),
			"time of zero":        edited(at, `"time":0`),
			"fraction of a time":  edited(at, `"time":1795262400.5`),
			"time with exponent":  edited(at, `"time":1.795e12`),
			"no code":             providertest.Body(200, `{"result":{"category":"spot","list":[]},"time":1795262400000}`),
			"string as code":      providertest.Body(200, `{"retCode":"0","retMsg":"OK","result":{"category":"spot","list":[]},"time":1795262400000}`),
			"no list":             providertest.Body(200, `{"retCode":0,"retMsg":"OK","result":{"category":"spot"},"time":1795262400000}`),
			"null result":         providertest.Body(200, `{"retCode":0,"retMsg":"OK","result":null,"time":1795262400000}`),
			"recorded page":       providertest.File(200, "blocked_country.html"),
		},
		Throttled: providertest.File(403, "too_frequent.txt"), RetryAfter: 10 * time.Minute, // stated by the documentation alone
		Cases: []providertest.RateCase{
			{
				Name: "nothing is kept of an attempt that failed", Want: []string{"ETH/USDT "},
				Respond: providertest.File(502, "tickers.json"), Then: providertest.File(200, "empty_side.json"),
			},
			{Name: "seconds as recorded", Respond: providertest.File(200, "seconds.json"), Want: []string{"BTC/USDT 64010.01 64010.02 1970-"}},
			{
				Name: "locked out, in capitals, for no less than ten minutes", Outcome: upstream.Throttled, RetryAfter: 10 * time.Minute,
				Respond: providertest.Body(403, "Access Too Frequent", "Retry-After", "300"),
			},
			{Name: "blocked country with 403", Respond: providertest.File(403, "blocked_country.html"), Outcome: upstream.Refused},
		},
		Status: []providertest.Exception{{Contains: "/instruments-info", Respond: providertest.File(200, "instruments_info.json")}},
		Halted: map[string]providertest.Exception{
			"pre-launch": {Contains: "/instruments-info", Respond: providertest.Edited("instruments_info.json", `"symbol":"BTCUSDT","baseCoin":"BTC","quoteCoin":"USDT","innovation":"0","status":"Trading"`, `"symbol":"BTCUSDT","baseCoin":"BTC","quoteCoin":"USDT","innovation":"0","status":"PreLaunch"`)},
			"unlisted":   {Contains: "/instruments-info", Respond: providertest.Edited("instruments_info.json", `"symbol":"BTCUSDT"`, `"symbol":"BTCUSDC"`)},
		},
		Simulated: &providertest.SimulatedRates{Unlisted: core.Pair{Base: "CNGN", Counter: "USD"}},
	}
	// Times are translated and never corrected: the price engine rejects them for their age.
	for by, want := range map[string]string{
		`1795262400123`: "2026-11-21T12:00:00.123Z", `"1795262400123"`: "2026-11-21T12:00:00.123Z",
		`1795258800000`: "2026-11-21T11:00:00Z", `1795262400`: "1970-01-21T18:41:02.4Z",
		`1795262400000000`: "58859-08-08T00:00:00Z",
	} {
		s.Cases = append(s.Cases, providertest.RateCase{
			Name: "time " + by, Respond: edited(at, `"time":`+by),
			Want: []string{"BTC/USDT 64010.01 64010.02 " + want, "ETH/USDT 3120.55 3120.56 " + want, "SHIB/USDT 0.00001234 0.000012345 " + want},
		})
	}
	for code, outcome := range map[string]upstream.Outcome{
		"10000": upstream.Unavailable, "10001": upstream.Undecided, "10005": upstream.Refused, "10006": upstream.Throttled,
		"10009": upstream.Refused, "10016": upstream.Unavailable, "10018": upstream.Throttled, "10024": upstream.Refused,
		"10404": upstream.Unavailable, "99999": upstream.Unavailable, "-1": upstream.Unavailable,
	} {
		s.Cases = append(s.Cases, providertest.RateCase{
			Name: "code " + code, Outcome: outcome,
			Respond: providertest.Body(200, `{"retCode":`+code+`,"retMsg":"planted words","result":{},"time":1795262400000}`),
		})
	}
	return s
}

func TestRates(t *testing.T) { spec().Run(t) }

func FuzzRates(f *testing.F) { spec().Fuzz(f) }
