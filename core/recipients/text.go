package recipients

import (
	"fmt"
	"strconv"
	"strings"
	"time"
	"unicode"
)

// quoted shows a value that a client sent. One that may be an account number in the wrong field is not shown but counted.
func quoted(value string) string {
	const most = 32 // characters
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
	case len(r) > most:
		return strconv.Quote(string(r[:most]) + "…")
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

// seconds says a duration in whole seconds, rounded up.
func seconds(d time.Duration) string {
	return plural(int((d+time.Second-1)/time.Second), "second")
}

// joined lists values, or says that there are none.
func joined[T ~string](values []T) string {
	if len(values) == 0 {
		return "none"
	}
	texts := make([]string, 0, len(values))
	for _, v := range values {
		texts = append(texts, string(v))
	}
	return strings.Join(texts, ", ")
}

// normal is the spelling in which codes are compared.
func normal(code string) string { return strings.ToUpper(strings.TrimSpace(code)) }

func isDigits(s string) bool {
	return s != "" && !strings.ContainsFunc(s, func(r rune) bool { return r < '0' || r > '9' })
}

// letters reports whether s is n letters A to Z.
func letters(s string, n int) bool {
	return len(s) == n && !strings.ContainsFunc(s, func(r rune) bool { return r < 'A' || r > 'Z' })
}
