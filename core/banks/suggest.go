package banks

import (
	"slices"
	"strings"
	"unicode/utf8"

	"causeway/core"
)

// maxSuggestions is the number of suggestions above which an error names none.
const maxSuggestions = 3

// hit is a suggested institution with the code that resembles the code that was sent.
type hit struct {
	index int
	code  string
}

// unknown returns the error for an unknown code, with suggestions.
func (l *List) unknown(k key) error {
	reason := core.Quoted(k.code) + " is not a bank of " + k.country
	if len(k.code) <= 64 {
		reason += l.suggestion(k)
	}
	if !strings.HasSuffix(reason, "?") {
		reason += "."
	}
	return core.InvalidField("bank_code", "%s See GET /v1/banks?country=%s", reason, k.country)
}

// suggestion tries rules from the most to the least certain and returns the text of the first that
// matches.
func (l *List) suggestion(k key) string {
	tests := []func(code string) bool{
		func(code string) bool {
			return isDigits(code) && isDigits(k.code) && unpadded(code) == unpadded(k.code)
		},
		func(code string) bool { return len(code) == 8 && len(k.code) == 11 && strings.HasPrefix(k.code, code) }, // BIC11
		func(code string) bool { return len(code) > 3 && len(k.code) > 3 && oneEdit(code, k.code) },
	}
	for _, test := range tests {
		if hits := l.matching(k.country, test); len(hits) > 0 && len(hits) <= maxSuggestions {
			return l.didYouMean(hits)
		}
	}
	if hits := l.named(k); len(hits) > 0 && len(hits) <= maxSuggestions {
		return l.didYouMean(hits)
	}
	return l.elsewhere(k)
}

// matching returns the institutions of a country with a code that passes the test.
func (l *List) matching(country string, test func(code string) bool) []hit {
	var out []hit
	for i, e := range l.entries {
		if e.Country != country {
			continue
		}
		if own := normal(e.Code); test(own) {
			out = append(out, hit{i, own})
		} else if at := slices.IndexFunc(e.Aliases, test); at >= 0 {
			out = append(out, hit{i, e.Aliases[at]})
		}
	}
	return out
}

// named returns the institutions whose name contains the text that was sent as a code.
func (l *List) named(k key) []hit {
	part := fold(k.code)
	if utf8.RuneCountInString(part) < 4 || isDigits(part) {
		return nil
	}
	var out []hit
	for i, e := range l.entries {
		if e.Country == k.country && strings.Contains(l.names[i], part) {
			out = append(out, hit{i, e.Code})
		}
	}
	return out
}

func (l *List) didYouMean(hits []hit) string {
	texts := make([]string, 0, len(hits))
	for _, h := range hits {
		texts = append(texts, core.Quoted(h.code)+" ("+l.entries[h.index].Name+")")
	}
	return "; did you mean " + strings.Join(texts, " or ") + "?"
}

// elsewhere names the institutions of other countries that have the code.
func (l *List) elsewhere(k key) string {
	var texts []string
	for i, e := range l.entries {
		if e.Country == k.country {
			continue
		}
		if normal(l.entries[i].Code) == k.code || slices.Contains(e.Aliases, k.code) {
			texts = append(texts, e.Name+" of "+e.Country)
		}
	}
	if len(texts) == 0 || len(texts) > maxSuggestions {
		return ""
	}
	return "; it is " + strings.Join(texts, ", ")
}

// unpadded returns a code without leading zeros.
func unpadded(code string) string { return strings.TrimLeft(code, "0") }

// oneEdit reports whether two strings differ by one inserted, deleted, replaced or transposed
// character.
func oneEdit(a, b string) bool {
	if len(a) > len(b) {
		a, b = b, a
	}
	i := 0
	for i < len(a) && a[i] == b[i] {
		i++
	}
	x, y := a[i:], b[i:]
	if len(a) < len(b) {
		return len(b) == len(a)+1 && x == y[1:]
	}
	if x == "" || x[1:] == y[1:] {
		return true
	}
	return len(x) > 1 && x[0] == y[1] && x[1] == y[0] && x[2:] == y[2:]
}
