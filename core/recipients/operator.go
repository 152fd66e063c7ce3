package recipients

import (
	"strings"

	"github.com/nyaruka/phonenumbers"

	"causeway/core"
)

// operatorOf returns the wallet operator that a phone number's prefix hints at, if exactly one of the country's
// institutions is it.
func (s *Service) operatorOf(country string, number core.Private) (core.Bank, bool) {
	parsed, err := phonenumbers.Parse(number.Reveal(), country)
	if err != nil {
		return core.Bank{}, false
	}
	var found []core.Bank
	for _, code := range operatorCodes(country, phonenumbers.GetNationalSignificantNumber(parsed)) {
		bank, err := s.registry.Find(country, code)
		if err != nil || !does(bank, core.MobileMoney) {
			continue
		}
		if len(found) == 0 || found[0].Code != bank.Code {
			found = append(found, bank)
		}
	}
	if len(found) != 1 {
		return core.Bank{}, false
	}
	return found[0], true
}

// operatorCodes returns the codes in use for the operator whose prefix a national number has, the longest prefix
// deciding, or none.
func operatorCodes(country, national string) []string {
	var codes []string
	length := 0
	for _, o := range operators[country] {
		for _, prefix := range o.prefixes {
			if len(prefix) > length && strings.HasPrefix(national, prefix) {
				codes, length = o.codes, len(prefix)
			}
		}
	}
	return codes
}
