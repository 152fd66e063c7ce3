package frankfurter_test

import (
	"testing"
	"time"

	"github.com/shopspring/decimal"

	"causeway/adapters/providers/frankfurter"
	"causeway/adapters/providers/providertest"
	"causeway/adapters/upstream"
	"causeway/core"
)

const base = "https://api.frankfurter.dev/v2/rates"

var (
	usdngn = core.Pair{Base: "USD", Counter: "NGN"}
	friday = time.Date(2026, time.November, 20, 16, 0, 0, 0, time.UTC)
)

func spec() providertest.Rates {
	const row = `{"date": "2026-11-20", "base": "USD", "quote": "NGN", "rate": 1370.53}`
	edited := func(part, by string) providertest.Response { return providertest.Edited("rates.json", part, by) }
	dated := func(date string) providertest.Response {
		return edited(row, `{"date": `+date+`, "base": "USD", "quote": "NGN", "rate": 1370.53}`)
	}
	s := providertest.Rates{
		Settings: frankfurter.Descriptor.Settings(),
		URL:      base,
		Good:     providertest.File(200, "rates.json"),
		Except: []providertest.Exception{
			{Contains: "ZZZ", Respond: providertest.File(422, "invalid_currency.json")},
			{Contains: "quotes=", Respond: providertest.File(200, "rates.json")},
			{Contains: "", Respond: providertest.File(200, "rates_all.json")},
		},
		Listed: providertest.Quotes(
			"USD/NGN 1370.53 1370.53",
			"USD/KES 128.9 128.9",
			"USD/UGX 3604 3604",
			"USD/STN 0.000051 0.000051",
		),
		Unlisted: core.Pair{Base: "USD", Counter: "ZZZ"},
		At:       friday,
		// Another request for all rates follows if a currency is unknown.
		Requests: []string{"?base=USD&quotes=NGN%2CKES%2CUGX%2CSTN%2CZZZ", "?base=USD"},
		Price:    [2]string{`"rate": `, "1370.53"},
		Unreadable: map[string]providertest.Response{
			"no date":          edited(row, `{"base": "USD", "quote": "NGN", "rate": 1370.53}`),
			"impossible date":  dated(`"2026-11-31"`),
			"time as date":     dated(`"2026-11-20T15:00:00Z"`),
			"number as date":   dated(`1795262400`),
			"another base":     edited(row, `{"date": "2026-11-20", "base": "EUR", "quote": "NGN", "rate": 1370.53}`),
			"string as row":    edited(row, `"NGN"`),
			"null row":         edited(row, `null`),
			"row that is gone": edited(row+`,`, ``),
		},
		Broken: map[string]providertest.Response{
			"time-out of the provider": providertest.File(503, "request_timeout.json"),
			"error with 200":           providertest.File(200, "invalid_currency.json"),
			"rates of version 1":       providertest.Body(200, `{"amount":1.0,"base":"USD","date":"2026-11-20","rates":{"NGN":1370.53}}`),
			"rates line by line":       providertest.Body(200, "{\"date\":\"2026-11-20\"}\n{\"date\":\"2026-11-20\"}\n"),
			"not modified":             providertest.Body(304, ""),
		},
		Valid:     []string{"bad input: empty list"},
		Throttled: providertest.Body(429, "", "Retry-After", "60"), RetryAfter: time.Minute,
		Cases: []providertest.RateCase{
			{
				Name: "each currency requested once", Respond: providertest.File(200, "rates.json"),
				Markets: providertest.Pairs("EUR/XOF USD/USD EUR/EUR USD/USDT USD/NGN USD/KES"),
				Want:    []string{"USD/NGN ", "USD/KES "}, Queries: []string{"?base=USD&quotes=EUR%2CXOF%2CNGN%2CKES"},
				Outcomes: []string{"rates ok"},
			},
			{
				Name: "unknown currency", Markets: providertest.Pairs("USD/ZZZ USD/NGN USD/KES USD/UGX USD/STN"),
				Respond: providertest.File(422, "invalid_currency.json"), Then: providertest.File(200, "rates_all.json"),
				Want:     []string{"USD/NGN ", "USD/KES ", "USD/UGX ", "USD/STN "},
				Outcomes: []string{"rates undecided", "rates_all ok"},
			},
			{
				Name: "no currency to request", Respond: providertest.File(200, "rates.json"), Queries: []string{},
				Outcomes: []string{}, Markets: providertest.Pairs("USD/USDT USD/USD"),
			},
			{
				Name:    "a known currency without rates is missing",
				Respond: providertest.File(200, "rates.json"), Markets: providertest.Pairs("USD/KPW USD/NGN USD/KES USD/UGX USD/STN"),
				Want: []string{"USD/NGN ", "USD/KES ", "USD/UGX ", "USD/STN "}, Outcomes: []string{"rates ok"},
			},
			{
				Name: "cross rates are as old as the older rate", Respond: providertest.File(200, "rates.json"),
				Markets: providertest.Pairs("EUR/KES EUR/GHS UGX/USD GHS/EUR EUR/KPW KPW/EUR"),
				Want: []string{
					"EUR/KES 151.140294307323 151.140294307323 2026-11-20T16", "EUR/GHS 12.631412323386 12.631412323386 2026-11-18T16",
					"UGX/USD 0.000277469478 0.000277469478 2026-11-20T16", "GHS/EUR 0.079167710973 0.079167710973 2026-11-18T16",
				},
			},
			{
				Name: "unknown currency, even without currencies", Respond: providertest.File(422, "invalid_currency.json"),
				Outcome: upstream.Undecided, Outcomes: []string{"rates undecided", "rates_all undecided"},
			},
			{
				Name: "today, after its publication", Now: friday.Add(5 * time.Hour), Respond: providertest.File(200, "rates.json"),
				Markets: []core.Pair{usdngn}, Want: []string{"USD/NGN 1370.53 1370.53 2026-11-20T16:00:00Z"},
			},
			{
				Name: "each row has its own date", Respond: providertest.File(200, "rates.json"),
				Markets: providertest.Pairs("USD/GHS USD/NGN"),
				Want:    []string{"USD/GHS 10.7727 10.7727 2026-11-18T16:00:00Z", "USD/NGN 1370.53 1370.53 2026-11-20T16:00:00Z"},
			},
			{Name: "not found", Respond: providertest.File(404, "not_found.json"), Outcome: upstream.Undecided},
			{Name: "rebuilding", Respond: providertest.File(500, "rebuilding.json"), Outcome: upstream.Unavailable},
		},
		FuzzStatus: 422,
		Simulated: &providertest.SimulatedRates{
			Unlisted: core.Pair{Base: "USD", Counter: "XTS"},
			Quotes:   providertest.Official(friday.Add(-time.Hour), published), At: friday,
		},
	}
	// The time of a rate is the time of its publication, as seen on Saturday at noon.
	for date, want := range map[string]string{
		"2026-11-20": "2026-11-20T16:00:00Z",
		"2026-11-13": "2026-11-13T16:00:00Z",
		"2026-11-21": "2026-11-21T12:00:00Z", // not from the future
		"2026-11-22": "2026-11-21T12:00:00Z", // fixed ahead
		"2026-11-23": "2026-11-23T16:00:00Z", // not fixed that far ahead: rejected for its time
		"2027-11-21": "2027-11-21T16:00:00Z",
	} {
		s.Cases = append(s.Cases, providertest.RateCase{
			Name: "date " + date, Respond: dated(`"` + date + `"`), Markets: []core.Pair{usdngn},
			Want: []string{"USD/NGN 1370.53 1370.53 " + want},
		})
	}
	return s
}

// published rounds a rate as it is published.
func published(rate decimal.Decimal) decimal.Decimal {
	switch units := rate.IntPart(); {
	case units >= 80:
		return rate.Round(2)
	case units >= 20:
		return rate.Round(3)
	case units >= 1:
		return rate.Round(4)
	default:
		return rate.Round(5)
	}
}

func TestRates(t *testing.T) { spec().Run(t) }

func FuzzRates(f *testing.F) { spec().Fuzz(f) }
