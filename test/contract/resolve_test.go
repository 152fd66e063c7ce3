package contract_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"causeway/test/driver"
)

const resolvePath = "/v1/recipients/resolve-bank-account"

const published = `{"currency_id":"NGN","country_id":"NG","channel":"bank_transfer","bank_code":"000013","account_number":"0123456789"}`

// account is the payload of a resolution.
type account struct {
	CountryID     string `json:"country_id"`
	CurrencyID    string `json:"currency_id"`
	Channel       string `json:"channel"`
	BankCode      string `json:"bank_code"`
	AccountNumber string `json:"account_number"`
	AccountName   string `json:"account_name"`
	BankName      string `json:"bank_name"`
	NameMatch     string `json:"name_match"`
	DocumentMatch string `json:"document_match"`
}

// changed returns a JSON object of strings with other fields, from names and values in turn. An empty value removes
// the field.
func changed(t *testing.T, object string, fields ...string) string {
	t.Helper()
	var members map[string]string
	if err := json.Unmarshal([]byte(object), &members); err != nil {
		t.Fatal(err)
	}
	for i := 0; i+1 < len(fields); i += 2 {
		if members[fields[i]] = fields[i+1]; fields[i+1] == "" {
			delete(members, fields[i])
		}
	}
	text, err := json.Marshal(members)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// simulated is a request for an account of the simulated bank, where the end of the number determines the outcome.
func simulated(t *testing.T, number string, fields ...string) string {
	t.Helper()
	return changed(t, published, append([]string{"bank_code", "001", "account_number", number}, fields...)...)
}

func resolve(t *testing.T, body string) driver.Reply {
	t.Helper()
	return send(t, http.MethodPost, resolvePath, body)
}

func TestResolve(t *testing.T) {
	t.Parallel()
	for _, channel := range []string{"bank_transfer", "mobile_money"} {
		t.Run(channel, func(t *testing.T) {
			got := data[account](t, resolve(t, changed(t, published, "channel", channel)))
			want := account{CountryID: "NG", CurrencyID: "NGN", Channel: channel, BankCode: "000013", AccountNumber: "0123456789", BankName: "Guaranty Trust Bank"}
			if want.AccountName = got.AccountName; got != want || got.AccountName == "" {
				t.Errorf("got %+v, want %+v with a name", got, want)
			}
		})
	}
}

func TestResolve_FieldErrors(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ body, fields, says string }{
		"nothing":               {`{}`, "currency_id country_id channel account_number", ""},
		"a country by its name": {changed(t, published, "country_id", "Nigeria"), "country_id", `country_id "Nigeria" is not a two-letter country code; did you mean NG? See GET /v1/countries`},
		"no bank":               {changed(t, published, "bank_code", ""), "bank_code", "GET /v1/banks?country=NG"},
		"an unknown bank":       {changed(t, published, "bank_code", "58"), "bank_code", `did you mean "058"`},
		"a malformed number":    {changed(t, published, "account_number", "01234S6789"), "account_number", "exactly 10 digits"},
	} {
		t.Run(name, func(t *testing.T) {
			f := wantFieldErrors(t, resolve(t, c.body), strings.Fields(c.fields)...)
			if !strings.Contains(f.Error.Message, c.says) {
				t.Errorf("got %q, want %q in it", f.Error.Message, c.says)
			}
		})
	}
}

// TestResolve_EveryCountry checks every outcome for every channel of every country.
func TestResolve_EveryCountry(t *testing.T) {
	t.Parallel()
	for _, country := range data[[]country](t, get(t, "/v1/countries")) {
		for _, channel := range country.Channels {
			t.Run(country.Code+" "+channel.Channel, func(t *testing.T) {
				example := channel.AccountNumber.Example
				request := func(fields ...string) driver.Reply {
					common := []string{
						"currency_id", channel.Currencies[0], "country_id", country.Code, "channel", channel.Channel,
						"bank_code", map[string]string{"bank_transfer": "001", "mobile_money": "SIM"}[channel.Channel],
					}
					if channel.NeedsDocument {
						common = append(common, "account_name", "Test Name", "document_type", "identity_number", "document_number", "8001015009087")
					}
					return resolve(t, changed(t, published, append(common, fields...)...))
				}
				if !*channel.Resolvable {
					wantFieldErrors(t, request("account_number", example), "channel")
					return
				}
				ending := func(suffix string) string { return example[:len(example)-len(suffix)] + suffix }
				got := data[account](t, request("account_number", ending("200")))
				if got.CountryID != country.Code || got.Channel != channel.Channel || got.AccountNumber != ending("200") ||
					(got.AccountName == "") != channel.NeedsDocument {
					t.Errorf("got %+v", got)
				}
				if strings.HasPrefix(example, "+") { // other notations of a phone number
					for _, notation := range []string{ending("200")[1:], "00" + ending("200")[1:]} {
						if again := data[account](t, request("account_number", notation)); again != got {
							t.Errorf("%s: got %+v, want %+v", notation, again, got)
						}
					}
				}
				if *channel.NeedsBankCode {
					wantFieldErrors(t, request("account_number", example, "bank_code", ""), "bank_code")
				}
				wantError(t, request("account_number", ending("404")), http.StatusNotFound, "not_found")
				wantError(t, request("account_number", ending("409")), http.StatusNotFound, "not_found")
				wantError(t, request("account_number", ending("503")), http.StatusServiceUnavailable, "service_unavailable")
			})
		}
	}
}

// TestResolve_Document checks South Africa, whose banks disclose no names and compare a document.
func TestResolve_Document(t *testing.T) {
	t.Parallel()
	request := func(document string) string {
		return simulated(t, "1234567308", "country_id", "ZA", "currency_id", "ZAR", "account_name", "Another Name",
			"document_type", "identity_number", "document_number", document)
	}
	for document, want := range map[string]string{"8001015009087": "match", "9001015009086": "no_match"} {
		t.Run(want, func(t *testing.T) {
			r := resolve(t, request(document))
			if got := data[account](t, r); got.DocumentMatch != want || got.BankName != "Simulated Bank" ||
				strings.Contains(string(r.Body), `"name_match"`) || strings.Contains(string(r.Body), `"account_name"`) {
				t.Errorf("got %s, want %s, no name and no name_match", r.Body, want)
			}
		})
	}
	if f := wantFieldErrors(t, resolve(t, request("80010150090_7")), "document_number"); strings.Contains(f.Error.Message, "8001") {
		t.Errorf("the document is in the error: %s", f.Error.Message)
	}
}
