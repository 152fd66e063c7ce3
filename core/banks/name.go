package banks

import (
	"slices"
	"strings"
	"unicode"
)

// fold returns a name in lower case, without accents and with single spaces.
func fold(name string) string {
	var b strings.Builder
	b.Grow(len(name))
	for _, r := range strings.ToLower(name) {
		if plain, ok := latin[r]; ok {
			b.WriteString(plain)
		} else if !unicode.Is(unicode.Mn, r) { // combining mark
			b.WriteRune(r)
		}
	}
	return strings.Join(strings.Fields(b.String()), " ")
}

// alike reports whether two names may belong to one institution: they share more than half of their
// distinctive words, or differ in spaces only ("Living Trust", "LivingTrust"). Parts in brackets
// ("ex Barclays") are optional. A similar name counts only together with an equal code.
func alike(a, b, country string) bool {
	if similar(distinctive(a, country), distinctive(b, country)) {
		return true
	}
	x, y := unbracketed(a), unbracketed(b)
	return (x != a || y != b) && similar(distinctive(x, country), distinctive(y, country))
}

func similar(a, b []string) bool {
	return strings.Join(a, "") == strings.Join(b, "") || overlap(distinct(a), distinct(b))
}

// overlap reports whether two sets share more than half of their union.
func overlap(a, b []string) bool {
	shared := 0
	for _, w := range a {
		if slices.Contains(b, w) {
			shared++
		}
	}
	return 2*shared > len(a)+len(b)-shared
}

// words returns the distinctive words of a name, sorted, without duplicates.
func words(name, country string) []string { return distinct(distinctive(name, country)) }

func distinct(words []string) []string {
	words = slices.Clone(words)
	slices.Sort(words)
	return slices.Compact(words)
}

// distinctive returns the words of a name without common words and the country, or all words if
// none remains.
func distinctive(name, country string) []string {
	split := func(s string) []string {
		return strings.FieldsFunc(strings.ReplaceAll(fold(s), "'", ""),
			func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	}
	all, places := split(name), split(country)
	out := make([]string, 0, len(all))
	for _, w := range all {
		if !commonWords[w] && !slices.Contains(places, w) {
			out = append(out, w)
		}
	}
	if len(out) == 0 {
		return all
	}
	return out
}

// unbracketed returns a name without its first part in brackets.
func unbracketed(name string) string {
	head, rest, ok := strings.Cut(name, "(")
	if !ok {
		return name
	}
	_, tail, _ := strings.Cut(rest, ")")
	return head + " " + tail
}
