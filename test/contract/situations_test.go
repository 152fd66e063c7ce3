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

// spot is a channel of a country, with an institution at which the simulated world does what the
// end of a number says.
type spot struct {
	country countryItem
	channel channelItem
	bank    string
}

// spots are all channels of all countries.
func spots(t *testing.T) []spot {
	t.Helper()
	countries := data[[]countryItem](t, get(t, "/v1/countries"))
	if len(countries) < 10 {
		t.Fatalf("only %d countries", len(countries))
	}
	var all []spot
	for _, c := range countries {
		for _, channel := range c.Channels {
			all = append(all, spot{c, channel, map[string]string{"bank_transfer": "001", "mobile_money": "SIM"}[channel.Channel]})
		}
	}
	return all
}

// perSpot runs a test for every channel of every country.
func perSpot(t *testing.T, test func(t *testing.T, s spot)) {
	t.Helper()
	for _, s := range spots(t) {
		t.Run(s.country.Code+" "+s.channel.Channel, func(t *testing.T) {
			t.Parallel()
			test(t, s)
		})
	}
}

// confirms reports whether documents are confirmed and names are not disclosed there.
func (s spot) confirms() bool { return s.channel.NeedsDocument }

// ending is a number that the rule takes, and where somebody can be asked one that ends in three
// digits.
func (s spot) ending(suffix string) string {
	example := s.channel.AccountNumber.Example
	if s.channel.Channel == "bank_transfer" && !s.channel.Resolvable {
		return example // a RIB has a key
	}
	return example[:len(example)-len(suffix)] + suffix
}

// fields of a question there.
func (s spot) fields(number string) map[string]string {
	f := map[string]string{"currency_id": s.channel.Currencies[0], "country_id": s.country.Code, "channel": s.channel.Channel, "account_number": number}
	if s.bank != "" {
		f["bank_code"] = s.bank
	}
	if s.confirms() {
		f["account_name"], f["document_type"], f["document_number"] = "Test Nobody", "identity_number", "8001015009087"
	}
	return f
}

// asking is the body of a question.
func asking(t *testing.T, fields map[string]string) string {
	t.Helper()
	body, err := json.Marshal(fields)
	if err != nil {
		t.Fatal(err)
	}
	return string(body)
}

// but is a question that lacks a field, or says something else in it.
func (s spot) but(t *testing.T, field, value string) string {
	t.Helper()
	f := s.fields(s.ending("200"))
	if f[field] = value; value == "" {
		delete(f, field)
	}
	return asking(t, f)
}

// withoutBank asks without a bank code: that is refused where the list of countries says that one
// is needed, and answered elsewhere.
func (s spot) withoutBank(t *testing.T, send func(body string) driver.Reply) {
	t.Helper()
	r := send(s.but(t, "bank_code", ""))
	switch {
	case s.channel.NeedsBankCode:
		faulty(t, r, "bank_code")
	case s.channel.Resolvable && r.Status != http.StatusOK && r.Status != http.StatusNotFound:
		t.Errorf("without a bank code, which is not needed: %d %s", r.Status, r.Body)
	}
}

// TestResolve_EveryCountry is the table of section 3, row by row, for every channel of every
// country.
func TestResolve_EveryCountry(t *testing.T) {
	t.Parallel()
	perSpot(t, func(t *testing.T, s spot) {
		send := func(body string) driver.Reply { return ask(t, http.MethodPost, resolvePath, body) }
		for field, bad := range map[string]string{"currency_id": "EUR", "country_id": "GB", "channel": "cheque", "account_number": "12"} {
			faulty(t, send(s.but(t, field, "")), field)
			faulty(t, send(s.but(t, field, bad)), field)
		}
		faulty(t, send(s.but(t, "bank_code", "NO-SUCH")), "bank_code")
		s.withoutBank(t, send)
		if !s.channel.Resolvable {
			if f := faulty(t, send(asking(t, s.fields(s.channel.AccountNumber.Example))), "channel"); !strings.Contains(f.Error.Message, "cannot be looked up by "+s.channel.Channel) {
				t.Errorf("where nobody can be asked: %s", f.Error.Message)
			}
			return
		}
		s.found(t, send)
		unknown := refused(t, send(asking(t, s.fields(s.ending("404")))), http.StatusNotFound, "not_found")
		closed := refused(t, send(asking(t, s.fields(s.ending("409")))), http.StatusNotFound, "not_found")
		if !strings.HasPrefix(unknown.Error.Message, "No account ") || !strings.Contains(closed.Error.Message, "closed") {
			t.Errorf("unknown: %s, closed: %s", unknown.Error.Message, closed.Error.Message)
		}
		down := send(asking(t, s.fields(s.ending("503"))))
		refused(t, down, http.StatusServiceUnavailable, "service_unavailable")
		if down.Header.Get("Retry-After") == "" {
			t.Error("503 without Retry-After")
		}
	})
}

// TestResolve_ProvidersTimeOut asks everywhere at once while no provider answers.
func TestResolve_ProvidersTimeOut(t *testing.T) {
	t.Parallel()
	var waiting sync.WaitGroup
	for _, s := range spots(t) {
		if !s.channel.Resolvable {
			continue
		}
		waiting.Go(func() {
			began := time.Now()
			r := ask(t, http.MethodPost, resolvePath, asking(t, s.fields(s.ending("504"))))
			if took := time.Since(began); r.Status != http.StatusServiceUnavailable || r.Header.Get("Retry-After") == "" || took >= time.Minute { // 8 s are allowed, the rest is for a busy machine
				t.Errorf("%s %s: %d %s after %s", s.country.Code, s.channel.Channel, r.Status, r.Body, took)
			}
		})
	}
	waiting.Wait()
}

// found asks for somebody who is there.
func (s spot) found(t *testing.T, send func(string) driver.Reply) {
	t.Helper()
	number := s.ending("200")
	got := data[account](t, send(asking(t, s.fields(number))))
	if got.CountryID != s.country.Code || got.CurrencyID != s.channel.Currencies[0] || got.Channel != s.channel.Channel || got.BankCode != s.bank ||
		got.AccountNumber != number || (got.AccountName == "") != s.confirms() || (got.BankName == "") != (s.bank == "") {
		t.Errorf("got %+v of %s", got, number)
	}
	spaced := data[account](t, send(asking(t, s.fields(" "+number[:4]+" "+number[4:6]+"-"+number[6:]))))
	if spaced != got {
		t.Errorf("spaces and hyphens change the answer: %+v", spaced)
	}
	calling, phone := map[string]string{"+225": "CI", "+237": "CM", "+233": "GH", "+254": "KE", "+250": "RW", "+221": "SN", "+255": "TZ", "+256": "UG"}, len(number) > 4 && number[0] == '+'
	if !phone {
		return
	}
	national := number[4:]
	if calling[number[:4]] != s.country.Code {
		t.Fatalf("the example of %s is %s", s.country.Code, number)
	}
	written := []string{number[1:], "00" + number[1:], number[:4] + " " + national, number[:4] + " (" + national[:2] + ") " + national[2:]}
	switch s.country.Code {
	case "CI", "SN", "CM": // without a trunk prefix
		written = append(written, national)
	default:
		written = append(written, "0"+national)
	}
	for _, spelling := range written {
		if again := data[account](t, send(asking(t, s.fields(spelling)))); again != got {
			t.Errorf("%s: %+v, want %+v", spelling, again, got)
		}
	}
}

// TestResolve_MalformedNumbers sends what people and programs send instead of a number. Nobody is
// asked, and the answer names the field, the rule and an example, and not what was sent.
func TestResolve_MalformedNumbers(t *testing.T) {
	t.Parallel()
	own := driver.Start(t, binary)
	perSpot(t, func(t *testing.T, s spot) {
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
			r := driver.Do(t, http.MethodPost, own.API+resolvePath, asking(t, s.fields(sent)))
			f := faulty(t, r, "account_number")
			reason := f.Fields["account_number"][0].Reason
			named := strings.Contains(reason, s.channel.AccountNumber.Rule) && strings.Contains(reason, s.channel.AccountNumber.Example)
			if overlong := len(sent) >= 1000; !named && !overlong {
				t.Errorf("%s: %q does not say what is accepted", name, reason)
			}
			if runs := regexp.MustCompile(`[0-9]{7,}`).FindAllString(strings.ReplaceAll(reason, s.channel.AccountNumber.Example, ""), -1); runs != nil || strings.Contains(reason, "my account please") {
				t.Errorf("%s: the reason shows the number: %q", name, reason)
			}
		}
	})
	t.Cleanup(func() {
		metrics := string(driver.Get(t, own.Operator+"/metrics").Body)
		if strings.Contains(metrics, "causeway_resolution_attempts_total{") || !strings.Contains(metrics, `operation="resolve-account",status="400"`) {
			t.Error("a provider was asked about what is no number, or nothing was counted")
		}
	})
}
