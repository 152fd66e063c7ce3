package banks_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"causeway/core"
	"causeway/core/banks"
)

func codesOf(entries []banks.Entry) []string {
	out := []string{}
	for _, e := range entries {
		out = append(out, e.Code)
	}
	return out
}

func TestSelect(t *testing.T) {
	t.Parallel()
	list := service(t, catalog()).List()
	for _, c := range []struct {
		name   string
		filter banks.Filter
		want   []string
	}{
		{"a country", banks.Filter{Country: " gh "}, []string{"030100", "MTN"}},
		{"a country that is not served", banks.Filter{Country: "FR"}, []string{}},
		{"a currency", banks.Filter{Currencies: []string{"kes"}}, []string{"68", "01", "MPESA"}},
		{"several currencies, empty ones among them", banks.Filter{Currencies: []string{"XOF", " ", "GHS"}}, []string{"ECOCCIAB", "030100", "MTN"}},
		{"a currency that nobody has", banks.Filter{Currencies: []string{"EUR"}}, []string{}},
		{"a channel", banks.Filter{Channel: core.MobileMoney}, []string{"MTN", "MPESA"}},
		{"a part of the name", banks.Filter{Q: "BANK", Country: "KE"}, []string{"68", "01"}},
		{"a part of the name without its accents and its quote", banks.Filter{Q: " COTE  D'IVOIRE "}, []string{"ECOCCIAB"}},
		{"a part of the name with accents of its own", banks.Filter{Q: "co\u0302te"}, []string{"ECOCCIAB"}},
		{"all at once", banks.Filter{Country: "NG", Currencies: []string{"NGN"}, Channel: core.BankTransfer, Q: "zen"}, []string{"000015"}},
		{"an account number beside another filter", banks.Filter{AccountNumber: "0690 000-032", Q: "bank"}, []string{"000014"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			got, err := list.Select(c.filter)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(c.want, codesOf(got)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
	t.Run("nothing: all", func(t *testing.T) {
		t.Parallel()
		got, err := list.Select(banks.Filter{})
		if err != nil || len(got) != len(list.Entries()) {
			t.Errorf("got %d banks, %v", len(got), err)
		}
	})
}

func TestSelectRefuses(t *testing.T) {
	t.Parallel()
	list := service(t, catalog()).List()
	for _, c := range []struct {
		name, field, want string
		filter            banks.Filter
	}{
		{"a country by its name", "country", `"NIGERIA" is not a two-letter country code. See GET /v1/countries`, banks.Filter{Country: "Nigeria"}},
		{"two other characters", "country", `"1É" is not a two-letter country code. See GET /v1/countries`, banks.Filter{Country: "1é"}},
		{"an endless currency", "currency", "has a code of 17 characters; currency codes have 3 letters. See GET /v1/currencies", banks.Filter{Currencies: []string{strings.Repeat("N", 17)}}},
		{"an unknown channel", "channel", `"cash" is not a channel; accepted: bank_transfer, mobile_money, pay_bill, till`, banks.Filter{Channel: "cash"}},
		{"an endless q", "q", "has 101 characters; at most 100 are accepted", banks.Filter{Q: strings.Repeat("é", 101)}},
		{"a short account number", "account_number", "has 9 digits; a NUBAN has exactly 10 digits 0 to 9", banks.Filter{AccountNumber: "069000003"}},
		{"an account number with a letter", "account_number", "has 9 digits and 1 other character; a NUBAN has exactly 10 digits 0 to 9", banks.Filter{AccountNumber: "069000003O"}},
		{"full-width digits", "account_number", "has 0 digits and 10 other characters; a NUBAN has exactly 10 digits 0 to 9", banks.Filter{AccountNumber: "０６９００００３２１"}},
		{"an account number of another country", "account_number", `finds banks of NG only, but country "GH" was given`, banks.Filter{AccountNumber: "0690000032", Country: "gh"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			_, err := list.Select(c.filter)
			if got := reason(t, err, c.field); got != c.want {
				t.Errorf("got  %s\nwant %s", got, c.want)
			}
			if number := c.filter.AccountNumber.Reveal(); number != "" && strings.Contains(err.Error(), number) {
				t.Errorf("the error shows the account number: %v", err)
			}
		})
	}
}

// The examples of the CBN (2010, and with 6 digits of March 2020) and of providers' documentation.
func TestNUBAN(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		cbn, number core.Private
		want        bool
	}{
		{"011", "0000014579", true},
		{"011", "0000000220", true},
		{"044", "0690000032", true},
		{"044", "0690000031", false},
		{"033", "2109328188", true},
		{"057", "2085886393", true},
		{"214", "5273681014", true},
		{"063", "0022728156", true},
		{"063", "0022728151", false},
		{"058", "0001234567", false},
		{"50211", "2012345676", true},
		{"950211", "2012345676", true}, // the same institution in the six digits of 2020
		{"50515", "8123456781", true},
		{"50547", "0000000145", true},
		{"50547", "0000000146", false},
		{"00103", "0000000146", false},
	} {
		s := service(t, []core.Bank{bank("NG", "000099", "Bank under test", "cbn", c.cbn.Reveal())})
		got, err := s.List().Candidates(c.number)
		if err != nil || (len(got) == 1) != c.want {
			t.Errorf("%s at %s: got %d candidates, %v; want %t", c.number.Reveal(), c.cbn.Reveal(), len(got), err, c.want)
		}
	}
}

func TestCandidates(t *testing.T) {
	t.Parallel()
	t.Run("the published ones of 5050114930, likeliest first", func(t *testing.T) {
		t.Parallel()
		list := []core.Bank{bank("GH", "057", "Ghana's 057"), bank("NG", "090001", "Without a CBN code")}
		for _, b := range [][2]string{
			{"000023", "101"},
			{"000021", "068"},
			{"000017", "035"},
			{"000015", "057"},
			{"000014", "044"},
			{"000013", "058"},
			{"000016", "011"},
			{"000004", "033"},
			{"000003", "214"},
			{"000007", "070"},
			{"000018", "032"},
			{"000011", "215"},
		} {
			list = append(list, bank("NG", b[0], "Bank "+b[1], "cbn", b[1]))
			list[len(list)-1].Rank = slices.Index([]string{"044", "057", "058", "033", "011", "070", "214", "035", "032", "215", "101", "068"}, b[1]) + 1
		}
		got, err := service(t, list).List().Candidates("5050114930")
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff([]string{"000015", "000017", "000023", "000021"}, codesOf(got)); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	})
	t.Run("banks that have no rank come after, commercial ones first", func(t *testing.T) {
		t.Parallel()
		small := bank("NG", "50515", "A small one")
		small.Type = core.MicrofinanceBank
		list := []core.Bank{small, bank("NG", "950515", "Z commercial"), bank("NG", "090405", "Moniepoint", "cbn", "50515")}
		list[2].Rank = 7
		got, err := service(t, list).List().Candidates("8123456781")
		if want := []string{"090405", "950515", "50515"}; err != nil || !slices.Equal(codesOf(got), want) {
			t.Errorf("got %v, %v; want %v", codesOf(got), err, want)
		}
	})
	t.Run("wallets number accounts by phone, whatever the check digit: they come last, and only where it may be one", func(t *testing.T) {
		t.Parallel()
		opay, psb, moniepoint := wallet("NG", "100004", "OPay"), wallet("NG", "120001", "9PSB"), bank("NG", "090405", "Moniepoint", "cbn", "50515")
		opay.Rank, psb.Type, moniepoint.Type = 1, core.PaymentServiceBank, core.MicrofinanceBank
		l := service(t, []core.Bank{psb, opay, moniepoint, wallet("GH", "MTN", "MTN"), bank("NG", "000014", "Access", "cbn", "044")}).List()
		for number, want := range map[core.Private][]string{
			"8123456781":   {"090405", "100004", "120001"}, // Moniepoint by the check digit
			"812-345 6782": {"100004", "120001", "090405"}, // nobody by it
			"7012345678":   {"100004", "120001", "090405"},
			"7212345678":   {"100004", "120001", "090405"},
			"9112345678":   {"100004", "120001", "090405"},
			"7312345670":   {}, // 73 is no mobile prefix
			"8212345678":   {},
			"0690000032":   {"000014"},
			"0690000031":   {},
		} {
			if got, err := l.Candidates(number); err != nil || !slices.Equal(codesOf(got), want) {
				t.Errorf("%s: got %v, %v; want %v", number.Reveal(), codesOf(got), err, want)
			}
		}
	})
	t.Run("the CBN code decides in either length, a code with letters tells nothing", func(t *testing.T) {
		t.Parallel()
		list := []core.Bank{
			bank("NG", "51113", "Short", "cbn", "50211"), bank("NG", "090004", "Long", "cbn", "950211"),
			bank("NG", "090002", "Lettered", "cbn", "035A"), bank("NG", "950211", "By its own code"), bank("NG", "090211", "By NIP alone"),
		}
		got, err := service(t, list).List().Candidates("2012345676")
		if want := []string{"950211", "090004", "51113"}; err != nil || !slices.Equal(codesOf(got), want) {
			t.Errorf("got %v, %v; want %v", codesOf(got), err, want)
		}
	})
	t.Run("no number", func(t *testing.T) {
		t.Parallel()
		_, err := service(t, catalog()).List().Candidates(" - ")
		if got := reason(t, err, "account_number"); !strings.HasPrefix(got, "is required") {
			t.Errorf("got %s", got)
		}
	})
}
