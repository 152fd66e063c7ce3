package banks_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"causeway/core"
	"causeway/core/banks"
)

// selected returns the codes of the institutions that a filter selects.
func selected(list *banks.List, f banks.Filter) ([]string, error) {
	at, err := list.Positions(f)
	out := []string{}
	for _, i := range at {
		out = append(out, list.Entries()[i].Code)
	}
	return out, err
}

func TestList_Positions(t *testing.T) {
	t.Parallel()
	list := service(t, catalog()).List()
	for _, c := range []struct {
		name   string
		filter banks.Filter
		want   []string
	}{
		{"country", banks.Filter{Country: " gh "}, []string{"030100", "MTN"}},
		{"unsupported country", banks.Filter{Country: "FR"}, []string{}},
		{"currency", banks.Filter{Currencies: []string{"kes"}}, []string{"68", "01", "MPESA"}},
		{"several currencies and a blank", banks.Filter{Currencies: []string{"XOF", " ", "GHS"}}, []string{"ECOCCIAB", "030100", "MTN"}},
		{"unused currency", banks.Filter{Currencies: []string{"EUR"}}, []string{}},
		{"channel", banks.Filter{Channel: core.MobileMoney}, []string{"MTN", "MPESA"}},
		{"part of the name", banks.Filter{Q: "BANK", Country: "KE"}, []string{"68", "01"}},
		{"name without accents and quote", banks.Filter{Q: " COTE  D'IVOIRE "}, []string{"ECOCCIAB"}},
		{"name with combining accents", banks.Filter{Q: "co\u0302te"}, []string{"ECOCCIAB"}},
		{"all fields", banks.Filter{Country: "NG", Currencies: []string{"NGN"}, Channel: core.BankTransfer, Q: "zen"}, []string{"000015"}},
		{"account number and name", banks.Filter{AccountNumber: "0690 000-032", Q: "bank"}, []string{"000014"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			got, err := selected(list, c.filter)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
	t.Run("no filter", func(t *testing.T) {
		t.Parallel()
		got, err := selected(list, banks.Filter{})
		if err != nil || len(got) != len(list.Entries()) {
			t.Errorf("got %d banks, %v; want %d", len(got), err, len(list.Entries()))
		}
	})
}

func TestList_Check(t *testing.T) {
	t.Parallel()
	list := service(t, catalog()).List()
	for _, c := range []struct {
		name, field, want string
		filter            banks.Filter
	}{
		{"country name", "country", `"NIGERIA" is not a two-letter country code; did you mean "NG" (Nigeria)? See GET /v1/countries`, banks.Filter{Country: "Nigeria"}},
		{"three letters", "country", `"CIV" is not a two-letter country code; did you mean "CI" (Côte d'Ivoire)? See GET /v1/countries`, banks.Filter{Country: "civ"}},
		{"unsupported country name", "country", `"FRANCE" is not a two-letter country code. See GET /v1/countries`, banks.Filter{Country: "France"}},
		{"not two letters", "country", `"1É" is not a two-letter country code. See GET /v1/countries`, banks.Filter{Country: "1é"}},
		{"over-long currency", "currency", "has a code of 17 characters; currency codes have 3 letters. See GET /v1/currencies", banks.Filter{Currencies: []string{strings.Repeat("N", 17)}}},
		{"unknown channel", "channel", `"cash" is not a channel; accepted: bank_transfer, mobile_money, pay_bill, till`, banks.Filter{Channel: "cash"}},
		{"over-long q", "q", "has 101 characters; at most 100 are accepted", banks.Filter{Q: strings.Repeat("é", 101)}},
		{"short account number", "account_number", "has 9 digits; a NUBAN has exactly 10 digits 0 to 9", banks.Filter{AccountNumber: "069000003"}},
		{"account number with a letter", "account_number", "has 9 digits and 1 other character; a NUBAN has exactly 10 digits 0 to 9", banks.Filter{AccountNumber: "069000003O"}},
		{"full-width digits", "account_number", "has 0 digits and 10 other characters; a NUBAN has exactly 10 digits 0 to 9", banks.Filter{AccountNumber: "０６９００００３２１"}},
		{"account number and another country", "account_number", `finds banks of NG only, but country "GH" was given`, banks.Filter{AccountNumber: "0690000032", Country: "gh"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			err := list.Check(c.filter)
			if got := reason(t, err, c.field); got != c.want {
				t.Errorf("got  %s\nwant %s", got, c.want)
			}
			if number := c.filter.AccountNumber.Reveal(); number != "" && strings.Contains(err.Error(), number) {
				t.Errorf("error contains the account number: %v", err)
			}
		})
	}
}

func TestList_Unsupported(t *testing.T) {
	t.Parallel()
	list := service(t, catalog()).List()
	for country, want := range map[string]string{
		"": "", "ng": "", "ZZ": `"ZZ" is not a supported country; supported: CI, GH, KE, NG. See GET /v1/countries`,
	} {
		if got := list.Unsupported(banks.Filter{Country: country}); got != want {
			t.Errorf("%q: got %s, want %s", country, got, want)
		}
	}
}

func TestList_Positions_AccountNumber(t *testing.T) {
	t.Parallel()
	t.Run("published candidates of 5050114930", func(t *testing.T) {
		t.Parallel()
		list := []core.Bank{bank("GH", "057", "Ghana's 057"), bank("NG", "090001", "No CBN code")}
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
		want := []string{"000015", "000017", "000023", "000021"}
		got, err := selected(service(t, list).List(), banks.Filter{AccountNumber: "5050114930"})
		if err != nil || !slices.Equal(got, want) {
			t.Errorf("got %v, %v; want %v", got, err, want)
		}
	})
	t.Run("unranked banks come last, commercial ones first", func(t *testing.T) {
		t.Parallel()
		small := bank("NG", "50515", "Small MFB")
		small.Type = core.MicrofinanceBank
		list := []core.Bank{small, bank("NG", "950515", "Z commercial"), bank("NG", "090405", "Moniepoint", "cbn", "50515")}
		list[2].Rank = 7
		want := []string{"090405", "950515", "50515"}
		got, err := selected(service(t, list).List(), banks.Filter{AccountNumber: "8123456781"})
		if err != nil || !slices.Equal(got, want) {
			t.Errorf("got %v, %v; want %v", got, err, want)
		}
	})
	t.Run("wallets use phone numbers without a check digit", func(t *testing.T) {
		t.Parallel()
		opay, psb, moniepoint := wallet("NG", "100004", "OPay"), wallet("NG", "120001", "9PSB"), bank("NG", "090405", "Moniepoint", "cbn", "50515")
		opay.Rank, psb.Type, moniepoint.Type = 1, core.PaymentServiceBank, core.MicrofinanceBank
		l := service(t, []core.Bank{psb, opay, moniepoint, wallet("GH", "MTN", "MTN"), bank("NG", "000014", "Access", "cbn", "044")}).List()
		for number, want := range map[core.Private][]string{
			"8123456781":   {"090405", "100004", "120001"}, // the check digit of Moniepoint
			"812-345 6782": {"100004", "120001", "090405"}, // no check digit matches
			"7012345678":   {"100004", "120001", "090405"},
			"7212345678":   {"100004", "120001", "090405"},
			"9112345678":   {"100004", "120001", "090405"},
			"7312345670":   {}, // 73 is not a mobile prefix
			"8212345678":   {},
			"0690000032":   {"000014"},
			"0690000031":   {},
		} {
			got, err := selected(l, banks.Filter{AccountNumber: number})
			if err != nil || !slices.Equal(got, want) {
				t.Errorf("%s: got %v, %v; want %v", number.Reveal(), got, err, want)
			}
		}
	})
}
