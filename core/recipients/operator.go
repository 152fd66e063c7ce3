package recipients

import (
	"slices"
	"strconv"
	"strings"

	"github.com/nyaruka/phonenumbers"

	"causeway/core"
)

// operatorOf returns the wallet operator that a phone number's prefix hints at, if exactly one of the country's
// institutions is it.
func (s *Service) operatorOf(country string, number core.Private) (core.Bank, bool) {
	owner := prefixOf(country, national(country, number))
	if owner == nil {
		return core.Bank{}, false
	}
	var found []core.Bank
	for _, code := range owner.codes {
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

// prefixOf returns the operator whose prefix a national number has, the longest prefix deciding, or nil.
func prefixOf(country, national string) *operator {
	var owner *operator
	length := 0
	for i, o := range operators[country] {
		for _, prefix := range o.prefixes {
			if len(prefix) > length && strings.HasPrefix(national, prefix) {
				owner, length = &operators[country][i], len(prefix)
			}
		}
	}
	return owner
}

// is reports whether an institution is the operator.
func (o operator) is(bank core.Bank) bool { return slices.ContainsFunc(o.codes, bank.Known) }

// national returns a phone number in E.164 without the country's calling code: in CI with the 0 that belongs to it.
func national(country string, number core.Private) string {
	return strings.TrimPrefix(number.Reveal(), "+"+strconv.Itoa(phonenumbers.GetCountryCodeForRegion(country)))
}
