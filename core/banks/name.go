package banks

import (
	"slices"
	"strings"
	"unicode"

	"causeway/core"
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

// alike reports whether two names may belong to one institution: they are the same whole name,
// share more than half of their distinctive words, or differ in spaces only ("Living Trust",
// "LivingTrust"). Parts in brackets ("ex Barclays") are optional. A similar name counts only
// together with an equal code.
func alike(a, b string, places []string) bool {
	if whole(a, places) == whole(b, places) || similar(distinctive(a, places), distinctive(b, places)) {
		return true
	}
	x, y := unbracketed(a), unbracketed(b)
	return (x != a || y != b) && similar(distinctive(x, places), distinctive(y, places))
}

// whole returns the form in which whole names are compared: without spaces, punctuation, the
// country and words that only fill a name, and with abbreviated kinds of institutions in full. The
// kind stays: ACCESS MOBILE is not Access Bank. "ProvidusBank" is Providus Bank, and "Alpha
// Micro-finance" is "Alpha MicroFinance". If only common words remain, the fillers count
// too.
func whole(name string, places []string) string {
	var all, kept []string
	distinct := false
	for _, w := range split(name) {
		if full := kindWords[w]; full != "" {
			w = full
		}
		all = append(all, w)
		if !fillers[w] && !slices.Contains(places, w) {
			kept = append(kept, w)
			distinct = distinct || !commonWords[w]
		}
	}
	if !distinct {
		kept = all
	}
	return strings.Join(kept, "")
}

// placeWords returns the words that name a country: the words of its name, and its ISO code.
func placeWords(country core.Country) []string {
	return append(split(country.Name), strings.ToLower(country.Code))
}

// split returns the words of a name, folded and without apostrophes.
func split(name string) []string {
	return strings.FieldsFunc(strings.ReplaceAll(fold(name), "'", ""),
		func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
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
func words(name string, places []string) []string { return distinct(distinctive(name, places)) }

func distinct(words []string) []string {
	words = slices.Clone(words)
	slices.Sort(words)
	return slices.Compact(words)
}

// distinctive returns the words of a name without common words and the country, or all words if
// none remains.
func distinctive(name string, places []string) []string {
	all := split(name)
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
