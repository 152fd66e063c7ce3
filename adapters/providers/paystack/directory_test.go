package paystack_test

import (
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/jarcoal/httpmock"

	"causeway/adapters/upstream/upstreamtest"
	"causeway/core"
	"causeway/ports"
	"causeway/ports/porttest"
)

// pages is a Paystack with the recorded lists.
func pages(t *testing.T) httpmock.Responder {
	t.Helper()
	return func(r *http.Request) (*http.Response, error) {
		query := r.URL.Query()
		name := map[string]string{
			"nigeria":              "banks_nigeria_1.json",
			"nigeria YmFuazo3Mg==": "banks_nigeria_2.json",
			"ghana":                "banks_ghana_without_meta.json",
			"kenya":                "banks_kenya.json",
		}[strings.TrimSpace(query.Get("country")+" "+query.Get("next"))]
		return file(t, http.StatusOK, name)(r)
	}
}

func directory(answer func(t *testing.T) httpmock.Responder) func(t *testing.T) ports.BankDirectory {
	return func(t *testing.T) ports.BankDirectory {
		t.Helper()
		provider, _ := open(t, saying(t, answer(t)))
		return provider
	}
}

func directoryText(status int, body string) func(t *testing.T) ports.BankDirectory {
	return directory(func(*testing.T) httpmock.Responder { return upstreamtest.Text(status, body) })
}

func directoryFile(status int, name string) func(t *testing.T) ports.BankDirectory {
	return directory(func(t *testing.T) httpmock.Responder { t.Helper(); return file(t, status, name) })
}

func TestDirectoryContract(t *testing.T) {
	t.Parallel()
	porttest.BankDirectory(t, porttest.Directory{
		Open: directory(pages),
		Codes: map[string]map[string]string{
			"NG": {"000013": "058", "000014": "044", "090267": "50211", "120001": "120001", "050006": "FC40163", "035A": "035A", "MFB50094": "MFB50094", "51444": "51444"},
			"GH": {"280100": "280100", "030100": "030100", "MTN": "MTN", "VOD": "VOD"},
			"KE": {"03": "03", "MPESA": "MPESA"},
		},
		LeftOut: map[string][]string{
			"NG": {"", "null", "NULL", "060", "50999", "50998", "030100", "100004"},
			"KE": {"MPTILL", "MPPAYBILL"},
		},
		Broken: map[string]func(t *testing.T) ports.BankDirectory{
			"an invalid key":          directoryFile(401, "invalid_key.json"),
			"no list":                 directoryFile(200, "banks_none.json"),
			"no usable row":           directoryFile(200, "banks_all_unusable.json"),
			"status false":            directoryText(200, `{"status":false,"message":"Something went wrong","data":[]}`),
			"no data":                 directoryText(200, `{"status":true,"message":"Banks retrieved"}`),
			"data that is null":       directoryText(200, `{"status":true,"message":"Banks retrieved","data":null}`),
			"data that is no list":    directoryText(200, `{"status":true,"message":"Banks retrieved","data":{}}`),
			"a cursor that is none":   directoryText(200, `{"status":true,"message":"Banks retrieved","data":[],"meta":{"next":7}}`),
			"HTML with 200":           directoryText(200, "<html>oops</html>"),
			"truncated":               directoryText(200, `{"status":true,"message":"Banks retrieved","data":[{"id":1,"name":"Acc`),
			"throttled":               directoryText(429, "Too many requests"),
			"an outage in plain text": directoryText(500, "oops"),
			"not there":               directoryFile(404, "entity_not_found.json"),
			"a lost connection": directory(func(*testing.T) httpmock.Responder {
				return httpmock.NewErrorResponder(http.ErrServerClosed)
			}),
			"a second page that fails": directory(func(t *testing.T) httpmock.Responder {
				t.Helper()
				return func(r *http.Request) (*http.Response, error) {
					if r.URL.Query().Has("next") {
						return upstreamtest.Text(500, "oops")(r)
					}
					return file(t, 200, "banks_nigeria_1.json")(r)
				}
			}),
			"a cursor that leads back": directoryFile(200, "banks_nigeria_1.json"),
			"pages without an end": directory(func(t *testing.T) httpmock.Responder {
				t.Helper()
				n := 0
				return func(r *http.Request) (*http.Response, error) {
					n++
					return upstreamtest.Edited(t, "banks_nigeria_1.json", `"YmFuazo3Mg=="`, `"`+strconv.Itoa(n)+`"`)(r)
				}
			}),
		},
		Hanging: directory(func(*testing.T) httpmock.Responder { return hanging() }),
	})
}

func TestListRequests(t *testing.T) {
	t.Parallel()
	for country, want := range map[string]struct {
		key     core.Secret
		queries []string
	}{
		"NG": {keyNG, []string{
			"country=nigeria&include_nip_sort_code=true&perPage=100&use_cursor=true",
			"country=nigeria&include_nip_sort_code=true&next=YmFuazo3Mg%3D%3D&perPage=100&use_cursor=true",
		}},
		"GH": {keyGH, []string{"country=ghana&perPage=100&use_cursor=true"}},
		"KE": {keyKE, []string{"country=kenya&perPage=100&use_cursor=true"}},
	} {
		t.Run(country, func(t *testing.T) {
			t.Parallel()
			var queries []string
			provider, _ := open(t, saying(t, func(r *http.Request) (*http.Response, error) {
				queries = append(queries, r.URL.RawQuery)
				if got := r.Header.Get("Authorization"); got != "Bearer "+want.key.Reveal() || r.URL.Path != "/bank" {
					t.Errorf("got key %q for %s, path %s", got, country, r.URL.Path)
				}
				return pages(t)(r)
			}))
			if _, err := provider.Banks(t.Context(), country); err != nil {
				t.Error(err)
			}
			if !slices.Equal(queries, want.queries) {
				t.Errorf("got %v, want %v", queries, want.queries)
			}
		})
	}
}

func TestACursorThatLeadsBackIsNotFollowed(t *testing.T) {
	t.Parallel()
	mock := saying(t, file(t, http.StatusOK, "banks_nigeria_1.json"))
	provider, _ := open(t, mock)
	if _, err := provider.Banks(t.Context(), "NG"); core.CodeOf(err) != core.Unavailable || mock.GetTotalCallCount() != 2 {
		t.Errorf("got %v after %d calls, want unavailable after 2", err, mock.GetTotalCallCount())
	}
}

// TestAListThatIsUnchanged refreshes a list of two pages, of which each has a tag.
func TestAListThatIsUnchanged(t *testing.T) {
	t.Parallel()
	sent, spared := 0, 0
	provider, _ := open(t, saying(t, func(r *http.Request) (*http.Response, error) {
		tag := strconv.Quote(r.URL.Query().Get("next"))
		if r.Header.Get("If-None-Match") == tag {
			spared++
			return upstreamtest.Text(http.StatusNotModified, "")(r)
		}
		sent++
		response, err := pages(t)(r)
		if err == nil {
			response.Header.Set("ETag", tag)
		}
		return response, err
	}))
	first, err := provider.Banks(t.Context(), "NG")
	if err != nil {
		t.Fatal(err)
	}
	again, err := provider.Banks(t.Context(), "NG")
	if err != nil || !slices.EqualFunc(first, again, func(a, b core.Bank) bool { return a.Code == b.Code && a.Name == b.Name }) {
		t.Errorf("got %d banks and %v, want the same %d", len(again), err, len(first))
	}
	if sent != 2 || spared != 2 {
		t.Errorf("%d pages were sent and %d were not, want 2 and 2", sent, spared)
	}
}

// TestRows checks what becomes of the rows: names, types, channels, the first of two.
func TestRows(t *testing.T) {
	t.Parallel()
	provider, _ := open(t, saying(t, pages(t)))
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
		"NG 000013":   {"Guaranty Trust Bank", core.CommercialBank, core.BankTransfer, "NGN"},
		"NG 120001":   {"9mobile 9Payment Service Bank", core.PaymentServiceBank, core.BankTransfer, "NGN"},
		"NG 090267":   {"Kuda Bank", core.MicrofinanceBank, core.BankTransfer, "NGN"},
		"NG 050006":   {"Branch International Financial Services Limited", core.OtherBank, core.BankTransfer, "NGN"},
		"NG 060001":   {"Coronation Merchant Bank", core.CommercialBank, core.BankTransfer, "NGN"},
		"NG 100004":   {"OPay Digital Services Limited (OPay)", core.MobileMoneyBank, core.BankTransfer, "NGN"},
		"NG 035A":     {"ALAT by WEMA", core.OtherBank, core.BankTransfer, "NGN"},
		"NG 070006":   {"Covenant Microfinance Bank", core.MicrofinanceBank, core.BankTransfer, "NGN"},
		"NG 400001":   {"FSDH Merchant Bank", core.CommercialBank, core.BankTransfer, "NGN"},
		"NG MFB50094": {"Some Microfinance Bank", core.MicrofinanceBank, core.BankTransfer, "NGN"},
		"NG 268":      {"Platinum Mortgage Bank", core.MortgageBank, core.BankTransfer, "NGN"},
		"GH 280100":   {"Access Bank Ghana", core.CommercialBank, core.BankTransfer, "GHS"},
		"GH 030100":   {"Absa Bank Ghana Ltd", core.CommercialBank, core.BankTransfer, "GHS"},
		"GH 300345":   {"Adehyeman Savings and Loans", core.OtherBank, core.BankTransfer, "GHS"},
		"GH MTN":      {"MTN", core.MobileMoneyBank, core.MobileMoney, "GHS"},
		"KE MPESA":    {"M-PESA", core.MobileMoneyBank, core.MobileMoney, "KES"},
	} {
		b := got[code]
		if b.Name != want.name || b.Type != want.kind || !slices.Equal(b.Channels, []core.Channel{want.channel}) || b.Currency != want.currency {
			t.Errorf("%s: got %+v, want %+v", code, b, want)
		}
	}
}

func FuzzBanks(f *testing.F) {
	for _, name := range []string{"banks_nigeria_2.json", "banks_ghana_without_meta.json", "banks_kenya.json", "banks_none.json", "invalid_key.json"} {
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
			if b.Code == "" || b.Name == "" || b.Country != "NG" || b.Codes["paystack"] == "" || seen[b.Code] {
				t.Errorf("got %+v", b)
			}
			seen[b.Code] = true
		}
	})
}
