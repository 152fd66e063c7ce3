package afriex_test

import (
	"net/http"
	"slices"
	"testing"

	"github.com/jarcoal/httpmock"

	"causeway/adapters/upstream/upstreamtest"
	"causeway/core"
	"causeway/ports"
	"causeway/ports/porttest"
)

// lists is an Afriex with the recorded lists. All wallets are alike.
func lists(t testing.TB) httpmock.Responder {
	t.Helper()
	return func(r *http.Request) (*http.Response, error) {
		query := r.URL.Query()
		name, ok := map[string]string{"BANK_ACCOUNT NG": "banks_nigeria.json", "BANK_ACCOUNT GH": "banks_ghana.json"}[query.Get("channel")+" "+query.Get("countryCode")]
		if !ok {
			name = "wallets_kenya.json"
		}
		return file(t, http.StatusOK, name)(r)
	}
}

func directory(answer func(t testing.TB) httpmock.Responder) func(t *testing.T) ports.BankDirectory {
	return func(t *testing.T) ports.BankDirectory {
		t.Helper()
		provider, _ := open(t, saying(t, answer(t)))
		return provider
	}
}

func directoryText(status int, body string) func(t *testing.T) ports.BankDirectory {
	return directory(func(testing.TB) httpmock.Responder { return upstreamtest.Text(status, body) })
}

func directoryFile(status int, name string) func(t *testing.T) ports.BankDirectory {
	return directory(func(t testing.TB) httpmock.Responder { t.Helper(); return file(t, status, name) })
}

func TestDirectoryContract(t *testing.T) {
	t.Parallel()
	porttest.BankDirectory(t, porttest.Directory{
		Open: directory(lists),
		Codes: map[string]map[string]string{
			"NG": {"000013": "000013", "000015": "000015", "100004": "100004"},
			"GH": {"300304": "300304"},
			"KE": {"SAFARICOM": "SAFARICOM", "AIRTEL": "airtel"},
			"CM": {"AIRTEL": "airtel"},
		},
		LeftOut: map[string][]string{"NG": {"", "NULL", "000017", "18"}},
		Broken: map[string]func(t *testing.T) ports.BankDirectory{
			"an invalid key":           directoryFile(401, "invalid_key.json"),
			"an error of theirs":       directoryFile(500, "server_error.json"),
			"an outage behind it":      directoryFile(503, "external_request_error.json"),
			"an error with 200":        directoryFile(200, "server_error.json"),
			"no list":                  directoryFile(200, "banks_none.json"),
			"no usable row":            directoryFile(200, "banks_all_unusable.json"),
			"an account":               directoryFile(200, "resolved.json"),
			"data that is null":        directoryFile(200, "data_null.json"),
			"a list and a failure":     directoryText(200, `{"code":"X","data":[{"institutionName":"MTN","institutionCode":"MTN"}]}`),
			"HTML with 200":            directoryText(200, "<html>oops</html>"),
			"the network's page":       directoryText(502, "<html>Bad gateway</html>"),
			"truncated":                directoryText(200, `{"data":[{"institutionName":"MTN","instit`),
			"throttled":                directoryText(429, "Too many requests"),
			"not there":                directoryFile(404, "route_not_found.json"),
			"a list that is no object": directoryText(200, `[{"institutionName":"MTN","institutionCode":"MTN"}]`),
			"a lost connection": directory(func(testing.TB) httpmock.Responder {
				return httpmock.NewErrorResponder(http.ErrServerClosed)
			}),
		},
		Hanging: directory(func(testing.TB) httpmock.Responder { return hanging() }),
	})
}

func TestListRequests(t *testing.T) {
	t.Parallel()
	for country, want := range map[string]string{
		"NG": "channel=BANK_ACCOUNT&countryCode=NG", "GH": "channel=BANK_ACCOUNT&countryCode=GH", "UG": "channel=MOBILE_MONEY&countryCode=UG",
	} {
		t.Run(country, func(t *testing.T) {
			t.Parallel()
			asked := 0
			provider, _ := open(t, saying(t, func(r *http.Request) (*http.Response, error) {
				asked++
				if r.Method != http.MethodGet || r.URL.Path != "/api/v1/payment-method/institution" || r.URL.RawQuery != want || r.Header.Get("X-Api-Key") != key.Reveal() {
					t.Errorf("got %s %s with %v", r.Method, r.URL, r.Header)
				}
				return lists(t)(r)
			}))
			if _, err := provider.Banks(t.Context(), country); err != nil || asked != 1 {
				t.Errorf("got %v after %d calls", err, asked)
			}
		})
	}
}

// TestRows checks what becomes of the rows: names, types, channels, currencies.
func TestRows(t *testing.T) {
	t.Parallel()
	provider, _ := open(t, saying(t, lists(t)))
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
	for code, want := range map[string]struct {
		name     string
		kind     core.BankType
		channel  core.Channel
		currency string
	}{
		"NG 000013":    {"Guaranty Trust Bank (GTBank) Plc", core.CommercialBank, core.BankTransfer, "NGN"},
		"NG 100004":    {"OPay", core.MobileMoneyBank, core.BankTransfer, "NGN"},
		"GH 300304":    {"GCB Bank", core.CommercialBank, core.BankTransfer, "GHS"},
		"KE SAFARICOM": {"SAFARICOM", core.MobileMoneyBank, core.MobileMoney, "KES"},
		"CI AIRTEL":    {"Airtel", core.MobileMoneyBank, core.MobileMoney, "XOF"},
		"CM AIRTEL":    {"Airtel", core.MobileMoneyBank, core.MobileMoney, "XAF"},
	} {
		b := got[code]
		if b.Name != want.name || b.Type != want.kind || !slices.Equal(b.Channels, []core.Channel{want.channel}) || b.Currency != want.currency {
			t.Errorf("%s: got %+v, want %+v", code, b, want)
		}
	}
}

func FuzzBanks(f *testing.F) {
	for _, name := range []string{"banks_nigeria.json", "wallets_kenya.json", "banks_none.json", "invalid_key.json"} {
		f.Add([]byte(upstreamtest.Read(f, name)))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		provider, _ := open(t, saying(t, httpmock.NewBytesResponder(http.StatusOK, body)))
		banks, err := provider.Banks(t.Context(), "NG")
		if err != nil && (core.CodeOf(err) != core.Unavailable || len(banks) > 0) {
			t.Errorf("got %v beside %v", banks, err)
		}
		seen := map[string]bool{}
		for _, b := range banks {
			if b.Code == "" || b.Name == "" || b.Country != "NG" || b.Codes["afriex"] == "" || seen[b.Code] {
				t.Errorf("got %+v", b)
			}
			seen[b.Code] = true
		}
	})
}
