package korapay_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/jarcoal/httpmock"

	"causeway/adapters/upstream/upstreamtest"
	"causeway/core"
	"causeway/ports"
	"causeway/ports/porttest"
)

// lists is a Kora with the recorded lists.
func lists(t testing.TB) httpmock.Responder {
	t.Helper()
	return func(r *http.Request) (*http.Response, error) {
		kind := map[string]string{"/merchant/api/v1/misc/banks": "banks_", "/merchant/api/v1/misc/mobile-money": "wallets_"}[r.URL.Path]
		country := map[string]string{"NG": "nigeria", "GH": "ghana", "KE": "kenya", "ZA": "south_africa"}[r.URL.Query().Get("countryCode")]
		return file(t, http.StatusOK, kind+country+".json")(r)
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
			"NG": {"044": "044", "214": "214", "100004": "100004", "090267": "090267"},
			"GH": {"MTN": "0004", "VOD": "0005", "ATL": "0006", "0007": "0007"},
			"KE": {"35": "0035", "01": "0001", "12345": "12345", "MPESA": "0001", "AIRTEL": "0002", "TELKOM-KE": "0003"},
			"ZA": {"632005": "632005"},
		},
		LeftOut: map[string][]string{"NG": {"", "121", "58", "0035"}},
		Broken: map[string]func(t *testing.T) ports.BankDirectory{
			"an invalid key":          directoryFile(401, "invalid_key.json"),
			"no list":                 directoryFile(200, "banks_none.json"),
			"no usable row":           directoryFile(200, "banks_all_unusable.json"),
			"status false":            directoryText(200, `{"status":false,"message":"Something went wrong","data":[]}`),
			"no status":               directoryText(200, `{"data":[{"code":"0004","slug":"mtn-gh","name":"MTN"}]}`),
			"no data":                 directoryText(200, `{"status":true,"message":"Banks fetched successfully"}`),
			"data that is null":       directoryText(200, `{"status":true,"data":null}`),
			"data that is no list":    directoryText(200, `{"status":true,"data":{}}`),
			"HTML with 200":           directoryText(200, "<html>oops</html>"),
			"truncated":               directoryText(200, `{"status":true,"data":[{"id":1,"name":"Acc`),
			"throttled":               directoryText(429, "Too many requests"),
			"an outage in plain text": directoryText(500, "oops"),
			"not there":               directoryText(404, ""),
			"status as text":          directoryText(200, `{"status":"true","data":[{"code":"0004","slug":"mtn-gh","name":"MTN"}]}`),
			"a lost connection": directory(func(testing.TB) httpmock.Responder {
				return httpmock.NewErrorResponder(http.ErrServerClosed)
			}),
		},
		Hanging: directory(func(testing.TB) httpmock.Responder { return hanging() }),
	})
}

func TestListRequests(t *testing.T) {
	t.Parallel()
	for country, want := range map[string][]string{
		"NG": {"banks?countryCode=NG"}, "ZA": {"banks?countryCode=ZA"}, "GH": {"mobile-money?countryCode=GH"},
		"KE": {"banks?countryCode=KE", "mobile-money?countryCode=KE"},
	} {
		t.Run(country, func(t *testing.T) {
			t.Parallel()
			var got []string
			provider, _ := open(t, saying(t, func(r *http.Request) (*http.Response, error) {
				got = append(got, strings.TrimPrefix(r.URL.String(), base))
				if r.Method != http.MethodGet || r.Header.Get("Authorization") != "Bearer "+key.Reveal() {
					t.Errorf("got %s with %s", r.Method, r.Header.Get("Authorization"))
				}
				return lists(t)(r)
			}))
			if _, err := provider.Banks(t.Context(), country); err != nil || !slices.Equal(got, want) {
				t.Errorf("got %v, %v; want %v", got, err, want)
			}
		})
	}
}

func TestHalfOfAListIsNone(t *testing.T) {
	t.Parallel()
	provider, _ := open(t, saying(t, func(r *http.Request) (*http.Response, error) {
		if strings.HasSuffix(r.URL.Path, "mobile-money") {
			return upstreamtest.Text(500, "oops")(r)
		}
		return lists(t)(r)
	}))
	if banks, err := provider.Banks(t.Context(), "KE"); core.CodeOf(err) != core.Unavailable || len(banks) != 0 {
		t.Errorf("got %v, %v", banks, err)
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
		"NG 044":       {"Access Bank Nigeria", core.CommercialBank, core.BankTransfer, "NGN"},
		"NG 100004":    {"OPay", core.MobileMoneyBank, core.BankTransfer, "NGN"},
		"NG 090267":    {"Kuda Microfinance Bank", core.MicrofinanceBank, core.BankTransfer, "NGN"},
		"GH MTN":       {"MTN", core.MobileMoneyBank, core.MobileMoney, "GHS"},
		"KE 35":        {"ABC Bank", core.CommercialBank, core.BankTransfer, "KES"},
		"KE 01":        {"KCB", core.CommercialBank, core.BankTransfer, "KES"},
		"KE MPESA":     {"Safaricom", core.MobileMoneyBank, core.MobileMoney, "KES"},
		"KE TELKOM-KE": {"Telkom", core.MobileMoneyBank, core.MobileMoney, "KES"},
		"ZA 632005":    {"ABSA", core.CommercialBank, core.BankTransfer, "ZAR"},
	} {
		b := got[code]
		if b.Name != want.name || b.Type != want.kind || !slices.Equal(b.Channels, []core.Channel{want.channel}) || b.Currency != want.currency {
			t.Errorf("%s: got %+v, want %+v", code, b, want)
		}
	}
}

func FuzzBanks(f *testing.F) {
	for _, name := range []string{"wallets_ghana.json", "banks_nigeria.json", "banks_none.json", "invalid_key.json"} {
		f.Add([]byte(upstreamtest.Read(f, name)))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		provider, _ := open(t, saying(t, httpmock.NewBytesResponder(http.StatusOK, body)))
		banks, err := provider.Banks(t.Context(), "GH")
		if err != nil && (core.CodeOf(err) != core.Unavailable || len(banks) > 0) {
			t.Errorf("got %v beside %v", banks, err)
		}
		seen := map[string]bool{}
		for _, b := range banks {
			if b.Code == "" || b.Name == "" || b.Country != "GH" || b.Codes["korapay"] == "" || seen[b.Code] {
				t.Errorf("got %+v", b)
			}
			seen[b.Code] = true
		}
	})
}
