package recipients

import (
	"maps"
	"slices"

	"causeway/core"
)

// Resolvable reports whether somebody can be asked about a bank on one of its channels: who the holder of an account is, or
// whether a name is the holder's.
func (s *Service) Resolvable(bank core.Bank) bool {
	return slices.ContainsFunc(s.channels(bank), func(c core.Channel) bool { return s.answerable(place{bank.Country, c}, bank) })
}

// Survey notes what can be looked up at the given institutions, which are all that there are, and on the channels without
// any. Whoever keeps the registry calls it each time that one changes.
func (s *Service) Survey(banks []core.Bank) {
	covered := make(map[place]bool)
	for _, country := range s.countries {
		for _, rule := range country.Channels {
			if at := (place{country.Code, rule.Channel}); !rule.NeedsBankCode && s.answerable(at, core.Bank{}) {
				covered[at] = true
			}
		}
	}
	for _, bank := range banks {
		for _, channel := range s.channels(bank) {
			at := place{bank.Country, channel}
			covered[at] = covered[at] || s.answerable(at, bank)
		}
	}
	s.covered.Store(&covered)
}

// Covers reports whether some account of a country can be looked up on a channel, by the last Survey.
func (s *Service) Covers(country string, channel core.Channel) bool {
	return (*s.covered.Load())[place{country, channel}]
}

// able returns those of the providers that can be asked about a bank, in the order to ask: none whose list dropped it.
func able(providers []provider, at place, bank core.Bank) []provider {
	var out []provider
	for _, p := range providers {
		if !bank.DroppedBy(p.name) && p.can(at.country, at.channel, bank) {
			out = append(out, p)
		}
	}
	return out
}

// routeOf returns whom to ask at a place: nobody, where the catalog does not have its country.
func (s *Service) routeOf(at place) route {
	if r := s.routes[at]; r != nil {
		return *r
	}
	return route{}
}

func (s *Service) answerable(at place, bank core.Bank) bool {
	r := s.routeOf(at)
	return len(able(r.resolvers, at, bank)) > 0 || len(able(r.confirmers, at, bank)) > 0
}

// awaited returns the names of the providers that have yet to tell their banks of a country.
func (s *Service) awaited(country string) []string {
	var out []string
	for _, name := range s.names {
		if s.registry.Awaits(name, country) {
			out = append(out, name)
		}
	}
	return out
}

// ableOnceTold reports whether one of the awaited providers could be asked if it told any code of its own for the bank.
func (s *Service) ableOnceTold(awaited []string, at place, bank core.Bank) bool {
	if bank.Code == "" {
		return false
	}
	r := s.routeOf(at)
	return slices.ContainsFunc(slices.Concat(r.resolvers, r.confirmers), func(p provider) bool {
		if !slices.Contains(awaited, p.name) {
			return false
		}
		told := bank
		told.Codes = maps.Clone(bank.Codes)
		if told.Codes == nil {
			told.Codes = make(map[string]string)
		}
		told.Codes[p.name] = bank.Code
		return p.can(at.country, at.channel, told)
	})
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
