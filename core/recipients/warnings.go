package recipients

import (
	"slices"

	"causeway/core"
)

// warnings says what is odd about a question that is good: reasons to look twice, none to refuse.
//
// The check digit is looked at for commercial banks alone, which all follow the CBN's standard. Others make account numbers
// of phone numbers, or have codes that the standard's revision of 2020 does not reach: a warning there would be noise.
func warnings(query core.AccountQuery) []core.AccountWarning {
	var out []core.AccountWarning
	if holds, known := core.NUBAN(query.Bank, query.Number); known && !holds && query.Bank.Type == core.CommercialBank {
		out = append(out, core.CheckDigit)
	}
	if query.Channel == core.MobileMoney && anotherOperators(query) {
		out = append(out, core.OperatorPrefix)
	}
	if length, ok := usualLengths[bankKey{query.Country, query.Bank.Code}]; ok && query.Channel == core.BankTransfer {
		if n := len(query.Number); n < length.least || n > length.most {
			out = append(out, core.AccountLength)
		}
	}
	return out
}

// anotherOperators reports whether a phone number has the prefix of another operator than the one asked about. A wallet that
// is no operator's own, and so opens for everybody's numbers, has none to compare with.
func anotherOperators(query core.AccountQuery) bool {
	owner := prefixOf(query.Country, national(query.Country, query.Number))
	return owner != nil && !owner.is(query.Bank) &&
		slices.ContainsFunc(operators[query.Country], func(o operator) bool { return o.is(query.Bank) })
}
