// Package frankfurter quotes fiat currencies from Frankfurter, which blends what some eighty central banks publish, for the price engine:
// official middle rates, of the day and not of the minute, in a list of USD/X. What it says of X/Y is USD/Y over USD/X of one list, and as old as
// the older of the two.
//
// API: https://frankfurter.dev, github:lineofflight/frankfurter lib/versions/v2.rb, lib/versions/v2/rate_query.rb and
// lib/public/v2/openapi.json (60541ad, 2026-08-21; read 2026-11, nothing here was called live). No authentication, no published limit;
// answers are cached until midnight UTC. It can be hosted by oneself: then base_url is that host.
//
// Surprises:
//   - a code that is no currency to it fails the whole call (status 422): then all are asked for, once, and ours picked. One that it
//     knows, and no bank published lately, is just not there;
//   - rates are JSON numbers, rounded by size (to whole units above 5000), the small ones with an exponent;
//   - every row has a date of its own: a currency whose bank is silent keeps its last rate for 14 days, and the list looks no different;
//   - a date is all the time there is. An observation counts as of 16:00 UTC of its date, when the banks that matter here have
//     published (CBN 15 to 17, ECB 15 UTC), and as of receipt where that is still to come: a rate of today that is there cannot be
//     younger than now. Rates may be dated tomorrow (the bank fixes them a day ahead), but not later: those come out with the
//     date they claim, for whoever judges ages;
//   - the base itself is a row, with the rate 1.0;
//   - the cedi is known from a neighbour's central bank alone, and the Ugandan shilling from three: thin;
//   - failures are {"status","message"} with a fitting status; 500 while it rebuilds its tables.
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

	// crossPlaces are the decimal places of a rate that is made of two: far more than the list's own.
	crossPlaces = 12

	// publication is when, after midnight UTC, the rates of a date count as published.
	publication = 16 * time.Hour
	// aheadMost is how far ahead of midnight UTC a rate may be dated.
	aheadMost = 24 * time.Hour
)

// Config of the source.
type Config struct {
	BaseURL string `json:"base_url" doc:"Base URL of the API. Empty: https://api.frankfurter.dev."`
}

// Source is Frankfurter as a source of rates.
type Source struct{ client *upstream.Client }

var _ ports.RateSource = (*Source)(nil)

// New makes the source.
func New(cfg Config, factory *upstream.Factory) (*Source, error) {
	if cfg.BaseURL == "" {
		cfg.BaseURL = BaseURL
	}
	client, err := factory.Client(upstream.Provider{Name: Name, BaseURL: cfg.BaseURL})
	if err != nil {
		return nil, err
	}
	return &Source{client: client}, nil
}

// Name is "frankfurter".
func (*Source) Name() string { return Name }

// errUnknownCurrency is a whole call that failed for one currency that Frankfurter does not know. From a call without
// currencies it makes no sense, and stays what it is: unavailable.
var errUnknownCurrency error = core.Errorf(core.Unavailable, "Temporarily unavailable. Retry later.").
	With(errors.New("frankfurter: a currency of the call is unknown"))

// Observe quotes all markets in one call, or two where a currency is unknown to Frankfurter. A market of which either side is not in the list
// is not listed here.
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

// legal is what a currency's code is made of. Others would fail the call.
var legal = regexp.MustCompile(`^[A-Z]{3}$`)

// quotes are the currencies to ask for, each once.
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

// rates asks for rows and returns them by market, with the instant of receipt. A row that cannot be read is left out.
func (s *Source) rates(ctx context.Context, op string, query url.Values) (rows map[core.Pair]row, received time.Time, err error) {
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

// cross is the rate of a market, and as of when it is. A number below zero is passed on for whoever judges prices, but not below the line: two of
// them would be a price.
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

// published is the instant as of which the rates of a date count.
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
