package config

import (
	"regexp"

	"causeway/core"
)

var bankTypes = []core.BankType{
	core.CommercialBank, core.MicrofinanceBank, core.MortgageBank, core.PaymentServiceBank, core.MobileMoneyBank, core.OtherBank,
}

// codeForms are the forms of the kinds of codes that have one. CBN codes have not: vendors put letters into them. Sources: the NIBSS
// list as apps publish it (2025-11) for NIP, whose first three digits are the kind of institution; ISO 9362 for BICs; the lists that
// banks.yaml names for the others.
var codeForms = map[string]*regexp.Regexp{
	core.NIP:      regexp.MustCompile(`^(000|050|060|070|090|100|110|120|400)[0-9]{3}$`),
	core.GHIPSS:   regexp.MustCompile(`^[0-9]{6}$`),
	core.KBA:      regexp.MustCompile(`^[0-9]{2}$`),
	core.Clearing: regexp.MustCompile(`^[0-9]{2,3}$`),
	core.Branch:   regexp.MustCompile(`^[0-9]{6}$`),
	core.SWIFT:    regexp.MustCompile(`^[A-Z]{6}[0-9A-Z]{2}$`),
}
