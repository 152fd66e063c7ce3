package exchangerateapi_test

import (
	"testing"
	"time"

	"github.com/shopspring/decimal"

	"causeway/adapters/providers/exchangerateapi"
	"causeway/adapters/providers/providertest"
	"causeway/adapters/upstream"
	"causeway/core"
)

var (
	made     = time.Unix(1795219352, 0)
	midnight = time.Date(2026, time.November, 21, 0, 0, 1, 0, time.UTC) // when the simulated list is made
)

func spec() providertest.Rates {
	const (
		stamp = `"time_last_update_unix": 1795219352`
		head  = `{"result":"success","base_code":"USD",` + stamp
	)
	edited := func(part, by string) providertest.Response { return providertest.Edited("latest.json", part, by) }
	return providertest.Rates{
		Settings: exchangerateapi.Descriptor.Settings(),
		URL:      "https://open.er-api.com/v6/latest/USD",
		Good:     providertest.File(200, "latest.json"),
		Listed: providertest.Quotes(
			"USD/GHS 15.810258 15.810258",
			"USD/UGX 3714.498351 3714.498351",
			"USD/KES 128.781632 128.781632",
		),
		Unlisted: core.Pair{Base: "USD", Counter: "ZZZ"},
		At:       made,
		Requests: []string{""}, // all rates in one request
		Limits:   []providertest.PollingLimit{{Markets: 10, Fits: time.Hour, TooOften: 50 * time.Minute}},
		Price:    [2]string{`"GHS": `, "15.810258"},
		Broken: map[string]providertest.Response{
			"no result":         edited(`"result": "success",`, ``),
			"another base":      edited(`"base_code": "USD"`, `"base_code": "EUR"`),
			"no base":           edited(`"base_code": "USD",`, ``),
			"no time":           edited(stamp+`,`, ``),
			"milliseconds":      edited(stamp, stamp+"000"),
			"date as time":      edited(stamp, `"time_last_update_unix": "2026-11-21"`),
			"negative time":     edited(stamp, `"time_last_update_unix": -5`),
			"list of rates":     providertest.Body(200, head+`,"rates":[]}`),
			"no rates":          providertest.Body(200, head+`}`),
			"rates with a key":  edited(`"rates"`, `"conversion_rates"`),
			"another currency":  providertest.File(404, "unsupported_code.json"),
			"time of the parts": edited(stamp, `"time_last_update_unix": {}`),
		},
		Throttled:  providertest.Body(429, ``, "Retry-After", "1200"),
		RetryAfter: 20 * time.Minute,
		Cases: []providertest.RateCase{
			{
				Name: "cross rates", Respond: providertest.File(200, "latest.json"),
				Markets: providertest.Pairs("EUR/XOF UGX/USD USD/USD EUR/ZZZ ZZZ/EUR"),
				Want:    []string{"EUR/XOF 655.956897200982 655.956897200982 2026-11-21T00:02:32Z", "UGX/USD 0.000269215357 "},
			},
			{
				Name: "the base alone needs no request", Respond: providertest.File(200, "latest.json"),
				Markets: []core.Pair{{Base: "USD", Counter: "USD"}}, Queries: []string{}, Outcomes: []string{},
			},
			{Name: "error", Respond: providertest.File(200, "unsupported_code.json"), Outcome: upstream.Unavailable},
		},
		FuzzStatus: 429,
		Simulated: &providertest.SimulatedRates{
			Unlisted: core.Pair{Base: "USD", Counter: "XTS"},
			Quotes:   providertest.Official(midnight, func(rate decimal.Decimal) decimal.Decimal { return rate.Round(6) }),
			At:       midnight,
		},
	}
}

func TestRates(t *testing.T) { spec().Run(t) }

func FuzzRates(f *testing.F) { spec().Fuzz(f) }
