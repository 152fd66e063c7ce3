package core

import (
	"slices"
	"strings"
)

// BankType is the kind of an institution.
type BankType string

// The bank types.
const (
	CommercialBank     BankType = "bank"
	MicrofinanceBank   BankType = "microfinance_bank"
	MortgageBank       BankType = "mortgage_bank"
	PaymentServiceBank BankType = "payment_service_bank"
	MobileMoneyBank    BankType = "mobile_money"
	OtherBank          BankType = "other"
)

// Bank is an institution that holds accounts: a bank or a mobile-money operator.
type Bank struct {
	Code     string // the one code per institution and country
	Name     string
	Country  string // ISO 3166-1 alpha-2
	Currency string // ISO 4217
	Type     BankType
	Channels []Channel

	// Codes are the other codes in use for the institution, by who uses them: "cbn" (Nigeria, 3 or 5
	// digits), "swift" (BIC8), or the name of a provider ("paystack"). One holder may know several.
	Codes map[string]string
}

// Aliases returns the other codes of the institution, sorted, without repeats and without its own code.
func (b Bank) Aliases() []string {
	out := make([]string, 0, len(b.Codes))
	for _, code := range b.Codes {
		if code != b.Code {
			out = append(out, code)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// Known reports whether code, upper case, is the institution's own code or an alias of it.
func (b Bank) Known(code string) bool {
	if strings.EqualFold(b.Code, code) {
		return true
	}
	for _, c := range b.Codes {
		if strings.EqualFold(c, code) {
			return true
		}
	}
	return false
}
