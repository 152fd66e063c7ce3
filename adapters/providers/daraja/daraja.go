// Package daraja names the businesses behind M-PESA pay bills and tills of Kenya through
// Safaricom's Daraja. It cannot name the holders of phone numbers.
//
// A number is not found only if Daraja says so in a known text (see texts). Every other failure is
// undecided.
//
// API: https://developer.safaricom.co.ke, "B2B Hakikisha" (Query Organization Info), as a client
// quotes its page of 2026-05-30, with the responses of its sandbox as public clients know them
// (read 2026-11; nothing here was called live). GET
// /oauth/v1/generate?grant_type=client_credentials exchanges the consumer key and secret of an app
// (Basic authorization) for a token of an hour. Hosts: https://api.safaricom.co.ke and, for tests,
// https://sandbox.safaricom.co.ke.
//
// Quirks:
//   - The code of success is 4000 in the page's sample, and 0 in its table and in clients'
//     fixtures. Both are accepted, together with the message "Success" and a name.
//   - An unknown number is 200 "Invalid Identifier" without a name.
//   - Pay bills and tills are types 4 and 2. The same number may be both.
//   - A till may come with its TillNumber and the OrganizationShortCode of the business that it
//     belongs to.
//   - The lifetime of a token is text, "3599". Wrong keys are 400 "Invalid Authentication passed",
//     or have no body (assumed).
//   - 401 "Invalid API call as no apiproduct match found" is an app without this product: a new
//     token does not help.
//   - The sandbox is unreliable. Failures of the gateway are
//     {"requestId","errorCode","errorMessage"}.
package daraja

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"net/url"
	"strings"
	"time"
	"unicode"

	"causeway/adapters/providers/provider"
	"causeway/adapters/upstream"
	"causeway/core"
	"causeway/ports"
)

const (
	// Name of the provider.
	Name = "daraja"
	// BaseURL of the API.
	BaseURL = "https://api.safaricom.co.ke"

	// timeout of one attempt. Public clients allow up to 45 s; a client of Causeway gets its answer
	// after 8 s, whatever this is.
	timeout = 20 * time.Second
)

// Descriptor describes Safaricom Daraja.
var Descriptor = provider.Descriptor{
	Name: Name, Title: "Safaricom Daraja", Homepage: "https://developer.safaricom.co.ke",
	BaseURL: BaseURL, TestURL: "https://sandbox.safaricom.co.ke",
	Settings: func() provider.Settings { return &Config{} },
	Accounts: []provider.Coverage{
		{Country: "KE", Channels: []core.Channel{core.PayBill, core.Till}},
	},
	Evidence: []provider.Evidence{
		{
			Fact:   "IdentifierType is 4 for pay bills and 2 for tills.",
			Source: "developer.safaricom.co.ke, B2B Hakikisha, page of 2026-05-30 as quoted by a client",
		},
		{
			Fact:   "An unknown number is 200 with Invalid Identifier.",
			Source: "published test fixture of a client",
		},
		{
			Fact:   "A till may have a TillNumber in addition to the OrganizationShortCode of its parent.",
			Source: "public client code (2026-11)",
		},
		{
			Fact:   "A response may take up to 45 s.",
			Source: "time-outs of public clients (2026-11)",
		},
		{
			Fact: "Texts for closed organizations, and responses to wrong keys.",
		},
	},
}

// Config of the provider. Without keys it is off.
type Config struct {
	BaseURL        string      `json:"-"` // empty: the constant
	ConsumerKey    core.Secret `json:"consumer_key" doc:"Consumer key of an app with the product B2B Hakikisha. Empty: not used."`
	ConsumerSecret core.Secret `json:"consumer_secret" doc:"Consumer secret that belongs to the key."`
}

// Credentials implements provider.Authenticated.
func (c *Config) Credentials() []provider.Credential {
	return []provider.Credential{
		{Setting: "consumer_key", Value: c.ConsumerKey},
		{Setting: "consumer_secret", Value: c.ConsumerSecret},
	}
}

// Provider is Daraja as a resolver of pay bills and tills.
type Provider struct{ session *upstream.Session } // nil: off

var _ ports.AccountResolver = (*Provider)(nil)

// Connect implements provider.Settings. Without keys the provider resolves nothing. One key without
// the other is an error.
func (c *Config) Connect(factory *upstream.Factory) (provider.Clients, error) {
	if c.ConsumerKey == "" && c.ConsumerSecret == "" {
		return provider.Connected(&Provider{}, nil)
	}
	if c.ConsumerKey == "" || c.ConsumerSecret == "" {
		return provider.Clients{}, errors.New("daraja: set both consumer_key and consumer_secret, or none")
	}
	credentials := c.ConsumerKey.Reveal() + ":" + c.ConsumerSecret.Reveal()
	if strings.ContainsFunc(credentials, unicode.IsControl) {
		return provider.Clients{}, errors.New("daraja: a credential has control characters, such as a line break")
	}
	client, err := factory.Client(upstream.Provider{
		Name: Name, BaseURL: cmp.Or(c.BaseURL, BaseURL), Timeout: timeout,
	})
	if err != nil {
		return provider.Clients{}, err
	}
	session := provider.NewSession(client, upstream.Request{
		Path: "/oauth/v1/generate", Query: url.Values{"grant_type": {"client_credentials"}},
		Header: http.Header{"Authorization": {provider.Basic(credentials)}},
	}, http.StatusBadRequest)
	return provider.Connected(&Provider{session}, nil)
}

// Login checks the credentials without a request about a business.
func (p *Provider) Login(ctx context.Context) error {
	if p.session == nil {
		return core.Errorf(core.Unsupported, "There are no credentials")
	}
	return p.session.Login(ctx)
}

// Name returns "daraja".
func (*Provider) Name() string { return Name }
