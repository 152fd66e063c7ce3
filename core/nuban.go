package core

import "strings"

// NUBAN reports whether the check digit of a Nigerian account number matches a bank. known is false
// if it cannot be checked: a bank of another country, a bank without a CBN code, or a number that is
// not 10 digits. A match is evidence and not proof: wallets and payment service banks use phone
// numbers as account numbers, and some vendors' sample accounts have wrong check digits.
func NUBAN(bank Bank, number Private) (matches, known bool) {
	account := number.Reveal()
	institution := institutionCode(bank)
	if institution == "" || len(account) != nubanLength || !digitsOnly(account) {
		return false, false
	}
	return checkDigit(institution+account[:nubanLength-1]) == account[nubanLength-1], true
}

const nubanLength = 10 // a serial number of 9 digits and the check digit

// checkDigit returns the CBN's check digit: weights 3, 7, 3 repeat over the institution code and the
// 9-digit serial number. The standard of 2010 uses 3-digit codes, its revision of 2020 uses 6; "000"
// before the 3 gives the same result. Source: CBN NUBAN standard v0.4 (2010) and the revised standard
// (March 2020).
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

// institutionCode returns the code that check digits are computed with: the CBN's 3 digits for
// commercial banks, or "9" and the CBN's 5 digits for other institutions. It returns "" if the code is
// unknown. Globus Bank's CBN code 103 is in use as "00103".
func institutionCode(b Bank) string {
	if b.Country != "NG" { // the only country whose check digits depend on the bank
		return ""
	}
	code := strings.TrimSpace(b.Codes[CBN])
	if code == "" {
		code = strings.TrimSpace(b.Code) // without a NIP code, the bank's own code is its CBN code
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
	default: // check digits cannot be computed from a NIP code
		return ""
	}
}

func digitsOnly(s string) bool {
	return s != "" && !strings.ContainsFunc(s, func(r rune) bool { return r < '0' || r > '9' })
}
