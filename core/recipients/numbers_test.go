package recipients_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"causeway/core"
	"causeway/core/recipients"
)

// queried resolves a request and returns the query that the provider gets.
func queried(t testing.TB, req recipients.Request) (core.AccountQuery, error) {
	t.Helper()
	var got core.AccountQuery
	spy := resolver{name: "spy", resolves: always, resolve: func(_ context.Context, q core.AccountQuery) (core.Private, error) {
		got = q
		return "ADA OBI", nil
	}}
	_, err := service(t, spy).Resolve(context.Background(), req)
	return got, err
}

func wallet(country, bank string, number core.Private) recipients.Request {
	currency := map[string]string{"NG": "NGN", "GH": "GHS", "KE": "KES", "UG": "UGX", "TZ": "TZS", "RW": "RWF", "CI": "XOF"}[country]
	return recipients.Request{Currency: currency, Country: country, Channel: "mobile_money", BankCode: bank, AccountNumber: number}
}

func transfer(country, currency, bank string, number core.Private) recipients.Request {
	return recipients.Request{Country: country, Currency: currency, Channel: "bank_transfer", BankCode: bank, AccountNumber: number}
}

// Phone numbers in every usual notation, and the operators that their prefixes suggest. Source:
// github:google/libphonenumber, metadata and carriers of 2026-07.
func TestPhoneNumbers(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		country, want, bank string // without a bank the operator is unknown
		numbers             []core.Private
	}{
		{"KE", "+254712345678", "MPESA", []core.Private{
			"0712345678", "+254 712 345 678", "254712345678", "712345678", "00254712345678", "+2540712345678", "(0712) 345.678", "0712–345‑678",
		}},
		{"KE", "+254110123456", "MPESA", []core.Private{"0110123456"}},
		{"KE", "+254733123456", "AIRTEL", []core.Private{"0733123456"}},
		{"KE", "+254756123456", "AIRTEL", []core.Private{"0756123456"}},
		{"KE", "+254757123456", "MPESA", []core.Private{"0757123456"}}, // within Airtel's 75
		{"KE", "", "", []core.Private{"0744123456", "0771234567"}},
		{"GH", "+233241234567", "MTN", []core.Private{"0241234567"}},
		{"GH", "+233251234567", "MTN", []core.Private{"0251234567"}}, // newer than the library's numbering plan
		{"GH", "+233501234567", "VOD", []core.Private{"0501234567"}},
		{"GH", "", "", []core.Private{"0271234567"}},
		{"UG", "+256772123456", "MTN", []core.Private{"0772123456"}},
		{"UG", "+256724123456", "MTN", []core.Private{"0724123456"}},
		{"UG", "+256701123456", "AIRTEL", []core.Private{"0701123456"}},
		{"TZ", "+255754123456", "VODACOM", []core.Private{"0754123456"}},
		{"RW", "+250781234567", "MTN", []core.Private{"0781234567"}},
		{"CI", "+2250701234567", "ORANGE", []core.Private{"0701234567"}},
		{"CI", "+2250501234567", "MTN", []core.Private{"+225 05 01 23 45 67"}},
		{"CI", "+2250101234567", "MOOV", []core.Private{"2250101234567"}},
	} {
		for _, number := range c.numbers {
			got, err := queried(t, wallet(c.country, "", number))
			if c.bank == "" {
				if reason := fieldErrors(t, err)["bank_code"]; !strings.HasPrefix(reason, "is required") {
					t.Errorf("%s %s: got %v, want the bank code to be required", c.country, number.Reveal(), err)
				}
			} else if err != nil || got.Number.Reveal() != c.want || got.Bank.Code != c.bank {
				t.Errorf("%s %s: got %q at %q, %v; want %q at %q", c.country, number.Reveal(), got.Number.Reveal(), got.Bank.Code, err, c.want, c.bank)
			}
		}
	}
}

// A Nigerian wallet has its phone number without the leading 0 as account number.
func TestPhoneNumbers_NigerianWallets(t *testing.T) {
	t.Parallel()
	for number, want := range map[core.Private]string{
		"08031234567": "8031234567", "+234 (0) 803-123-4567": "8031234567", "002348031234567": "8031234567", "8031234567": "8031234567",
		"0123456789": "0123456789", "0803123456": "0803123456", // NUBANs
	} {
		for _, bank := range []string{"100004", "000013"} {
			if got, err := queried(t, wallet("NG", bank, number)); err != nil || got.Number.Reveal() != want || got.Bank.Code != bank {
				t.Errorf("%s at %s: got %q, %v; want %q", number.Reveal(), bank, got.Number.Reveal(), err, want)
			}
		}
	}
}

func TestAccountNumbers_Rejected(t *testing.T) {
	t.Parallel()
	local := func(number core.Private) recipients.Request { return transfer("NG", "NGN", "058", number) }
	kenyan := func(number core.Private) recipients.Request { return wallet("KE", "MPESA", number) }
	for name, c := range map[string]struct {
		req  recipients.Request
		want string
	}{
		"spaces only":              {local(" \t- "), "is required; accepted: exactly 10 digits (NUBAN), for example 0123456789"},
		"too few digits":           {local("069000003"), "has 9 digits"},
		"phone with its 0":         {local("08031234567"), "has 11 digits"},
		"letters":                  {local("O69000003l"), "has 8 digits and 2 other characters"},
		"plus":                     {local("+0690000032"), "has 10 digits and 1 other character"},
		"full-width digits":        {local("０６９００００３２１"), "has digits of another script or width; only 0 to 9 are accepted"},
		"Arabic digits":            {kenyan("٠٧١٢٣٤٥٦٧٨"), "has digits of another script or width; only 0 to 9 are accepted"},
		"zero-width space":         {local("06900\u200b00032"), "has 10 digits and 1 other character"},
		"NUL":                      {local("0690000032\x00"), "has 10 digits and 1 other character"},
		"65 characters":            {local(core.Private("0690000032" + strings.Repeat(" ", 55))), "has 65 characters; at most 64 are accepted"},
		"IBAN":                     {local("DE89 3704 0044 0532 0130 00"), "has 20 digits and 2 other characters and is an IBAN of DE, not an account number of NG"},
		"invalid UTF-8":            {local("069000003\xff"), "has 9 digits and 1 other character"},
		"phone of another country": {kenyan("+256772123456"), "has 12 digits and is a phone number of UG (+256), not of KE"},
		"the same with 00":         {kenyan("002348031234567"), "has 13 digits and is a phone number of NG (+234), not of KE"},
		"phone of no country":      {kenyan("+70000000000"), "has 11 digits and is a phone number of calling code +7, not of KE"},
		"unknown calling code":     {kenyan("+999712345678"), "has 12 digits and is not a phone number"},
		"fixed line":               {kenyan("0202123456"), "has 10 digits and is not a mobile number of KE"},
		"short phone":              {kenyan("071234567"), "has 9 digits and is not a mobile number of KE"},
		"phone in letters":         {kenyan("07123CALL"), "has 5 digits and 4 other characters"},
		"two pluses":               {kenyan("++254712345678"), "has 12 digits and 2 other characters"},
		"plus alone":               {kenyan("+"), "has 0 digits and 1 other character"},
		"CI without its 0":         {wallet("CI", "ORANGE", "708765432"), "has 9 digits and is not a mobile number of CI"},
		"no wallet of NG":          {wallet("NG", "100004", "01234567890"), "has 11 digits and is not a mobile number of NG"},
		"pay bill in letters":      {recipients.Request{Currency: "KES", Country: "KE", Channel: "pay_bill", AccountNumber: "1743x"}, "has 4 digits and 1 other character"},
	} {
		_, err := queried(t, c.req)
		got := fieldErrors(t, err)
		if reason := got["account_number"]; len(got) != 1 || !strings.HasPrefix(reason, c.want) || !strings.Contains(reason, "; accepted: ") {
			t.Errorf("%s: got  %v\nwant %s", name, got, c.want)
		}
		if number := strings.TrimSpace(c.req.AccountNumber.Reveal()); len(number) > 5 && strings.Contains(err.Error(), number) {
			t.Errorf("%s: the error contains the number: %v", name, err)
		}
	}
}

// A RIB or the IBAN around it becomes the RIB, if its key is right. Source: the examples of the
// IBAN registry (github:globalcitizen/php-iban registry.txt, 2025-12).
func TestRIBs(t *testing.T) {
	t.Parallel()
	resolve := func(country string, sent core.Private) (core.Account, error) {
		currency := map[string]string{"CI": "XOF", "SN": "XOF", "CM": "XAF"}[country]
		return catalogService(t, answers("one", "ADA OBI", nil)).Resolve(t.Context(), transfer(country, currency, anyBank, sent))
	}
	for sent, want := range map[core.Private]string{
		"CI008 01113 011342912005 89": "CI0080111301134291200589", "ci93 CI00 8011 1301 1342 9120 0589": "CI0080111301134291200589",
		"A00060174100178530011852": "A00060174100178530011852", "CI05A00060174100178530011852": "A00060174100178530011852",
		"SN010 01520 000485000030 35": "SN0100152000048500003035", "SN08SN0100152000048500003035": "SN0100152000048500003035",
		"10002 00030 02779763150 08": "10002000300277976315008", "CM21 1000 2000 3002 7797 6315 008": "10002000300277976315008",
	} {
		country := "CI"
		if strings.HasPrefix(sent.Reveal(), "SN") {
			country = "SN"
		} else if strings.HasSuffix(sent.Reveal(), "08") {
			country = "CM"
		}
		if got, err := resolve(country, sent); err != nil || got.Number.Reveal() != want {
			t.Errorf("%s: got %q, %v; want %q", sent.Reveal(), got.Number.Reveal(), err, want)
		}
	}
	for sent, want := range map[string]string{
		"CI CI0080111301134291200588":     "is a RIB whose key, the last 2 digits, does not fit the rest",
		"CI CI0080111301134391200589":     "is a RIB whose key",
		"SN SN0100152000045800003035":     "is a RIB whose key",
		"CM 10002000300277976315080":      "is a RIB whose key",
		"CI CI94CI0080111301134291200589": "has 24 digits and 4 other characters; accepted",
		"CI FR1420041010050500013M02606":  "is an IBAN of FR, not an account number of CI",
		"SN CI93CI0080111301134291200589": "is an IBAN of CI, not an account number of SN",
		"SN CI0080111301134291200589":     "has 22 digits and 2 other characters; accepted",
		"CI 011342912005":                 "has 12 digits; accepted",
	} {
		country, number, _ := strings.Cut(sent, " ")
		_, err := resolve(country, core.Private(number))
		if got := fieldErrors(t, err)["account_number"]; !strings.Contains(got, want) {
			t.Errorf("%s: got %q, want %q", sent, got, want)
		}
	}
}

// checkNormal checks that a number is either rejected on its own field, or normal and stable.
func checkNormal(t testing.TB, req recipients.Request, fatalf func(string, ...any)) {
	t.Helper()
	query, err := queried(t, req)
	if err != nil {
		e, _ := errors.AsType[*core.Error](err)
		if core.CodeOf(err) != core.Invalid || len(e.Fields) != 1 || !slices.Contains([]string{"account_number", "bank_code"}, e.Fields[0].Field) {
			fatalf("%q: got %v, want an error of the number or of its operator", req.AccountNumber.Reveal(), err)
		}
		return
	}
	req.AccountNumber = query.Number
	again, err := queried(t, req)
	if err != nil || again.Number != query.Number || again.Bank.Code != query.Bank.Code {
		fatalf("%q at %q became %q at %q, %v", query.Number.Reveal(), query.Bank.Code, again.Number.Reveal(), again.Bank.Code, err)
	}
}

func TestAccountNumbers_Idempotent(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		country := rapid.SampledFrom([]string{"GH", "KE", "UG", "TZ", "RW", "CI"}).Draw(rt, "country")
		number := core.Private(rapid.StringMatching(`(\+|00)?(234|233|254|256|255|250|225)?0?[0-9]{8,10}`).Draw(rt, "number"))
		checkNormal(t, wallet(country, "", number), rt.Fatalf)
		checkNormal(t, transfer("NG", "NGN", "058", number), rt.Fatalf)
		checkNormal(t, wallet("NG", "999992", number), rt.Fatalf)
	})
}

func FuzzAccountNumber(f *testing.F) {
	for _, number := range []string{"0690000032", "+254 712 345 678", "ci93 CI00 8011 1301 1342 9120 0589", "٠٦٩٠", "069000003\xff", "+", "(0712) 345.678"} {
		f.Add(number)
	}
	f.Fuzz(func(t *testing.T, number string) {
		checkNormal(t, wallet("KE", "", core.Private(number)), t.Fatalf)
		checkNormal(t, transfer("NG", "NGN", "058", core.Private(number)), t.Fatalf)
		checkNormal(t, transfer("CI", "XOF", "ECOCCIAB", core.Private(number)), t.Fatalf)
	})
}

// The shortest and the longest numbers of the catalog's countries are accepted, others not.
func TestAccountNumbers_Lengths(t *testing.T) {
	t.Parallel()
	lengths := map[string]map[core.Channel][2]int{
		"NG": {core.BankTransfer: {10, 10}, core.MobileMoney: {10, 10}}, "GH": {core.BankTransfer: {6, 16}}, "ZA": {core.BankTransfer: {7, 11}},
		"KE": {core.BankTransfer: {10, 14}, core.PayBill: {5, 7}, core.Till: {5, 7}},
		"UG": {core.BankTransfer: {8, 16}}, "TZ": {core.BankTransfer: {8, 16}}, "RW": {core.BankTransfer: {8, 16}},
	}
	s := catalogService(t, answers("one", "ADA OBI", nil))
	for _, country := range catalogCountries() {
		for channel, span := range lengths[country.Code] {
			req := transfer(country.Code, country.Currencies[0], anyBank, "")
			req.Channel = string(channel)
			req.BankCode = map[core.Channel]string{core.BankTransfer: anyBank, core.MobileMoney: anyWallet}[channel]
			for n := span[0] - 1; n <= span[1]+1; n++ {
				req.AccountNumber = core.Private(strings.Repeat("3", n))
				_, err := s.Resolve(t.Context(), req)
				if want := n >= span[0] && n <= span[1]; (err == nil) != want {
					t.Errorf("%s %s, %d digits: got %v, want accepted %t", country.Code, channel, n, err, want)
				}
			}
		}
	}
}

func TestWarnings(t *testing.T) {
	t.Parallel()
	const digit, prefix, length = core.CheckDigit, core.OperatorPrefix, core.AccountLength
	for _, c := range []struct {
		country, code string
		channel       core.Channel
		number        core.Private
		want          core.AccountWarning // none if empty
	}{
		{"NG", "044", core.BankTransfer, "0690000032", ""},
		{"NG", "044", core.BankTransfer, "0690000031", digit},
		{"NG", "044", core.MobileMoney, "0690000031", digit},
		{"NG", "100004", core.MobileMoney, "8031234567", ""},  // a wallet
		{"NG", "120001", core.BankTransfer, "8091234567", ""}, // a payment service bank
		{"NG", "090267", core.BankTransfer, "0000000146", ""}, // a microfinance bank
		{"GH", "030100", core.BankTransfer, "0690000031", ""},
		{"GH", "MTN", core.MobileMoney, "+233241234567", ""},
		{"GH", "VOD", core.MobileMoney, "+233241234567", prefix},
		{"GH", "MTN", core.MobileMoney, "+233221234567", ""}, // prefix of no operator
		{"KE", "MPESA", core.MobileMoney, "+254744123456", prefix},
		{"KE", "MPESA", core.MobileMoney, "+254757123456", ""},
		{"UG", "MTN", core.MobileMoney, "+256724123456", ""},
		{"RW", "AIRTEL", core.MobileMoney, "+250781234567", prefix},
		{"CI", "ORANGE", core.MobileMoney, "+2250701234567", ""}, // CI keeps the 0
		{"CI", "MTN", core.MobileMoney, "+2250701234567", prefix},
		{"CM", "EUMOBILE", core.MobileMoney, "+237671234567", ""}, // wallet of no operator
		{"KE", "01", core.BankTransfer, "1234567890", ""},
		{"KE", "01", core.BankTransfer, "1234567890123", length},
		{"KE", "EQBLKENA", core.BankTransfer, "0123456789", length},
		{"KE", "03", core.BankTransfer, "012345678901", ""}, // usual length unknown
		{"ZA", "632005", core.BankTransfer, "12345678", ""},
		{"ZA", "632005", core.BankTransfer, "12345678901", length},
		{"ZA", "250655", core.BankTransfer, "1234567890", length},
	} {
		var want []core.AccountWarning
		if c.want != "" {
			want = []core.AccountWarning{c.want}
		}
		i := slices.IndexFunc(catalogBanks(), func(b core.Bank) bool { return b.Country == c.country && b.Known(c.code) })
		q := core.AccountQuery{Country: c.country, Channel: c.channel, Bank: catalogBanks()[i], Number: c.number}
		if got := recipients.Warnings(q); !slices.Equal(got, want) {
			t.Errorf("%s %s: got %v, want %v", c.code, c.number.Reveal(), got, want)
		}
	}
}
