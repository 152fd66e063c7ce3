package afriex_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jarcoal/httpmock"

	"causeway/adapters/providers/afriex"
	"causeway/adapters/upstream/upstreamtest"
	"causeway/core"
)

const (
	base             = "https://api.afriex.com/api/v1/payment-method/"
	key  core.Secret = "afx_planted_0011223344"
)

// open makes the provider over an Afriex.
func open(t testing.TB, transport http.RoundTripper) (*afriex.Provider, *upstreamtest.World) {
	t.Helper()
	world := upstreamtest.Open(t, transport)
	provider, err := afriex.New(afriex.Config{APIKey: key}, world.Factory)
	if err != nil {
		t.Fatal(err)
	}
	return provider, world
}

// saying is an Afriex that answers every question alike, lists and accounts.
func saying(t testing.TB, answer httpmock.Responder) *httpmock.MockTransport {
	t.Helper()
	return upstreamtest.Saying(t, base, answer)
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
		cfg  afriex.Config
		want string
	}{
		"a bad URL":         {afriex.Config{BaseURL: "afriex", APIKey: key}, "base_url"},
		"a key over a line": {afriex.Config{APIKey: key + "\n"}, "X-Api-Key"},
	} {
		t.Run("refuses "+name, func(t *testing.T) {
			t.Parallel()
			_, err := afriex.New(c.cfg, factory)
			if err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), key.Reveal()) {
				t.Errorf("got %v, want %q and no key", err, c.want)
			}
		})
	}
}

func TestWithoutAKeyItIsOff(t *testing.T) {
	t.Parallel()
	provider, err := afriex.New(afriex.Config{BaseURL: "nonsense"}, upstreamtest.Open(t, httpmock.NewMockTransport()).Factory)
	if err != nil {
		t.Fatal(err)
	}
	if len(provider.Countries()) != 0 || provider.Resolves("NG", core.BankTransfer, gtb()) || provider.Resolves("KE", core.MobileMoney, core.Bank{}) {
		t.Errorf("it serves %v", provider.Countries())
	}
	if _, err := provider.Banks(t.Context(), "NG"); core.CodeOf(err) != core.Unsupported {
		t.Errorf("banks: got %v", err)
	}
	if _, err := provider.Resolve(t.Context(), atGTB(john)); core.CodeOf(err) != core.Unsupported {
		t.Errorf("resolve: got %v", err)
	}
}

// TestNothingPrivateComesOut plants an account number, a name and a key where failures can pick them up (the URL, the
// answer's body, the redirect), and looks for them in everything that comes out.
func TestNothingPrivateComesOut(t *testing.T) {
	t.Parallel()
	const (
		number = "0123456789"
		name   = "PLANTED JOHN"
	)
	planted := number + name + key.Reveal()
	for what, answer := range map[string]httpmock.Responder{
		"found":               upstreamtest.Text(200, `{"data":{"recipientName":"`+name+`","institutionCode":"000013"}}`),
		"another institution": upstreamtest.Text(200, `{"data":{"recipientName":"`+name+`","institutionCode":"`+number+`"}}`),
		"a refusal":           upstreamtest.Text(400, `{"code":"`+planted+`","error":"`+planted+`","details":{"errorMessage":"`+planted+`","friendlyMessage":"`+planted+`"}}`),
		"a name as a list":    upstreamtest.Text(200, `{"data":{"recipientName":["`+name+`"]}}`),
		"a refused key":       upstreamtest.Text(401, planted),
		"throttled":           upstreamtest.Text(429, planted, "Retry-After", "5"),
		"an outage":           upstreamtest.Text(500, planted),
		"a page":              upstreamtest.Text(200, "<html>"+planted),
		"a redirect":          upstreamtest.Text(302, "", "Location", "https://elsewhere.test/?"+number),
		"a lost connection":   httpmock.NewErrorResponder(http.ErrServerClosed),
	} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			provider, world := open(t, saying(t, answer))
			_, err := provider.Resolve(t.Context(), atGTB(number))
			out := world.Printed(t)
			if err != nil {
				out += err.Error()
			}
			for _, private := range []string{number, "PLANTED", "JOHN", "afx_planted", "api.afriex.com", "elsewhere"} {
				if strings.Contains(out, private) {
					t.Errorf("%s came out: %s", private, out)
				}
			}
		})
	}
}
