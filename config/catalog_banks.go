package config

import (
	"maps"
	"slices"
	"strings"

	"causeway/core"
)

type bankTable struct {
	head `yaml:",inline"`

	Countries []bankBlock
}

// bankBlock holds the institutions of one country.
type bankBlock struct {
	Country        string
	Currency       string
	CodeKind       string         `yaml:"code_kind"`       // what code is, where it has that kind's form; empty: no kind of its own
	BankChannels   []core.Channel `yaml:"bank_channels"`   // of all other types
	WalletChannels []core.Channel `yaml:"wallet_channels"` // of types mobile_money and payment_service_bank
	Likeliest      []string       // codes, the institution first where most people have an account
	Banks          []bankRow
}

type bankRow struct {
	Code  string
	Name  string
	Type  core.BankType
	Codes map[string]string // the other codes, by who uses them
	Names []string          // other names
}

func (l *loader) takeBanks(t bankTable, c *Catalog) {
	previous := ""
	for i, block := range t.Countries {
		at := place{banksFile, "countries", i, block.Country}
		country, known := l.countries[block.Country]
		if !known {
			l.fault(at, "country %q is not in %s", block.Country, countriesFile)
			continue
		}
		l.want(block.Country > previous, at, "comes after %s; countries are sorted by code, each once", previous)
		previous = block.Country
		l.want(slices.Contains(country.Currencies, block.Currency), at, "currency %q is not one of %v", block.Currency, country.Currencies)
		for _, channel := range slices.Concat(block.BankChannels, block.WalletChannels) {
			_, exists := country.Channel(channel)
			l.want(exists, at, "channel %q does not exist there", channel)
		}
		l.takeBlock(block, c)
	}
	l.checkReach(c)
}

// checkReach checks that a channel that needs a bank code has an institution to name.
func (l *loader) checkReach(c *Catalog) {
	for _, country := range c.Countries {
		for _, rule := range country.Channels {
			reached := slices.ContainsFunc(c.Banks, func(b core.Bank) bool {
				return b.Country == country.Code && slices.Contains(b.Channels, rule.Channel)
			})
			l.want(reached || !rule.NeedsBankCode || rule.Channel == core.MobileMoney, place{file: banksFile}, "%s: %s needs a bank code but no institution has that channel", country.Code, rule.Channel)
		}
	}
}

func (l *loader) takeBlock(block bankBlock, c *Catalog) {
	owners := make(map[string]string, 2*len(block.Banks)) // by code and alias
	previous := ""
	_, kind := codeForms[block.CodeKind]
	l.want(kind || block.CodeKind == "", place{file: banksFile}, "%s: code_kind %q; accepted: %v, or none", block.Country, block.CodeKind, slices.Sorted(maps.Keys(codeForms)))
	for i, row := range block.Banks {
		at := place{banksFile, block.Country, i, row.Code + " " + row.Name}
		bank := core.Bank{
			Code: row.Code, Name: row.Name, Country: block.Country, Currency: block.Currency, Type: row.Type,
			Channels: block.BankChannels, Codes: row.Codes, Names: row.Names, Rank: slices.Index(block.Likeliest, row.Code) + 1,
		}
		if hasForm(block.CodeKind, block.Country, row.Code) {
			bank.Codes = maps.Clone(row.Codes)
			if bank.Codes == nil {
				bank.Codes = make(map[string]string)
			}
			bank.Codes[block.CodeKind] = row.Code
		}
		if row.Type == core.MobileMoneyBank || row.Type == core.PaymentServiceBank {
			bank.Channels = block.WalletChannels
		}
		l.checkBank(at, bank)
		for _, known := range append(bank.Aliases(), bank.Code) {
			owner, twice := owners[known]
			l.want(!twice, at, "code %q already names %s", known, owner)
			owners[known] = bank.Name
		}
		name := strings.ToLower(bank.Name)
		l.want(name >= previous, at, "comes after %q; institutions are sorted by name", previous)
		previous = name
		c.Banks = append(c.Banks, bank)
	}
	for i, code := range block.Likeliest {
		at := place{banksFile, block.Country + " likeliest", i, code}
		l.want(slices.ContainsFunc(block.Banks, func(row bankRow) bool { return row.Code == code }), at, "is no institution of the block")
		l.want(slices.Index(block.Likeliest, code) == i, at, "is there twice")
	}
}

// hasForm reports whether a code has the form of a kind in a country.
func hasForm(kind, country, code string) bool {
	form := codeForms[kind]
	return form != nil && form.MatchString(code) && (kind != core.SWIFT || code[4:6] == country)
}

func (l *loader) checkBank(at place, bank core.Bank) {
	l.want(code(bank.Code) && !blank(bank.Name), at, "code %q, name %q; accepted: capital letters, digits and hyphens, and a name", bank.Code, bank.Name)
	l.want(slices.Contains(bankTypes, bank.Type), at, "type %q; accepted: %v", bank.Type, bankTypes)
	l.want(len(bank.Channels) > 0, at, "type %q has no channel in %s", bank.Type, bank.Country)
	for holder, other := range bank.Codes {
		l.want(code(other) && !blank(holder), at, "codes has %q: %q; accepted: capital letters, digits and hyphens, under a name", holder, other)
		l.want(codeForms[holder] == nil || hasForm(holder, bank.Country, other), at, "codes has %q: %q, which is not of that form: %s", holder, other, codeForms[holder])
	}
	for _, name := range bank.Names {
		l.want(!blank(name) && name != bank.Name, at, "names has %q; accepted: other names", name)
	}
}
