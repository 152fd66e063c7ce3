// Package mtnmomo resolves the holders of MTN mobile-money wallets through the MTN MoMo Open API.
// It answers for the operator MTN of the countries below and for no other one.
//
// API: https://momodeveloper.mtn.com, as MTN's SDK for Android has it
// (github.com/MTN-Group/MoMoAPIs_Android_sdk of 2023-05-04, APIService.java and docs/); nothing
// here was called live. POST {base}/token/ exchanges an API user and its API key (Basic
// authorization) for a bearer token of an hour. GET
// {base}/v1_0/accountholder/msisdn/{number}/basicuserinfo returns the holder. Every request carries
// the subscription key of the product. Base URLs end with the product:
// https://proxy.momoapi.mtn.com/disbursement and
// https://sandbox.momodeveloper.mtn.com/disbursement; collection and remittance have the same
// operations.
//
// Quirks:
//   - The host is the same for all countries. X-Target-Environment selects one: mtnuganda and so
//     on, and "sandbox" on the sandbox host. Zambia (mtnzambia) is missing because the catalog has
//     no banks of it.
//   - Numbers are international digits without a plus sign.
//   - The response does not repeat the number. Its member "name" is optional and unused.
//   - ACCOUNTHOLDER_NOT_FOUND and RESOURCE_NOT_FOUND are assumed and doubtful.
package mtnmomo

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"net/http"
	"net/url"
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
	Name = "mtnmomo"
	// BaseURL of the API.
	BaseURL = "https://proxy.momoapi.mtn.com/disbursement"

	sandboxHost = "sandbox.momodeveloper.mtn.com"
	operator    = "MTN" // bank code
)

// environments are the values of X-Target-Environment by country.
var environments = map[string]string{
	"CI": "mtnivorycoast", "CM": "mtncameroon", "GH": "mtnghana", "RW": "mtnrwanda", "UG": "mtnuganda",
}

// texts are the known error codes. The codes come from public clients and from MTN's wallet
// platform; the status is assumed. That an unreachable platform responds with another code is not
// known, so that "not found" counts only if a second provider agrees.
var texts = []holder.Text{
	{Text: "accountholder_not_found", Statuses: []int{http.StatusNotFound}, Meaning: holder.SharedNone},
	{Text: "accountholder_not_active", Statuses: []int{http.StatusNotFound}, Meaning: holder.Closed},
	{Text: "resource_not_found", Statuses: []int{http.StatusNotFound}, Meaning: holder.SharedNone},
}

// served returns the countries in order.
func served() []string { return slices.Sorted(maps.Keys(environments)) }

const sdk = "github.com/MTN-Group/MoMoAPIs_Android_sdk (2023-05-04)"

// Descriptor describes MTN MoMo.
var Descriptor = provider.Descriptor{
	Name: Name, Title: "MTN MoMo", Homepage: "https://momodeveloper.mtn.com",
	BaseURL: BaseURL, TestURL: "https://sandbox.momodeveloper.mtn.com/disbursement",
	Settings: func() provider.Settings { return &Config{} },
	Accounts: provider.Cover(served(), core.MobileMoney),
	Evidence: []provider.Evidence{
		{
			Fact:   "Paths, headers and members of the token and of basicuserinfo; the sandbox and its response.",
			Source: sdk,
		},
		{
			Fact:   "The production host and X-Target-Environment of each country.",
			Source: "github.com/lepresk/momo-api and other public clients (read 2026-11)",
		},
		{
			Fact:   "ACCOUNTHOLDER_NOT_FOUND and RESOURCE_NOT_FOUND are rejected as a wrong number.",
			Source: "public client code for Rwanda (read 2026-11)",
		},
		{
			Fact: "The status of these codes, ACCOUNTHOLDER_NOT_ACTIVE, and that credentials belong to one country.",
		},
	},
}

// Config of the provider. Without keys it is off.
type Config struct {
	BaseURL string                 `json:"-"` // empty: the constant
	Keys    map[string]core.Secret `json:"keys" doc:"Credentials by country (CI, CM, GH, RW, UG): subscription key, API user and API key, separated by colons."`
}

// Credentials implements provider.Authenticated.
func (c *Config) Credentials() []provider.Credential {
	return provider.CountryKeys(c.Keys, served(), provider.Credential{})
}

// Validate implements provider.Validator: country codes become upper case and empty keys are
// removed.
func (c *Config) Validate() (err error) {
	c.Keys, err = provider.ValidateCountryKeys(c.Keys, served(),
		"a subscription key, an API user and an API key, separated by colons", func(key core.Secret) bool {
			_, _, ok := parse(key)
			return ok
		})
	return err
}

// Provider is MTN MoMo as a resolver of wallets.
type Provider struct {
	provider.Sessions

	headers map[string]http.Header // of requests about holders, by country
}

var _ ports.AccountResolver = (*Provider)(nil)

// parse splits credentials into the subscription key and "user:key".
func parse(key core.Secret) (subscription, basic string, ok bool) {
	parts := strings.Split(key.Reveal(), ":")
	if len(parts) != 3 || slices.Contains(parts, "") || strings.ContainsFunc(key.Reveal(), unicode.IsControl) {
		return "", "", false
	}
	return parts[0], parts[1] + ":" + parts[2], true
}

// Connect implements provider.Settings. Countries without keys are not served.
func (c *Config) Connect(factory *upstream.Factory) (provider.Clients, error) {
	cfg := *c // Validate changes it
	p := &Provider{provider.Sessions{}, map[string]http.Header{}}
	if err := cfg.Validate(); err != nil {
		return provider.Clients{}, fmt.Errorf("mtnmomo: %w", err)
	}
	if len(cfg.Keys) == 0 {
		return provider.Connected(p, nil)
	}
	address := cmp.Or(cfg.BaseURL, BaseURL)
	client, err := factory.Client(upstream.Provider{Name: Name, BaseURL: address})
	if err != nil {
		return provider.Clients{}, err
	}
	base, err := url.Parse(address)
	if err != nil {
		return provider.Clients{}, err
	}
	for country, key := range cfg.Keys {
		environment := environments[country]
		subscription, basic, _ := parse(key)
		if base.Hostname() == sandboxHost {
			environment = "sandbox"
		}
		p.Sessions[country] = provider.NewSession(client, upstream.Request{
			Method: http.MethodPost, Path: "/token/",
			Header: http.Header{"Ocp-Apim-Subscription-Key": {subscription}, "Authorization": {provider.Basic(basic)}},
		}, 0)
		p.headers[country] = http.Header{
			"Ocp-Apim-Subscription-Key": {subscription}, "X-Target-Environment": {environment},
		}
	}
	return provider.Connected(p, nil)
}

// Name returns "mtnmomo".
func (*Provider) Name() string { return Name }

// Resolves reports whether the bank is MTN in a country for which there are credentials.
func (p *Provider) Resolves(country string, channel core.Channel, bank core.Bank) bool {
	_, ok := p.Sessions[country]
	return ok && channel == core.MobileMoney && bank.Country == country && bank.Code == operator
}

// Resolve returns the holder of a wallet.
func (p *Provider) Resolve(ctx context.Context, q core.AccountQuery) (core.Private, error) {
	number := strings.TrimPrefix(q.Number.Reveal(), "+")
	notDigit := func(r rune) bool { return r < '0' || r > '9' }
	if !p.Resolves(q.Country, q.Channel, q.Bank) || number == "" || strings.ContainsFunc(number, notDigit) {
		return "", core.Errorf(core.Unsupported, "Accounts of this kind cannot be looked up here")
	}
	request := upstream.Request{
		Path:   "/v1_0/accountholder/msisdn/" + number + "/basicuserinfo",
		Header: p.headers[q.Country], Scope: q.Country,
	}
	return provider.Lookup(ctx, p.Sessions[q.Country], request, func(a upstream.Response) (core.Private, error) {
		return holder.Judge(a, read(a, number), texts, number)
	})
}

// read decodes a response about a number. A name is complete only with both parts. One of
// them may be blank.
func read(a upstream.Response, number string) holder.Response {
	var body struct {
		Code   string  `json:"code"`
		Given  *string `json:"given_name"`
		Family *string `json:"family_name"`
	}
	if err := a.JSON(&body); err != nil {
		return holder.Response{Broken: err}
	}
	if body.Code != "" {
		return holder.Response{Refused: true, Message: body.Code}
	}
	if body.Given == nil || body.Family == nil {
		return holder.Response{Number: &number}
	}
	name := *body.Given + " " + *body.Family
	return holder.Response{Number: &number, Name: &name}
}
