package recipients

import (
	"fmt"
	"regexp"

	"causeway/core"
)

// bankAccount returns the number of a bank account, compact and in upper case, as the pattern wants it. Where accounts are
// RIBs an IBAN is read as the RIB in it. The key of a RIB and the check digits of an IBAN are part of what they are: those
// that do not fit refuse it, because a character is mistyped and the account would be somebody else's. A reason begins
// after the composition and names what was sent instead, if that can be told.
func bankAccount(country string, pattern *regexp.Regexp, number string) (core.Private, string) {
	if !pattern.MatchString(number) {
		rib, reason := ribOf(country, number)
		if reason != "" || !pattern.MatchString(rib) {
			return "", reason
		}
		number = rib
	}
	if ribs[country] && !ribKeyHolds(number) {
		return "", " and is a RIB whose key, the last 2 digits, does not fit the rest: please check each character"
	}
	return core.Private(number), ""
}

// ribOf returns the RIB in an IBAN of the country, or says what else a number is.
func ribOf(country, number string) (rib, reason string) {
	whose := number[:min(2, len(number))]
	sound := soundIBAN(number)
	switch {
	case whose != country && ribs[whose] && ribForm.MatchString(number) && ribKeyHolds(number):
		return "", fmt.Sprintf(" and is a RIB of %s, not of %s", whose, country)
	case whose == country && ribs[country] && sound:
		return number[4:], ""
	case whose == country && ribs[country] && ibanForm.MatchString(number):
		return "", fmt.Sprintf(" and begins like an IBAN of %s, but is none: please check each character; it has %d", country, ibanLengths[country])
	case sound:
		return "", fmt.Sprintf(" and is an IBAN of %s, not an account number of %s", whose, country)
	default:
		return "", ""
	}
}

// ribKeyHolds reports whether the last two digits of a RIB are its key: 97 minus the rest that 100 times everything before
// them leaves by 97, letters read as digits. Source: providers.md D6. That the CEMAC zone's 23 digits and the older form with one
// letter in front have the same key is shown by the IBAN registry's examples of CM, CI and SN.
func ribKeyHolds(rib string) bool {
	body, key := rib[:len(rib)-2], rib[len(rib)-2:]
	rest := 0
	for i := range len(body) {
		rest = (rest*10 + ribDigit(body[i])) % 97
	}
	return fmt.Sprintf("%02d", 97-rest*100%97) == key
}

// ribDigit reads A to I and J to R as 1 to 9, and S to Z as 2 to 9.
func ribDigit(c byte) int {
	switch {
	case c >= 'S':
		return int(c-'S') + 2
	case c >= 'A':
		return int(c-'A')%9 + 1
	default:
		return int(c - '0')
	}
}

// soundIBAN reports whether a number is an IBAN of a country whose length of IBANs is known: it leaves 1 by 97, its first four
// characters moved to the end and its letters read as 10 to 35. Source: ISO 13616; providers.md D10.
func soundIBAN(number string) bool {
	if !ibanForm.MatchString(number) || len(number) != ibanLengths[number[:2]] {
		return false
	}
	rest := 0
	for _, c := range []byte(number[4:] + number[:4]) {
		if c >= 'A' {
			rest = (rest*100 + int(c-'A') + 10) % 97
		} else {
			rest = (rest*10 + int(c-'0')) % 97
		}
	}
	return rest == 1
}

// abroad says whose bank code a refused one seems to be. A routing number of the US (ABA) is 9 digits, which no code of ours has,
// whose sum, weighted 3, 7, 1 in turn, is a multiple of 10. Source: providers.md D8.
func abroad(code string) string {
	if len(code) != 9 || !isDigits(code) {
		return ""
	}
	sum := 0
	for i := range len(code) {
		sum += [...]int{3, 7, 1}[i%3] * int(code[i]-'0')
	}
	if sum%10 != 0 {
		return ""
	}
	return ". It has the form of a routing number of the US (ABA), where nothing is paid out"
}
