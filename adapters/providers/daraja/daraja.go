// Package daraja names the businesses behind M-PESA pay bills and tills of Kenya through Safaricom's Daraja. It moves no money and names no
// persons: Daraja does not tell whose a phone number is. It never concludes from a doubt: a number is "not found" only where
// Daraja says so in one of the ways of the table of known texts; everything else is "cannot tell".
//
// API: https://developer.safaricom.co.ke, "B2B Hakikisha" (Query Organization Info), as a client quotes its page of 2026-05-30, with the
// answers of its sandbox as public clients know them (read 2026-11; nothing here was called live). The consumer key and secret of an app are
// exchanged for a token (GET /oauth/v1/generate?grant_type=client_credentials, "Authorization: Basic …"), which is sent as "Authorization: Bearer …"
// and lives an hour. Test and live are two hosts: https://sandbox.safaricom.co.ke and https://api.safaricom.co.ke.
//
// Surprises:
//   - the code of success is 4000 in the sample, and 0 in the page's own table and in clients' fixtures: both are taken, beside the message
//     "Success" and a name alone;
//   - an unknown number is HTTP 200, "Invalid Identifier", without a name;
//   - the numbers of pay bills and tills are asked for by type, 4 and 2: the same number may be both;
//   - a till may come with its own TillNumber beside the OrganizationShortCode of the business that it belongs to;
//   - the life of a token comes as text, "3599"; keys that are wrong are 400, "Invalid Authentication passed", or without a body (general
//     knowledge);
//   - 401 "Invalid API call as no apiproduct match found" is an app without this product: an operator's affair, and a new token
//     does not help;
//   - the sandbox does not answer reliably, and the gateway's failures are of another form, {"requestId","errorCode","errorMessage"}.
package daraja

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"strings"
	"time"
	"unicode"

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

// Config of the provider. Without keys it is off.
type Config struct {
	BaseURL        string      `json:"base_url" doc:"Base URL of the API. Empty: https://api.safaricom.co.ke. With test keys: https://sandbox.safaricom.co.ke."`
	ConsumerKey    core.Secret `json:"consumer_key" doc:"Consumer key of an app with the product B2B Hakikisha. Empty: not used."`
	ConsumerSecret core.Secret `json:"consumer_secret" doc:"Consumer secret that belongs to the key."`
}

// Provider is Daraja as a resolver of pay bills and tills.
type Provider struct{ session *upstream.Session } // nil: off

var _ ports.AccountResolver = (*Provider)(nil)

// New makes the provider. Without keys it is off: it resolves nothing. One key without the other is a mistake.
func New(cfg Config, factory *upstream.Factory) (*Provider, error) {
	if cfg.ConsumerKey == "" && cfg.ConsumerSecret == "" {
		return &Provider{}, nil
	}
	if cfg.ConsumerKey == "" || cfg.ConsumerSecret == "" {
		return nil, errors.New("daraja: consumer_key and consumer_secret belong together, and one of them is empty")
	}
	credentials := cfg.ConsumerKey.Reveal() + ":" + cfg.ConsumerSecret.Reveal()
	if strings.ContainsFunc(credentials, unicode.IsControl) {
		return nil, errors.New("daraja: consumer_key or consumer_secret has control characters; a line break in it?")
	}
	if cfg.BaseURL == "" {
		cfg.BaseURL = BaseURL
	}
	client, err := factory.Client(upstream.Provider{Name: Name, BaseURL: cfg.BaseURL, Timeout: timeout})
	if err != nil {
		return nil, err
	}
	basic := core.Secret("Basic " + base64.StdEncoding.EncodeToString([]byte(credentials)))
	return &Provider{session: upstream.NewSession(client, func(ctx context.Context) (core.Secret, time.Duration, error) {
		return login(ctx, client, basic)
	})}, nil
}

// login exchanges the keys for a token.
func login(ctx context.Context, client *upstream.Client, basic core.Secret) (core.Secret, time.Duration, error) {
	var token struct {
		Access  core.Secret     `json:"access_token"`
		Expires json.RawMessage `json:"expires_in"` // seconds, as text or as a number
	}
	request := upstream.Request{
		Op: "login", Path: "/oauth/v1/generate", Query: url.Values{"grant_type": {"client_credentials"}},
		Header: http.Header{"Authorization": {basic.Reveal()}}, Urgent: true,
	}
	err := client.Do(ctx, request, func(a upstream.Response) error {
		if a.Status == http.StatusBadRequest {
			return upstream.Fail(upstream.Refused, "the keys are not accepted")
		}
		if err := a.Err(); err != nil {
			return err
		}
		return a.JSON(&token)
	})
	return token.Access, upstream.Lifetime(token.Expires), err
}

// Login tries the credentials, and asks about nobody.
func (p *Provider) Login(ctx context.Context) error {
	if p.session == nil {
		return core.Errorf(core.Unsupported, "There are no credentials")
	}
	return p.session.Login(ctx)
}

// Name is "daraja".
func (*Provider) Name() string { return Name }
