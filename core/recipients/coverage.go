package recipients

import (
	"slices"

	"causeway/core"
	"causeway/ports"
)

// coverage is a channel of a country for which some account can be looked up.
type coverage struct {
	country string
	channel core.Channel
}

// Resolvable reports whether some resolver can be asked about a bank on one of its channels. What it finds is
// remembered, so that Covers and the refusals can say what can be looked up: whoever keeps the registry calls it for
// every bank.
func (s *Service) Resolvable(bank core.Bank) bool {
	found := false
	for _, channel := range s.channels(bank) {
		if len(s.able(bank.Country, channel, bank)) > 0 {
			s.covered.Store(coverage{bank.Country, channel}, true)
			found = true
		}
	}
	return found
}

// Covers reports whether some account of a country can be looked up on a channel, as far as Resolvable was asked.
func (s *Service) Covers(country string, channel core.Channel) bool {
	_, ok := s.covered.Load(coverage{country, channel})
	return ok
}

// coverBankless notes the channels without banks that some resolver can be asked about.
func (s *Service) coverBankless() {
	for _, country := range s.countries {
		for _, rule := range country.Channels {
			if !rule.NeedsBankCode && len(s.able(country.Code, rule.Channel, core.Bank{})) > 0 {
				s.covered.Store(coverage{country.Code, rule.Channel}, true)
			}
		}
	}
}

// able returns the resolvers that can be asked, in the order to ask.
func (s *Service) able(country string, channel core.Channel, bank core.Bank) []ports.AccountResolver {
	var out []ports.AccountResolver
	for _, r := range s.resolvers {
		if r.Resolves(country, channel, bank) {
			out = append(out, r)
		}
	}
	return out
}

// channels returns the channels by which accounts at a bank are looked up.
func (s *Service) channels(bank core.Bank) []core.Channel {
	if walletsByBankCode[bank.Country] && does(bank, core.BankTransfer) && !does(bank, core.MobileMoney) {
		return append(slices.Clone(bank.Channels), core.MobileMoney)
	}
	return bank.Channels
}

// channelsOf returns the channels that a request for a country may name.
func channelsOf(country core.Country) []core.Channel {
	return slices.DeleteFunc(slices.Clone(allChannels), func(c core.Channel) bool {
		if _, ok := country.Channel(c); ok {
			return false
		}
		_, transfers := country.Channel(core.BankTransfer)
		return c != core.MobileMoney || !walletsByBankCode[country.Code] || !transfers
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
