package monnify_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jarcoal/httpmock"

	"causeway/adapters/providers/monnify"
	"causeway/adapters/upstream/upstreamtest"
	"causeway/core"
)

const (
	base               = "https://api.monnify.com/api/v1/"
	key    core.Secret = "MK_TEST_0011223344"
	secret core.Secret = "PLANTEDSECRET"
	basic              = "Basic TUtfVEVTVF8wMDExMjIzMzQ0OlBMQU5URURTRUNSRVQ="
)

// open makes the provider over a Monnify.
func open(t testing.TB, transport http.RoundTripper) (*monnify.Provider, *upstreamtest.World) {
	t.Helper()
	world := upstreamtest.Open(t, transport)
	provider, err := monnify.New(monnify.Config{APIKey: key, SecretKey: secret}, world.Factory)
	if err != nil {
		t.Fatal(err)
	}
	return provider, world
}

// saying is a Monnify with a login, that answers every question alike, lists and accounts.
func saying(t testing.TB, answer httpmock.Responder) *httpmock.MockTransport {
	t.Helper()
	return with(t, file(t, http.StatusOK, "login.json"), answer)
}

// with is a Monnify with a login of one's own.
func with(t testing.TB, login, answer httpmock.Responder) *httpmock.MockTransport {
	t.Helper()
	mock := upstreamtest.Saying(t, base, answer)
	mock.RegisterResponder(http.MethodPost, base+"auth/login", login)
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
		cfg  monnify.Config
		want string
	}{
		"a bad URL":            {monnify.Config{BaseURL: "monnify", APIKey: key, SecretKey: secret}, "base_url"},
		"an API key alone":     {monnify.Config{APIKey: key}, "belong together"},
		"a secret key alone":   {monnify.Config{SecretKey: secret}, "belong together"},
		"a key over a line":    {monnify.Config{APIKey: key + "\n", SecretKey: secret}, "line break"},
		"a secret over a line": {monnify.Config{APIKey: key, SecretKey: secret + "\r"}, "line break"},
	} {
		t.Run("refuses "+name, func(t *testing.T) {
			t.Parallel()
			_, err := monnify.New(c.cfg, factory)
			if err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), key.Reveal()) || strings.Contains(err.Error(), secret.Reveal()) {
				t.Errorf("got %v, want %q and no key", err, c.want)
			}
		})
	}
}

func TestWithoutAKeyItIsOff(t *testing.T) {
	t.Parallel()
	provider, err := monnify.New(monnify.Config{BaseURL: "nonsense"}, upstreamtest.Open(t, httpmock.NewMockTransport()).Factory)
	if err != nil {
		t.Fatal(err)
	}
	if len(provider.Countries()) != 0 || provider.Resolves("NG", core.BankTransfer, zenith()) {
		t.Errorf("it serves %v", provider.Countries())
	}
	if _, err := provider.Banks(t.Context(), "NG"); core.CodeOf(err) != core.Unsupported {
		t.Errorf("banks: got %v", err)
	}
	if _, err := provider.Resolve(t.Context(), atZenith(benji)); core.CodeOf(err) != core.Unsupported {
		t.Errorf("resolve: got %v", err)
	}
}

// TestNothingPrivateComesOut plants an account number, a name and a key where failures can pick them up (the question, the
// answer's body, the redirect), and looks for them in everything that comes out.
func TestNothingPrivateComesOut(t *testing.T) {
	t.Parallel()
	const (
		number = "2085886393"
		name   = "PLANTED BENJI"
	)
	planted := number + name + key.Reveal() + secret.Reveal()
	for what, answer := range map[string]httpmock.Responder{
		"found":             upstreamtest.Text(200, `{"requestSuccessful":true,"responseCode":"0","responseBody":{"accountNumber":"`+number+`","accountName":"`+name+`"}}`),
		"another account":   upstreamtest.Text(200, `{"requestSuccessful":true,"responseCode":"0","responseBody":{"accountNumber":"2085886394","accountName":"`+name+`"}}`),
		"a refusal":         upstreamtest.Text(400, `{"requestSuccessful":false,"responseMessage":"Name inquiry failed. Account  `+number+` Bank  057.  `+planted+`","responseCode":"99"}`),
		"a strange code":    upstreamtest.Text(200, `{"requestSuccessful":true,"responseCode":"`+planted+`","responseBody":null}`),
		"a number":          upstreamtest.Text(200, `{"requestSuccessful":true,"responseCode":"0","responseBody":{"accountNumber":085886393,"accountName":"`+name+`"}}`),
		"a refused key":     upstreamtest.Text(401, planted),
		"throttled":         upstreamtest.Text(429, planted, "Retry-After", "5"),
		"an outage":         upstreamtest.Text(500, planted),
		"a page":            upstreamtest.Text(200, "<html>"+planted),
		"a redirect":        upstreamtest.Text(302, "", "Location", "https://elsewhere.test/?"+number),
		"a lost connection": httpmock.NewErrorResponder(http.ErrServerClosed),
	} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			provider, world := open(t, saying(t, answer))
			_, err := provider.Resolve(t.Context(), atZenith(number))
			out := world.Printed(t)
			if err != nil {
				out += err.Error()
			}
			for _, private := range []string{number, "085886393", "2085886394", "PLANTED", "BENJI", "MK_TEST", "TUtfVEVTVF", "token-1", "api.monnify.com", "elsewhere"} {
				if strings.Contains(out, private) {
					t.Errorf("%s came out: %s", private, out)
				}
			}
		})
	}
}

// TestNoTokenComesOut has the login itself fail, with the keys and the token in what it says.
func TestNoTokenComesOut(t *testing.T) {
	t.Parallel()
	planted := key.Reveal() + secret.Reveal() + "token-1"
	for what, login := range map[string]httpmock.Responder{
		"a refusal":         upstreamtest.Text(401, `{"requestSuccessful":false,"responseMessage":"`+planted+`","responseCode":"99"}`),
		"a token in a list": upstreamtest.Text(200, `{"requestSuccessful":true,"responseCode":"0","responseBody":["token-1"]}`),
		"a page":            upstreamtest.Text(200, "<html>"+planted),
		"an outage":         upstreamtest.Text(500, planted),
	} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			provider, world := open(t, with(t, login, file(t, 200, "resolved.json")))
			_, err := provider.Resolve(t.Context(), atZenith(benji))
			if core.CodeOf(err) != core.Unavailable {
				t.Fatalf("got %v", err)
			}
			for _, private := range []string{"MK_TEST", "PLANTED", "TUtfVEVTVF", "token-1", benji.Reveal()} {
				if out := world.Printed(t) + err.Error(); strings.Contains(out, private) {
					t.Errorf("%s came out: %s", private, out)
				}
			}
		})
	}
}
