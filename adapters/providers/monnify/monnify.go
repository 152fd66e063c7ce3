// Package monnify lists institutions and resolves account holders of Nigeria through Monnify.
//
// An account is not found only if Monnify says so in a known text (see texts). Every other failure
// is undecided.
//
// API: https://developers.monnify.com/docs/verification-api/verifying-your-customers, for the texts
// https://teamapt.atlassian.net/wiki/spaces/MON/pages/454557732 (read 2026-11; nothing here was
// called live). POST /api/v1/auth/login exchanges the API key and the secret key (Basic
// authorization) for a token of about an hour. Hosts: https://api.monnify.com and, for tests,
// https://sandbox.monnify.com.
//
// Quirks:
//   - Every failure has responseCode 99: the text decides. An inquiry's text contains the account,
//     the bank and the reason, with doubled spaces: "Unable to process request. Name inquiry
//     failed. Account  0103284195 Bank  044.  Invalid Account".
//   - The gateway responds with 401 before it looks at the path: 401 may also mean a wrong address.
//   - A token may end early. The request is then repeated once with a new one.
//   - responseCode is text, "0" for success.
//   - The response repeats the account number and the bank's code, which are compared.
//   - Most codes are the central bank's, others are NIP codes or of NIBSS. Rows of the list have USSD
//     templates and no type.
package monnify

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"strings"
	"time"
	"unicode"

	"causeway/adapters/providers/provider"
	"causeway/adapters/upstream"
	"causeway/core"
	"causeway/ports"
)

const (
	// Name of the provider, also the key of its codes in core.Bank.Codes.
	Name = "monnify"
	// BaseURL of the API.
	BaseURL = "https://api.monnify.com"

	nigeria  = "NG"
	currency = "NGN"
)

// Descriptor describes Monnify.
var Descriptor = provider.Descriptor{
	Name: Name, Title: "Monnify", Homepage: "https://monnify.com",
	BaseURL: BaseURL, TestURL: "https://sandbox.monnify.com",
	Settings: func() provider.Settings { return &Config{} },
	Accounts: []provider.Coverage{
		{Country: "NG", Channels: []core.Channel{core.BankTransfer, core.MobileMoney}},
	},
	Evidence: []provider.Evidence{
		{
			Fact:   "Credentials are exchanged for a token of about an hour.",
			Source: "developers.monnify.com/docs/verification-api/verifying-your-customers (2026-11)",
		},
		{
			Fact:   "Name inquiry failed … Invalid Account is documented for /vas/bvn-account-match.",
			Source: "teamapt.atlassian.net/wiki/spaces/MON/pages/454557732",
		},
		{
			Fact: "account/validate has the same text for an unknown account.",
		},
		{
			Fact:   "The fields of the bank list.",
			Source: "github.com/WhizzyDoc/kosmos @1cbe464 (2023-10-25)",
		},
		{
			Fact: "HTTP statuses.",
		},
	},
}

// Config of the provider. Without keys it is off.
type Config struct {
	BaseURL   string      `json:"-"` // empty: the constant
	APIKey    core.Secret `json:"api_key" doc:"API key, MK_…. Empty: not used."`
	SecretKey core.Secret `json:"secret_key" doc:"Secret key that belongs to the API key."`
}

// Credentials implements provider.Authenticated.
func (c *Config) Credentials() []provider.Credential {
	return []provider.Credential{
		{Setting: "api_key", Value: c.APIKey, Live: "MK_PROD_", Test: "MK_TEST_"},
		{Setting: "secret_key", Value: c.SecretKey, Mistaken: "MK_"},
	}
}

// Provider is Monnify as a directory of banks and as a resolver of accounts.
type Provider struct{ session *upstream.Session } // nil: off

var (
	_ ports.BankDirectory   = (*Provider)(nil)
	_ ports.AccountResolver = (*Provider)(nil)
)

// Connect implements provider.Settings. Without keys the provider serves no country and resolves
// nothing. One key without the other is an error.
func (c *Config) Connect(factory *upstream.Factory) (provider.Clients, error) {
	if c.APIKey == "" && c.SecretKey == "" {
		return provider.Connected(&Provider{}, nil)
	}
	if c.APIKey == "" || c.SecretKey == "" {
		return provider.Clients{}, errors.New("monnify: set both api_key and secret_key, or none")
	}
	credentials := c.APIKey.Reveal() + ":" + c.SecretKey.Reveal()
	if strings.ContainsFunc(credentials, unicode.IsControl) {
		return provider.Clients{}, errors.New("monnify: api_key or secret_key has control characters; a line break in it?")
	}
	client, err := factory.Client(upstream.Provider{Name: Name, BaseURL: cmp.Or(c.BaseURL, BaseURL)})
	if err != nil {
		return provider.Clients{}, err
	}
	basic := core.Secret(provider.Basic(credentials))
	session := upstream.NewSession(client, func(ctx context.Context) (core.Secret, time.Duration, error) {
		return login(ctx, client, basic)
	})
	return provider.Connected(&Provider{session}, nil)
}

// login exchanges the keys for a token.
func login(ctx context.Context, client *upstream.Client, basic core.Secret) (core.Secret, time.Duration, error) {
	var token struct {
		Access  core.Secret     `json:"accessToken"`
		Expires json.RawMessage `json:"expiresIn"` // seconds
	}
	request := upstream.Request{
		Op: "login", Method: http.MethodPost, Path: "/api/v1/auth/login",
		Header: http.Header{"Authorization": {basic.Reveal()}}, Urgent: true,
	}
	err := client.Do(ctx, request, func(a upstream.Response) error { return well(a, &token) })
	return token.Access, upstream.Lifetime(token.Expires), err
}

// Name returns "monnify".
func (*Provider) Name() string { return Name }

// Countries returns Nigeria; none if the provider is off.
func (p *Provider) Countries() []string {
	if p.session == nil {
		return nil
	}
	return []string{nigeria}
}

// envelope is around every response.
type envelope struct {
	Successful *bool           `json:"requestSuccessful"`
	Message    string          `json:"responseMessage"`
	Code       string          `json:"responseCode"` // 0: all is well; 99: whatever else
	Body       json.RawMessage `json:"responseBody"`
}

const succeeded = "0"

// well decodes the body of a successful response.
func well(a upstream.Response, into any) error {
	var body envelope
	if err := a.Decode(&body); err != nil {
		return err
	}
	if body.Successful == nil || !*body.Successful || body.Code != succeeded {
		return upstream.Fail(upstream.Undecided, "it says that the request failed")
	}
	if upstream.Decode(body.Body, into) != nil {
		return upstream.Fail(upstream.Malformed, "not the documented body")
	}
	return nil
}
