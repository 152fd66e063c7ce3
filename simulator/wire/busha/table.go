package busha

import (
	"regexp"

	"causeway/simulator/wire/provider"
)

// bushaCountry is where busha pays out: the currency, and by channel what account numbers look like.
type bushaCountry struct {
	currency string
	channels map[string]*regexp.Regexp
}

// bushaCountries are Nigeria and Kenya: docs.busha.io/guides/reference/supported-countries (2026-11). That Nigeria's accounts are asked for on the
// channel mobile_money too is its published example.
var bushaCountries = map[string]bushaCountry{
	"NG": {"NGN", map[string]*regexp.Regexp{"bank_transfer": provider.TenDigits, "mobile_money": provider.TenDigits}},
	"KE": {"KES", map[string]*regexp.Regexp{
		"mobile_money": regexp.MustCompile(`^\+?254[0-9]{9}$`), "pay_bill": provider.ShortCode, "till": provider.ShortCode,
	}},
}
