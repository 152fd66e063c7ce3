// Package frankfurter reads official middle rates of fiat currencies from Frankfurter, which blends
// those of some eighty central banks. Rates are daily, in a list of USD/X. X/Y is USD/Y over USD/X
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
	"cmp"
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

	// crossPlaces are the decimal places of a cross rate, far more than those of the list.
	crossPlaces = 12

	// publication is the time after midnight UTC at which the rates of a date count as published.
	publication = 16 * time.Hour
	// aheadMost is how far in the future a rate may be dated.
	aheadMost = 24 * time.Hour
)

// Descriptor describes Frankfurter.
var Descriptor = provider.Descriptor{
	Name: Name, Title: "Frankfurter", Homepage: "https://frankfurter.dev",
	BaseURL:  BaseURL,
	Settings: func() provider.Settings { return &Config{} },
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

// Config of the source.
type Config struct {
	BaseURL string `json:"-"` // empty: the constant
}

// Source is Frankfurter as a source of rates.
type Source struct{ client *upstream.Client }

var _ ports.RateSource = (*Source)(nil)

// Connect implements provider.Settings.
func (c *Config) Connect(factory *upstream.Factory) (provider.Clients, error) {
	client, err := factory.Client(upstream.Provider{Name: Name, BaseURL: cmp.Or(c.BaseURL, BaseURL)})
	if err != nil {
		return provider.Clients{}, err
	}
	return provider.Connected(&Source{client: client}, nil)
}

// Name returns "frankfurter".
func (*Source) Name() string { return Name }

// errUnknownCurrency means that a request failed because Frankfurter does not know one of its
// currencies. For a request of all currencies it is an ordinary failure.
var errUnknownCurrency error = core.Errorf(core.Unavailable, "Temporarily unavailable. Retry later.").
	With(errors.New("frankfurter: a currency of the call is unknown"))

// Observe returns the rates of all markets from one response, or from a second one if Frankfurter
// does not know one of the currencies. Markets of unknown currencies are missing.
func (s *Source) Observe(ctx context.Context, markets []core.Pair) ([]core.Observation, error) {
	quotes := quotes(markets)
	if len(quotes) == 0 {
		return nil, nil
	}
	rows, received, err := s.rates(ctx, "rates", url.Values{"base": {base}, "quotes": {strings.Join(quotes, ",")}})
	if errors.Is(err, errUnknownCurrency) {
		rows, received, err = s.rates(ctx, "rates_all", url.Values{"base": {base}})
	}
	if err != nil {
		return nil, err
	}
	out := make([]core.Observation, 0, len(markets))
	for _, m := range markets {
		if rate, at, ok := cross(rows, m, received); ok {
			out = append(out, core.Observation{Pair: m, Bid: rate, Ask: rate, At: at, Source: Name})
		}
	}
	return out, nil
}

// legal is the form of a currency's code. Others would fail the request.
var legal = regexp.MustCompile(`^[A-Z]{3}$`)

// quotes returns the currencies to request, each once.
func quotes(markets []core.Pair) []string {
	var out []string
	for _, m := range markets {
		for _, code := range []string{m.Base, m.Counter} {
			if code != base && legal.MatchString(code) && !slices.Contains(out, code) {
				out = append(out, code)
			}
		}
	}
	return out
}

// row is the rate of one currency.
type row struct {
	Date  string          `json:"date"`
	Base  string          `json:"base"`
	Quote string          `json:"quote"`
	Rate  json.RawMessage `json:"rate"`
}

// rates requests rows and returns them by market, with the time of receipt. It leaves out rows that
// it cannot read.
func (s *Source) rates(
	ctx context.Context, op string, query url.Values,
) (rows map[core.Pair]row, received time.Time, err error) {
	err = s.client.Get(ctx, op, ratesPath, query, func(a upstream.Response) error {
		rows, received = map[core.Pair]row{}, a.At
		if a.Status == http.StatusUnprocessableEntity {
			return errUnknownCurrency
		}
		if err := a.Err(); err != nil {
			return err
		}
		var list []json.RawMessage
		if err := a.JSON(&list); err != nil {
			return err
		}
		if list == nil {
			return upstream.Fail(upstream.Malformed, "no rates")
		}
		for _, raw := range list {
			var r row
			if upstream.Decode(raw, &r) == nil {
				rows[core.Pair{Base: r.Base, Counter: r.Quote}] = r
			}
		}
		return nil
	})
	return rows, received, err
}

// cross returns the rate of a market and its time. A negative rate is passed on to the price
// engine, but not as a divisor: the quotient of two would be positive.
func cross(rows map[core.Pair]row, m core.Pair, received time.Time) (rate decimal.Decimal, at time.Time, ok bool) {
	if m.Base == m.Counter {
		return decimal.Zero, time.Time{}, false
	}
	if m.Base == base {
		return rows[m].quote(received)
	}
	under, at, ok := rows[core.Pair{Base: base, Counter: m.Base}].quote(received)
	over := decimal.New(1, 0)
	if ok && m.Counter != base {
		var since time.Time
		if over, since, ok = rows[core.Pair{Base: base, Counter: m.Counter}].quote(received); since.Before(at) {
			at = since
		}
	}
	if !ok || !under.IsPositive() {
		return decimal.Zero, time.Time{}, false
	}
	rate = over.DivRound(under, crossPlaces)
	return rate, at, !rate.IsZero()
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
