package paystack_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jarcoal/httpmock"

	"causeway/adapters/providers/paystack"
	"causeway/adapters/upstream/upstreamtest"
	"causeway/core"
)

const base = "https://api.paystack.co/bank"

// Keys of three businesses.
const (
	keyNG core.Secret = "sk_test_ng_0011223344"
	keyGH core.Secret = "sk_test_gh_5566778899"
	keyKE core.Secret = "sk_test_ke_9900112233"
)

// open makes the provider over a Paystack.
func open(t testing.TB, transport http.RoundTripper) (*paystack.Provider, *upstreamtest.World) {
	t.Helper()
	world := upstreamtest.Open(t, transport)
	provider, err := paystack.New(paystack.Config{Keys: map[string]core.Secret{"NG": keyNG, "GH": keyGH, "KE": keyKE}}, world.Factory)
	if err != nil {
		t.Fatal(err)
	}
	return provider, world
}

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
		cfg  paystack.Config
		want string
	}{
		"an unknown land":   {paystack.Config{Keys: map[string]core.Secret{"FR": keyNG}}, `"FR"; accepted: CI, GH, KE, NG, ZA`},
		"a bad URL":         {paystack.Config{BaseURL: "paystack", Keys: map[string]core.Secret{"NG": keyNG}}, "base_url"},
		"a key over a line": {paystack.Config{Keys: map[string]core.Secret{"NG": keyNG + "\n"}}, "Authorization"},
	} {
		t.Run("refuses "+name, func(t *testing.T) {
			t.Parallel()
			_, err := paystack.New(c.cfg, factory)
			if err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), keyNG.Reveal()) {
				t.Errorf("got %v, want %q and no key", err, c.want)
			}
		})
	}
	t.Run("takes countries in any case, and serves those that there is a key for", func(t *testing.T) {
		t.Parallel()
		provider, err := paystack.New(paystack.Config{Keys: map[string]core.Secret{"ng": keyNG, "za": keyKE, "GH": ""}}, factory)
		if err != nil {
			t.Fatal(err)
		}
		if got, want := provider.Countries(), []string{"NG", "ZA"}; !slices.Equal(got, want) {
			t.Errorf("got %v, want %v", got, want)
		}
	})
}

func TestWithoutAKeyItIsOff(t *testing.T) {
	t.Parallel()
	factory := upstreamtest.Open(t, httpmock.NewMockTransport()).Factory
	for _, keys := range []map[string]core.Secret{nil, {"NG": ""}} {
		provider, err := paystack.New(paystack.Config{Keys: keys}, factory)
		if err != nil {
			t.Fatal(err)
		}
		if len(provider.Countries()) != 0 || provider.Resolves("NG", core.BankTransfer, gtb()) {
			t.Errorf("it serves %v", provider.Countries())
		}
		if _, err := provider.Banks(t.Context(), "NG"); core.CodeOf(err) != core.Unsupported {
			t.Errorf("banks: got %v", err)
		}
		if _, err := provider.Resolve(t.Context(), atGTB(jane)); core.CodeOf(err) != core.Unsupported {
			t.Errorf("resolve: got %v", err)
		}
	}
}

// TestNothingPrivateComesOut plants an account number, a name and a key where failures can pick them up (the URL, the
// answer's body, the redirect), and looks for them in everything that comes out.
func TestNothingPrivateComesOut(t *testing.T) {
	t.Parallel()
	const (
		number = "0123456789"
		name   = "PLANTED JANE"
	)
	planted := number + name + keyNG.Reveal()
	for what, answer := range map[string]httpmock.Responder{
		"found":                  upstreamtest.Text(200, `{"status":true,"data":{"account_number":"`+number+`","account_name":"`+name+`"}}`),
		"another account":        upstreamtest.Text(200, `{"status":true,"data":{"account_number":"0123456780","account_name":"`+name+`"}}`),
		"a refusal":              upstreamtest.Text(422, `{"status":false,"message":"`+planted+`","type":"`+planted+`","code":"`+planted+`"}`),
		"an account as a number": upstreamtest.Text(200, `{"status":true,"data":{"account_number":123456789,"account_name":"`+name+`"}}`),
		"a refused key":          upstreamtest.Text(401, planted),
		"throttled":              upstreamtest.Text(429, planted, "Retry-After", "5"),
		"an outage":              upstreamtest.Text(500, planted),
		"a page":                 upstreamtest.Text(200, "<html>"+planted),
		"a redirect":             upstreamtest.Text(302, "", "Location", "https://elsewhere.test/?"+number),
		"a broken redirect":      upstreamtest.Text(302, "", "Location", "%zz"+number),
		"a lost connection":      httpmock.NewErrorResponder(http.ErrServerClosed),
	} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			provider, world := open(t, saying(t, answer))
			_, err := provider.Resolve(t.Context(), core.AccountQuery{Country: "NG", Currency: "NGN", Channel: core.BankTransfer, Bank: gtb(), Number: number})
			out := world.Printed(t)
			if err != nil {
				out += err.Error()
			}
			for _, private := range []string{number, "123456789", "0123456780", "PLANTED", "JANE", "sk_test", "api.paystack.co", "elsewhere"} {
				if strings.Contains(out, private) {
					t.Errorf("%s came out: %s", private, out)
				}
			}
		})
	}
}
