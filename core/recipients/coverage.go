package recipients

import (
	"maps"
	"slices"

	"causeway/core"
	"causeway/ports"
)

// coverage is a channel of a country for which some account can be looked up.
type coverage struct {
	country string
	channel core.Channel
}

// Resolvable reports whether some resolver can be asked about a bank on one of its channels.
func (s *Service) Resolvable(bank core.Bank) bool {
	return slices.ContainsFunc(s.channels(bank), func(c core.Channel) bool { return len(s.able(bank.Country, c, bank)) > 0 })
}

// Survey notes what can be looked up at the given institutions, which are all that there are, and on the channels without
// any. Whoever keeps the registry calls it each time that one changes.
func (s *Service) Survey(banks []core.Bank) {
	covered := make(map[coverage]bool)
	for _, country := range s.countries {
		for _, rule := range country.Channels {
			if !rule.NeedsBankCode && len(s.able(country.Code, rule.Channel, core.Bank{})) > 0 {
				covered[coverage{country.Code, rule.Channel}] = true
			}
		}
	}
	for _, bank := range banks {
		for _, channel := range s.channels(bank) {
			at := coverage{bank.Country, channel}
			covered[at] = covered[at] || len(s.able(bank.Country, channel, bank)) > 0
		}
	}
	s.covered.Store(&covered)
}

// Covers reports whether some account of a country can be looked up on a channel, by the last Survey.
func (s *Service) Covers(country string, channel core.Channel) bool {
	return (*s.covered.Load())[coverage{country, channel}]
}

// able returns the resolvers that can be asked, in the order to ask: none whose provider's list dropped the bank.
func (s *Service) able(country string, channel core.Channel, bank core.Bank) []ports.AccountResolver {
	var out []ports.AccountResolver
	for _, r := range s.resolvers {
		if !bank.DroppedBy(r.Name()) && r.Resolves(country, channel, bank) {
			out = append(out, r)
		}
	}
	return out
}

// awaited returns the resolvers whose providers have yet to tell their banks of a country.
func (s *Service) awaited(country string) []ports.AccountResolver {
	var out []ports.AccountResolver
	for _, r := range s.resolvers {
		if s.registry.Awaits(r.Name(), country) {
			out = append(out, r)
		}
	}
	return out
}

// ableOnceTold reports whether a resolver could be asked if its provider told any code of its own for the bank.
func ableOnceTold(r ports.AccountResolver, q core.AccountQuery) bool {
	if q.Bank.Code == "" {
		return false
	}
	bank := q.Bank
	bank.Codes = maps.Clone(bank.Codes)
	if bank.Codes == nil {
		bank.Codes = make(map[string]string)
	}
	bank.Codes[r.Name()] = bank.Code
	return r.Resolves(q.Country, q.Channel, bank)
}

// channels returns the channels by which accounts at a bank are looked up: its own, and where walletsByBankCode says so
// mobile money too.
func (s *Service) channels(bank core.Bank) []core.Channel {
	if walletsByBankCode[bank.Country] && does(bank, core.BankTransfer) && !does(bank, core.MobileMoney) {
		return append(slices.Clone(bank.Channels), core.MobileMoney)
	}
	return bank.Channels
}

// channelsOf returns the channels of a country in the order in which they are told.
func channelsOf(country core.Country) []core.Channel {
	return slices.DeleteFunc(slices.Clone(allChannels), func(c core.Channel) bool {
		_, ok := country.Channel(c)
		return !ok
	})
}

func does(bank core.Bank, channel core.Channel) bool { return slices.Contains(bank.Channels, channel) }

// refusal says which part of a good question makes that nobody can be asked, and what can be.
func (s *Service) refusal(q core.AccountQuery) error {
	var countries []string
	var channels []core.Channel
	for _, c := range s.countries {
		covered := slices.DeleteFunc(slices.Clone(allChannels), func(channel core.Channel) bool { return !s.Covers(c.Code, channel) })
		if len(covered) > 0 {
			countries = append(countries, c.Code)
		}
		if c.Code == q.Country {
			channels = covered
		}
	}
	const where = "See `resolvable` in GET /v1/banks"
	switch {
	case len(channels) == 0:
		return core.InvalidField(countryField, "accounts of %s cannot be looked up yet, only those of %s. %s", q.Country, joined(countries), where)
	case !slices.Contains(channels, q.Channel), q.Bank.Code == "":
		return core.InvalidField(channelField, "accounts of %s cannot be looked up by %s yet, only by %s. %s?country=%s",
			q.Country, q.Channel, joined(channels), where, q.Country)
	default:
		return core.InvalidField(bankField, "accounts at %s (%s) cannot be looked up by %s yet. %s?country=%s for those that can",
			core.Quoted(q.Bank.Code), q.Bank.Name, q.Channel, where, q.Country)
	}
}
