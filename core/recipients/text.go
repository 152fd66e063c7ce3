package recipients

import (
	"strconv"
	"strings"
	"time"
)

// seconds says a duration in whole seconds, rounded up.
func seconds(d time.Duration) string {
	n := int((d + time.Second - 1) / time.Second)
	if n == 1 {
		return "1 second"
	}
	return strconv.Itoa(n) + " seconds"
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
