package flutterwave_test

import (
	"net/http"
	"path"
	"slices"
	"testing"

	"github.com/jarcoal/httpmock"

	"causeway/adapters/upstream/upstreamtest"
	"causeway/core"
	"causeway/ports"
	"causeway/ports/porttest"
)

// lists is a Flutterwave with the recorded lists.
func lists(t testing.TB) httpmock.Responder {
	t.Helper()
	return func(r *http.Request) (*http.Response, error) {
		name := map[string]string{
			"NG": "nigeria", "GH": "ghana", "KE": "kenya", "UG": "uganda", "ZA": "south_africa", "TZ": "tanzania",
		}[path.Base(r.URL.Path)]
		return file(t, http.StatusOK, "banks_"+name+".json")(r)
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
			"NG": {"560": "560", "058": "058", "044": "044", "090267": "090267"},
			"GH": {"280100": "GH280100", "030100": "GH030100", "MTN": "MTN", "VODAFONE": "VODAFONE", "GH2801000": "GH2801000"},
			"KE": {"01": "01", "10276": "10276", "MPS": "MPS"},
			"UG": {"16": "16", "MTN-UG": "MTN-UG"},
			"ZA": {"FNB": "FNB", "NEDBANK": "NedBank"},
			"TZ": {"003": "003", "TIGOPESA-TZS": "TIGOPESA-TZS"},
		},
		LeftOut: map[string][]string{
			"NG": {"999", "", "58", "120003"}, "GH": {"GH010100"}, "UG": {"MPS"}, "TZ": {"001"},
		},
		Broken: map[string]func(t *testing.T) ports.BankDirectory{
			"an invalid key":          directoryFile(401, "invalid_key.json"),
			"no list":                 directoryFile(200, "banks_none.json"),
			"no usable row":           directoryFile(200, "banks_all_unusable.json"),
			"an error with 200":       directoryText(200, `{"status":"error","message":"Something went wrong","data":[]}`),
			"no status":               directoryText(200, `{"data":[{"id":1,"code":"044","name":"Access Bank"}]}`),
			"no data":                 directoryText(200, `{"status":"success","message":"Banks fetched successfully"}`),
			"data that is null":       directoryText(200, `{"status":"success","data":null}`),
			"data that is no list":    directoryText(200, `{"status":"success","data":{}}`),
			"HTML with 200":           directoryText(200, "<html>oops</html>"),
			"truncated":               directoryText(200, `{"status":"success","data":[{"id":1,"name":"Acc`),
			"throttled":               directoryText(429, "Too many requests"),
			"an outage in plain text": directoryText(500, "oops"),
			"not there":               directoryText(404, ""),
			"a lost connection": directory(func(testing.TB) httpmock.Responder {
				return httpmock.NewErrorResponder(http.ErrServerClosed)
			}),
		},
		Hanging: directory(func(testing.TB) httpmock.Responder { return hanging() }),
	})
}

func TestListRequests(t *testing.T) {
	t.Parallel()
	provider, _ := open(t, saying(t, func(r *http.Request) (*http.Response, error) {
		if r.Method != http.MethodGet || r.URL.Path != "/v3/banks/GH" || r.URL.RawQuery != "" || r.Header.Get("Authorization") != "Bearer "+key.Reveal() {
			t.Errorf("got %s %s with %s", r.Method, r.URL, r.Header.Get("Authorization"))
		}
		return lists(t)(r)
	}))
	if _, err := provider.Banks(t.Context(), "GH"); err != nil {
		t.Error(err)
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
		"NG 058":          {"GTBank Plc", core.CommercialBank, core.BankTransfer, "NGN"},
		"NG 560":          {"Page MFBank", core.MicrofinanceBank, core.BankTransfer, "NGN"},
		"NG 304":          {"Stanbic Mobile Money", core.MobileMoneyBank, core.BankTransfer, "NGN"},
		"NG 990":          {"Omoluabi Mortgage Bank", core.MortgageBank, core.BankTransfer, "NGN"},
		"NG 090267":       {"Kuda Microfinance Bank", core.MicrofinanceBank, core.BankTransfer, "NGN"},
		"GH 280100":       {"ACCESS BANK GH LTD", core.CommercialBank, core.BankTransfer, "GHS"},
		"GH MTN":          {"MTN Mobile Money", core.MobileMoneyBank, core.MobileMoney, "GHS"},
		"GH TIG":          {"TIGO Mobile Money", core.MobileMoneyBank, core.MobileMoney, "GHS"},
		"KE MPS":          {"MPESA(KN)", core.MobileMoneyBank, core.MobileMoney, "KES"},
		"UG AIRTEL-UG":    {"Airtel", core.MobileMoneyBank, core.MobileMoney, "UGX"},
		"ZA NEDBANK":      {"Nedbank Limited", core.CommercialBank, core.BankTransfer, "ZAR"},
		"TZ TIGOPESA-TZS": {"Tigo Pesa", core.MobileMoneyBank, core.MobileMoney, "TZS"},
	} {
		b := got[code]
		if b.Name != want.name || b.Type != want.kind || !slices.Equal(b.Channels, []core.Channel{want.channel}) || b.Currency != want.currency {
			t.Errorf("%s: got %+v, want %+v", code, b, want)
		}
	}
}

func FuzzBanks(f *testing.F) {
	for _, name := range []string{"banks_nigeria.json", "banks_ghana.json", "banks_none.json", "invalid_key.json"} {
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
			if b.Code == "" || b.Name == "" || b.Country != "GH" || b.Codes["flutterwave"] == "" || seen[b.Code] {
				t.Errorf("got %+v", b)
			}
			seen[b.Code] = true
		}
	})
}
