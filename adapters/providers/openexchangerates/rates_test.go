package openexchangerates_test

import (
	"testing"
	"time"

	"github.com/shopspring/decimal"

	"causeway/adapters/providers/openexchangerates"
	"causeway/adapters/providers/providertest"
	"causeway/adapters/upstream"
	"causeway/core"
	"causeway/simulator/wire/wiretest"
)

const (
	base = "https://openexchangerates.org/api/latest.json"
	key  = "f00dfeed0123456789abcdef01234567"
)

var made = time.Unix(1795258800, 0)

func spec() providertest.Rates {
	const stamp = "1795258800"
	edited := func(part, by string) providertest.Response { return providertest.Edited("latest.json", part, by) }
	return providertest.Rates{
		Settings: &openexchangerates.Config{AppID: key},
		Rejected: []providertest.BadSettings{
			{Settings: &openexchangerates.Config{}, Error: "app_id"},
			{Settings: &openexchangerates.Config{AppID: key, BaseURL: "https://oxr.test/?app_id=" + key}, Error: "base_url"},
			{
				Settings: &openexchangerates.Config{AppID: key, MonthlyQuota: -1},
				Error:    "openexchangerates: monthly_quota is -1; accepted: 0 or more",
			},
		},
		Secrets: []string{key, "app_id=", "openexchangerates.org"},
		URL:     base,
		Good:    providertest.File(200, "latest.json"),
		Listed: providertest.Quotes(
			"USD/NGN 1380.129384 1380.129384",
			"USD/EUR 0.924102 0.924102",
			"USD/BTC 0.000016 0.000016",
		),
		Unlisted: core.Pair{Base: "USD", Counter: "ZZZ"},
		At:       made,
		Requests: []string{"?app_id=" + key + "&symbols=NGN%2CEUR%2CBTC%2CZZZ"},
		Limits: []providertest.PollingLimit{
			{
				Markets: 3, Fits: time.Hour, TooOften: 10 * time.Minute,
			},
			{
				Settings: &openexchangerates.Config{AppID: key, MonthlyQuota: 10_000}, Markets: 3,
				Fits: 10 * time.Minute, TooOften: 5 * time.Minute,
			},
		},
		Price:      [2]string{`"NGN": `, "1380.129384"},
		Unreadable: map[string]providertest.Response{},
		Broken: map[string]providertest.Response{
			"error with 200":         providertest.File(200, "invalid_app_id.json"),
			"unknown error with 200": providertest.Body(200, `{"error":true,"message":"of_today"}`),
			"another base":           edited(`"USD"`, `"EUR"`),
			"no base":                edited(`"base": "USD",`, ``),
			"no timestamp":           edited(`"timestamp": 1795258800,`, ``),
			"milliseconds":           edited(stamp, "1795258800000"),
			"timestamp as string":    edited(stamp, `"1795258800"`),
			"negative timestamp":     edited(stamp, "-5"),
			"no rates":               providertest.Body(200, `{"timestamp":1795258800,"base":"USD"}`),
			"list of rates":          providertest.Body(200, `{"timestamp":1795258800,"base":"USD","rates":[]}`),
		},
		Cases: []providertest.RateCase{
			{
				Name: "cross rates, each currency requested once", Respond: providertest.File(200, "latest.json"),
				Markets: providertest.Pairs("EUR/XOF USD/NGN NGN/USD USD/USD EUR/EUR USD/EUR EUR/ZZZ ZZZ/EUR"),
				Want: []string{
					"EUR/XOF 655.954552635964 655.954552635964 ", "USD/NGN 1380.129384 1380.129384 ",
					"NGN/USD 0.000724569748 0.000724569748 ", "USD/EUR 0.924102 0.924102 ",
				},
				Queries: []string{"?app_id=" + key + "&symbols=EUR%2CXOF%2CNGN%2CZZZ"},
			},
			{
				Name: "the base alone needs no request", Respond: providertest.File(200, "latest.json"),
				Markets: []core.Pair{{Base: "USD", Counter: "USD"}}, Queries: []string{}, Outcomes: []string{},
			},
			{Name: "invalid key", Respond: providertest.File(401, "invalid_app_id.json"), Outcome: upstream.Refused},
			{Name: "missing key", Respond: providertest.File(401, "missing_app_id.json"), Outcome: upstream.Refused},
			{Name: "plan that lacks it", Respond: providertest.File(429, "not_allowed.json"), Outcome: upstream.Refused}, // waiting does not help
			{Name: "restricted access", Respond: providertest.File(403, "access_restricted.json"), Outcome: upstream.Refused},
			{Name: "invalid base", Respond: providertest.File(400, "invalid_base.json"), Outcome: upstream.Undecided},
		},
		FuzzStatus: 429,
		Simulated: &providertest.SimulatedRates{
			Unlisted: core.Pair{Base: "USD", Counter: "XTS"},
			Quotes:   providertest.Official(wiretest.Noon(), func(rate decimal.Decimal) decimal.Decimal { return rate.Truncate(6) }),
			Settings: &openexchangerates.Config{AppID: wiretest.Credential(openexchangerates.Name, "app_id")}, Rejected: &openexchangerates.Config{AppID: "wrong"},
		},
	}
}

func TestRates(t *testing.T) { spec().Run(t) }

func FuzzRates(f *testing.F) { spec().Fuzz(f) }
