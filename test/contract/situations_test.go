package contract_test

import (
	"encoding/json"
	"net/http"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"causeway/test/driver"
)

// countryItem is an item of GET /v1/countries.
type countryItem struct {
	Code       string
	Currencies []string
	Channels   []channelItem
}

type channelItem struct {
	Channel       string
	Currencies    []string
	AccountNumber struct{ Rule, Pattern, Example string } `json:"account_number"`
	NeedsBankCode bool                                    `json:"needs_bank_code"`
	Resolvable    bool
	NeedsDocument bool `json:"needs_document"`
}

// countryChannel is a channel of a country, with an institution at which the end of an account number
// determines the outcome.
type countryChannel struct {
	country countryItem
	channel channelItem
	bank    string
}

// countryChannels returns all channels of all countries.
func countryChannels(t *testing.T) []countryChannel {
	t.Helper()
	countries := data[[]countryItem](t, get(t, "/v1/countries"))
	if len(countries) < 10 {
		t.Fatalf("only %d countries", len(countries))
	}
	var all []countryChannel
	for _, c := range countries {
		for _, channel := range c.Channels {
			all = append(all, countryChannel{c, channel, map[string]string{"bank_transfer": "001", "mobile_money": "SIM"}[channel.Channel]})
		}
	}
	return all
}

// forEachChannel runs a test for every channel of every country.
func forEachChannel(t *testing.T, test func(t *testing.T, s countryChannel)) {
	t.Helper()
	for _, s := range countryChannels(t) {
		t.Run(s.country.Code+" "+s.channel.Channel, func(t *testing.T) { test(t, s) })
	}
}

// comparesDocuments reports whether providers compare documents and disclose no names.
func (s countryChannel) comparesDocuments() bool { return s.channel.NeedsDocument }

// number returns a valid account number, which ends in three digits if the channel can be resolved.
func (s countryChannel) number(suffix string) string {
	example := s.channel.AccountNumber.Example
	if s.channel.Channel == "bank_transfer" && !s.channel.Resolvable {
		return example // a RIB ends in check digits
	}
	return example[:len(example)-len(suffix)] + suffix
}

// fields returns the members of a request.
func (s countryChannel) fields(number string) map[string]string {
	f := map[string]string{"currency_id": s.channel.Currencies[0], "country_id": s.country.Code, "channel": s.channel.Channel, "account_number": number}
	if s.bank != "" {
		f["bank_code"] = s.bank
	}
	if s.comparesDocuments() {
		f["account_name"], f["document_type"], f["document_number"] = "Test Name", "identity_number", "8001015009087"
	}
	return f
}

// encode returns the body of a request.
func encode(t *testing.T, fields map[string]string) string {
	t.Helper()
	body, err := json.Marshal(fields)
	if err != nil {
		t.Fatal(err)
	}
	return string(body)
}

// request returns the body of a valid request in which one field has another value; empty: it is
// missing.
func (s countryChannel) request(t *testing.T, field, value string) string {
	t.Helper()
	f := s.fields(s.number("200"))
	if f[field] = value; value == "" {
		delete(f, field)
	}
	return encode(t, f)
}

// checkWithoutBank sends a request without a bank code, which is an error where the list of countries
// requires one.
func (s countryChannel) checkWithoutBank(t *testing.T, resolve func(body string) driver.Reply) {
	t.Helper()
	r := resolve(s.request(t, "bank_code", ""))
	switch {
	case s.channel.NeedsBankCode:
		wantFieldErrors(t, r, "bank_code")
	case s.channel.Resolvable && r.Status != http.StatusOK && r.Status != http.StatusNotFound:
		t.Errorf("without a bank code, which is not needed: %d %s", r.Status, r.Body)
	}
}

// TestResolve_EveryCountry tests missing and wrong fields and every outcome for every channel of every
// country.
func TestResolve_EveryCountry(t *testing.T) {
	t.Parallel()
	forEachChannel(t, func(t *testing.T, s countryChannel) {
		resolve := func(body string) driver.Reply { return send(t, http.MethodPost, resolvePath, body) }
		for field, bad := range map[string]string{"currency_id": "EUR", "country_id": "GB", "channel": "cheque", "account_number": "12"} {
			wantFieldErrors(t, resolve(s.request(t, field, "")), field)
			wantFieldErrors(t, resolve(s.request(t, field, bad)), field)
		}
		wantFieldErrors(t, resolve(s.request(t, "bank_code", "NO-SUCH")), "bank_code")
		s.checkWithoutBank(t, resolve)
		if !s.channel.Resolvable {
			if f := wantFieldErrors(t, resolve(encode(t, s.fields(s.channel.AccountNumber.Example))), "channel"); !strings.Contains(f.Error.Message, "cannot be looked up by "+s.channel.Channel) {
				t.Errorf("a channel that cannot be resolved: %s", f.Error.Message)
			}
			return
		}
		s.checkFound(t, resolve)
		unknown := wantError(t, resolve(encode(t, s.fields(s.number("404")))), http.StatusNotFound, "not_found")
		closed := wantError(t, resolve(encode(t, s.fields(s.number("409")))), http.StatusNotFound, "not_found")
		if !strings.HasPrefix(unknown.Error.Message, "No account ") || !strings.Contains(closed.Error.Message, "closed") {
			t.Errorf("unknown: %s, closed: %s", unknown.Error.Message, closed.Error.Message)
		}
		down := resolve(encode(t, s.fields(s.number("503"))))
		wantError(t, down, http.StatusServiceUnavailable, "service_unavailable")
		if down.Header.Get("Retry-After") == "" {
			t.Error("503 without Retry-After")
		}
	})
}

// TestResolve_ProvidersTimeOut resolves an account in every channel at once while no provider responds.
func TestResolve_ProvidersTimeOut(t *testing.T) {
	t.Parallel()
	var waiting sync.WaitGroup
	for _, s := range countryChannels(t) {
		if !s.channel.Resolvable {
			continue
		}
		waiting.Go(func() {
			began := time.Now()
			r := send(t, http.MethodPost, resolvePath, encode(t, s.fields(s.number("504"))))
			if took := time.Since(began); r.Status != http.StatusServiceUnavailable || r.Header.Get("Retry-After") == "" || took >= time.Minute { // the limit is 8 s, the rest is for a busy machine
				t.Errorf("%s %s: %d %s after %s", s.country.Code, s.channel.Channel, r.Status, r.Body, took)
			}
		})
	}
	waiting.Wait()
}

// checkFound resolves an account, with its number in several notations.
func (s countryChannel) checkFound(t *testing.T, resolve func(string) driver.Reply) {
	t.Helper()
	number := s.number("200")
	got := data[account](t, resolve(encode(t, s.fields(number))))
	if got.CountryID != s.country.Code || got.CurrencyID != s.channel.Currencies[0] || got.Channel != s.channel.Channel || got.BankCode != s.bank ||
		got.AccountNumber != number || (got.AccountName == "") != s.comparesDocuments() || (got.BankName == "") != (s.bank == "") {
		t.Errorf("got %+v of %s", got, number)
	}
	spaced := data[account](t, resolve(encode(t, s.fields(" "+number[:4]+" "+number[4:6]+"-"+number[6:]))))
	if spaced != got {
		t.Errorf("spaces and hyphens change the response: %+v", spaced)
	}
	calling, phone := map[string]string{"+225": "CI", "+237": "CM", "+233": "GH", "+254": "KE", "+250": "RW", "+221": "SN", "+255": "TZ", "+256": "UG"}, len(number) > 4 && number[0] == '+'
	if !phone {
		return
	}
	national := number[4:]
	if calling[number[:4]] != s.country.Code {
		t.Fatalf("the example of %s is %s", s.country.Code, number)
	}
	notations := []string{number[1:], "00" + number[1:], number[:4] + " " + national, number[:4] + " (" + national[:2] + ") " + national[2:]}
	switch s.country.Code {
	case "CI", "SN", "CM": // without a trunk prefix
		notations = append(notations, national)
	default:
		notations = append(notations, "0"+national)
	}
	for _, notation := range notations {
		if again := data[account](t, resolve(encode(t, s.fields(notation)))); again != got {
			t.Errorf("%s: %+v, want %+v", notation, again, got)
		}
	}
}

// TestResolve_MalformedNumbers sends invalid account numbers. The error names the field, the rule and
// an example without repeating the value, and no provider is called.
func TestResolve_MalformedNumbers(t *testing.T) {
	t.Parallel()
	own := driver.Start(t, binary)
	forEachChannel(t, func(t *testing.T, s countryChannel) {
		number := s.channel.AccountNumber.Example
		other := func(zero rune) string {
			return strings.Map(func(r rune) rune {
				if r >= '0' && r <= '9' {
					return zero + r - '0'
				}
				return r
			}, number)
		}
		abroad := "+2348031234567"
		if s.country.Code == "NG" {
			abroad = "+254712345678"
		}
		for name, sent := range map[string]string{
			"full-width digits": other('０'), "Arabic digits": other('٠'), "letters": number[:len(number)-3] + "OIl", "words": "my account please", "a sign in front": "$" + number,
			"spaces alone": "   ", "hyphens alone": "---", "too short": number[:3], "too long": number + strings.Repeat("7", 20), "1,000 characters": strings.Repeat("1", 1000),
			"two pluses": "++" + number, "a plus at the end": number + "+", "a plus in the middle": number[:3] + "+" + number[3:], "a phone of another country": abroad,
			"an exponent": "1e9", "a fraction": number[:5] + ".5", "a minus": "\u2212", "superscripts": number[:len(number)-1] + "²",
		} {
			r := driver.Do(t, http.MethodPost, own.API+resolvePath, encode(t, s.fields(sent)))
			f := wantFieldErrors(t, r, "account_number")
			reason := f.Fields["account_number"][0].Reason
			named := strings.Contains(reason, s.channel.AccountNumber.Rule) && strings.Contains(reason, s.channel.AccountNumber.Example)
			if overlong := len(sent) >= 1000; !named && !overlong {
				t.Errorf("%s: %q does not name what is accepted", name, reason)
			}
			if runs := regexp.MustCompile(`[0-9]{7,}`).FindAllString(strings.ReplaceAll(reason, s.channel.AccountNumber.Example, ""), -1); runs != nil || strings.Contains(reason, "my account please") {
				t.Errorf("%s: the reason shows the number: %q", name, reason)
			}
		}
	})
	metrics := string(driver.Get(t, own.Operator+"/metrics").Body)
	if strings.Contains(metrics, "causeway_resolution_attempts_total{") || !strings.Contains(metrics, `operation="resolve-account",status="400"`) {
		t.Error("a provider was called with an invalid number, or nothing was counted")
	}
}
