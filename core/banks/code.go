package banks

import (
	"slices"
	"strings"
	"unicode"

	"causeway/core"
)

// normal returns the spelling in which codes are compared: upper case, without spaces. A BIC loses
// the branch code XXX, which means the head office, as the BIC8 does.
func normal(code string) string {
	code = strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) {
			return -1
		}
		return unicode.ToUpper(r)
	}, code)
	if len(code) == 11 && strings.HasSuffix(code, "XXX") &&
		!strings.ContainsFunc(code[:6], func(r rune) bool { return r < 'A' || r > 'Z' }) {
		return code[:8]
	}
	return code
}

// upper returns the spelling in which countries and currencies are compared.
func upper(code string) string { return strings.ToUpper(strings.TrimSpace(code)) }

// others returns the normalized aliases of a bank, sorted, without duplicates.
func others(b core.Bank) []string {
	own := normal(b.Code)
	out := make([]string, 0, len(b.Codes)+1)
	for _, code := range b.Aliases() {
		if c := normal(code); c != "" && c != own {
			out = append(out, c)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// isNIP reports whether a code is a NIP institution code: 6 digits that begin with a kind of
// institution. Six-digit CBN codes begin with 9 and are not NIP codes.
func isNIP(code string) bool { return len(code) == 6 && isDigits(code) && nipKinds[code[:3]] }

// isCBN reports whether a code is a CBN code of an institution other than a commercial bank: 5
// digits, or 6 that begin with 9.
func isCBN(code string) bool {
	return isDigits(code) && (len(code) == 5 || len(code) == 6 && code[0] == '9')
}

func isDigits(s string) bool {
	for i := range len(s) {
		if s[i] < '0' || s[i] > '9' {
			return false
		}
	}
	return s != ""
}
