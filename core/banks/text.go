package banks

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"

	"causeway/core"
)

// quoted shows a value that a client sent. One that may be an account number in the wrong field is not shown but counted.
func quoted(value string) string {
	const longest = 32 // characters; the longest code in use has 12
	value = strings.TrimSpace(value)
	count := 0
	for _, r := range value {
		if unicode.IsDigit(r) {
			count++
		}
	}
	r := []rune(value)
	switch {
	case count > 6: // the longest codes of digits have 6
		return "a value with " + countOf(value)
	case len(r) > longest:
		return strconv.Quote(string(r[:longest]) + "…")
	default:
		return strconv.Quote(value)
	}
}

// countOf says what a value is made of, without showing it: "9 digits and 1 other character".
func countOf(value string) string {
	count, rest := 0, 0
	for _, r := range value {
		if r >= '0' && r <= '9' {
			count++
		} else {
			rest++
		}
	}
	text := plural(count, "digit")
	if rest > 0 {
		text += " and " + plural(rest, "other character")
	}
	return text
}

func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// digits returns an account number without its spaces and hyphens. What else is not a digit stays.
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
