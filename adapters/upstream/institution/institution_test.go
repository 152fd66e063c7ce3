package institution_test

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"causeway/adapters/upstream/institution"
	"causeway/core"
	_ "causeway/test/fixedseed"
)

// listed returns the banks of some rows by code. No code may occur twice.
func listed(t *testing.T, country string, rows ...institution.Row) map[string]core.Bank {
	t.Helper()
	list := institution.New("acme", country, "XYZ")
	for _, r := range rows {
		list.Add(r)
	}
	banks, err := list.Banks()
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]core.Bank{}
	for _, b := range banks {
		if _, twice := got[b.Code]; twice {
			t.Errorf("%s: got it twice, want it once", b.Code)
		}
		got[b.Code] = b
	}
	return got
}

func TestList_Types(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		country string
		row     institution.Row
		want    core.BankType
	}{
		"bank":                        {"NG", institution.Row{Own: "044", Name: "Access Bank"}, core.CommercialBank},
		"NIP code of a wallet":        {"NG", institution.Row{Own: "100004", Name: "OPay"}, core.MobileMoneyBank},
		"NIP code of an unknown kind": {"NG", institution.Row{Own: "990001", Name: "Something"}, core.OtherBank},
		"vendor code":                 {"NG", institution.Row{Own: "FC40163", Name: "Branch"}, core.OtherBank},
		"MFBank":                      {"NG", institution.Row{Own: "560", Name: "Page MFBank"}, core.MicrofinanceBank},
		"MFB":                         {"NG", institution.Row{Own: "50515", Name: "Moniepoint MFB"}, core.MicrofinanceBank},
		"micro finance":               {"NG", institution.Row{Own: "501", Name: "Fortis Micro Finance Bank"}, core.MicrofinanceBank},
		"micro-finance":               {"NG", institution.Row{Own: "914", Name: "AMML Micro-finance Bank"}, core.MicrofinanceBank},
		"MF bank":                     {"NG", institution.Row{Own: "445", Name: "Capstone Mf Bank"}, core.MicrofinanceBank},
		"mortgage bank":               {"NG", institution.Row{Own: "100012", Name: "Omoluabi Mortgage Bank"}, core.MortgageBank},
		"PSB":                         {"NG", institution.Row{Own: "120001", Name: "9PSB"}, core.PaymentServiceBank},
		"payment service bank":        {"NG", institution.Row{Own: "120002", Name: "Hope Payment Service Bank"}, core.PaymentServiceBank},
		"mobile money":                {"NG", institution.Row{Own: "304", Name: "Stanbic Mobile Money"}, core.MobileMoneyBank},
		"merchant bank":               {"NG", institution.Row{Own: "FSDH", Name: "FSDH Merchant Bank"}, core.CommercialBank},
		"savings and loans":           {"GH", institution.Row{Own: "300345", Name: "Adehyeman Savings and Loans"}, core.OtherBank},
		"bank outside Nigeria":        {"UG", institution.Row{Own: "16", Name: "Centenary"}, core.CommercialBank},
		"type of the provider":        {"UG", institution.Row{Own: "17", Name: "Centenary", Type: core.OtherBank}, core.OtherBank},
		"wallet":                      {"UG", institution.Row{Own: "MTN-UG", Name: "MTN", Wallet: true}, core.MobileMoneyBank},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for code, b := range listed(t, c.country, c.row) {
				wallet := slices.Equal(b.Channels, []core.Channel{core.MobileMoney})
				if b.Type != c.want || code != c.row.Own || b.Codes["acme"] != c.row.Own || wallet != c.row.Wallet || b.Currency != "XYZ" || b.Country != c.country {
					t.Errorf("got %+v, want %s", b, c.want)
				}
			}
		})
	}
}

func TestList_Add(t *testing.T) {
	t.Parallel()
	got := listed(
		t, "GH",
		institution.Row{Own: " GH280100 ", National: "280100", Name: "  Access   Bank "},
		institution.Row{Own: "mtn-gh", Name: "MTN", Wallet: true},
		institution.Row{Own: "0001", National: "MPESA", Name: "Safaricom", Wallet: true},
		institution.Row{Own: "0001", National: "01", Name: "KCB"},
		institution.Row{Own: "0001", National: "01", Name: " kcb "},
		institution.Row{Own: "", Name: "No code"},
		institution.Row{Own: "null", Name: "Placeholder"},
		institution.Row{Own: "A B", Name: "Code with a space"},
		institution.Row{Own: strings.Repeat("9", 40), Name: "Over-long code"},
		institution.Row{Own: "77", National: "no code", Name: "Malformed national code"},
		institution.Row{Own: "88", Name: " \t"},
	)
	want := map[string]string{"280100": "GH280100", "MTN-GH": "mtn-gh", "MPESA": "0001", "01": "0001"}
	if len(got) != len(want) || got["280100"].Name != "Access Bank" {
		t.Errorf("got %+v, want codes %v", got, want)
	}
	for code, own := range want {
		if got[code].Codes["acme"] != own {
			t.Errorf("%s: got %v, want %s", code, got[code].Codes, own)
		}
	}
}

// TestList_TwoNames checks that a code with two names is kept with both names, for the merge to judge.
func TestList_TwoNames(t *testing.T) {
	t.Parallel()
	list := institution.New("acme", "NG", "NGN")
	for _, r := range []institution.Row{
		{Own: "50739", Name: "Goodnews MFB"},
		{Own: "50739", Name: "Prospa Capital MFB"},
		{Own: "7", National: "090001", Name: "Alpha"},
		{Own: "8", National: "090001", Name: "Beta"},
	} {
		list.Add(r)
	}
	banks, err := list.Banks()
	var names []string
	for _, b := range banks {
		names = append(names, b.Name)
	}
	if want := []string{"Goodnews MFB", "Prospa Capital MFB", "Alpha", "Beta"}; err != nil || !slices.Equal(names, want) {
		t.Errorf("got %q, %v; want %q", names, err, want)
	}
}

func TestList_Currency(t *testing.T) {
	t.Parallel()
	got := listed(t, "GH", institution.Row{Own: "1", Name: "Dollar account", Currency: "USD"}, institution.Row{Own: "2", Name: "Default currency"})
	if got["1"].Currency != "USD" || got["2"].Currency != "XYZ" {
		t.Errorf("got %+v, want USD and XYZ", got)
	}
}

func TestList_Empty(t *testing.T) {
	t.Parallel()
	list := institution.New("acme", "NG", "NGN")
	list.Add(institution.Row{Own: "", Name: "No code"})
	if banks, err := list.Banks(); core.CodeOf(err) != core.Unavailable || banks != nil {
		t.Errorf("got %v, %v; want unavailable", banks, err)
	}
}

func TestAgrees(t *testing.T) {
	t.Parallel()
	bank := core.Bank{Code: "000013", Country: "NG", Codes: map[string]string{core.CBN: "058", core.SWIFT: "GTBINGLA"}}
	for said, want := range map[string]bool{
		"058": true, " 058 ": true, "000013": true, "gtbingla": true, "own-058": true, "OWN-058": true, "": true, " ": true,
		"044": false, "58": false, "058,044": false, "null": false,
	} {
		if got := institution.Agrees(bank, "own-058", said); got != want {
			t.Errorf("%q: got %v, want %v", said, got, want)
		}
	}
}

// TestList_Properties checks that banks of random rows are complete and occur once.
func TestList_Properties(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		list := institution.New("acme", "NG", "NGN")
		code := rapid.OneOf(rapid.SampledFrom([]string{"044", "044 ", "null", "", "000013"}), rapid.String())
		for range rapid.IntRange(0, 8).Draw(t, "rows") {
			list.Add(institution.Row{
				Own: code.Draw(t, "own"), National: code.Draw(t, "national"), Name: rapid.String().Draw(t, "name"), Wallet: rapid.Bool().Draw(t, "wallet"),
			})
		}
		banks, _ := list.Banks()
		seen := map[[4]string]bool{}
		for _, b := range banks {
			row := [4]string{b.Code, b.Codes["acme"], b.Name, string(b.Type)}
			if seen[row] || b.Code == "" || b.Name == "" || b.Type == "" || b.Codes["acme"] == "" || strings.Join(strings.Fields(b.Name), " ") != b.Name {
				t.Fatalf("got %+v, want complete banks, each once", banks)
			}
			seen[row] = true
		}
	})
}
