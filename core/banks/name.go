package banks

import (
	"slices"
	"strings"
	"unicode"
)

// fold returns a name as it is searched: lower case, without accents, one space between words.
func fold(name string) string {
	var b strings.Builder
	b.Grow(len(name))
	gap := false
	for _, r := range name {
		if unicode.IsSpace(r) {
			gap = b.Len() > 0
			continue
		}
		if unicode.Is(unicode.Mn, r) { // an accent written as a character of its own
			continue
		}
		if gap {
			b.WriteByte(' ')
			gap = false
		}
		r = unicode.ToLower(r)
		if plain, ok := latin[r]; ok {
			b.WriteString(plain)
		} else {
			b.WriteRune(r)
		}
	}
	return b.String()
}

// alike reports whether two names may well be of one institution: more than half of the words that tell institutions
// apart are in both. It is asked beside an equal code, never alone. Words in brackets ("ex Barclays") are tried with
// and without.
func alike(a, b, country string) bool {
	return overlap(words(a, country), words(b, country)) ||
		overlap(words(unbracketed(a), country), words(unbracketed(b), country))
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

// words returns the words of a name that tell institutions apart, each once, or all of them where none does.
func words(name, country string) []string {
	split := func(s string) []string {
		out := strings.FieldsFunc(strings.ReplaceAll(fold(s), "'", ""), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
		slices.Sort(out)
		return slices.Compact(out)
	}
	all, places := split(name), split(country)
	telling := make([]string, 0, len(all))
	for _, w := range all {
		if !commonWords[w] && !slices.Contains(places, w) {
			telling = append(telling, w)
		}
	}
	if len(telling) == 0 {
		return all
	}
	return telling
}

// unbracketed returns a name without what it has in brackets.
func unbracketed(name string) string {
	head, rest, ok := strings.Cut(name, "(")
	if !ok {
		return name
	}
	_, tail, _ := strings.Cut(rest, ")")
	return head + " " + tail
}
