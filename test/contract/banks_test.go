package contract_test

import (
	"slices"
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
	countries := map[string]bool{}
	for _, b := range all {
		if b.Code == "" || b.Name == "" || len(b.Country) != 2 || len(b.Currency) != 3 || len(b.Channels) == 0 || b.Aliases == nil {
			t.Errorf("incomplete: %+v", b)
		}
		countries[b.Country] = true
	}
	if len(countries) != 10 {
		t.Errorf("got %v, want 10 countries", countries)
	}
	gtb := slices.IndexFunc(all, func(b bank) bool { return b.Country == "NG" && b.Code == "000013" })
	if gtb < 0 || all[gtb].Name != "Guaranty Trust Bank" || !slices.Contains(all[gtb].Aliases, "058") || !all[gtb].Resolvable {
		t.Fatal("the published example is missing or differs")
	}
}
