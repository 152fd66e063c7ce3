package daraja_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jarcoal/httpmock"

	"causeway/adapters/providers/daraja"
	"causeway/adapters/upstream/upstreamtest"
	"causeway/core"
)

const (
	base               = "https://api.safaricom.co.ke/"
	key    core.Secret = "PLANTEDKEY"
	secret core.Secret = "PLANTEDSECRET"
	basic              = "Basic UExBTlRFREtFWTpQTEFOVEVEU0VDUkVU"
)

// openAt makes the provider over a Daraja.
func openAt(t testing.TB, transport http.RoundTripper, clock func() time.Time) (*daraja.Provider, *upstreamtest.World) {
	t.Helper()
	world := upstreamtest.OpenAt(t, transport, clock)
	provider, err := daraja.New(daraja.Config{ConsumerKey: key, ConsumerSecret: secret}, world.Factory)
	if err != nil {
		t.Fatal(err)
	}
	return provider, world
}

func open(t testing.TB, transport http.RoundTripper) (*daraja.Provider, *upstreamtest.World) {
	t.Helper()
	return openAt(t, transport, upstreamtest.Noon)
}

// saying is a Daraja with a login, that answers every question alike.
func saying(t testing.TB, answer httpmock.Responder) *httpmock.MockTransport {
	t.Helper()
	return with(t, file(t, http.StatusOK, "login.json"), answer)
}

// with is a Daraja with a login of one's own.
func with(t testing.TB, login, answer httpmock.Responder) *httpmock.MockTransport {
	t.Helper()
	mock := upstreamtest.Saying(t, base+"oauth/v1/generate", login)
	mock.RegisterResponder(http.MethodPost, base+"sfcverify/v1/query/info", answer)
	return mock
}

// file is a recorded answer with its status.
func file(t testing.TB, status int, name string) httpmock.Responder {
	t.Helper()
	return upstreamtest.Text(status, upstreamtest.Read(t, name))
}

func hanging() httpmock.Responder { return upstreamtest.Text(http.StatusOK, "{}").Delay(time.Hour) }

func wantOutcomes(t *testing.T, world *upstreamtest.World, want ...string) {
	t.Helper()
	if got := world.Outcomes(t); !slices.Equal(got, want) {
		t.Errorf("got outcomes %v, want %v", got, want)
	}
}

func TestNew(t *testing.T) {
	t.Parallel()
	factory := upstreamtest.Open(t, httpmock.NewMockTransport()).Factory
	for name, c := range map[string]struct {
		cfg  daraja.Config
		want string
	}{
		"a bad URL":            {daraja.Config{BaseURL: "daraja", ConsumerKey: key, ConsumerSecret: secret}, "base_url"},
		"a key alone":          {daraja.Config{ConsumerKey: key}, "belong together"},
		"a secret alone":       {daraja.Config{ConsumerSecret: secret}, "belong together"},
		"a key over a line":    {daraja.Config{ConsumerKey: key + "\n", ConsumerSecret: secret}, "line break"},
		"a secret over a line": {daraja.Config{ConsumerKey: key, ConsumerSecret: secret + "\r"}, "line break"},
	} {
		t.Run("refuses "+name, func(t *testing.T) {
			t.Parallel()
			_, err := daraja.New(c.cfg, factory)
			if err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "PLANTED") {
				t.Errorf("got %v, want %q and no key", err, c.want)
			}
		})
	}
}

func TestWithoutAKeyItIsOff(t *testing.T) {
	t.Parallel()
	provider, err := daraja.New(daraja.Config{BaseURL: "nonsense"}, upstreamtest.Open(t, httpmock.NewMockTransport()).Factory)
	if err != nil {
		t.Fatal(err)
	}
	if provider.Resolves("KE", core.PayBill, core.Bank{}) {
		t.Error("it resolves")
	}
	if _, err := provider.Resolve(t.Context(), payBill(acme)); core.CodeOf(err) != core.Unsupported {
		t.Errorf("resolve: got %v", err)
	}
}

// TestLives checks what is believed of a token's life: one that makes no sense is used until it is refused.
func TestLives(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		life   string
		after  time.Duration
		logins int
	}{
		"none told":       {`"unknown": 1`, 1000 * time.Hour, 1},
		"null":            {`"expires_in": null`, 1000 * time.Hour, 1},
		"less than none":  {`"expires_in": "-5"`, 1000 * time.Hour, 1},
		"a word":          {`"expires_in": "soon"`, 1000 * time.Hour, 1},
		"an hour, before": {`"expires_in": "3600"`, 47 * time.Minute, 1},
		"an hour, after":  {`"expires_in": "3600"`, 49 * time.Minute, 2},
		"as a number":     {`"expires_in": 3600`, 49 * time.Minute, 2},
		"a year":          {`"expires_in": "31536000"`, 20 * time.Hour, 2},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			logins, now := 0, upstreamtest.Noon()
			login := func(r *http.Request) (*http.Response, error) {
				logins++
				if got := r.Header.Get("Authorization"); got != basic || r.URL.RawQuery != "grant_type=client_credentials" {
					t.Errorf("a login by %q, %s", got, r.URL.RawQuery)
				}
				return upstreamtest.Edited(t, "login.json", `"expires_in": "3599"`, c.life)(r)
			}
			provider, _ := openAt(t, with(t, login, file(t, 200, "resolved.json")), func() time.Time { return now })
			for range 2 {
				if _, err := provider.Resolve(t.Context(), payBill(acme)); err != nil {
					t.Fatal(err)
				}
				now = now.Add(c.after)
			}
			if logins != c.logins {
				t.Errorf("got %d logins, want %d", logins, c.logins)
			}
		})
	}
}

func TestATokenThatEndedEarlyIsRenewed(t *testing.T) {
	t.Parallel()
	logins, asked := 0, []string{}
	login := func(r *http.Request) (*http.Response, error) {
		logins++
		return upstreamtest.Edited(t, "login.json", "token-1", "token-"+string(rune('0'+logins)))(r)
	}
	provider, world := open(t, with(t, login, func(r *http.Request) (*http.Response, error) {
		token := strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")
		asked = append(asked, token)
		if len(asked) == 2 {
			return file(t, 401, "invalid_token.json")(r)
		}
		return file(t, 200, "resolved.json")(r)
	}))
	for range 2 {
		if _, err := provider.Resolve(t.Context(), payBill(acme)); err != nil {
			t.Fatal(err)
		}
	}
	if want := []string{"token-1", "token-1", "token-2"}; !slices.Equal(asked, want) {
		t.Errorf("asked with %v, want %v", asked, want)
	}
	if strings.Contains(world.Printed(t), `"level":"error"`) {
		t.Error("somebody is alerted")
	}
}

// TestTheOperatorHearsOfKeysAndProducts goes through what only an operator can mend.
func TestTheOperatorHearsOfKeysAndProducts(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		login, answer httpmock.Responder
		want          []string
	}{
		"wrong keys":             {file(t, 400, "login_refused.json"), hanging(), []string{"login refused"}},
		"wrong keys, no body":    {upstreamtest.Text(400, ""), hanging(), []string{"login refused"}},
		"keys that were revoked": {file(t, 401, "login_refused.json"), hanging(), []string{"login refused"}},
		"an app without product": {file(t, 200, "login.json"), file(t, 401, "no_apiproduct.json"), []string{"login ok", "resolve refused"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			provider, world := open(t, with(t, c.login, c.answer))
			if _, err := provider.Resolve(t.Context(), payBill(acme)); core.CodeOf(err) != core.Unavailable {
				t.Errorf("got %v", err)
			}
			wantOutcomes(t, world, c.want...)
			if !strings.Contains(world.Printed(t), `"level":"error"`) {
				t.Error("nobody is alerted")
			}
		})
	}
}

// TestNothingPrivateComesOut plants a number, a name, keys and a token where failures can pick them up, and looks for them in everything
// that comes out.
func TestNothingPrivateComesOut(t *testing.T) {
	t.Parallel()
	const number, name = "6666771", "PLANTED TRADERS"
	planted := number + name + key.Reveal() + secret.Reveal() + "token-1"
	fine := file(t, 200, "login.json")
	for what, c := range map[string]struct{ login, answer httpmock.Responder }{
		"found":             {fine, upstreamtest.Text(200, `{"ResponseCode":"4000","ResponseMessage":"Success","OrganizationShortCode":"`+number+`","OrganizationName":"`+name+`"}`)},
		"another number":    {fine, upstreamtest.Text(200, `{"ResponseCode":"4000","ResponseMessage":"Success","OrganizationShortCode":"6666772","OrganizationName":"`+name+`"}`)},
		"a refusal":         {fine, upstreamtest.Text(200, `{"ResponseCode":"`+planted+`","ResponseMessage":"`+planted+`"}`)},
		"a number":          {fine, upstreamtest.Text(200, `{"ResponseCode":"4000","ResponseMessage":"Success","OrganizationShortCode":`+number+`,"OrganizationName":"`+name+`"}`)},
		"a refused token":   {fine, upstreamtest.Text(401, planted)},
		"throttled":         {fine, upstreamtest.Text(429, planted, "Retry-After", "5")},
		"an outage":         {fine, upstreamtest.Text(500, planted)},
		"a page":            {fine, upstreamtest.Text(200, "<html>"+planted)},
		"a lost connection": {fine, httpmock.NewErrorResponder(http.ErrServerClosed)},
		"a refused login":   {upstreamtest.Text(400, planted), hanging()},
		"a token in a list": {upstreamtest.Text(200, `["token-1"]`), hanging()},
		"no token":          {file(t, 200, "login_without_token.json"), hanging()},
		"a redirect":        {upstreamtest.Text(302, "", "Location", "https://elsewhere.test/?"+number), hanging()},
	} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			provider, world := open(t, with(t, c.login, c.answer))
			_, err := provider.Resolve(t.Context(), payBill(number))
			out := world.Printed(t)
			if err != nil {
				out += err.Error()
			}
			if found := what == "found"; (err == nil) != found {
				t.Errorf("got %v", err)
			}
			for _, private := range []string{number, "6666772", "PLANTED", "TRADERS", "UExBTlRF", "token-1", "api.safaricom", "elsewhere"} {
				if strings.Contains(out, private) {
					t.Errorf("%s came out: %s", private, out)
				}
			}
		})
	}
}
