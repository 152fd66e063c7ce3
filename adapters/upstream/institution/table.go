package institution

import "causeway/core"

// placeholders are what lists have where a code is missing, upper case.
var placeholders = []string{"NULL", "UNDEFINED", "N/A"}

// nipTypes tells the type of a Nigerian institution by the first three digits of its NIP code. Source: the NIBSS list as apps publish
// it (2025-11): 000 commercial, 050 finance company, 060 merchant, 070 mortgage, 090 microfinance, 100 mobile-money operator, 120 payment
// service bank, 400 other.
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
