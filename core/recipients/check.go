package recipients

import (
	"errors"
	"slices"
	"strings"

	"causeway/core"
)

// The fields of a request by their canonical names, in the order in which faults are told.
const (
	currencyField = "currency_id"
	countryField  = "country_id"
	channelField  = "channel"
	bankField     = "bank_code"
	numberField   = "account_number"
)

// check makes a question of a request: everything trimmed, known and normalised. It refuses with all faults at once.
func (s *Service) check(req Request) (*checking, error) {
	c := &checking{service: s}
	country, ok := c.country(req.Country)
	c.currency(req.Currency, country, ok)
	rule, known := c.channel(req.Channel, country, ok)
	c.number(req.AccountNumber, country, rule, known)
	if err := c.bank(req.BankCode, country, rule, ok, known); err != nil {
		return nil, err
	}
	if len(c.faults) > 0 {
		order := []string{currencyField, countryField, channelField, bankField, numberField}
		slices.SortStableFunc(c.faults, func(a, b core.FieldError) int {
			return slices.Index(order, a.Field) - slices.Index(order, b.Field)
		})
		return nil, core.InvalidFields(c.faults...)
	}
	return c, nil
}

// checking is a question in the making.
type checking struct {
	service *Service
	query   core.AccountQuery
	guessed bool // the bank of the query is what the number's prefix hints at
	faults  []core.FieldError
}

func (c *checking) fault(field, format string, args ...any) {
	c.faults = append(c.faults, core.InvalidField(field, format, args...).Fields...)
}

func (c *checking) country(sent string) (core.Country, bool) {
	code := normal(sent)
	codes := make([]string, 0, len(c.service.countries))
	meant := ""
	for _, country := range c.service.countries {
		if country.Code == code {
			c.query.Country = code
			return country, true
		}
		if strings.EqualFold(country.Name, code) {
			meant = country.Code
		}
		codes = append(codes, country.Code)
	}
	accepted := "supported: " + strings.Join(codes, ", ") + ". See GET /v1/countries"
	switch {
	case code == "":
		c.fault(countryField, "is required: a two-letter country code; %s", accepted)
	case meant != "":
		c.fault(countryField, "%s is not a two-letter country code; did you mean %s? See GET /v1/countries", core.Quoted(sent), meant)
	case !letters(code, 2):
		c.fault(countryField, "%s is not a two-letter country code; %s", core.Quoted(sent), accepted)
	default:
		c.fault(countryField, "%s is not supported; %s", core.Quoted(sent), accepted)
	}
	return core.Country{}, false
}

// currency checks the currency against its country or, where that is not known, against all.
func (c *checking) currency(sent string, country core.Country, known bool) {
	code := normal(sent)
	c.query.Currency = code
	accepted, place := country.Currencies, country.Code
	if !known {
		place = "any supported country"
		for _, one := range c.service.countries {
			accepted = append(accepted, one.Currencies...)
		}
		slices.Sort(accepted)
		accepted = slices.Compact(accepted)
	}
	list := strings.Join(accepted, ", ")
	switch {
	case code == "":
		c.fault(currencyField, "is required; accepted: %s. See GET /v1/countries", list)
	case !slices.Contains(accepted, code):
		c.fault(currencyField, "%s is not paid out in %s; accepted: %s. See GET /v1/countries", core.Quoted(sent), place, list)
	}
}

// channel returns the rule of the channel, if the country has it.
func (c *checking) channel(sent string, country core.Country, known bool) (core.ChannelRule, bool) {
	channel := core.Channel(strings.TrimSpace(sent))
	c.query.Channel = channel
	all := []core.Channel{core.BankTransfer, core.MobileMoney, core.PayBill, core.Till}
	accepted, place := all, "a channel"
	if known {
		accepted, place = channelsOf(country), "a channel of "+country.Code
	}
	switch {
	case channel == "":
		c.fault(channelField, "is required; accepted: %s. See GET /v1/countries", joined(accepted))
		return core.ChannelRule{}, false
	case !slices.Contains(accepted, channel):
		c.fault(channelField, "%s is not %s; accepted: %s. See GET /v1/countries", core.Quoted(sent), place, joined(accepted))
		return core.ChannelRule{}, false
	case !known:
		return core.ChannelRule{}, false
	}
	rule, _ := country.Channel(channel)
	if len(rule.Currencies) > 0 && slices.Contains(country.Currencies, c.query.Currency) && !slices.Contains(rule.Currencies, c.query.Currency) {
		c.fault(currencyField, "%s is not paid out by %s in %s; accepted: %s. See GET /v1/countries",
			c.query.Currency, channel, country.Code, strings.Join(rule.Currencies, ", "))
	}
	return rule, true
}

func (c *checking) number(sent core.Private, country core.Country, rule core.ChannelRule, known bool) {
	if !known {
		if compact(sent) == "" {
			c.fault(numberField, "is required")
		} else if reason := tooLong(sent); reason != "" {
			c.fault(numberField, "%s", reason)
		}
		return
	}
	number, reason := normalise(country.Code, rule, sent)
	if reason != "" {
		c.fault(numberField, "%s; accepted: %s, for example %s", reason, rule.Account.Rule, rule.Account.Example)
		return
	}
	c.query.Number = number
}

// bank finds the institution, by its code or, for a wallet without one, by its number's prefix. The error is one
// that is no fault of the request.
func (c *checking) bank(sent string, country core.Country, rule core.ChannelRule, countryKnown, channelKnown bool) error {
	code := strings.TrimSpace(sent)
	switch {
	case code == "" && channelKnown:
		c.withoutCode(country, rule)
		return nil
	case code == "" && c.query.Channel == core.BankTransfer:
		c.fault(bankField, "is required for %s. See GET /v1/banks", core.BankTransfer)
		return nil
	case code == "" || !countryKnown:
		return nil
	}
	bank, err := c.service.registry.Find(country.Code, code)
	if err != nil {
		return c.unknown(code, err)
	}
	if channelKnown && !slices.Contains(c.service.channels(bank), c.query.Channel) {
		c.fault(bankField, "%s (%s) is not reached by %s, only by %s. See GET /v1/banks?country=%s",
			core.Quoted(bank.Code), bank.Name, c.query.Channel, joined(c.service.channels(bank)), country.Code)
		return nil
	}
	c.query.Bank = bank
	return nil
}

// unknown tells why no institution has a code. The error is one that is no fault of the request.
func (c *checking) unknown(code string, err error) error {
	e, ok := errors.AsType[*core.Error](err)
	if !ok || e.Code != core.Invalid {
		return err
	}
	for _, fault := range e.Fields {
		c.fault(fault.Field, "%s%s", fault.Reason, abroad(code))
	}
	return nil
}

// withoutCode handles a request without a bank code. Pay bills and tills need none. A wallet needs none if the prefix
// of its number identifies the operator; a provider must never choose the operator itself, because the same number may
// be another person's at another operator.
func (c *checking) withoutCode(country core.Country, rule core.ChannelRule) {
	channel := c.query.Channel
	if channel == core.MobileMoney && rule.Account.Phone && len(operators[country.Code]) > 0 {
		if c.query.Number == "" {
			return // the number's own fault is told; whether a code is needed depends on it
		}
		bank, ok := c.service.operatorOf(country.Code, c.query.Number)
		if !ok {
			c.fault(bankField, "is required: this number does not tell its operator. See GET /v1/banks?country=%s&channel=%s", country.Code, channel)
			return
		}
		c.query.Bank, c.guessed = bank, true
		return
	}
	if channel == core.BankTransfer || rule.NeedsBankCode {
		c.fault(bankField, "is required for %s in %s. See GET /v1/banks?country=%s", channel, country.Code, country.Code)
	}
}
