package contract_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"causeway/test/driver"
)

// checkedAccount is an account with what was judged beside it.
type checkedAccount struct {
	account

	NameMatch string   `json:"name_match"`
	Warnings  []string `json:"warnings"`
}

// claiming is a question about an account at the simulated bank with a name in it.
func claiming(t *testing.T, country, currency, number, name string) string {
	t.Helper()
	return encode(t, map[string]string{
		"country_id": country, "currency_id": currency, "channel": "bank_transfer", "bank_code": "001", "account_number": number, "account_name": name,
	})
}

func TestResolve_ClaimedName(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ suffix, claim, want string }{
		{"306", "Testperson", "match"},
		{"306", " mr.  TESTPERSON ", "match"},
		{"306", "Test Person", "close_match"},
		{"306", "Adaeze Okafor", "no_match"},
		{"302", "Helene Cagla Oladeji Kuforiji Test", "match"}, // TEST ỌLÁDÉJÌ KÙ́FỌ́RÌJÌ HÉLÈNE ÇAĞLA
		{"302", "Test Oladeji Kuforiji", "close_match"},
		{"302", "Somebody Else", "no_match"},
		{"303", "Test NGuessan dAlmeida", "match"},
		{"304", "Test Okafor and Sons Trading Company Nigeria Limited", "match"}, // a company
		{"304", "Test Okafor", "close_match"},
		{"304", "Balogun Foods Ltd", "no_match"},
		{"305", "Test Okafor Amaka / Test Okafor Chidi", "match"}, // a joint account
		{"305", "Amaka Okafor Test", "close_match"},
		{"305", "Test Okafor Bola", "no_match"},
		{"308", "MCTEST TEST OKAFOR", "match"},
	} {
		got := data[checkedAccount](t, send(t, http.MethodPost, resolvePath, claiming(t, "NG", "NGN", "0690000"+c.suffix, c.claim)))
		if got.NameMatch != c.want || got.AccountName == "" {
			t.Errorf("%s against %s: %s, want %s", c.claim, got.AccountName, got.NameMatch, c.want)
		}
	}
	if r := send(t, http.MethodPost, resolvePath, ng("001", "0690000306")); strings.Contains(string(r.Body), "name_match") {
		t.Errorf("a verdict where nothing was claimed: %s", r.Body)
	}
	for name, claim := range map[string]string{"digits alone": "0690000306", "punctuation": "-- . --", "201 letters": strings.Repeat("a", 201)} {
		f := wantFieldErrors(t, send(t, http.MethodPost, resolvePath, claiming(t, "NG", "NGN", "0690000306", claim)), "account_name")
		if strings.Contains(f.Error.Message, claim) {
			t.Errorf("%s: the claim is echoed: %s", name, f.Error.Message)
		}
	}
	unknown := wantError(t, send(t, http.MethodPost, resolvePath, claiming(t, "NG", "NGN", "0690000404", "Testperson")), http.StatusNotFound, "not_found")
	if strings.Contains(strings.ToLower(unknown.Error.Message), "testperson") {
		t.Errorf("the claim is echoed: %s", unknown.Error.Message)
	}
}

// South Africa's banks disclose no names. They compare a document, which says nothing about the
// name.
func TestSouthAfricaConfirmsDocuments(t *testing.T) {
	t.Parallel()
	fields := map[string]string{
		"country_id": "ZA", "currency_id": "ZAR", "channel": "bank_transfer", "bank_code": "001", "account_number": "1234567308",
		"account_name": "Another Name", "document_type": "identity_number", "document_number": "8001015009087",
	}
	for document, want := range map[string]string{"8001015009087": "match", "9001015009086": "no_match"} {
		fields["document_number"] = document
		r := send(t, http.MethodPost, resolvePath, encode(t, fields))
		got := data[struct {
			BankName string `json:"bank_name"`
			Document string `json:"document_match"`
		}](t, r)
		if got.Document != want || got.BankName != "Simulated Bank" || strings.Contains(string(r.Body), `"name_match"`) ||
			strings.Contains(string(r.Body), `"account_name"`) {
			t.Errorf("%s: %s, want %s, no name and no name_match", document, r.Body, want)
		}
	}
	fields["document_number"] = "80010150090_7"
	if f := wantFieldErrors(t, send(t, http.MethodPost, resolvePath, encode(t, fields)), "document_number"); strings.Contains(f.Error.Message, "8001") {
		t.Errorf("the document is in the error: %s", f.Error.Message)
	}
	wantFieldErrors(t, send(t, http.MethodPost, resolvePath, claiming(t, "ZA", "ZAR", "1234567308", "Ada Obi")), "document_type", "document_number")
	wantFieldErrors(t, send(t, http.MethodPost, resolvePath, claiming(t, "ZA", "ZAR", "1234567308", "")), "account_name", "document_type", "document_number")
}

func TestResolve_Warnings(t *testing.T) {
	t.Parallel()
	for want, body := range map[string]string{
		"check_digit":     ng("044", "0690000031"),
		"":                ng("044", "0690000032"),
		"account_length":  `{"country_id":"KE","currency_id":"KES","channel":"bank_transfer","bank_code":"01","account_number":"1234567890123"}`,
		"operator_prefix": `{"country_id":"GH","currency_id":"GHS","channel":"mobile_money","bank_code":"MTN","account_number":"0201234567"}`,
	} {
		got := data[checkedAccount](t, send(t, http.MethodPost, resolvePath, body))
		if want == "" && len(got.Warnings) > 0 || want != "" && !slices.Equal(got.Warnings, []string{want}) || got.AccountName == "" {
			t.Errorf("%s: %+v", want, got)
		}
	}
}

func TestResolve_ConfirmOnly(t *testing.T) {
	t.Parallel()
	c := driver.Start(t, binary, "CAUSEWAY_RESOLUTION__CONFIRM_ONLY=true")
	send := func(body string) driver.Reply { return driver.Do(t, http.MethodPost, c.API+resolvePath, body) }
	wantFieldErrors(t, send(ng("001", "0690000306")), "account_name")
	for claim, want := range map[string]string{"Testperson": "match", "Test Person": "close_match", "Adaeze Okafor": "no_match"} {
		r := send(claiming(t, "NG", "NGN", "0690000306", claim))
		if got := data[checkedAccount](t, r); got.NameMatch != want || got.AccountName != "" || strings.Contains(strings.ToUpper(string(r.Body)), "TESTPERSON") {
			t.Errorf("%s: %s, want %s and no name", claim, r.Body, want)
		}
	}
	wantError(t, send(claiming(t, "NG", "NGN", "0690000404", "Testperson")), http.StatusNotFound, "not_found")
	wantError(t, send(claiming(t, "NG", "NGN", "0690000503", "Testperson")), http.StatusServiceUnavailable, "service_unavailable")
}
