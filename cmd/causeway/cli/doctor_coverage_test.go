package cli

import (
	"bytes"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"causeway/adapters/providers"
	"causeway/adapters/providers/provider"
	"causeway/config"
)

// TestDoctor_Coverage checks what doctor says about institutions if Paystack's list of Nigeria is short.
func TestDoctor_Coverage(t *testing.T) {
	t.Parallel()
	const list = `{"status":true,"message":"Banks retrieved","data":[
		{"name":"Zenith Bank","code":"057","type":"nuban"},
		{"name":"Guaranty Trust Bank","code":"0580","nip_sort_code":"000013","type":"nuban"},
		{"name":"Sterling Bank","code":"044","type":"nuban"},
		{"name":"Heritage Bank","code":"030","type":"nuban"},
		{"name":"Newest Bank","code":"59999","type":"nuban"}]}`
	providers := newProviders(t)
	d := newTestDoctor(t, func(r *http.Request) (*http.Response, error) {
		rec := httptest.NewRecorder()
		switch {
		case r.URL.Host == "api.korapay.com":
			rec.WriteHeader(http.StatusBadGateway)
		case r.URL.Host == "api.paystack.co" && r.URL.Query().Get("country") == "nigeria":
			_, _ = rec.WriteString(list)
		default:
			return providers(r)
		}
		return rec.Result(), nil
	})
	results := d.providers(t.Context())
	var warnings []string
	for _, r := range results {
		if r.State == warning && r.Check == "banks NG" {
			warnings = append(warnings, r.Found)
		}
	}
	for _, want := range []string{
		"Access Bank (000014) is expected as 044 and missing in the list of paystack",
		"Guaranty Trust Bank (000013) is expected as 058 and listed as 0580 by paystack",
	} {
		if !slices.Contains(warnings, want) {
			t.Errorf("no warning %q in %q", want, warnings)
		}
	}
	if text := strings.Join(warnings, "\n"); strings.Contains(text, "korapay") || strings.Contains(text, "Zenith") {
		t.Errorf("got %s", text)
	}
	if r := find(t, results, "banks CI"); r.State != passed || !strings.Contains(r.Found, "institutions can be resolved") {
		t.Errorf("%+v", r)
	}
	for _, want := range []institution{
		{"NG", "paystack", "new", "59999", "Newest Bank"},
		{"NG", "paystack", "left out: different_name", "044", "Sterling Bank"},
		{"NG", "paystack", "left out: closed", "030", "Heritage Bank"},
		{"TZ", "", "unresolvable", "003", "CRDB Bank"},
	} {
		if !slices.Contains(d.institutions, want) {
			t.Errorf("no %+v in %+v", want, d.institutions)
		}
	}
	var text bytes.Buffer
	cmd := &cobra.Command{}
	OutputFlag(cmd.Flags())
	WideFlag(cmd.Flags())
	cmd.SetOut(&text)
	if err := printResults(cmd, "", results, d.institutions); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(text.String(), "left out: different_name      044") {
		t.Errorf("got %s", text.String())
	}
}

// TestBanks_ExpectedProviders checks that the catalog expects codes of existing providers that resolve
// accounts of the country.
func TestBanks_ExpectedProviders(t *testing.T) {
	t.Parallel()
	catalog, err := config.LoadCatalog()
	if err != nil {
		t.Fatal(err)
	}
	expected := 0
	for _, b := range catalog.Banks {
		for name := range b.Expected {
			expected++
			if !slices.ContainsFunc(providers.Descriptors, func(d provider.Descriptor) bool {
				return d.Name == name && slices.ContainsFunc(d.Accounts, func(c provider.Coverage) bool { return c.Country == b.Country })
			}) {
				t.Errorf("%s %s: %s does not resolve accounts there", b.Country, b.Code, name)
			}
		}
	}
	if expected == 0 {
		t.Error("nothing is expected")
	}
}
