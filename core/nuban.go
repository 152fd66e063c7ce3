package core

import "strings"

// NUBAN says whether the check digit of a Nigerian account number is the one that a bank would give it. known is false
// where that cannot be told: a bank of another country, one without a CBN code, or a number that is not 10 digits. It is
// evidence, never proof: wallets and payment service banks make account numbers of phone numbers, and vendors' own samples break it.
func NUBAN(bank Bank, number Private) (holds, known bool) {
	account := number.Reveal()
	institution := institutionCode(bank)
	if institution == "" || len(account) != nubanLength || !digitsOnly(account) {
		return false, false
	}
	return checkDigit(institution+account[:nubanLength-1]) == account[nubanLength-1], true
}

const nubanLength = 10 // a serial number of 9 digits and the check digit

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

// institutionCode returns the code that a bank's check digits are computed with: its 6 digits where the catalog has
// them ("nuban"), else the CBN's 3 digits for commercial banks, "9" and the CBN's 5 digits for other institutions,
// or "" where none is known. Globus Bank's CBN code 103 is in use as "00103".
func institutionCode(b Bank) string {
	if b.Country != "NG" { // the one country whose account numbers carry the bank in their check digit
		return ""
	}
	if code := strings.TrimSpace(b.Codes["nuban"]); len(code) == 6 && digitsOnly(code) {
		return code
	}
	code := strings.TrimSpace(b.Codes[CBN])
	if code == "" {
		code = strings.TrimSpace(b.Code) // where no NIP code is known, the CBN code is the bank's own
	}
	if !digitsOnly(code) {
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

func digitsOnly(s string) bool {
	return s != "" && !strings.ContainsFunc(s, func(r rune) bool { return r < '0' || r > '9' })
}
