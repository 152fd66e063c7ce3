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

// catalogCountries returns the countries of the catalog, whose patterns are tested with the code
// that precedes them.
var catalogCountries = sync.OnceValue(func() []core.Country {
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

// catalogBanks returns the institutions of the catalog.
var catalogBanks = sync.OnceValue(func() []core.Bank {
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

// The institutions that catalogService adds to each country.
const anyBank, anyWallet = "001", "SIM"

// catalogService returns a service with the countries and institutions of the catalog.
func catalogService(t testing.TB, resolvers ...ports.AccountResolver) *recipients.Service {
	t.Helper()
	all := slices.Clone(catalogBanks())
	for _, c := range catalogCountries() {
		all = append(all,
			core.Bank{Country: c.Code, Code: anyBank, Name: "Any Bank", Type: core.CommercialBank, Channels: []core.Channel{core.BankTransfer}},
			core.Bank{Country: c.Code, Code: anyWallet, Name: "Any Wallet", Type: core.MobileMoneyBank, Channels: []core.Channel{core.MobileMoney}})
	}
	cfg := configOf(catalogCountries(), resolvers...)
	cfg.Registry.Find = func(country, code string) (core.Bank, error) {
		i := slices.IndexFunc(all, func(b core.Bank) bool { return b.Country == country && b.Known(code) })
		if i < 0 {
			return core.Bank{}, core.InvalidField("bank_code", "%s is not a bank of %s", core.Quoted(code), country)
		}
		return all[i], nil
	}
	return open(t, cfg)
}
