package banks

import (
	"strings"

	"causeway/core"
)

// nigeria is the one country whose account numbers carry the bank in their check digit.
const nigeria = "NG"

// nuban reports whether a number, spaces and hyphens apart, has the form of a Nigerian account number.
func nuban(number string) bool { return len(number) == 10 && isDigits(number) }

// holds reports whether the check digit of a NUBAN is the one that a bank would give it. A bank whose CBN code is
// not known holds none.
func holds(b core.Bank, number string) bool {
	if b.Country != nigeria {
		return false
	}
	institution := institutionCode(b)
	if institution == "" {
		return false
	}
	return checkDigit(institution+number[:9]) == number[9]
}

// dials reports whether an institution may have given the number for being a phone number without its 0: wallets do, whatever
// the check digit. Nigeria's mobile numbers begin with 70 to 72, 80, 81, 90 or 91. Source: github:google/libphonenumber (2026-07).
func dials(b core.Bank, number string) bool {
	if b.Country != nigeria || !nuban(number) {
		return false
	}
	switch number[:2] {
	case "70", "71", "72", "80", "81", "90", "91":
		return b.Type == core.MobileMoneyBank || b.Type == core.PaymentServiceBank || numberedByPhone[b.Code]
	default:
		return false
	}
}

// checkDigit is the CBN's: weights 3, 7, 3 repeating over the institution code and the 9-digit serial.
// The standard of 2010 has 3-digit codes; its revision of 2020 has 6, with the same result for "000" and those 3.
// Source: CBN NUBAN standard v0.4 (2010) and the revised standard (March 2020).
func checkDigit(s string) byte {
	sum := 0
	for i := range len(s) {
		weight := 3
		if i%3 == 1 {
			weight = 7
		}
		sum += weight * int(s[i]-'0')
	}
	return "0123456789"[(10-sum%10)%10]
}

// institutionCode returns the code that a bank's check digits are computed with: the CBN's 3 digits for commercial banks, "9" and the CBN's 5 digits for other institutions,
// or "" where none is known. Globus Bank's CBN code 103 is in use as "00103".
func institutionCode(b core.Bank) string {
	code := normal(b.Codes[core.CBN])
	if code == "" {
		code = normal(b.Code) // where no NIP code is known, the CBN code is the bank's own
	}
	if !isDigits(code) {
		return ""
	}
	switch {
	case len(code) == 3:
		return code
	case len(code) == 5 && strings.HasPrefix(code, "00"):
		return code[2:]
	case len(code) == 5:
		return "9" + code
	case len(code) == 6 && strings.HasPrefix(code, "9"):
		return code
	default: // a NIP code says nothing about check digits
		return ""
	}
}
