package korapay_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jarcoal/httpmock"

	"causeway/adapters/providers/korapay"
	"causeway/adapters/upstream/upstreamtest"
	"causeway/core"
)

const (
	base             = "https://api.korapay.com/merchant/api/v1/misc/"
	key  core.Secret = "sk_test_0011223344"
)

// open makes the provider over a Kora.
func open(t testing.TB, transport http.RoundTripper) (*korapay.Provider, *upstreamtest.World) {
	t.Helper()
	world := upstreamtest.Open(t, transport)
	provider, err := korapay.New(korapay.Config{SecretKey: key}, world.Factory)
	if err != nil {
		t.Fatal(err)
	}
	return provider, world
}

// saying is a Kora that answers every question alike, lists and accounts.
func saying(t testing.TB, answer httpmock.Responder) *httpmock.MockTransport {
	t.Helper()
	mock := upstreamtest.Saying(t, base, answer)
	mock.RegisterResponder(http.MethodPost, base+"banks/resolve", answer)
	mock.RegisterResponder(http.MethodPost, base+"mobile-money/resolve", answer)
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
		cfg  korapay.Config
		want string
	}{
		"a bad URL":         {korapay.Config{BaseURL: "korapay", SecretKey: key}, "base_url"},
		"a key over a line": {korapay.Config{SecretKey: key + "\n"}, "Authorization"},
	} {
		t.Run("refuses "+name, func(t *testing.T) {
			t.Parallel()
			_, err := korapay.New(c.cfg, factory)
			if err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), key.Reveal()) {
				t.Errorf("got %v, want %q and no key", err, c.want)
			}
		})
	}
}

func TestWithoutAKeyItIsOff(t *testing.T) {
	t.Parallel()
	provider, err := korapay.New(korapay.Config{BaseURL: "nonsense"}, upstreamtest.Open(t, httpmock.NewMockTransport()).Factory)
	if err != nil {
		t.Fatal(err)
	}
	if len(provider.Countries()) != 0 || provider.Resolves("NG", core.BankTransfer, fcmb()) {
		t.Errorf("it serves %v", provider.Countries())
	}
	if _, err := provider.Banks(t.Context(), "NG"); core.CodeOf(err) != core.Unsupported {
		t.Errorf("banks: got %v", err)
	}
	if _, err := provider.Resolve(t.Context(), atFCMB(gbenga)); core.CodeOf(err) != core.Unsupported {
		t.Errorf("resolve: got %v", err)
	}
}

// TestNothingPrivateComesOut plants an account number, a name and a key where failures can pick them up (the question, the
// answer's body, the redirect), and looks for them in everything that comes out.
func TestNothingPrivateComesOut(t *testing.T) {
	t.Parallel()
	const (
		number = "5273681014"
		name   = "PLANTED GBENGA"
	)
	planted := number + name + key.Reveal()
	for what, answer := range map[string]httpmock.Responder{
		"found":             upstreamtest.Text(200, `{"status":true,"data":{"account_number":"`+number+`","account_name":"`+name+`"}}`),
		"another account":   upstreamtest.Text(200, `{"status":true,"data":{"account_number":"5273681015","account_name":"`+name+`"}}`),
		"a refusal":         upstreamtest.Text(400, `{"status":false,"message":"`+planted+`","data":null}`),
		"a strange status":  upstreamtest.Text(200, `{"status":"`+planted+`","data":null}`),
		"a number":          upstreamtest.Text(200, `{"status":true,"data":{"account_number":273681014,"account_name":"`+name+`"}}`),
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
			_, err := provider.Resolve(t.Context(), atFCMB(number))
			out := world.Printed(t)
			if err != nil {
				out += err.Error()
			}
			for _, private := range []string{number, "273681014", "5273681015", "PLANTED", "GBENGA", "sk_test", "api.korapay.com", "elsewhere"} {
				if strings.Contains(out, private) {
					t.Errorf("%s came out: %s", private, out)
				}
			}
		})
	}
}
