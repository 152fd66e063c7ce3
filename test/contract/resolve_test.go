package contract_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
)

// account is the payload of a resolution.
type account struct {
	CountryID     string `json:"country_id"`
	CurrencyID    string `json:"currency_id"`
	Channel       string `json:"channel"`
	BankCode      string `json:"bank_code"`
	AccountNumber string `json:"account_number"`
	AccountName   string `json:"account_name"`
	BankName      string `json:"bank_name"`
}

func ng(bank, number string) string {
	return fmt.Sprintf(`{"currency_id":"NGN","country_id":"NG","channel":"bank_transfer","bank_code":%q,"account_number":%q}`, bank, number)
}

func TestResolve(t *testing.T) {
	t.Parallel()
	for _, channel := range []string{"bank_transfer", "mobile_money"} {
		got := data[account](t, send(t, http.MethodPost, resolvePath, strings.Replace(published, "bank_transfer", channel, 1)))
		if got.AccountName == "" || got.BankCode != "000013" || got.BankName != "Guaranty Trust Bank" || got.AccountNumber != "0123456789" ||
			got.CountryID != "NG" || got.CurrencyID != "NGN" || got.Channel != channel {
			t.Errorf("got %+v", got)
		}
	}
}

func TestResolve_NormalisedInput(t *testing.T) {
	t.Parallel()
	want := data[account](t, send(t, http.MethodPost, resolvePath, published))
	for name, body := range map[string]string{
		"an alias of the bank":         ng("058", "0123456789"),
		"a BIC in lower case":          ng("gtbingla", "0123456789"),
		"spaces and hyphens":           ng(" 000013 ", "0123-456 789"),
		"second spellings, lower case": `{"currency":"ngn","country":"ng","channel":"bank_transfer","bank_code":"000013","account_number":"0123456789"}`,
		"country_code":                 `{"currency_id":"NGN","country_code":"NG","channel":"bank_transfer","bank_code":"000013","account_number":"0123456789"}`,
		"both spellings alike":         `{"currency_id":"NGN","currency":"NGN","country_id":"NG","channel":"bank_transfer","bank_code":"000013","account_number":"0123456789"}`,
	} {
		if got := data[account](t, send(t, http.MethodPost, resolvePath, body)); got != want {
			t.Errorf("%s: got %+v, want %+v", name, got, want)
		}
	}
}

func TestResolve_SimulatedWallets(t *testing.T) {
	t.Parallel()
	for _, phone := range []string{"0241234200", "+233 24 123 4200", "233241234200", "00233-24-123-4200"} {
		body := fmt.Sprintf(`{"currency_id":"GHS","country_id":"GH","channel":"mobile_money","bank_code":"SIM","account_number":%q}`, phone)
		if got := data[account](t, send(t, http.MethodPost, resolvePath, body)); got.AccountNumber != "+233241234200" || got.AccountName == "" {
			t.Errorf("%s: got %+v", phone, got)
		}
	}
}

func TestResolve_NigerianWallets(t *testing.T) {
	t.Parallel()
	wallet := func(bank, number string) string {
		return strings.Replace(ng(bank, number), "bank_transfer", "mobile_money", 1)
	}
	want := data[account](t, send(t, http.MethodPost, resolvePath, wallet("100004", "8031234567")))
	if want.AccountNumber != "8031234567" || want.BankName != "OPay" || want.AccountName == "" {
		t.Errorf("got %+v", want)
	}
	for _, phone := range []string{"08031234567", "+2348031234567", "2348031234567", "+234 803-123-4567", "002348031234567", "0803 123 4567"} {
		if got := data[account](t, send(t, http.MethodPost, resolvePath, wallet("999992", phone))); got != want {
			t.Errorf("%s: got %+v, want %+v", phone, got, want)
		}
	}
	for _, body := range []string{wallet("100004", "80312345678"), wallet("100004", "+254712345678"), ng("100004", "08031234567"), ng("100004", "2348031234567")} {
		wantFieldErrors(t, send(t, http.MethodPost, resolvePath, body), "account_number")
	}
}

func TestResolve_FieldErrors(t *testing.T) {
	t.Parallel()
	wantFieldErrors(t, send(t, http.MethodPost, resolvePath, `{}`), "currency_id", "country_id", "channel", "account_number")
	for _, c := range []struct {
		name, body string
		fields     []string
	}{
		{"an unknown country", strings.Replace(published, `"NG"`, `"XX"`, 1), []string{"country_id"}},
		{"a country of three letters", strings.Replace(published, `"NG"`, `"NGA"`, 1), []string{"country_id"}},
		{"a currency of another country", strings.Replace(published, "NGN", "KES", 1), []string{"currency_id"}},
		{"an unknown channel", strings.Replace(published, "bank_transfer", "cheque", 1), []string{"channel"}},
		{"a channel that the country lacks", strings.Replace(published, "bank_transfer", "pay_bill", 1), []string{"channel"}},
		{"no bank", strings.Replace(published, `"bank_code":"000013",`, "", 1), []string{"bank_code"}},
		{"an unknown bank", ng("58", "0123456789"), []string{"bank_code"}},
		{"a bank of another country", ng("030100", "0123456789"), []string{"bank_code"}},
		{"nine digits", ng("000013", "012345678"), []string{"account_number"}},
		{"letters", ng("000013", "01234S6789"), []string{"account_number"}},
		{"full-width digits", ng("000013", "０１２３４５６７８９"), []string{"account_number"}},
		{"Arabic digits", ng("000013", "٠١٢٣٤٥٦٧٨٩"), []string{"account_number"}},
		{"a thousand digits", ng("000013", strings.Repeat("1", 1000)), []string{"account_number"}},
		{"a number instead of a string", strings.Replace(published, `"0123456789"`, `123456789`, 1), []string{"account_number"}},
		{"spellings that differ", strings.Replace(published, `{`, `{"currency":"GHS",`, 1), []string{"currency"}},
		{"a fault under the second spelling", strings.Replace(published, `"country_id":"NG"`, `"country":"XX"`, 1), []string{"country"}},
		{"a phone of another country", `{"currency_id":"GHS","country_id":"GH","channel":"mobile_money","bank_code":"MTN","account_number":"+254712345678"}`, []string{"account_number"}},
	} {
		f := wantFieldErrors(t, send(t, http.MethodPost, resolvePath, c.body), c.fields...)
		if t.Failed() {
			t.Fatalf("%s: %+v", c.name, f)
		}
	}
	f := wantFieldErrors(t, send(t, http.MethodPost, resolvePath, ng("58", "0123456789")), "bank_code")
	hidden := wantFieldErrors(t, send(t, http.MethodPost, resolvePath, ng("012345678", "0123456789")), "bank_code")
	if want := "bank_code (a value with 9 digits) is not a bank of NG. See GET /v1/banks?country=NG"; hidden.Error.Message != want {
		t.Errorf("got %q, want %q", hidden.Error.Message, want)
	}
	named := wantFieldErrors(t, send(t, http.MethodPost, resolvePath, strings.Replace(published, `"NG"`, `"Nigeria"`, 1)), "country_id")
	if want := `country_id "Nigeria" is not a two-letter country code; did you mean NG? See GET /v1/countries`; named.Error.Message != want {
		t.Errorf("got %q, want %q", named.Error.Message, want)
	}
	if !strings.Contains(f.Error.Message, "058") || !strings.Contains(f.Error.Message, "GET /v1/banks?country=NG") {
		t.Errorf("the message does not help: %s", f.Error.Message)
	}
}

func TestResolve_Unsupported(t *testing.T) {
	t.Parallel()
	for body, fields := range map[string]string{
		`{"currency_id":"UGX","country_id":"UG","channel":"bank_transfer","bank_code":"16","account_number":"1234567890"}`:    "channel",
		`{"currency_id":"ZAR","country_id":"ZA","channel":"bank_transfer","bank_code":"430000","account_number":"123456789"}`: "bank_code",
		`{"currency_id":"ZAR","country_id":"ZA","channel":"bank_transfer","bank_code":"632005","account_number":"123456789"}`: "account_name document_type document_number",
		`{"currency_id":"TZS","country_id":"TZ","channel":"bank_transfer","bank_code":"003","account_number":"1234567890"}`:   "channel",
	} {
		wantFieldErrors(t, send(t, http.MethodPost, resolvePath, body), strings.Fields(fields)...)
	}
}

func TestResolve_Outcomes(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		suffix string
		status int
		name   string
	}{
		{"404", 404, "not_found"},
		{"409", 404, "not_found"},
		{"309", 503, "service_unavailable"},
		{"503", 503, "service_unavailable"},
		{"504", 503, "service_unavailable"},
	} {
		t.Run(c.suffix, func(t *testing.T) {
			t.Parallel()
			r := send(t, http.MethodPost, resolvePath, ng("001", "0000000"+c.suffix))
			f := wantError(t, r, c.status, c.name)
			if c.status == 404 && !strings.HasPrefix(f.Error.Message, "No account") && c.suffix == "404" {
				t.Errorf("message %q", f.Error.Message)
			}
			if c.status == 503 && r.Header.Get("Retry-After") == "" {
				t.Error("503 without Retry-After")
			}
			for _, leak := range []string{"paystack", "Paystack", "http", "sk_", "0000000" + c.suffix} {
				if strings.Contains(f.Error.Message, leak) {
					t.Errorf("the message gives away %q: %s", leak, f.Error.Message)
				}
			}
		})
	}
	closed := wantError(t, send(t, http.MethodPost, resolvePath, ng("001", "0000000409")), 404, "not_found")
	unknown := wantError(t, send(t, http.MethodPost, resolvePath, ng("001", "0000000404")), 404, "not_found")
	if closed.Error.Message == unknown.Error.Message {
		t.Error("a closed account reads like an unknown one")
	}
	// The faults of the first provider alone are among these: the second one answers.
	for _, suffix := range []string{"200", "202", "206", "207", "429", "500", "555", "301", "302", "303", "304", "305", "306", "307", "308", "777"} {
		got := data[account](t, send(t, http.MethodPost, resolvePath, ng("001", "0000000"+suffix)))
		if got.AccountName == "" || strings.TrimSpace(got.AccountName) != got.AccountName || strings.Contains(got.AccountName, "  ") {
			t.Errorf("…%s: name %q", suffix, got.AccountName)
		}
	}
}
