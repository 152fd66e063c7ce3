package recipients_test

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"causeway/core"
	"causeway/core/recipients"
)

func transferOf(country, currency string, number core.Private) recipients.Request {
	return recipients.Request{Country: country, Currency: currency, Channel: "bank_transfer", BankCode: anyBank, AccountNumber: number}
}

var zone = map[string]string{"CI": "XOF", "SN": "XOF", "CM": "XAF"}

// The worked examples of providers.md D6 and D10, and those of the IBAN registry: a RIB, or the IBAN around it, is asked for as the RIB.
func TestRIBs(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, country, sent, want string }{
		{"CI", "CI", "CI008 01113 011342912005 89", "CI0080111301134291200589"},
		{"CI in lower case", "CI", "ci008-01113-011342912005-89", "CI0080111301134291200589"},
		{"CI as an IBAN", "CI", "CI93 CI00 8011 1301 1342 9120 0589", "CI0080111301134291200589"},
		{"CI in the older form", "CI", "A00060174100178530011852", "A00060174100178530011852"},
		{"CI in the older form as an IBAN", "CI", "CI05A00060174100178530011852", "A00060174100178530011852"},
		{"SN", "SN", "SN010 01520 000485000030 35", "SN0100152000048500003035"},
		{"SN as an IBAN", "SN", "SN08SN0100152000048500003035", "SN0100152000048500003035"},
		{"SN in the older form as an IBAN", "SN", "sn12k00100152000025690007542", "K00100152000025690007542"},
		{"CM", "CM", "10002 00030 02779763150 08", "10002000300277976315008"},
		{"CM as an IBAN", "CM", "CM21 1000 2000 3002 7797 6315 008", "10002000300277976315008"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			got, err := everywhere(t, answers("one", "ADA OBI", nil)).Resolve(t.Context(), transferOf(c.country, zone[c.country], core.Private(c.sent)))
			if err != nil || got.Number.Reveal() != c.want {
				t.Errorf("got %q, %v; want %q", got.Number.Reveal(), err, c.want)
			}
		})
	}
}

// What was sent instead of an account number is named, so that people see their mistake: never shown.
func TestNumbersOfOtherKinds(t *testing.T) {
	t.Parallel()
	const mistyped, begins = "is a RIB whose key, the last 2 digits, does not fit the rest", "but is none: please check each character"
	for _, c := range []struct{ name, country, sent, want string }{
		{"a key that does not fit", "CI", "CI0080111301134291200588", "has 22 digits and 2 other characters and " + mistyped},
		{"a key that does not fit in SN", "SN", "SN0100152000048500003053", mistyped},
		{"a key that does not fit in CM", "CM", "10002000300277976315080", mistyped},
		{"a key of 00, which is none", "CI", "CI0080111301134291200500", mistyped},
		{"a digit changed", "CI", "CI0080111301134391200589", mistyped},
		{"two digits swapped", "SN", "SN0100152000045800003035", mistyped},
		{"an IBAN whose check digits are wrong", "CI", "CI94CI0080111301134291200589", begins},
		{"an IBAN whose check digits are right and the key is not", "CM", ibanOf("CM", "10002000300277976315009"), mistyped},
		{"an IBAN cut off", "CM", "CM211000200030027797631500", begins + "; it has 27"},
		{"a RIB of NE", "CI", "NE0380100100130305000268", "has 22 digits and 2 other characters"},
		{"a RIB of TG", "SN", "TG0090604310346500400070", "has 22 digits and 2 other characters"},
		{"a RIB of BJ", "CI", "BJ0610100100144390000769", "has 22 digits and 2 other characters"},
		{"a RIB of CI", "SN", "CI0080111301134291200589", "and is a RIB of CI, not of SN"},
		{"an IBAN of CI", "SN", "CI93CI0080111301134291200589", "and is an IBAN of CI, not an account number of SN"},
		{"an IBAN of GB", "NG", "GB29NWBK60161331926819", "has 16 digits and 6 other characters and is an IBAN of GB, not an account number of NG"},
		{"an IBAN of DE", "GH", "DE89370400440532013000", "and is an IBAN of DE, not an account number of GH"},
		{"an IBAN of FR", "CI", "FR1420041010050500013M02606", "and is an IBAN of FR, not an account number of CI"},
		{"an IBAN of MU", "KE", "MU17BOMM0101101030300200000MUR", "and is an IBAN of MU, not an account number of KE"},
		{"an IBAN of NE", "SN", "NE58NE0380100100130305000268", "and is an IBAN of NE, not an account number of SN"},
		{"an IBAN of GB with a typing error", "ZA", "GB29NWBK60161331926818", "has 16 digits and 6 other characters; accepted"},
		{"an IBAN of GB that is too long", "ZA", ibanOf("GB", "NWBK601613319268190"), "other characters; accepted"},
		{"an IBAN of a country without", "NG", ibanOf("NG", "0690000032690000032"), "has 21 digits and 2 other characters; accepted"},
		{"an IBAN of KE", "KE", ibanOf("KE", "1234567890123"), "has 15 digits and 2 other characters; accepted"},
		{"an account without branch and key", "CI", "011342912005", "has 12 digits; accepted"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			currency := zone[c.country]
			if currency == "" {
				currency = map[string]string{"NG": "NGN", "GH": "GHS", "KE": "KES", "ZA": "ZAR"}[c.country]
			}
			_, err := everywhere(t, unasked(t)).Resolve(t.Context(), transferOf(c.country, currency, core.Private(c.sent)))
			got := faults(t, err)
			reason := got["account_number"]
			if len(got) != 1 || !strings.Contains(reason, c.want) || !strings.Contains(reason, "; accepted: ") {
				t.Errorf("got  %v\nwant %s", got, c.want)
			}
			if told, _, _ := strings.Cut(reason, "; accepted: "); strings.Contains(told, c.sent[4:]) {
				t.Errorf("the reason shows the number: %s", told)
			}
		})
	}
}

// ibanOf puts sound check digits before an account.
func ibanOf(country, account string) string {
	rest := 0
	for _, r := range account + country + "00" {
		if r >= 'A' {
			rest = (rest*100 + int(r-'A') + 10) % 97
		} else {
			rest = (rest*10 + int(r-'0')) % 97
		}
	}
	digits := 98 - rest
	return country + string(rune('0'+digits/10)) + string(rune('0'+digits%10)) + account
}

// A wrong character of a RIB is noticed wherever it is.
func TestAChangedRIBIsRefused(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		country := rapid.SampledFrom([]string{"CI", "SN", "CM"}).Draw(rt, "country")
		good := map[string]string{"CI": "CI0080111301134291200589", "SN": "SN0100152000048500003035", "CM": "10002000300277976315008"}[country]
		at := rapid.IntRange(2, len(good)-1).Draw(rt, "at")
		digit := rapid.StringMatching(`[0-9]`).Draw(rt, "digit")
		if good[at:at+1] == digit {
			return
		}
		_, err := everywhere(t, unasked(t)).Resolve(t.Context(), transferOf(country, zone[country], core.Private(good[:at]+digit+good[at+1:])))
		if core.CodeOf(err) != core.Invalid {
			rt.Errorf("%s with %s at %d: got %v", country, digit, at, err)
		}
	})
}

// The worked examples of providers.md D8. A routing number is no code of ours; that it is one is said, since that is the mistake.
func TestRoutingNumbers(t *testing.T) {
	t.Parallel()
	for code, want := range map[string]bool{
		"021000021": true, "011000015": true, "122105155": true, "026009593": true,
		"123456789": false, "02100002": false, "0210000210": false, "02100002I": false, "058": false,
	} {
		for _, country := range []string{"CM", "ZA"} {
			req := transferOf(country, map[string]string{"CM": "XAF", "ZA": "ZAR"}[country], map[string]core.Private{"CM": "10002000300277976315008", "ZA": "1234567890"}[country])
			req.BankCode = code
			_, err := everywhere(t, unasked(t)).Resolve(t.Context(), req)
			got := faults(t, err)
			if told := strings.HasSuffix(got["bank_code"], "It has the form of a routing number of the US (ABA), where nothing is paid out"); len(got) != 1 || told != want {
				t.Errorf("%s: got %v, want it told: %t", code, got, want)
			}
		}
	}
}
