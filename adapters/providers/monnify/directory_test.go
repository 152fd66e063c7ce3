package monnify_test

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

// lists is a Monnify with the recorded list.
func lists(t testing.TB) httpmock.Responder { t.Helper(); return file(t, http.StatusOK, "banks.json") }

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
		Open:    directory(lists),
		Codes:   map[string]map[string]string{"NG": {"044": "044", "058": "058", "50515": "50515", "090267": "090267"}},
		LeftOut: map[string][]string{"NG": {"", "121", "70"}},
		Broken: map[string]func(t *testing.T) ports.BankDirectory{
			"a refused token":         directoryFile(401, "unauthorized.json"),
			"no list":                 directoryFile(200, "banks_none.json"),
			"no usable row":           directoryFile(200, "banks_all_unusable.json"),
			"a null list":             directoryFile(200, "banks_null.json"),
			"a failure with 200":      directoryFile(200, "failed_with_200.json"),
			"a contradiction":         directoryFile(200, "contradiction.json"),
			"no body":                 directoryFile(200, "body_missing.json"),
			"a body that is no list":  directoryFile(200, "resolved.json"),
			"HTML with 200":           directoryText(200, "<html>oops</html>"),
			"truncated":               directoryText(200, `{"requestSuccessful":true,"responseBody":[{"name":"Acc`),
			"throttled":               directoryText(429, "Too many requests"),
			"an outage in plain text": directoryText(500, "oops"),
			"a lost connection": directory(func(testing.TB) httpmock.Responder {
				return httpmock.NewErrorResponder(http.ErrServerClosed)
			}),
			"a login that is refused": func(t *testing.T) ports.BankDirectory {
				t.Helper()
				provider, _ := open(t, with(t, file(t, 401, "login_refused.json"), lists(t)))
				return provider
			},
		},
		Hanging: directory(func(testing.TB) httpmock.Responder { return hanging() }),
	})
}

func TestListRequests(t *testing.T) {
	t.Parallel()
	provider, _ := open(t, saying(t, func(r *http.Request) (*http.Response, error) {
		if r.Method != http.MethodGet || r.URL.String() != base+"banks" || r.Header.Get("Authorization") != "Bearer token-1" {
			t.Errorf("got %s %s with %s", r.Method, r.URL, r.Header.Get("Authorization"))
		}
		return lists(t)(r)
	}))
	if _, err := provider.Banks(t.Context(), "NG"); err != nil {
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
		name string
		kind core.BankType
	}{
		"NG 044":    {"Access bank", core.CommercialBank},
		"NG 058":    {"GTBank", core.CommercialBank},
		"NG 50515":  {"Moniepoint MFB", core.MicrofinanceBank},
		"NG 090267": {"Kuda Microfinance Bank", core.MicrofinanceBank},
	} {
		b := got[code]
		if b.Name != want.name || b.Type != want.kind || !slices.Equal(b.Channels, []core.Channel{core.BankTransfer}) || b.Currency != "NGN" {
			t.Errorf("%s: got %+v, want %+v", code, b, want)
		}
	}
}

func FuzzBanks(f *testing.F) {
	for _, name := range []string{"banks.json", "banks_none.json", "unauthorized.json"} {
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
			if b.Code == "" || b.Name == "" || b.Country != "NG" || b.Codes["monnify"] == "" || seen[b.Code] {
				t.Errorf("got %+v", b)
			}
			seen[b.Code] = true
		}
	})
}
