package config

import (
	"regexp"
	"slices"
	"strings"

	"causeway/core"
)

type countryTable struct {
	head `yaml:",inline"`

	Countries []countryRow
}

type countryRow struct {
	Code       string
	Name       string
	Currencies []string
	Channels   []channelRow
}

type channelRow struct {
	Channel       core.Channel
	NeedsBankCode bool   `yaml:"needs_bank_code"`
	Phone         bool   // the number is a phone number, in E.164
	Rule          string // a sentence for people
	Pattern       string // anchored
	Example       string
}

var channels = []core.Channel{core.BankTransfer, core.MobileMoney, core.PayBill, core.Till} //nolint:gochecknoglobals // the closed set

func (l *loader) takeCountries(t countryTable, c *Catalog) {
	l.countries = make(map[string]core.Country, len(t.Countries))
	previous := ""
	for i, row := range t.Countries {
		at := place{countriesFile, "countries", i, row.Code}
		_, twice := l.countries[row.Code]
		l.want(!twice, at, "is there twice")
		l.want(row.Code >= previous, at, "comes after %s; countries are sorted by code", previous)
		previous = row.Code
		l.want(len(row.Code) == 2 && code(row.Code) && !blank(row.Name), at, "code %q, name %q; accepted: two capital letters and a name", row.Code, row.Name)
		l.want(len(row.Currencies) > 0 && len(row.Channels) > 0, at, "has %d currencies and %d channels; accepted: one or more", len(row.Currencies), len(row.Channels))
		for _, currency := range row.Currencies {
			l.want(l.currencies[currency] == core.Fiat, at, "currency %q is not a fiat currency of %s", currency, currenciesFile)
		}
		country := core.Country{Code: row.Code, Name: row.Name, Currencies: row.Currencies}
		for n, channel := range row.Channels {
			_, twice := country.Channel(channel.Channel)
			l.want(!twice, at, "channel %q is there twice", channel.Channel)
			country.Channels = append(country.Channels, core.ChannelRule{
				Channel: channel.Channel, Currencies: row.Currencies, NeedsBankCode: channel.NeedsBankCode,
				Account: l.accountRule(place{countriesFile, row.Code, n, string(channel.Channel)}, channel),
			})
		}
		l.countries[row.Code] = country
		c.Countries = append(c.Countries, country)
	}
}

func (l *loader) accountRule(at place, row channelRow) core.AccountRule {
	l.want(slices.Contains(channels, row.Channel), at, "channel %q; accepted: %v", row.Channel, channels)
	l.want(!blank(row.Rule), at, "rule is missing: say in a sentence what an account number looks like")
	l.want(strings.HasPrefix(row.Pattern, "^") && strings.HasSuffix(row.Pattern, "$"), at, "pattern %q is not anchored with ^ and $", row.Pattern)
	l.want(row.Phone == strings.HasPrefix(row.Example, "+"), at, "phone is %t but the example is %q; a phone number is E.164 with its +", row.Phone, row.Example)
	rule := core.AccountRule{Rule: row.Rule, Example: row.Example, Phone: row.Phone}
	var err error
	if rule.Pattern, err = regexp.Compile(row.Pattern); err != nil {
		l.fault(at, "pattern: %w", err)
		return rule
	}
	l.want(rule.Pattern.MatchString(row.Example), at, "example %q does not match pattern %q", row.Example, row.Pattern)
	return rule
}
