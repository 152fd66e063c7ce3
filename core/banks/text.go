package banks

import (
	"strings"
	"unicode"

	"causeway/core"
)

// digits returns an account number without spaces and hyphens. Other characters stay.
func digits(number core.Private) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) || r == '-' {
			return -1
		}
		return r
	}, number.Reveal())
}

func isDigits(s string) bool {
	for i := range len(s) {
		if s[i] < '0' || s[i] > '9' {
			return false
		}
	}
	return s != ""
}
