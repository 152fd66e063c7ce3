// Package airtel resolves the holders of Airtel Money wallets through the Airtel Africa Open API.
// It answers for the operator Airtel of the countries below and for no other one.
//
// API: https://developers.airtel.africa, as public clients use it; nothing here was called live.
// POST {base}/auth/oauth2/token exchanges a client ID and secret for a token of 180 seconds. GET
// {base}/standard/v1/users/{number} returns the user, with the headers X-Country and X-Currency.
// Base URLs: https://openapi.airtel.africa and, with test credentials,
// https://openapiuat.airtel.africa.
//
// Quirks:
//   - Numbers are national: nine digits without country code and trunk prefix.
//   - The lifetime of a token is text.
//   - The code of a response is response_code in newer versions and result_code in older ones.
//   - DP02200000000 means that the lookup failed, not that there is no user.
//   - A barred user is reported like a closed account: Airtel's payment codes treat both alike.
package airtel

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"unicode"

	"causeway/adapters/providers/provider"
	"causeway/adapters/upstream"
	"causeway/adapters/upstream/holder"
	"causeway/core"
	"causeway/ports"
)

const (
	// Name of the provider.
	Name = "airtel"
	// BaseURL of the API.
	BaseURL = "https://openapi.airtel.africa"

	operator = "AIRTEL" // bank code
	digits   = 9        // of a national number
)

// country is how the API knows a country.
type country struct{ calling, currency string }

// countries are the countries of the catalog in which Airtel has wallets.
var countries = map[string]country{
	"KE": {"+254", "KES"}, "RW": {"+250", "RWF"}, "TZ": {"+255", "TZS"}, "UG": {"+256", "UGX"},
}

const (
	successful = "DP02200000001"
	barred     = "is_barred" // in place of a code
)

// texts are the known codes. Public clients quote Airtel's table: DP02200000002 is "User Not Found,
// Invalid MSISDN provided as input". The statuses are assumed, and so is that an unreachable
// platform responds with another code: "not found" counts only if a second provider agrees.
var texts = []holder.Text{
	{
		Text:     "dp02200000002",
		Statuses: []int{http.StatusOK, http.StatusBadRequest, http.StatusNotFound},
		Meaning:  holder.SharedNone,
	},
	{Text: barred, Statuses: []int{http.StatusOK}, Meaning: holder.Closed},
}

// served returns the countries in order.
func served() []string { return slices.Sorted(maps.Keys(countries)) }

// Descriptor describes Airtel Africa.
var Descriptor = provider.Descriptor{
	Name: Name, Title: "Airtel Money", Homepage: "https://developers.airtel.africa",
	BaseURL: BaseURL, TestURL: "https://openapiuat.airtel.africa",
	Settings: func() provider.Settings { return &Config{} },
	Accounts: provider.Cover(served(), core.MobileMoney),
	Evidence: []provider.Evidence{
		{
			Fact: "Path and response of the user lookup, national numbers, X-Country and X-Currency, the sandbox host.",
			Source: "github.com/mtvbrianking/laravel-airtel-money (2025-11-19), tests/Products/KycTest.php and " +
				"src/Products/Kyc.php",
		},
		{
			Fact:   "The token request with the credentials in a JSON body, and a lifetime of 180 seconds as text.",
			Source: "github.com/fredpatch/ono_ticketr_server (2024-12-05), services/airtelmoney/documentations.md",
		},
		{
			Fact:   "The codes DP02200000000 to DP02200000002.",
			Source: "Airtel's table of codes, as quoted by several public clients (read 2026-11)",
		},
		{
			Fact: "The status of these codes, the response to rejected credentials, the meaning of is_barred for payouts, " +
				"and that credentials belong to one country.",
		},
	},
}

// Config of the provider. Without keys it is off.
type Config struct {
	BaseURL string                 `json:"-"` // empty: the constant
	Keys    map[string]core.Secret `json:"keys" doc:"Credentials by country (KE, RW, TZ, UG): client ID and client secret, separated by a colon."`
}

// Credentials implements provider.Authenticated.
func (c *Config) Credentials() []provider.Credential {
	return provider.CountryKeys(c.Keys, served(), provider.Credential{})
}

// Validate implements provider.Validator: country codes become upper case and empty keys are
// removed.
func (c *Config) Validate() (err error) {
	c.Keys, err = provider.ValidateCountryKeys(c.Keys, served(),
		"a client ID and a client secret, separated by a colon", func(key core.Secret) bool {
			_, _, ok := parse(key)
			return ok
		})
	return err
}

// Provider is Airtel Africa as a resolver of wallets.
type Provider struct{ provider.Sessions }

var _ ports.AccountResolver = (*Provider)(nil)

// parse splits credentials into the client ID and the client secret.
func parse(key core.Secret) (id, secret string, ok bool) {
	id, secret, _ = strings.Cut(key.Reveal(), ":")
	return id, secret, id != "" && secret != "" && !strings.ContainsFunc(key.Reveal(), unicode.IsControl)
}

// Connect implements provider.Settings. Countries without keys are not served.
func (c *Config) Connect(factory *upstream.Factory) (provider.Clients, error) {
	cfg := *c // Validate changes it
	p := &Provider{provider.Sessions{}}
	if err := cfg.Validate(); err != nil {
		return provider.Clients{}, fmt.Errorf("airtel: %w", err)
	}
	if len(cfg.Keys) == 0 {
		return provider.Connected(p, nil)
	}
	client, err := factory.Client(upstream.Provider{Name: Name, BaseURL: cmp.Or(cfg.BaseURL, BaseURL)})
	if err != nil {
		return provider.Clients{}, err
	}
	for code, key := range cfg.Keys {
		id, secret, _ := parse(key)
		body, err := json.Marshal(map[string]string{
			"client_id": id, "client_secret": secret, "grant_type": "client_credentials",
		})
		if err != nil {
			return provider.Clients{}, err
		}
		login := upstream.Request{Method: http.MethodPost, Path: "/auth/oauth2/token", Body: body}
		p.Sessions[code] = provider.NewSession(client, login, 0)
	}
	return provider.Connected(p, nil)
}

// Name returns "airtel".
func (*Provider) Name() string { return Name }

// Resolves reports whether the bank is Airtel in a country for which there are credentials.
func (p *Provider) Resolves(country string, channel core.Channel, bank core.Bank) bool {
	_, ok := p.Sessions[country]
	return ok && channel == core.MobileMoney && bank.Country == country && bank.Code == operator
}

// Resolve returns the holder of a wallet.
func (p *Provider) Resolve(ctx context.Context, q core.AccountQuery) (core.Private, error) {
	at := countries[q.Country]
	number, national := strings.CutPrefix(q.Number.Reveal(), at.calling)
	notDigit := func(r rune) bool { return r < '0' || r > '9' }
	if !p.Resolves(q.Country, q.Channel, q.Bank) || !national || len(number) != digits ||
		strings.ContainsFunc(number, notDigit) {
		return "", core.Errorf(core.Unsupported, "Accounts of this kind cannot be looked up here")
	}
	request := upstream.Request{
		Path: "/standard/v1/users/" + number, Scope: q.Country,
		Header: http.Header{"X-Country": {q.Country}, "X-Currency": {at.currency}},
	}
	return provider.Lookup(ctx, p.Sessions[q.Country], request, func(a upstream.Response) (core.Private, error) {
		return holder.Judge(a, read(a), texts, number)
	})
}

// read decodes a response about a number. A name is complete only with both parts. One of
// them may be blank.
func read(a upstream.Response) holder.Response {
	var body struct {
		Data struct {
			First  *string `json:"first_name"`
			Last   *string `json:"last_name"`
			Number *string `json:"msisdn"`
			Barred bool    `json:"is_barred"`
		} `json:"data"`
		Status struct {
			Success  bool   `json:"success"`
			Response string `json:"response_code"`
			Result   string `json:"result_code"`
		} `json:"status"`
	}
	if err := a.JSON(&body); err != nil {
		return holder.Response{Broken: err}
	}
	code := body.Status.Response
	if code == "" {
		code = body.Status.Result
	}
	switch user := body.Data; {
	case code != successful || !body.Status.Success:
		return holder.Response{Refused: true, Message: code}
	case user.Barred:
		return holder.Response{Refused: true, Message: barred}
	case user.First == nil || user.Last == nil:
		return holder.Response{Number: user.Number}
	default:
		name := *user.First + " " + *user.Last
		return holder.Response{Number: user.Number, Name: &name}
	}
}
