package webhooks_test

import (
	"encoding/base64"
	"strings"
	"testing"

	"causeway/adapters/webhooks"
	"causeway/core"
)

// secret is the secret of the test vectors of Standard Webhooks.
const secret core.Secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"

func secretOf(bytes int) core.Secret {
	return core.Secret("whsec_" + base64.StdEncoding.EncodeToString([]byte(strings.Repeat("k", bytes))))
}

func TestConfig_Check(t *testing.T) {
	t.Parallel()
	url := func(text string) webhooks.Endpoint {
		return webhooks.Endpoint{Account: "acc", URL: core.Secret(text), Secret: secret}
	}
	with := func(change func(*webhooks.Endpoint)) webhooks.Endpoint {
		e := url("https://shop.test/planted")
		change(&e)
		return e
	}
	for name, c := range map[string]struct {
		endpoint webhooks.Endpoint
		want     string // empty: accepted
	}{
		"https":                 {url("https://shop.test/planted?token=planted"), ""},
		"https with a port":     {url("https://shop.test:8443"), ""},
		"http on this machine":  {with(func(e *webhooks.Endpoint) { e.URL, e.AllowPrivate = "http://localhost:3000/", true }), ""},
		"http on ::1":           {with(func(e *webhooks.Endpoint) { e.URL, e.AllowPrivate = "http://[::1]:3000/", true }), ""},
		"https in the network":  {with(func(e *webhooks.Endpoint) { e.URL, e.AllowPrivate = "https://10.0.0.7/", true }), ""},
		"two secrets":           {with(func(e *webhooks.Endpoint) { e.PreviousSecret = secretOf(64) }), ""},
		"types":                 {with(func(e *webhooks.Endpoint) { e.Events = core.EventTypes() }), ""},
		"no URL":                {url(""), "url is empty; accepted: such as https://"},
		"http":                  {url("http://shop.test/planted"), "url is not an https URL; http is accepted on this machine only"},
		"another scheme":        {url("ftp://shop.test/planted"), "url is not an https URL"},
		"no scheme":             {url("shop.test/planted"), "url is not an https URL"},
		"no host":               {url("https:///planted"), "url has no host"},
		"opaque":                {url("https:planted"), "url has no host"},
		"control characters":    {url("https://shop.test/planted\x00"), "url is not a URL"},
		"credentials":           {url("https://planted:planted@shop.test/"), "url has credentials"},
		"a fragment":            {url("https://shop.test/#planted"), "url has a fragment"},
		"an empty fragment":     {url("https://shop.test/#"), "url has a fragment"},
		"port 0":                {url("https://shop.test:0/"), "url has a port that is not a number from 1 to 65535"},
		"port 70000":            {url("https://shop.test:70000/"), "url has a port"},
		"this machine":          {url("http://127.0.0.1:3000/planted"), "url has an address of this machine; set allow_private of the endpoint"},
		"localhost":             {url("https://localhost/planted"), "url has an address of this machine"},
		"a private address":     {url("https://192.168.1.4/planted"), "url has a private address"},
		"an IPv4-mapped one":    {url("https://[::ffff:10.0.0.7]/planted"), "url has a private address"},
		"link-local":            {with(func(e *webhooks.Endpoint) { e.URL, e.AllowPrivate = "https://169.254.169.254/", true }), "url has a link-local address, which receives no webhooks"},
		"a zone":                {url("https://[fe80::1%25eth0]/planted"), "url has no host"},
		"no account":            {with(func(e *webhooks.Endpoint) { e.Account = " " }), "account is empty"},
		"no secret":             {with(func(e *webhooks.Endpoint) { e.Secret = "" }), "secret is empty; make one with"},
		"a secret, not base64":  {with(func(e *webhooks.Endpoint) { e.Secret = "whsec_planted!" }), "secret is not whsec_ and base64"},
		"a secret, no prefix":   {with(func(e *webhooks.Endpoint) { e.Secret = secret[len("whsec_"):] }), "secret is not whsec_ and base64"},
		"a secret of two lines": {with(func(e *webhooks.Endpoint) { e.Secret = secret[:20] + "\n" + secret[20:] }), "secret is not whsec_ and base64"},
		"23 bytes":              {with(func(e *webhooks.Endpoint) { e.Secret = secretOf(23) }), "secret has 23 bytes; accepted: 24 to 64"},
		"65 bytes":              {with(func(e *webhooks.Endpoint) { e.PreviousSecret = secretOf(65) }), "previous_secret has 65 bytes; accepted: 24 to 64"},
		"one secret twice":      {with(func(e *webhooks.Endpoint) { e.PreviousSecret = secret }), "previous_secret is the secret"},
		"an unknown type":       {with(func(e *webhooks.Endpoint) { e.Events = []core.EventType{"transfer.paid"} }), `events has "transfer.paid"; accepted: transaction.pending, `},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			err := webhooks.Config{"shop": c.endpoint}.Check()
			switch {
			case c.want == "" && err != nil:
				t.Errorf("got %v, want no fault", err)
			case c.want != "" && (err == nil || !strings.HasPrefix(err.Error(), "webhooks.shop."+c.want) || strings.Contains(err.Error(), "\n")):
				t.Errorf("got %v, want the one fault %q", err, c.want)
			case err != nil && (strings.Contains(err.Error(), "planted") || strings.Contains(err.Error(), c.endpoint.Secret.Reveal()) && c.endpoint.Secret != ""):
				t.Errorf("a secret is in the error: %v", err)
			}
		})
	}
	for _, name := range []string{"Shop", "my_shop", "my shop", "-shop", "", strings.Repeat("a", 64), "é"} {
		if err := (webhooks.Config{name: url("https://shop.test")}).Check(); err == nil {
			t.Errorf("name %q is accepted", name)
		}
	}
}

func TestEndpoint_Host(t *testing.T) {
	t.Parallel()
	e := webhooks.Endpoint{URL: "https://shop.test:8443/planted?token=planted"}
	if got := e.Host(); got != "shop.test:8443" {
		t.Errorf("got %s, want shop.test:8443", got)
	}
}
