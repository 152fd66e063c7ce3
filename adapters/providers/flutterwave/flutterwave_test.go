package flutterwave_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jarcoal/httpmock"

	"causeway/adapters/providers/flutterwave"
	"causeway/adapters/upstream/upstreamtest"
	"causeway/core"
)

const (
	base             = "https://api.flutterwave.com/v3/"
	key  core.Secret = "FLWSECK_TEST-0011223344-X"
)

// open makes the provider over a Flutterwave.
func open(t testing.TB, transport http.RoundTripper) (*flutterwave.Provider, *upstreamtest.World) {
	t.Helper()
	world := upstreamtest.Open(t, transport)
	provider, err := flutterwave.New(flutterwave.Config{SecretKey: key}, world.Factory)
	if err != nil {
		t.Fatal(err)
	}
	return provider, world
}

// saying is a Flutterwave that answers every question alike, lists and accounts.
func saying(t testing.TB, answer httpmock.Responder) *httpmock.MockTransport {
	t.Helper()
	mock := upstreamtest.Saying(t, base+"banks/", answer)
	mock.RegisterResponder(http.MethodPost, base+"accounts/resolve", answer)
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
		cfg  flutterwave.Config
		want string
	}{
		"a bad URL":         {flutterwave.Config{BaseURL: "flutterwave", SecretKey: key}, "base_url"},
		"a key over a line": {flutterwave.Config{SecretKey: key + "\n"}, "Authorization"},
	} {
		t.Run("refuses "+name, func(t *testing.T) {
			t.Parallel()
			_, err := flutterwave.New(c.cfg, factory)
			if err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), key.Reveal()) {
				t.Errorf("got %v, want %q and no key", err, c.want)
			}
		})
	}
}

func TestWithoutAKeyItIsOff(t *testing.T) {
	t.Parallel()
	provider, err := flutterwave.New(flutterwave.Config{BaseURL: "nonsense"}, upstreamtest.Open(t, httpmock.NewMockTransport()).Factory)
	if err != nil {
		t.Fatal(err)
	}
	if len(provider.Countries()) != 0 || provider.Resolves("NG", core.BankTransfer, access()) {
		t.Errorf("it serves %v", provider.Countries())
	}
	if _, err := provider.Banks(t.Context(), "NG"); core.CodeOf(err) != core.Unsupported {
		t.Errorf("banks: got %v", err)
	}
	if _, err := provider.Resolve(t.Context(), atAccess(pastor)); core.CodeOf(err) != core.Unsupported {
		t.Errorf("resolve: got %v", err)
	}
}

// TestNothingPrivateComesOut plants an account number, a name and a key where failures can pick them up (the question, the
// answer's body, the redirect), and looks for them in everything that comes out.
func TestNothingPrivateComesOut(t *testing.T) {
	t.Parallel()
	const (
		number = "0690000032"
		name   = "PLANTED BRIGHT"
	)
	planted := number + name + key.Reveal()
	for what, answer := range map[string]httpmock.Responder{
		"found":             upstreamtest.Text(200, `{"status":"success","data":{"account_number":"`+number+`","account_name":"`+name+`"}}`),
		"another account":   upstreamtest.Text(200, `{"status":"success","data":{"account_number":"0690000034","account_name":"`+name+`"}}`),
		"a refusal":         upstreamtest.Text(400, `{"status":"error","message":"`+planted+`","data":null}`),
		"a strange status":  upstreamtest.Text(200, `{"status":"`+planted+`","data":null}`),
		"a number":          upstreamtest.Text(200, `{"status":"success","data":{"account_number":690000032,"account_name":"`+name+`"}}`),
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
			_, err := provider.Resolve(t.Context(), atAccess(number))
			out := world.Printed(t)
			if err != nil {
				out += err.Error()
			}
			for _, private := range []string{number, "690000032", "0690000034", "PLANTED", "BRIGHT", "FLWSECK", "api.flutterwave.com", "elsewhere"} {
				if strings.Contains(out, private) {
					t.Errorf("%s came out: %s", private, out)
				}
			}
		})
	}
}
