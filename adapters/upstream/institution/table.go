package institution

import "causeway/core"

// placeholders are values that lists contain in place of a missing code, in upper case.
var placeholders = []string{"NULL", "UNDEFINED", "N/A"}

// nipTypes maps the first three digits of a NIP code to a type. Source: the NIBSS list as published
// by apps (2025-11): 000 commercial, 050 finance company, 060 merchant, 070 mortgage, 090
// microfinance, 100 mobile-money operator, 120 payment service bank, 400 other.
var nipTypes = map[string]core.BankType{
	"000": core.CommercialBank,
	"050": core.OtherBank,
	"060": core.CommercialBank,
	"070": core.MortgageBank,
	"090": core.MicrofinanceBank,
	"100": core.MobileMoneyBank,
	"120": core.PaymentServiceBank,
	"400": core.OtherBank,
}
