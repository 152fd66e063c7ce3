package busha_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jarcoal/httpmock"

	"causeway/adapters/providers/busha"
	"causeway/adapters/upstream/upstreamtest"
	"causeway/core"
	"causeway/ports"
	"causeway/ports/porttest"
)

const (
	root             = "https://api.busha.co/v1/"
	key  core.Secret = "PLANTEDKEY0011223344"
)

// keyed makes the provider with a key.
func keyed(t testing.TB, transport http.RoundTripper) (*busha.Provider, *upstreamtest.World) {
	t.Helper()
	world := upstreamtest.Open(t, transport)
	provider, err := busha.New(busha.Config{APIKey: key}, world.Factory)
	if err != nil {
		t.Fatal(err)
	}
	return provider, world
}

// answering is a busha that answers every question about banks and accounts alike.
func answering(t testing.TB, answer httpmock.Responder) *httpmock.MockTransport {
	t.Helper()
	mock := upstreamtest.Saying(t, root+"banks", answer)
	mock.RegisterResponder(http.MethodPost, root+"recipients/resolve-bank-account", answer)
	return mock
}

// file is a recorded answer with its status.
func file(t testing.TB, status int, name string) httpmock.Responder {
	t.Helper()
	return upstreamtest.Text(status, upstreamtest.Read(t, name))
}

func hanging() httpmock.Responder { return upstreamtest.Text(http.StatusOK, "{}").Delay(time.Hour) }

func TestNew(t *testing.T) {
	t.Parallel()
	factory := upstreamtest.Open(t, httpmock.NewMockTransport()).Factory
	_, err := busha.New(busha.Config{APIKey: key + "\n"}, factory)
	if err == nil || !strings.Contains(err.Error(), "Authorization") || strings.Contains(err.Error(), key.Reveal()) {
		t.Errorf("got %v, want Authorization and no key", err)
	}
}

func TestWithoutAKeyItHasRatesAlone(t *testing.T) {
	t.Parallel()
	provider, _ := open(t, httpmock.NewMockTransport())
	if len(provider.Countries()) != 0 || provider.Resolves("NG", core.BankTransfer, gtb()) || provider.Resolves("KE", core.Till, core.Bank{}) {
		t.Errorf("it serves %v", provider.Countries())
	}
	if _, err := provider.Banks(t.Context(), "NG"); core.CodeOf(err) != core.Unsupported {
		t.Errorf("banks: got %v", err)
	}
	if _, err := provider.Resolve(t.Context(), atGTB(jane)); core.CodeOf(err) != core.Unsupported {
		t.Errorf("resolve: got %v", err)
	}
}

// TestNothingPrivateComesOut plants an account number, a name and a key where failures can pick them up (the question, the
// answer's body, the redirect), and looks for them in everything that comes out.
func TestNothingPrivateComesOut(t *testing.T) {
	t.Parallel()
	const (
		number = "0123456789"
		name   = "PLANTED JANE"
	)
	planted := number + name + key.Reveal()
	for what, answer := range map[string]httpmock.Responder{
		"found":             upstreamtest.Text(201, `{"status":"success","data":{"account_number":"`+number+`","account_name":"`+name+`"}}`),
		"another account":   upstreamtest.Text(200, `{"status":"success","data":{"account_number":"0123456780","account_name":"`+name+`"}}`),
		"another bank":      upstreamtest.Text(200, `{"status":"success","data":{"bank_code":"`+planted+`","account_number":"`+number+`","account_name":"`+name+`"}}`),
		"a refusal":         upstreamtest.Text(404, `{"error":{"name":"not_found","message":"`+planted+`"},"request_id":"`+planted+`"}`),
		"another refusal":   upstreamtest.Text(400, `{"error":{"name":"`+planted+`","message":"`+planted+`"}}`),
		"a number":          upstreamtest.Text(200, `{"status":"success","data":{"account_number":123456789,"account_name":"`+name+`"}}`),
		"a refused key":     upstreamtest.Text(401, planted),
		"throttled":         upstreamtest.Text(429, planted, "Retry-After", "5"),
		"an outage":         upstreamtest.Text(500, planted),
		"a page":            upstreamtest.Text(200, "<html>"+planted),
		"a redirect":        upstreamtest.Text(302, "", "Location", "https://elsewhere.test/?"+number),
		"a lost connection": httpmock.NewErrorResponder(http.ErrServerClosed),
	} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			provider, world := keyed(t, answering(t, answer))
			_, err := provider.Resolve(t.Context(), atGTB(number))
			out := world.Printed(t)
			if err != nil {
				out += err.Error()
			}
			for _, private := range []string{number, "123456789", "0123456780", "PLANTED", "JANE", "api.busha", "elsewhere"} {
				if strings.Contains(out, private) {
					t.Errorf("%s came out: %s", private, out)
				}
			}
		})
	}
}

// lists is a busha with the recorded lists.
func lists(t testing.TB) httpmock.Responder {
	t.Helper()
	return func(r *http.Request) (*http.Response, error) {
		return file(t, http.StatusOK, map[string]string{"NG": "banks_nigeria.json", "KE": "banks_kenya.json"}[r.URL.Query().Get("country")])(r)
	}
}

func directory(answer func(t testing.TB) httpmock.Responder) func(t *testing.T) ports.BankDirectory {
	return func(t *testing.T) ports.BankDirectory {
		t.Helper()
		provider, _ := keyed(t, answering(t, answer(t)))
		return provider
	}
}

func directoryText(status int, body string) func(t *testing.T) ports.BankDirectory {
	return directory(func(testing.TB) httpmock.Responder { return upstreamtest.Text(status, body) })
}

func TestDirectoryContract(t *testing.T) {
	t.Parallel()
	porttest.BankDirectory(t, porttest.Directory{
		Open: directory(lists),
		Codes: map[string]map[string]string{
			"NG": {"000013": "000013", "100004": "100004"}, "KE": {"MPESA": "MPESA", "AIRTEL": "AIRTEL", "01": "01"},
		},
		LeftOut: map[string][]string{"NG": {"", "030100", "000017", "18"}},
		Broken: map[string]func(t *testing.T) ports.BankDirectory{
			"an invalid key":       directory(func(t testing.TB) httpmock.Responder { t.Helper(); return file(t, 401, "unauthorized.json") }),
			"no list":              directory(func(t testing.TB) httpmock.Responder { t.Helper(); return file(t, 200, "banks_none.json") }),
			"null":                 directory(func(t testing.TB) httpmock.Responder { t.Helper(); return file(t, 200, "data_null.json") }),
			"an account":           directory(func(t testing.TB) httpmock.Responder { t.Helper(); return file(t, 200, "resolved.json") }),
			"a failure with 200":   directory(func(t testing.TB) httpmock.Responder { t.Helper(); return file(t, 200, "error.json") }),
			"no usable row":        directoryText(200, `{"status":"success","data":[{"code":""},7]}`),
			"no status":            directoryText(200, `{"data":[{"code":"000013","name":"Guaranty Trust Bank"}]}`),
			"HTML with 200":        directoryText(200, "<html>oops</html>"),
			"truncated":            directoryText(200, `{"status":"success","data":[{"code":"0000`),
			"throttled":            directoryText(429, "Too many requests"),
			"an outage":            directoryText(503, ""),
			"not there":            directoryText(404, `{"error":{"name":"not_found","message":"no"}}`),
			"a list of everything": directoryText(200, `[{"code":"000013","name":"Guaranty Trust Bank"}]`),
		},
		Hanging: directory(func(testing.TB) httpmock.Responder { return hanging() }),
	})
}

func TestListRequestsAndRows(t *testing.T) {
	t.Parallel()
	var asked []string
	provider, _ := keyed(t, answering(t, func(r *http.Request) (*http.Response, error) {
		asked = append(asked, r.Method+" "+r.URL.String()+" "+r.Header.Get("Authorization"))
		return lists(t)(r)
	}))
	got := map[string]core.Bank{}
	for _, country := range provider.Countries() {
		banks, err := provider.Banks(t.Context(), country)
		if err != nil {
			t.Fatal(err)
		}
		for _, b := range banks {
			got[country+" "+b.Code] = b
		}
	}
	want := []string{
		"GET " + root + "banks?country=KE&currency=KES Bearer " + key.Reveal(), "GET " + root + "banks?country=NG&currency=NGN Bearer " + key.Reveal(),
	}
	if !slices.Equal(asked, want) {
		t.Errorf("asked %v, want %v", asked, want)
	}
	for code, want := range map[string]struct {
		name    string
		kind    core.BankType
		channel core.Channel
	}{
		"NG 000013": {"Guaranty Trust Bank", core.CommercialBank, core.BankTransfer},
		"NG 100004": {"OPay", core.MobileMoneyBank, core.BankTransfer},
		"KE MPESA":  {"M-PESA", core.MobileMoneyBank, core.MobileMoney},
		"KE AIRTEL": {"Airtel Money", core.MobileMoneyBank, core.MobileMoney},
		"KE 01":     {"KCB Bank", core.CommercialBank, core.BankTransfer},
	} {
		if b := got[code]; b.Name != want.name || b.Type != want.kind || !slices.Equal(b.Channels, []core.Channel{want.channel}) {
			t.Errorf("%s: got %+v, want %+v", code, b, want)
		}
	}
}

func FuzzBanks(f *testing.F) {
	for _, name := range []string{"banks_nigeria.json", "banks_kenya.json", "banks_none.json", "unauthorized.json"} {
		f.Add([]byte(upstreamtest.Read(f, name)))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		provider, _ := keyed(t, answering(t, httpmock.NewBytesResponder(http.StatusOK, body)))
		banks, err := provider.Banks(t.Context(), "KE")
		if err != nil && (core.CodeOf(err) != core.Unavailable || len(banks) > 0) {
			t.Errorf("got %v beside %v", banks, err)
		}
		seen := map[string]bool{}
		for _, b := range banks {
			if b.Code == "" || b.Name == "" || b.Country != "KE" || b.Codes["busha"] == "" || seen[b.Code] {
				t.Errorf("got %+v", b)
			}
			seen[b.Code] = true
		}
	})
}
