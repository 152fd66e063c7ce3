// Package openexchangerates reads middle rates of fiat currencies from Open Exchange Rates, in a
// list of USD/X. X/Y is USD/Y over USD/X of one list, as the provider computes its lists of other
// bases.
//
// API: GET {base}/api/latest.json (https://docs.openexchangerates.org/reference/latest-json and
// /errors, through api-evangelist/open-exchange-rates, read 2026-08; nothing here was called live).
// The key is the query parameter app_id, so that a URL of this provider is a secret. (A header
// "Authorization: Token" is not documented for every plan.) Rates change hourly; the free plan has
// 1000 requests a month and no base but USD.
//
// Quirks:
//   - Rates are JSON numbers, small ones with an exponent.
//   - timestamp is in seconds and the time of the rates.
//   - 429 is also "not_allowed", a plan that lacks the feature, which waiting does not cure.
//   - An error body may come with status 200.
package openexchangerates

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
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

// Descriptor describes Open Exchange Rates.
var Descriptor = provider.Descriptor{
	Name: Name, Title: "Open Exchange Rates", Homepage: "https://openexchangerates.org", Section: "open_exchange_rates",
	BaseURL:  BaseURL,
	Required: "a source of fiat rates",
	Settings: func() provider.Settings { return &Config{} },
	Evidence: []provider.Evidence{
		{
			Fact:   "The key is a query parameter; the free plan has 1,000 requests a month.",
			Source: "docs.openexchangerates.org/reference/latest-json and /errors (2026-08)",
		},
	},
}

// Config of the source.
type Config struct {
	BaseURL string      `json:"-"` // empty: the constant
	AppID   core.Secret `json:"app_id" doc:"App ID of the account. Production needs it."`

	MonthlyQuota int `json:"monthly_quota" minimum:"0" doc:"Calls per month of the plan. 0: 1000, as in the free plan."`
}

// Credentials implements provider.Authenticated.
func (c *Config) Credentials() []provider.Credential {
	return []provider.Credential{
		{Setting: "app_id", Value: c.AppID},
	}
}

// Source is Open Exchange Rates as a source of rates.
type Source struct {
	*upstream.Client

	appID core.Secret
}

var _ ports.RateSource = (*Source)(nil)

// Connect implements provider.Settings. A key is required.
func (c *Config) Connect(factory *upstream.Factory) (provider.Clients, error) {
	if c.AppID == "" {
		return provider.Clients{}, errors.New("openexchangerates: app_id is empty; the provider requires a key")
	}
	if c.MonthlyQuota < 0 {
		return provider.Clients{}, fmt.Errorf("openexchangerates: monthly_quota is %d; accepted: 0 or more", c.MonthlyQuota)
	}
	client, err := factory.Client(upstream.Provider{
		Name: Name, BaseURL: cmp.Or(c.BaseURL, BaseURL),
		Limits: []upstream.Limit{{Calls: cmp.Or(c.MonthlyQuota, freePlan), Per: upstream.Month}},
	})
	return provider.Connected(&Source{Client: client, appID: c.AppID}, err)
}

// MinInterval returns the shortest polling interval, whatever the number of markets.
func (s *Source) MinInterval(int) time.Duration { return s.Client.MinInterval(1, 1) }

// Observe returns the quotes of all markets from one response. Markets of unknown currencies are
// missing.
func (s *Source) Observe(ctx context.Context, markets []core.Pair) ([]core.Observation, error) {
	rates := tickers.Rates{Source: Name, Base: base}
	symbols := rates.Currencies(markets)
	if len(symbols) == 0 {
		return nil, nil
	}
	sheet, err := s.latest(ctx, symbols)
	if err != nil {
		return nil, err
	}
	rates.Rate = sheet.rate
	return rates.Observe(markets), nil
}

// sheet is a response: the rates, or an error.
type sheet struct {
	Timestamp int64                      `json:"timestamp"`
	Base      string                     `json:"base"`
	Rates     map[string]json.RawMessage `json:"rates"`

	Error   bool   `json:"error"`
	Message string `json:"message"` // a code, for example "invalid_app_id"
}

// rate returns the price of one US dollar in a currency.
func (s *sheet) rate(code string) (rate decimal.Decimal, at time.Time, ok bool) {
	rate, ok = upstream.Decimal(s.Rates[code])
	return rate, time.Unix(s.Timestamp, 0).UTC(), ok && !rate.IsZero()
}

func (s *Source) latest(ctx context.Context, symbols []string) (sheet, error) {
	query := url.Values{"app_id": {s.appID.Reveal()}, "symbols": {strings.Join(symbols, ",")}}
	var out sheet
	request := upstream.Request{Op: "latest", Path: latestPath, Query: query}
	err := s.Do(ctx, request, func(a upstream.Response) error {
		out = sheet{}
		bodyFault := a.JSON(&out)
		if bodyFault == nil && out.Error {
			if err := fault(out.Message); err != nil {
				return err
			}
		}
		if err := a.Err(); err != nil {
			return err
		}
		switch {
		case bodyFault != nil:
			return bodyFault
		case out.Error:
			return upstream.Fail(upstream.Unavailable, "unknown error")
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

// fault returns the error of a code. For unknown codes the status decides.
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
