package contract_test

import (
	"reflect"
	"slices"
	"strings"
	"testing"
)

type bank struct {
	Code       string   `json:"code"`
	Name       string   `json:"name"`
	Country    string   `json:"country"`
	Currency   string   `json:"currency"`
	Type       string   `json:"type"`
	Channels   []string `json:"channels"`
	Aliases    []string `json:"aliases"`
	Resolvable bool     `json:"resolvable"`
}

func banks(t *testing.T, query string) []bank {
	t.Helper()
	return data[[]bank](t, get(t, "/v1/banks"+query))
}

func TestBanks(t *testing.T) {
	t.Parallel()
	all := banks(t, "")
	if len(all) < 450 {
		t.Fatalf("only %d banks", len(all))
	}
	countries, seen := map[string]int{}, map[string]bool{}
	for i, b := range all {
		if b.Code == "" || strings.TrimSpace(b.Name) != b.Name || b.Name == "" || len(b.Country) != 2 || len(b.Currency) != 3 || len(b.Channels) == 0 || b.Aliases == nil {
			t.Errorf("incomplete: %+v", b)
		}
		if seen[b.Country+b.Code] || slices.Contains(b.Aliases, b.Code) {
			t.Errorf("%s %s comes twice", b.Country, b.Code)
		}
		seen[b.Country+b.Code] = true
		countries[b.Country]++
		if i > 0 && (all[i-1].Country > b.Country || all[i-1].Country == b.Country && all[i-1].Name > b.Name) {
			t.Errorf("order: %s %q before %s %q", all[i-1].Country, all[i-1].Name, b.Country, b.Name)
		}
	}
	for _, country := range []string{"NG", "GH", "KE", "ZA", "CI", "UG", "TZ", "RW", "SN", "CM"} {
		if countries[country] == 0 {
			t.Errorf("no bank of %s", country)
		}
	}
	gtb := slices.IndexFunc(all, func(b bank) bool { return b.Country == "NG" && b.Code == "000013" })
	if gtb < 0 || all[gtb].Name != "Guaranty Trust Bank" || !slices.Contains(all[gtb].Aliases, "058") || !slices.Contains(all[gtb].Aliases, "GTBINGLA") || !all[gtb].Resolvable {
		t.Errorf("the published example: %+v", all[gtb])
	}
}

func TestBanks_Filters(t *testing.T) {
	t.Parallel()
	all := banks(t, "")
	for query, keep := range map[string]func(bank) bool{
		"?country=ng":                     func(b bank) bool { return b.Country == "NG" },
		"?currency=GHS,%20kes":            func(b bank) bool { return b.Currency == "GHS" || b.Currency == "KES" },
		"?channel=mobile_money":           func(b bank) bool { return slices.Contains(b.Channels, "mobile_money") },
		"?country=CI&q=COTE%20d%27ivoire": func(b bank) bool { return b.Country == "CI" && strings.Contains(b.Name, "Côte d'Ivoire") },
	} {
		t.Run(query, func(t *testing.T) {
			want := slices.DeleteFunc(slices.Clone(all), func(b bank) bool { return !keep(b) })
			if got := banks(t, query); len(want) == 0 || !reflect.DeepEqual(got, want) {
				t.Errorf("got %d banks, want %d", len(got), len(want))
			}
		})
	}
	for _, query := range []string{"?country=US", "?country=NG&currency=GHS"} {
		t.Run(query, func(t *testing.T) {
			if got := banks(t, query); len(got) != 0 {
				t.Errorf("got %d banks, want none", len(got))
			}
		})
	}
	for query, field := range map[string]string{
		"?country=NGA": "country", "?channel=cheque": "channel", "?account_number=123": "account_number",
		"?account_number=0123456789&country=GH": "account_number",
	} {
		t.Run(query, func(t *testing.T) { wantFieldErrors(t, get(t, "/v1/banks"+query), field) })
	}
}

func TestBanks_AccountNumber(t *testing.T) {
	t.Parallel()
	found := banks(t, "?account_number=2085886393")
	if found[0].Name != "Zenith Bank" {
		t.Errorf("the likeliest bank of the documented Zenith account is %s", found[0].Name)
	}
	if i := slices.IndexFunc(found, func(b bank) bool { return b.Country != "NG" }); i >= 0 {
		t.Errorf("%+v is not Nigerian", found[i])
	}
}
