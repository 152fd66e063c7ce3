package contract_test

import (
	"regexp"
	"slices"
	"testing"
)

func TestCurrencies(t *testing.T) {
	t.Parallel()
	type network struct {
		Code, Name string
		OtherNames []string `json:"other_names"`
		Memo       struct {
			Supported, Recommended bool
			Kinds                  []string
			Rule                   string
		}
		Formats  []struct{ Name, Example string }
		Checksum *bool
	}
	type currency struct {
		Code, Name, Type, Decimals string
		DefaultNetwork             string `json:"default_network"`
		Networks                   []network
	}
	all := data[[]currency](t, get(t, "/v1/currencies"))
	types, examples := map[string]int{}, []string{}
	for _, c := range all {
		types[c.Type]++
		if c.Code == "" || c.Name == "" || !regexp.MustCompile(`^\d{1,2}$`).MatchString(c.Decimals) {
			t.Errorf("incomplete: %+v", c)
		}
		if len(c.Networks) > 0 && !slices.ContainsFunc(c.Networks, func(n network) bool { return n.Code == c.DefaultNetwork }) {
			t.Errorf("%s: default network %q is not among its networks", c.Code, c.DefaultNetwork)
		}
		for _, n := range c.Networks {
			if n.Code == "" || n.Name == "" || n.OtherNames == nil || len(n.Formats) == 0 || n.Checksum == nil || n.Memo.Rule == "" {
				t.Errorf("%s: incomplete network %+v", c.Code, n)
			}
			for _, f := range n.Formats {
				examples = append(examples, question(t, "currency", c.Code, "network", n.Code, "address", f.Example))
			}
		}
	}
	for i, v := range validateAll(t, examples...) {
		if !v.Valid {
			t.Errorf("the example %s is invalid: %s", examples[i], v.Reason)
		}
	}
	if types["fiat"] < 12 || types["crypto"]+types["stablecoin"] < 30 || types["stablecoin"] < 3 || len(types) != 3 {
		t.Errorf("types %v", types)
	}
	if one := data[currency](t, get(t, "/v1/currencies/usdt")); one.Code != "USDT" || one.Type != "stablecoin" || len(one.Networks) < 3 {
		t.Errorf("got %+v", one)
	}
	wantError(t, get(t, "/v1/currencies/NOPE"), 404, "not_found")
}

// country is an item of GET /v1/countries.
type country struct {
	Code, Name string
	Currencies []string
	Channels   []struct {
		Channel       string
		Currencies    []string
		AccountNumber struct{ Rule, Pattern, Example string } `json:"account_number"`
		NeedsBankCode *bool                                   `json:"needs_bank_code"`
		NeedsDocument bool                                    `json:"needs_document"`
		Resolvable    *bool
	}
}

func TestCountries(t *testing.T) {
	t.Parallel()
	all := data[[]country](t, get(t, "/v1/countries"))
	var codes []string
	resolvable := map[string]bool{}
	for _, c := range all {
		codes = append(codes, c.Code)
		if c.Name == "" || len(c.Currencies) == 0 || len(c.Channels) == 0 {
			t.Errorf("incomplete: %+v", c)
		}
		for _, ch := range c.Channels {
			if ch.NeedsBankCode == nil || ch.Resolvable == nil || ch.AccountNumber.Rule == "" || len(ch.Currencies) == 0 {
				t.Errorf("%s %s is incomplete: %+v", c.Code, ch.Channel, ch)
				continue
			}
			if !regexp.MustCompile(ch.AccountNumber.Pattern).MatchString(ch.AccountNumber.Example) {
				t.Errorf("%s %s: the example %s breaks the pattern %s", c.Code, ch.Channel, ch.AccountNumber.Example, ch.AccountNumber.Pattern)
			}
			resolvable[c.Code+" "+ch.Channel] = *ch.Resolvable
		}
	}
	slices.Sort(codes)
	if want := []string{"CI", "CM", "GH", "KE", "NG", "RW", "SN", "TZ", "UG", "ZA"}; !slices.Equal(codes, want) {
		t.Errorf("got %v, want %v", codes, want)
	}
	for channel, want := range map[string]bool{"NG bank_transfer": true, "GH mobile_money": true, "KE bank_transfer": true, "UG bank_transfer": false, "ZA bank_transfer": true, "KE till": true, "UG mobile_money": true} {
		if got, ok := resolvable[channel]; !ok || got != want {
			t.Errorf("%s: resolvable is %v (listed: %v), want %v", channel, got, ok, want)
		}
	}
}
