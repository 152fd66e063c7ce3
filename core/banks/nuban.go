package banks

import (
	"strings"
	"unicode"

	"causeway/core"
)

// nigeria is the only country whose account numbers have a check digit that depends on the bank.
const nigeria = "NG"

// nuban reports whether a number has the form of a Nigerian account number.
func nuban(number string) bool { return len(number) == 10 && isDigits(number) }

// maybePhone reports whether a number may be a wallet: a mobile phone number without its 0, at an
// institution that uses phone numbers as account numbers. Nigerian mobile numbers begin with 70 to
// 72, 80, 81, 90 or 91. Source: github.com/google/libphonenumber (2026-07).
func maybePhone(b core.Bank, number string) bool {
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

// digits returns an account number without spaces and hyphens. Other characters stay.
func digits(number core.Private) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) || r == '-' {
			return -1
		}
		return r
	}, number.Reveal())
}
