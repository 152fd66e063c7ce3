package recipients

import (
	"strings"
	"unicode"
)

// part is a run of letters and digits of a name, folded: lower case, Latin letters without their marks.
type part struct {
	text  string
	after separator // what is between it and the next one
}

// separator is what stands between two parts, the weakest first.
type separator int

const (
	joiner separator = iota // a hyphen or an apostrophe between two letters: the parts are one word, or two
	dot                     // joins the letters of a legal form
	space                   // and whatever says nothing
	comma
	conjunction // "/", "&": another holder follows
)

// partsOf folds a name and takes it apart.
func partsOf(name string) []part {
	var out []part
	var text strings.Builder
	gap, latin := joiner, false // since the last letter: the strongest separator; whether that letter was Latin
	open := false               // whether something separates at all
	for _, r := range name {
		switch {
		case unicode.Is(unicode.Cf, r) || unicode.IsMark(r) && latin: // invisible, or an accent
			continue
		case separates(r):
			if text.Len() > 0 {
				gap, open = separated(r, gap, open), true
			}
			continue
		}
		if open {
			out = append(out, part{text.String(), gap})
			text.Reset()
			gap, open = joiner, false
		}
		latin = write(&text, r)
	}
	if text.Len() > 0 {
		out = append(out, part{text.String(), space})
	}
	return out
}

// separates reports whether a character is none of a word's. An accent without a letter before it belongs to what follows.
func separates(r rune) bool {
	return strings.ContainsRune(apostrophes, r) || !unicode.IsLetter(r) && !unicode.IsNumber(r) && !unicode.IsMark(r)
}

// apostrophes are what people and keyboards put for one; some are letters to Unicode.
const apostrophes = "'’‘ʼʻʽ`´′＇"

// separated returns the separator that one more character makes. Joiners join only where nothing else is beside them.
func separated(r rune, gap separator, open bool) separator {
	kind := space
	switch {
	case strings.ContainsRune("/&+;|／＆＋", r):
		kind = conjunction
	case r == ',' || r == '，':
		kind = comma
	case r == '.':
		kind = dot
	case strings.ContainsRune(apostrophes, r) || unicode.Is(unicode.Pd, r):
		kind = joiner
	}
	if open && kind == dot || open && gap == dot { // an abbreviation's point is alone
		kind = max(kind, space)
	}
	return max(gap, kind)
}

// write adds a letter or digit, folded, and reports whether it is Latin. What has no plain spelling stays as it is.
func write(text *strings.Builder, r rune) bool {
	if r >= '！' && r <= '～' { // full width
		r -= '！' - '!'
	}
	r = unicode.ToLower(unicode.ToUpper(r)) // both: ſ and ς have a capital letter that is another's too
	if plain, ok := plainLetters[r]; ok {
		text.WriteString(plain)
		return true
	}
	text.WriteRune(r)
	return r >= 'a' && r <= 'z'
}
