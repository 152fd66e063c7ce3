// Package openexchangerates quotes fiat currencies against the US dollar from Open Exchange Rates, for the price
// engine. It knows middle rates of USD/X alone: it inverts nothing and crosses nothing.
//
// API: https://docs.openexchangerates.org/reference/latest-json and /errors (api-evangelist/open-exchange-rates, read
// 2026-08; nothing here was called live). The key is a query parameter, app_id: so a URL of this provider is a secret. (A header
// "Authorization: Token" exists too, but is not documented for every plan.) Rates change hourly; the free plan has 1000 calls a
// month and no base but USD.
//
// Surprises:
//   - rates are JSON numbers, with an exponent where they are small;
//   - timestamp is in seconds and tells when the rates were made: an observation is that old;
//   - 429 is also "not_allowed", a plan that lacks the feature, which waiting does not cure;
//   - an error body may come with status 200;
//   - it gives ETags, and answers 304 while the rates are those of before.
package openexchangerates

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"time"

	"causeway/adapters/upstream"
	"causeway/core"
	"causeway/ports"
)

const (
	// Name of the source.
	Name = "openexchangerates"
	// BaseURL of the API.
	BaseURL = "https://openexchangerates.org"

	latestPath = "/api/latest.json"
	base       = "USD"

	// freePlan is how many calls a month the free plan has.
	freePlan = 1000

	// latest is the largest timestamp in seconds that is one: in milliseconds, it would be 1973.
	latest = 100_000_000_000
)

// Config of the source.
type Config struct {
	BaseURL string      `json:"base_url" doc:"where the API is; empty: https://openexchangerates.org"`
	AppID   core.Secret `json:"app_id" doc:"the key of the account"`

	MonthlyQuota int `json:"monthly_quota" doc:"how many calls a month the account's plan has; 0: 1000, as the free plan"`
}

// Source is Open Exchange Rates as a source of rates.
type Source struct {
	client *upstream.Client
	appID  core.Secret
}

var _ ports.RateSource = (*Source)(nil)

// New makes the source. It needs a key: without one, leave the module out.
func New(cfg Config, factory *upstream.Factory) (*Source, error) {
	if cfg.AppID == "" {
		return nil, errors.New("openexchangerates: app_id is empty; the provider answers nobody without a key")
	}
	if cfg.BaseURL == "" {
		cfg.BaseURL = BaseURL
	}
	if cfg.MonthlyQuota < 0 {
		return nil, fmt.Errorf("openexchangerates: monthly_quota is %d; accepted: 0 or more", cfg.MonthlyQuota)
	}
	client, err := factory.Client(upstream.Provider{
		Name: Name, BaseURL: cfg.BaseURL, Patient: true,
		Limits: []upstream.Limit{{Calls: cmp.Or(cfg.MonthlyQuota, freePlan), Per: upstream.Month}},
	})
	if err != nil {
		return nil, err
	}
	return &Source{client: client, appID: cfg.AppID}, nil
}

// Name is "openexchangerates".
func (*Source) Name() string { return Name }

// Fits checks that the markets, however many, can be asked for at every interval.
func (s *Source) Fits(interval time.Duration, _ int) error { return s.client.Fits(interval, 1, 1) }

// Observe quotes the markets USD/X among the given ones, in one call. Others are not listed here.
func (s *Source) Observe(ctx context.Context, markets []core.Pair) ([]core.Observation, error) {
	markets = slices.DeleteFunc(slices.Clone(markets), func(m core.Pair) bool { return m.Base != base || m.Counter == base })
	if len(markets) == 0 {
		return nil, nil
	}
	symbols := make([]string, len(markets))
	for i, m := range markets {
		symbols[i] = m.Counter
	}
	sheet, err := s.latest(ctx, symbols)
	if err != nil {
		return nil, err
	}
	at := time.Unix(sheet.Timestamp, 0).UTC()
	out := make([]core.Observation, 0, len(markets))
	for _, m := range markets {
		rate, ok := upstream.Decimal(sheet.Rates[m.Counter])
		if !ok || rate.IsZero() {
			continue
		}
		out = append(out, core.Observation{Pair: m, Bid: rate, Ask: rate, At: at, Source: Name})
	}
	return out, nil
}

// sheet is the answer: the rates, or an error.
type sheet struct {
	Timestamp int64                      `json:"timestamp"`
	Base      string                     `json:"base"`
	Rates     map[string]json.RawMessage `json:"rates"`

	Error   bool   `json:"error"`
	Message string `json:"message"` // a code, for example "invalid_app_id"
}

func (s *Source) latest(ctx context.Context, symbols []string) (sheet, error) {
	query := url.Values{"app_id": {s.appID.Reveal()}, "symbols": {strings.Join(symbols, ",")}}
	var out sheet
	question := upstream.Question{Op: "latest", Path: latestPath, Query: query, Conditional: true}
	err := s.client.Do(ctx, question, func(a upstream.Answer) error {
		out = sheet{}
		bodyFault := a.JSON(&out)
		if bodyFault == nil && out.Error {
			if err := fault(out.Message); err != nil {
				return err
			}
		}
		if err := a.Fault(); err != nil {
			return err
		}
		switch {
		case bodyFault != nil:
			return bodyFault
		case out.Error:
			return upstream.Fail(upstream.Unavailable, "an error that is not in the table")
		case out.Base != base:
			return upstream.Fail(upstream.Malformed, "rates of another base")
		case out.Timestamp <= 0 || out.Timestamp > latest:
			return upstream.Fail(upstream.Malformed, "a timestamp that is not in seconds")
		case out.Rates == nil:
			return upstream.Fail(upstream.Malformed, "no rates")
		}
		return nil
	})
	return out, err
}

// fault reads an error's code. One that is not in the table is judged by its status.
func fault(code string) error {
	switch code {
	case "invalid_app_id", "missing_app_id":
		return upstream.Fail(upstream.Refused, "the key is not accepted")
	case "not_allowed":
		return upstream.Fail(upstream.Refused, "the plan does not allow this")
	case "access_restricted":
		return upstream.Fail(upstream.Refused, "access restricted for over-use")
	default:
		return nil
	}
}
