package recipients_test

import (
	"os"
	"regexp"
	"slices"
	"sync"
	"testing"

	"go.yaml.in/yaml/v3"

	"causeway/core"
	"causeway/core/recipients"
	"causeway/ports"
)

// shipped are the countries as they are delivered, so that their patterns are tested together with what is done before
// them. config reads the same file, but it knows the adapters, and so is not for tests of a core.
var shipped = sync.OnceValue(func() []core.Country {
	var file struct {
		Countries []struct {
			Code, Name string
			Currencies []string
			Channels   []struct {
				Channel                core.Channel
				NeedsBankCode          bool `yaml:"needs_bank_code"`
				Phone                  bool
				Rule, Pattern, Example string
			}
		}
	}
	read("../../config/catalog/countries.yaml", &file)
	var out []core.Country
	for _, c := range file.Countries {
		country := core.Country{Code: c.Code, Name: c.Name, Currencies: c.Currencies}
		for _, r := range c.Channels {
			country.Channels = append(country.Channels, core.ChannelRule{
				Channel: r.Channel, Currencies: c.Currencies, NeedsBankCode: r.NeedsBankCode,
				Account: core.AccountRule{Rule: r.Rule, Pattern: regexp.MustCompile(r.Pattern), Example: r.Example, Phone: r.Phone},
			})
		}
		out = append(out, country)
	}
	return out
})

// listed are the institutions as they are delivered.
var listed = sync.OnceValue(func() []core.Bank {
	var file struct {
		Countries []struct {
			Country        string
			BankChannels   []core.Channel `yaml:"bank_channels"`
			WalletChannels []core.Channel `yaml:"wallet_channels"`
			Banks          []struct {
				Code, Name string
				Type       core.BankType
				Codes      map[string]string
			}
		}
	}
	read("../../config/catalog/banks.yaml", &file)
	var out []core.Bank
	for _, c := range file.Countries {
		for _, b := range c.Banks {
			channels := c.BankChannels
			if b.Type == core.MobileMoneyBank || b.Type == core.PaymentServiceBank {
				channels = c.WalletChannels
			}
			out = append(out, core.Bank{Country: c.Country, Code: b.Code, Name: b.Name, Type: b.Type, Codes: b.Codes, Channels: channels})
		}
	}
	return out
})

func read(path string, into any) {
	text, err := os.ReadFile(path)
	if err == nil {
		err = yaml.Unmarshal(text, into)
	}
	if err != nil {
		panic(err)
	}
}

// The institutions that every country has beside those delivered: one bank, one wallet that is no operator's own.
const anyBank, anyWallet = "001", "SIM"

// everywhere is a service of the countries and institutions as they are delivered.
func everywhere(t testing.TB, resolvers ...ports.AccountResolver) *recipients.Service {
	t.Helper()
	all := slices.Clone(listed())
	for _, c := range shipped() {
		all = append(all,
			core.Bank{Country: c.Code, Code: anyBank, Name: "Any Bank", Type: core.CommercialBank, Channels: []core.Channel{core.BankTransfer}},
			core.Bank{Country: c.Code, Code: anyWallet, Name: "Any Wallet", Type: core.MobileMoneyBank, Channels: []core.Channel{core.MobileMoney}})
	}
	directory := registry()
	directory.Find = func(country, code string) (core.Bank, error) {
		i := slices.IndexFunc(all, func(b core.Bank) bool { return b.Country == country && b.Known(code) })
		if i < 0 {
			return core.Bank{}, core.InvalidField("bank_code", "%s is not a bank of %s", core.Quoted(code), country)
		}
		return all[i], nil
	}
	cfg := configOf(shipped(), resolvers...)
	cfg.Registry = directory
	s, err := recipients.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	s.Survey(all)
	return s
}

// example is the request that the catalog's own example makes.
func example(country core.Country, rule core.ChannelRule) recipients.Request {
	bank := map[core.Channel]string{core.BankTransfer: anyBank, core.MobileMoney: anyWallet}[rule.Channel]
	return recipients.Request{
		Country: country.Code, Currency: country.Currencies[0], Channel: string(rule.Channel), BankCode: bank, AccountNumber: core.Private(rule.Account.Example),
	}
}

// perChannel runs a test for each channel of each country.
func perChannel(t *testing.T, test func(t *testing.T, country core.Country, rule core.ChannelRule)) {
	t.Helper()
	if n := len(shipped()); n != 10 {
		t.Fatalf("%d countries are delivered, want 10", n)
	}
	for _, country := range shipped() {
		for _, rule := range country.Channels {
			t.Run(country.Code+" "+string(rule.Channel), func(t *testing.T) {
				t.Parallel()
				test(t, country, rule)
			})
		}
	}
}
