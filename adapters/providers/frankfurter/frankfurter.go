// Package frankfurter reads official middle rates of fiat currencies from Frankfurter, which blends
// rates of some eighty central banks. Rates are daily, in a list of USD/X. X/Y is USD/Y over USD/X
// of one list, and as old as the older one.
//
// API: GET {base}/v2/rates, no key (https://frankfurter.dev, github:lineofflight/frankfurter
// lib/versions/v2.rb, lib/versions/v2/rate_query.rb and lib/public/v2/openapi.json of 60541ad,
// 2026-08-21; read 2026-11, nothing here was called live). No published limit; responses are cached
// until midnight UTC. It can be self-hosted: the base URL is then that host.
//
// Quirks:
//   - An unknown currency fails the whole request with status 422: then all rates are requested
//     once. A known currency without a recent rate is missing.
//   - Rates are JSON numbers, rounded by size (to whole units above 5000), small ones with an
//     exponent.
//   - Every row has its own date: a currency whose bank is silent keeps its last rate for 14 days.
//   - There is only a date. A rate counts as of 16:00 UTC of its date, when the relevant banks have
//     published (CBN 15 to 17, ECB 15 UTC), and as of receipt if that is still to come. Rates may
//     be dated tomorrow, because some banks fix them a day ahead. Later dates are passed on, and
//     the price engine rejects them.
//   - The base itself is a row, with the rate 1.0.
//   - The cedi is known from one neighbour's central bank only, and the Ugandan shilling from
//     three.
//   - Failures are {"status","message"} with a fitting status; 500 while it rebuilds its tables.
package frankfurter

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
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
	Name = "frankfurter"
	// BaseURL of the API.
	BaseURL = "https://api.frankfurter.dev"

	ratesPath = "/v2/rates"
	base      = "USD"

	// publication is the time after midnight UTC at which the rates of a date count as published.
	publication = 16 * time.Hour
	// aheadMost is how far in the future a rate may be dated.
	aheadMost = 24 * time.Hour
)

// Descriptor describes Frankfurter.
var Descriptor = provider.Descriptor{
	Name: Name, Title: "Frankfurter", Homepage: "https://frankfurter.dev",
	BaseURL: BaseURL,
	Settings: provider.Keyless(upstream.Provider{Name: Name, BaseURL: BaseURL},
		func(client *upstream.Client) any { return &Source{client} }),
	Evidence: []provider.Evidence{
		{
			Fact:   "An unknown currency fails the whole request with 422.",
			Source: "github.com/lineofflight/frankfurter lib/public/v2/openapi.json @60541ad (2026-08-21)",
		},
		{
			Fact: "Rates of a date count as published at 16:00 UTC.",
		},
	},
}

// Source is Frankfurter as a source of rates.
type Source struct{ *upstream.Client }

var _ ports.RateSource = (*Source)(nil)

// Observe returns the rates of all markets from one response, or from a second one if Frankfurter
// does not know one of the currencies. Markets of unknown currencies are missing.
func (s *Source) Observe(ctx context.Context, markets []core.Pair) ([]core.Observation, error) {
	sheet := tickers.Rates{Source: Name, Base: base}
	quotes := slices.DeleteFunc(sheet.Currencies(markets), func(code string) bool { return !legal.MatchString(code) })
	if len(quotes) == 0 {
		return nil, nil
	}
	rows, received, err := s.rates(ctx, "rates", url.Values{"base": {base}, "quotes": {strings.Join(quotes, ",")}})
	if errors.Is(err, tickers.ErrUnknownSymbol) {
		rows, received, err = s.rates(ctx, "rates_all", url.Values{"base": {base}})
	}
	if err != nil {
		return nil, err
	}
	sheet.Rate = func(code string) (decimal.Decimal, time.Time, bool) { return rows[code].quote(received) }
	return sheet.Observe(markets), nil
}

// legal is the form of a currency's code. Others would fail the request.
var legal = regexp.MustCompile(`^[A-Z]{3}$`)

// row is the rate of one currency.
type row struct {
	Date  string          `json:"date"`
	Base  string          `json:"base"`
	Quote string          `json:"quote"`
	Rate  json.RawMessage `json:"rate"`
}

// rates requests rows of the base and returns them by currency, with the time of receipt. It leaves
// out rows that it cannot read.
func (s *Source) rates(
	ctx context.Context, op string, query url.Values,
) (rows map[string]row, received time.Time, err error) {
	err = s.Get(ctx, op, ratesPath, query, func(a upstream.Response) error {
		rows, received = map[string]row{}, a.At
		if a.Status == http.StatusUnprocessableEntity {
			return tickers.ErrUnknownSymbol
		}
		list, err := tickers.Rows(a)
		if err != nil {
			return err
		}
		for _, raw := range list {
			var r row
			if upstream.Decode(raw, &r) == nil && r.Base == base {
				rows[r.Quote] = r
			}
		}
		return nil
	})
	return rows, received, err
}

// quote reads the rate and its date.
func (r row) quote(received time.Time) (rate decimal.Decimal, at time.Time, ok bool) {
	rate, ok = upstream.Decimal(r.Rate)
	at, dated := published(r.Date, received)
	return rate, at, ok && dated && !rate.IsZero()
}

// published returns the time of the rates of a date.
func published(date string, received time.Time) (time.Time, bool) {
	midnight, err := time.Parse(time.DateOnly, date)
	if err != nil {
		return time.Time{}, false
	}
	at := midnight.Add(publication)
	if at.After(received) && !midnight.After(received.Add(aheadMost)) {
		return received.UTC(), true
	}
	return at, true
}
