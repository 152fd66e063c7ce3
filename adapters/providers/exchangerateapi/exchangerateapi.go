// Package exchangerateapi reads middle rates of fiat currencies from the open access of
// ExchangeRate-API, its own blend of central banks and commercial sources, in a list of USD/X. X/Y
// is USD/Y over USD/X of one list.
//
// API: GET {base}/v6/latest/USD, no key (https://www.exchangerate-api.com/docs/free, read 2026-11;
// nothing here was called live). Its terms ask for attribution (docs/pairs.md has it) and forbid
// redistribution of the list.
//
// Quirks:
//   - Rates change once a day, soon after midnight UTC, on weekends too. One request an hour is never
//     throttled; after too many, an address gets 429 for 20 minutes.
//   - Rates are JSON numbers. time_last_update_unix, in seconds, is the time of the list.
//   - An error is "result":"error" with an error-type, possibly with status 200.
package exchangerateapi

import (
	"context"
	"encoding/json"
	"time"

	"github.com/shopspring/decimal"

	"causeway/adapters/providers/provider"
	"causeway/adapters/providers/tickers"
	"causeway/adapters/upstream"
	"causeway/core"
	"causeway/ports"
)

const (
	// Name of the source.
	Name = "exchangerateapi"
	// BaseURL of the open access.
	BaseURL = "https://open.er-api.com"

	base       = "USD"
	latestPath = "/v6/latest/" + base

	// timeDigits are the most digits of a time in seconds: a number of more digits has another unit.
	timeDigits = 11
)

// Descriptor describes ExchangeRate-API.
var Descriptor = provider.Descriptor{
	Name: Name, Title: "ExchangeRate-API", Homepage: "https://www.exchangerate-api.com",
	BaseURL: BaseURL,
	Settings: provider.Keyless(upstream.Provider{
		Name: Name, BaseURL: BaseURL,
		Limits: []upstream.Limit{{Calls: 30, Per: 24 * time.Hour}}, // polling uses 24 of them
	}, func(client *upstream.Client) any { return &Source{client} }),
	Evidence: []provider.Evidence{
		{
			Fact: "The open access needs no key. It requires attribution, allows caching and commercial use, and forbids" +
				" redistribution.",
			Source: "www.exchangerate-api.com/docs/free (read 2026-11)",
		},
		{
			Fact:   "One request an hour is never throttled. 429 ends after 20 minutes.",
			Source: "www.exchangerate-api.com/docs/free (read 2026-11)",
		},
		{
			Fact:   "Rates are its own blend of more than 30 central banks and commercial sources.",
			Source: "www.exchangerate-api.com/product/our-exchange-rate-data (read 2026-11)",
		},
		{
			Fact:   "A list is made soon after midnight UTC, on Saturdays and Sundays too.",
			Source: "responses recorded by public clients (2026-09-05 and 2026-10-11)",
		},
	},
}

// Source is ExchangeRate-API as a source of rates.
type Source struct{ *upstream.Client }

var _ ports.RateSource = (*Source)(nil)

// MinInterval returns the shortest polling interval, whatever the number of markets.
func (s *Source) MinInterval(int) time.Duration { return s.Client.MinInterval(1, 1) }

// Observe returns the rates of all markets from one response. Markets of unknown currencies are
// missing.
func (s *Source) Observe(ctx context.Context, markets []core.Pair) ([]core.Observation, error) {
	rates := tickers.Rates{Source: Name, Base: base}
	if len(rates.Currencies(markets)) == 0 {
		return nil, nil
	}
	var latest sheet
	err := s.Get(ctx, "latest", latestPath, nil, func(a upstream.Response) error {
		latest = sheet{}
		if err := a.Decode(&latest); err != nil {
			return err
		}
		return latest.fault()
	})
	if err != nil {
		return nil, err
	}
	rates.Rate = latest.rate
	return rates.Observe(markets), nil
}

// sheet is a response: the rates, or an error.
type sheet struct {
	Result  string                     `json:"result"` // success or error
	Updated json.RawMessage            `json:"time_last_update_unix"`
	Base    string                     `json:"base_code"`
	Rates   map[string]json.RawMessage `json:"rates"`
}

// fault returns what is wrong with a response; nil: nothing.
func (s *sheet) fault() error {
	switch {
	case s.Result == "error":
		return upstream.Fail(upstream.Unavailable, "an error with status 200")
	case s.Result != "success":
		return upstream.Fail(upstream.Malformed, "no result")
	case s.Base != base:
		return upstream.Fail(upstream.Malformed, "rates of another base")
	case s.at().IsZero():
		return upstream.Fail(upstream.Malformed, "a time that is not in seconds")
	case s.Rates == nil:
		return upstream.Fail(upstream.Malformed, "no rates")
	}
	return nil
}

func (s *sheet) at() time.Time { return tickers.Seconds(s.Updated, timeDigits) }

// rate returns the price of one US dollar in a currency.
func (s *sheet) rate(code string) (rate decimal.Decimal, at time.Time, ok bool) {
	rate, ok = upstream.Decimal(s.Rates[code])
	return rate, s.at(), ok && !rate.IsZero()
}
