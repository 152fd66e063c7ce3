package config

import (
	"cmp"
	"maps"
	"regexp"
	"slices"
	"strings"

	"causeway/core"
)

type countryTable struct {
	head `yaml:",inline"`

	Countries []struct {
		Code       string
		Name       string
		Currencies []string
		Channels   []channelRow
	}
}

type channelRow struct {
	Channel       core.Channel
	NeedsBankCode bool   `yaml:"needs_bank_code"`
	Phone         bool   // account numbers are phone numbers in E.164
	Rule          string // a sentence for people
	Pattern       string // anchored
	Example       string
}

func (l *loader) addCountries(t countryTable, c *Catalog) {
	l.countries = make(map[string]core.Country, len(t.Countries))
	for i, row := range t.Countries {
		at := place{countriesFile, "countries", i, row.Code}
		_, duplicate := l.countries[row.Code]
		l.want(!duplicate, at, "is there twice")
		l.want(len(row.Code) == 2 && codePattern.MatchString(row.Code) && !blank(row.Name), at,
			"code %q, name %q; accepted: two capital letters and a name", row.Code, row.Name)
		l.want(len(row.Currencies) > 0 && len(row.Channels) > 0, at,
			"has %d currencies and %d channels; accepted: one or more", len(row.Currencies), len(row.Channels))
		for _, currency := range row.Currencies {
			l.want(l.currencies[currency] == core.Fiat, at, "currency %q is not a fiat currency of %s", currency, currenciesFile)
		}
		country := core.Country{Code: row.Code, Name: row.Name, Currencies: row.Currencies}
		for n, channel := range row.Channels {
			_, duplicate := country.Channel(channel.Channel)
			l.want(!duplicate, at, "channel %q is there twice", channel.Channel)
			country.Channels = append(country.Channels, core.ChannelRule{
				Channel: channel.Channel, Currencies: row.Currencies, NeedsBankCode: channel.NeedsBankCode,
				Account: l.accountRule(place{countriesFile, row.Code, n, string(channel.Channel)}, channel),
			})
		}
		l.countries[row.Code] = country
		c.Countries = append(c.Countries, country)
	}
	slices.SortFunc(c.Countries, func(a, b core.Country) int { return strings.Compare(a.Code, b.Code) })
}

func (l *loader) accountRule(at place, row channelRow) core.AccountRule {
	channels := []core.Channel{core.BankTransfer, core.MobileMoney, core.PayBill, core.Till}
	l.want(slices.Contains(channels, row.Channel), at, "channel %q; accepted: %v", row.Channel, channels)
	l.want(strings.HasPrefix(row.Pattern, "^") && strings.HasSuffix(row.Pattern, "$"), at,
		"pattern %q is not anchored with ^ and $", row.Pattern)
	rule := core.AccountRule{Rule: row.Rule, Example: row.Example, Phone: row.Phone}
	var err error
	if rule.Pattern, err = regexp.Compile(row.Pattern); err != nil {
		l.fault(at, "pattern: %w", err)
		return rule
	}
	l.want(rule.Pattern.MatchString(row.Example), at, "example %q does not match pattern %q", row.Example, row.Pattern)
	return rule
}

type bankTable struct {
	head `yaml:",inline"`

	Countries []bankBlock
}

// bankBlock holds the institutions of one country.
type bankBlock struct {
	Country        string
	Currency       string
	CodeKind       string                       `yaml:"code_kind"`       // of codes that have the form of that kind
	BankChannels   []core.Channel               `yaml:"bank_channels"`   // of all other types
	WalletChannels []core.Channel               `yaml:"wallet_channels"` // of mobile_money and payment_service_bank
	Likeliest      []string                     // codes, in descending order of customers
	Largest        []string                     // codes; none if all institutions are among the 30 largest
	Expected       map[string]map[string]string // codes of providers, by provider and code
	Banks          []bankRow
	Excluded       []excludedRow
}

type bankRow struct {
	Code  string
	Name  string
	Type  core.BankType
	Codes map[string]string // other codes, by kind or provider
	Names []string          // other names
}

// excludedRow describes rows of providers' lists that must not become institutions.
type excludedRow struct {
	Names  []string
	Codes  []string
	Reason string // closed or not_an_institution
	Source string
}

// codeForms are the forms of kinds of codes. CBN codes have none: vendors put letters into them.
// Sources: the NIBSS list as apps publish it (2025-11) for NIP, whose first three digits are the
// kind of institution; ISO 9362 for BICs; the lists that banks.yaml names for the others.
var codeForms = map[string]*regexp.Regexp{
	core.NIP:      regexp.MustCompile(`^(000|050|060|070|090|100|110|120|400)[0-9]{3}$`),
	core.GHIPSS:   regexp.MustCompile(`^[0-9]{6}$`),
	core.KBA:      regexp.MustCompile(`^[0-9]{2}$`),
	core.Clearing: regexp.MustCompile(`^[0-9]{2,3}$`),
	core.Branch:   regexp.MustCompile(`^[0-9]{6}$`),
	core.SWIFT:    regexp.MustCompile(`^[A-Z]{6}[0-9A-Z]{2}$`),
}

// hasForm reports whether a code has the form of a kind in a country.
func hasForm(kind, country, code string) bool {
	form := codeForms[kind]
	return form != nil && form.MatchString(code) && (kind != core.SWIFT || code[4:6] == country)
}

func (l *loader) addBanks(t bankTable, c *Catalog) {
	seen := map[string]bool{}
	for i, block := range t.Countries {
		at := place{banksFile, "countries", i, block.Country}
		country, known := l.countries[block.Country]
		if !known {
			l.fault(at, "country %q is not in %s", block.Country, countriesFile)
			continue
		}
		l.want(!seen[block.Country], at, "is there twice")
		seen[block.Country] = true
		l.want(slices.Contains(country.Currencies, block.Currency), at,
			"currency %q is not one of %v", block.Currency, country.Currencies)
		for _, channel := range slices.Concat(block.BankChannels, block.WalletChannels) {
			_, exists := country.Channel(channel)
			l.want(exists, at, "channel %q does not exist there", channel)
		}
		l.want(block.CodeKind == "" || codeForms[block.CodeKind] != nil, at,
			"code_kind %q; accepted: %v, or none", block.CodeKind, slices.Sorted(maps.Keys(codeForms)))
		l.addBlock(block, c)
		l.addExcluded(block, c)
	}
	slices.SortFunc(c.Banks, func(a, b core.Bank) int {
		return cmp.Or(
			strings.Compare(a.Country, b.Country),
			strings.Compare(strings.ToLower(a.Name), strings.ToLower(b.Name)),
		)
	})
}

func (l *loader) addBlock(block bankBlock, c *Catalog) {
	owners := make(map[string]string, 2*len(block.Banks)) // names by code and alias
	for i, row := range block.Banks {
		at := place{banksFile, block.Country, i, row.Code + " " + row.Name}
		bank := core.Bank{
			Code: row.Code, Name: row.Name, Country: block.Country, Currency: block.Currency, Type: row.Type,
			Channels: block.BankChannels, Codes: row.Codes, Names: row.Names, Rank: slices.Index(block.Likeliest, row.Code) + 1,
			Expected: map[string]string{},
		}
		for provider, codes := range block.Expected {
			if code := codes[row.Code]; code != "" {
				bank.Expected[provider] = code
			}
		}
		if hasForm(block.CodeKind, block.Country, row.Code) {
			bank.Codes = map[string]string{}
			maps.Copy(bank.Codes, row.Codes)
			bank.Codes[block.CodeKind] = row.Code
		}
		if row.Type == core.MobileMoneyBank || row.Type == core.PaymentServiceBank {
			bank.Channels = block.WalletChannels
		}
		l.checkBank(at, bank)
		for _, code := range append(bank.Aliases(), bank.Code) {
			owner, duplicate := owners[code]
			l.want(!duplicate, at, "code %q already names %s", code, owner)
			owners[code] = bank.Name
		}
		c.Banks = append(c.Banks, bank)
	}
	for list, codes := range map[string][]string{"likeliest": block.Likeliest, "largest": block.Largest} {
		for i, code := range codes {
			at := place{banksFile, block.Country + " " + list, i, code}
			known := index(block.Banks, func(row bankRow) string { return row.Code }, code) >= 0
			l.want(known, at, "is no institution of the block")
		}
	}
	c.LargestBanks[block.Country] = block.Largest
	for provider, codes := range block.Expected {
		for i, code := range slices.Sorted(maps.Keys(codes)) {
			at := place{banksFile, block.Country + " expected " + provider, i, code}
			known := index(block.Banks, func(row bankRow) string { return row.Code }, code) >= 0
			l.want(known && codePattern.MatchString(codes[code]), at, "is no institution of the block, or has no code")
		}
	}
}

func (l *loader) addExcluded(block bankBlock, c *Catalog) {
	for i, row := range block.Excluded {
		at := place{banksFile, block.Country + " excluded", i, strings.Join(append(row.Names, row.Codes...), ", ")}
		l.want(len(row.Names)+len(row.Codes) > 0, at, "has neither names nor codes")
		l.want(!slices.ContainsFunc(slices.Concat(row.Names, row.Codes), blank), at, "has a blank name or code")
		l.want(row.Reason == "closed" || row.Reason == "not_an_institution", at,
			"reason %q; accepted: closed, not_an_institution", row.Reason)
		l.want(!blank(row.Source), at, "source is missing")
		c.ExcludedBanks = append(c.ExcludedBanks, core.ExcludedBank{
			Country: block.Country, Names: row.Names, Codes: row.Codes, Closed: row.Reason == "closed",
		})
	}
}

func (l *loader) checkBank(at place, bank core.Bank) {
	types := []core.BankType{
		core.CommercialBank, core.MicrofinanceBank, core.MortgageBank,
		core.PaymentServiceBank, core.MobileMoneyBank, core.OtherBank,
	}
	l.want(codePattern.MatchString(bank.Code) && !blank(bank.Name), at,
		"code %q, name %q; accepted: capital letters, digits and hyphens, and a name", bank.Code, bank.Name)
	l.want(slices.Contains(types, bank.Type), at, "type %q; accepted: %v", bank.Type, types)
	l.want(len(bank.Channels) > 0, at, "type %q has no channel in %s", bank.Type, bank.Country)
	for kind, code := range bank.Codes {
		l.want(codePattern.MatchString(code) && !blank(kind), at,
			"codes has %q: %q; accepted: capital letters, digits and hyphens, under a name", kind, code)
	}
}
