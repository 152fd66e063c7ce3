package names

import (
	"strings"
	"unicode"
)

// token is a run of letters and digits of a name, folded: lower case, Latin letters without their
// marks.
type token struct {
	text  string
	after separator // what follows it
}

// separator is what separates two tokens, the weakest first.
type separator int

const (
	joiner      separator = iota // a hyphen or an apostrophe: the tokens are one word, or two
	dot                          // joins the letters of a legal form
	space                        // and other characters without a meaning
	comma                        // may separate two holders
	conjunction                  // "/", "&": another holder follows
)

// apostrophes are the characters in use for an apostrophe; Unicode calls some of them letters.
const apostrophes = "'’‘ʼʻʽ`´′＇"

// tokenize folds a name and splits it.
func tokenize(name string) []token {
	var (
		out   []token
		text  strings.Builder
		gap   separator // the strongest one since the last letter
		open  bool      // whether there was one
		latin bool      // whether the last letter was Latin
	)
	for _, r := range name {
		switch {
		case unicode.Is(unicode.Cf, r) || unicode.IsMark(r) && latin: // invisible, or an accent
			continue
		case isSeparator(r):
			if text.Len() > 0 {
				gap, open = widen(gap, open, r), true
			}
			continue
		}
		if open {
			out = append(out, token{text.String(), gap})
			text.Reset()
			gap, open = joiner, false
		}
		latin = writeFolded(&text, r)
	}
	if text.Len() > 0 {
		out = append(out, token{text.String(), space})
	}
	return out
}

// isSeparator reports whether a character is not part of a word. A mark without a letter before it
// belongs to the next word.
func isSeparator(r rune) bool {
	return strings.ContainsRune(apostrophes, r) || !unicode.IsLetter(r) && !unicode.IsNumber(r) && !unicode.IsMark(r)
}

// widen returns the separator that results when one more character follows. Joiners join only if
// the gap contains no other characters.
func widen(gap separator, open bool, r rune) separator {
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
	if open && (kind == dot || gap == dot) { // the point of an abbreviation is single
		kind = max(kind, space)
	}
	return max(gap, kind)
}

// writeFolded appends a letter or digit, folded, and reports whether it is Latin. Letters without a
// plain spelling stay.
func writeFolded(text *strings.Builder, r rune) bool {
	if r >= '！' && r <= '～' { // full width
		r -= '！' - '!'
	}
	r = unicode.ToLower(unicode.ToUpper(r)) // both, for letters such as ſ and ς that share a capital with another one
	if plain, ok := plainLetters[r]; ok {
		text.WriteString(plain)
		return true
	}
	text.WriteRune(r)
	return r >= 'a' && r <= 'z'
}
