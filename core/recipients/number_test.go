package recipients_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"causeway/core"
	"causeway/core/recipients"
)

// asked resolves a request and returns the question that a provider would get.
func asked(t testing.TB, req recipients.Request) (core.AccountQuery, error) {
	t.Helper()
	var got core.AccountQuery
	spy := resolver{name: "spy", resolves: always, resolve: func(_ context.Context, q core.AccountQuery) (core.Private, error) {
		got = q
		return "SOMEBODY", nil
	}}
	_, err := service(t, spy).Resolve(context.Background(), req)
	return got, err
}

func walletOf(country, bank string, number core.Private) recipients.Request {
	currency := map[string]string{"NG": "NGN", "GH": "GHS", "KE": "KES", "UG": "UGX", "TZ": "TZS", "RW": "RWF", "CI": "XOF", "SN": "XOF"}[country]
	return recipients.Request{Currency: currency, Country: country, Channel: "mobile_money", BankCode: bank, AccountNumber: number}
}

// The worked examples of providers.md D2, in every usual notation, and the operators that their prefixes hint at.
func TestPhones(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		country      string
		number       core.Private
		want, bank   string
		codeRequired bool // the operator is not one of the institutions
	}{
		{country: "KE", number: "0712345678", want: "+254712345678", bank: "MPESA"},
		{country: "KE", number: "+254 712 345 678", want: "+254712345678", bank: "MPESA"},
		{country: "KE", number: "254712345678", want: "+254712345678", bank: "MPESA"},
		{country: "KE", number: "712345678", want: "+254712345678", bank: "MPESA"},
		{country: "KE", number: "00254712345678", want: "+254712345678", bank: "MPESA"},
		{country: "KE", number: "+2540712345678", want: "+254712345678", bank: "MPESA"},
		{country: "KE", number: "(0712) 345.678", want: "+254712345678", bank: "MPESA"},
		{country: "KE", number: "0712–345‑678", want: "+254712345678", bank: "MPESA"},
		{country: "KE", number: "0110123456", want: "+254110123456", bank: "MPESA"},
		{country: "KE", number: "0100123456", want: "+254100123456", bank: "AIRTEL"},
		{country: "KE", number: "0733123456", want: "+254733123456", bank: "AIRTEL"},
		{country: "KE", number: "0756123456", want: "+254756123456", bank: "AIRTEL"},
		{country: "KE", number: "0757123456", want: "+254757123456", bank: "MPESA"},
		{country: "KE", number: "0740123456", want: "+254740123456", bank: "MPESA"},
		{country: "KE", number: "0744123456", codeRequired: true}, // excepted from Safaricom's 74
		{country: "KE", number: "0771234567", codeRequired: true},
		{country: "GH", number: "0241234567", want: "+233241234567", bank: "MTN"},
		{country: "GH", number: "0251234567", want: "+233251234567", bank: "MTN"}, // newer than the library's numbering plan
		{country: "GH", number: "0591234567", want: "+233591234567", bank: "MTN"},
		{country: "GH", number: "0501234567", want: "+233501234567", bank: "VOD"},
		{country: "GH", number: "0201234567", want: "+233201234567", bank: "VOD"},
		{country: "GH", number: "0271234567", codeRequired: true},
		{country: "UG", number: "0772123456", want: "+256772123456", bank: "MTN"},
		{country: "UG", number: "0790123456", want: "+256790123456", bank: "MTN"},
		{country: "UG", number: "0724123456", want: "+256724123456", bank: "MTN"},
		{country: "UG", number: "0701123456", want: "+256701123456", bank: "AIRTEL"},
		{country: "TZ", number: "0754123456", want: "+255754123456", bank: "VODACOM"},
		{country: "RW", number: "0781234567", want: "+250781234567", bank: "MTN"},
		{country: "RW", number: "0731234567", want: "+250731234567", bank: "AIRTEL"},
		{country: "CI", number: "0701234567", want: "+2250701234567", bank: "ORANGE"},
		{country: "CI", number: "+225 05 01 23 45 67", want: "+2250501234567", bank: "MTN"},
		{country: "CI", number: "2250101234567", want: "+2250101234567", bank: "MOOV"},
	} {
		got, err := asked(t, walletOf(c.country, "", c.number))
		if c.codeRequired {
			if reason := faults(t, err)["bank_code"]; !strings.HasPrefix(reason, "is required") {
				t.Errorf("%s %s: got %v, want the bank code to be required", c.country, c.number.Reveal(), err)
			}
			continue
		}
		if err != nil || got.Number.Reveal() != c.want || got.Bank.Code != c.bank {
			t.Errorf("%s %s: got %q at %q, %v; want %q at %q", c.country, c.number.Reveal(), got.Number.Reveal(), got.Bank.Code, err, c.want, c.bank)
		}
	}
}

func TestNumbersRefused(t *testing.T) {
	t.Parallel()
	const nuban = "; accepted: exactly 10 digits (NUBAN), for example 0123456789"
	kenyan := func(number core.Private) recipients.Request { return walletOf("KE", "MPESA", number) }
	local := func(number core.Private) recipients.Request {
		return recipients.Request{Currency: "NGN", Country: "NG", Channel: "bank_transfer", BankCode: "058", AccountNumber: number}
	}
	for _, c := range []struct {
		name, want string
		req        recipients.Request
	}{
		{"nothing but spaces", "is required" + nuban, local(" \t- ")},
		{"too few digits", "has 9 digits" + nuban, local("069000003")},
		{"a phone number with its 0", "has 11 digits" + nuban, local("08031234567")},
		{"letters", "has 8 digits and 2 other characters" + nuban, local("O69000003l")},
		{"a plus", "has 10 digits and 1 other character" + nuban, local("+0690000032")},
		{"full-width digits", "has digits of another script or width; only 0 to 9 are read" + nuban, local("０６９００００３２１")},
		{"Arabic digits", "has digits of another script or width; only 0 to 9 are read" + nuban, local("٠٦٩٠٠٠٠٠٣٢")},
		{"a zero-width space", "has 10 digits and 1 other character" + nuban, local("06900\u200b00032")},
		{"65 characters", "has 65 characters; at most 64 are read" + nuban, local(core.Private("0690000032" + strings.Repeat(" ", 55)))},
		{"1,000 digits", "has 1000 characters; at most 64 are read", local(core.Private(strings.Repeat("7", 1000)))},
		{"an IBAN", "has 20 digits and 2 other characters and is an IBAN of DE, not an account number of NG" + nuban, local("DE89 3704 0044 0532 0130 00")},
		{"invalid UTF-8", "has 9 digits and 1 other character" + nuban, local("069000003\xff")},
		{"a phone number of another country", "has 12 digits and is a phone number of UG (+256), not of KE", kenyan("+256772123456")},
		{"a phone number of another country with 00", "has 13 digits and is a phone number of NG (+234), not of KE", kenyan("002348031234567")},
		{"a phone number of no country", "has 11 digits and is a phone number of calling code +7, not of KE", kenyan("+70000000000")},
		{"a phone number of a calling code that is none", "has 12 digits and is not a phone number", kenyan("+999712345678")},
		{"a fixed line", "has 10 digits and is not a mobile number of KE", kenyan("0202123456")},
		{"a phone number that is too short", "has 9 digits and is not a mobile number of KE", kenyan("071234567")},
		{"a phone number that is too long", "has 18 digits and is not a mobile number of KE", kenyan("071234567890123456")},
		{"a phone number in letters", "has 5 digits and 4 other characters", kenyan("07123CALL")},
		{"a phone number with an extension", "has 11 digits and 3 other characters", kenyan("0712345678x7ab")},
		{"two pluses", "has 12 digits and 2 other characters", kenyan("++254712345678")},
		{"a plus alone", "has 0 digits and 1 other character", kenyan("+")},
		{"Arabic digits for a phone", "has digits of another script or width; only 0 to 9 are read", kenyan("٠٧١٢٣٤٥٦٧٨")},
		{"CI without its zero", "has 9 digits and is not a mobile number of CI", walletOf("CI", "ORANGE", "708765432")},
		{"CI as before 2021", "has 8 digits and is not a mobile number of CI", walletOf("CI", "ORANGE", "07087654")},
		{"another operator's country", "has 12 digits and is a phone number of KE (+254), not of UG", walletOf("UG", "", "+254712345678")},
		{"a RIB of another country", "has 22 digits and 2 other characters and is a RIB of SN, not of CI", recipients.Request{Currency: "XOF", Country: "CI", Channel: "bank_transfer", BankCode: "ECOCCIAB", AccountNumber: "SN0100152000048500003035"}},
		{"a pay bill in letters", "has 4 digits and 1 other character", recipients.Request{Currency: "KES", Country: "KE", Channel: "pay_bill", AccountNumber: "1743x"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			_, err := asked(t, c.req)
			got := faults(t, err)
			if reason := got["account_number"]; len(got) != 1 || !strings.HasPrefix(reason, c.want) || !strings.Contains(reason, "; accepted: ") {
				t.Errorf("got  %v\nwant %s", got, c.want)
			}
			if number := c.req.AccountNumber.Reveal(); len(number) > 5 && strings.Contains(err.Error(), strings.TrimSpace(number)) {
				t.Errorf("the error shows the number: %v", err)
			}
		})
	}
}

// A Nigerian wallet is asked for by its phone number without the leading 0, however that is written; whatever else a bank's
// account number is, it is 10 digits.
func TestNigerianWallets(t *testing.T) {
	t.Parallel()
	for number, want := range map[core.Private]string{
		"08031234567": "8031234567", "0803 123 4567": "8031234567", "+2348031234567": "8031234567", "+234 (0) 803-123-4567": "8031234567",
		"2348031234567": "8031234567", "002348031234567": "8031234567", "8031234567": "8031234567", "0803.123.4567": "8031234567",
		"0123456789": "0123456789", "0803123456": "0803123456", // NUBANs
	} {
		for _, bank := range []string{"100004", "000013"} {
			got, err := asked(t, walletOf("NG", bank, number))
			if err != nil || got.Number.Reveal() != want || got.Bank.Code != bank {
				t.Errorf("%s at %s: got %q at %q, %v; want %q", number.Reveal(), bank, got.Number.Reveal(), got.Bank.Code, err, want)
			}
		}
	}
	const accepted = "; accepted: exactly 10 digits (NUBAN), or a phone number, for example 0123456789"
	for number, want := range map[core.Private]string{
		"803123456":      "has 9 digits and is not a mobile number of NG",
		"80312345678":    "has 11 digits and is not a mobile number of NG",
		"01234567890":    "has 11 digits and is not a mobile number of NG", // a NUBAN with a digit too many, or a fixed line
		"2340123456789":  "has 13 digits and is not a mobile number of NG",
		"+254712345678":  "has 12 digits and is a phone number of KE (+254), not of NG",
		"0803123456O":    "has 10 digits and 1 other character",
		"++234803123456": "has 12 digits and 2 other characters",
	} {
		_, err := asked(t, walletOf("NG", "100004", number))
		if got := faults(t, err); len(got) != 1 || got["account_number"] != want+accepted {
			t.Errorf("%s: got %v, want %q", number.Reveal(), got, want+accepted)
		}
	}
}

// once checks what must hold of any account number: it is refused on its own field, or it is normal and stays as it is.
func once(t testing.TB, req recipients.Request, fatal func(string, ...any)) {
	t.Helper()
	query, err := asked(t, req)
	if err != nil {
		e, _ := errors.AsType[*core.Error](err)
		if core.CodeOf(err) != core.Invalid || len(e.Fields) != 1 || e.Fields[0].Field != "account_number" && e.Fields[0].Field != "bank_code" {
			fatal("%q: got %v, want one fault, of the number or of its operator", req.AccountNumber.Reveal(), err)
		}
		return
	}
	country := countries()[0]
	for _, c := range countries() {
		if c.Code == query.Country {
			country = c
		}
	}
	rule, _ := country.Channel(query.Channel)
	if !rule.Account.Pattern.MatchString(query.Number.Reveal()) {
		fatal("%q became %q, which is not %s", req.AccountNumber.Reveal(), query.Number.Reveal(), rule.Account.Rule)
	}
	req.AccountNumber = query.Number
	again, err := asked(t, req)
	if err != nil || again.Number != query.Number || again.Bank.Code != query.Bank.Code {
		fatal("%q at %q became %q at %q, %v", query.Number.Reveal(), query.Bank.Code, again.Number.Reveal(), again.Bank.Code, err)
	}
}

func TestNormalisingTwiceIsOnce(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		country := rapid.SampledFrom([]string{"GH", "KE", "UG", "TZ", "RW", "CI"}).Draw(rt, "country")
		number := rapid.StringMatching(`(\+|00)?(234|233|254|256|255|250|225)?0?[0-9]{8,10}`).Draw(rt, "number")
		once(t, walletOf(country, "", core.Private(number)), rt.Fatalf)
		once(t, recipients.Request{Currency: "NGN", Country: "NG", Channel: "bank_transfer", BankCode: "058", AccountNumber: core.Private(number)}, rt.Fatalf)
		once(t, walletOf("NG", "999992", core.Private(number)), rt.Fatalf)
	})
}

func FuzzAccountNumber(f *testing.F) {
	for _, number := range []string{
		"0690000032", "+254 712 345 678", "002348031234567", "CI0080111301134291200589", "ci008 01113 011342912005 89", "CI93 CI00 8011 1301 1342 9120 0589", "DE89370400440532013000", "٠٦٩٠", "069000003\xff", "+", "(0712) 345.678",
	} {
		f.Add(number)
	}
	f.Fuzz(func(t *testing.T, number string) {
		for _, country := range []string{"GH", "KE", "CI"} {
			once(t, walletOf(country, "", core.Private(number)), t.Fatalf)
		}
		for _, bank := range [][3]string{{"NG", "NGN", "058"}, {"CI", "XOF", "ECOCCIAB"}} {
			once(t, recipients.Request{Country: bank[0], Currency: bank[1], BankCode: bank[2], Channel: "bank_transfer", AccountNumber: core.Private(number)}, t.Fatalf)
		}
	})
}
