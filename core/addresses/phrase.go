package addresses

import (
	"math"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// How many words are a recovery phrase.
const (
	someWords   = 6  // enough of one to be guarded, where there is nothing beside them
	wholePhrase = 12 // the shortest that wallets make
	strayShare  = 4  // a whole one may stand among others: numbers, and one stray word for each four

	noPhrase = math.MaxInt // no number of words is one
)

// isPhrase reports a recovery phrase, or enough of one: so many words of letters and nothing else,
// or a whole phrase among few strays.
func isPhrase(text string, enough int) bool {
	words, strays, alone := 0, 0, true
	for token := range strings.FieldsFuncSeq(text, func(c rune) bool { return unicode.IsSpace(c) || c == ',' || c == ';' }) {
		word := strings.TrimFunc(token, func(c rune) bool { return !isLetter(c) })
		alone = alone && len(word) == len(token)
		switch {
		case isWord(word):
			words++
		case word != "":
			strays++
		}
	}
	return words >= enough && strays == 0 && alone || words >= max(enough, wholePhrase) && strays*strayShare <= words
}

// isWholePhrase reports a text that is as many words as wallets make of a phrase, each of as many
// letters as those of the lists, and nothing else but numbers that count them: prose of twelve
// words and more has a short word or a long one, as a rule. Source: BIP-39.
func isWholePhrase(text string) bool {
	words, numbers := 0, 0
	for token := range strings.FieldsFuncSeq(text, func(c rune) bool { return !isLetter(c) && !unicode.IsDigit(c) }) {
		size := utf8.RuneCountInString(token)
		switch {
		case !strings.ContainsFunc(token, isLetter):
			numbers++
		case size < 3 || size > 8 || strings.ContainsFunc(token, unicode.IsDigit):
			return false
		default:
			words++
		}
	}
	return slices.Contains(phraseLengths[:], words) && (numbers == 0 || numbers == words)
}

// isWord reports what may be in a list of words. Words of one or two letters are in none of them,
// and in nearly every sentence.
func isWord(word string) bool {
	return len(word) >= 3 && len(word) <= 36 && !strings.ContainsFunc(word, func(c rune) bool { return !isLetter(c) })
}

func isLetter(c rune) bool { return unicode.IsLetter(c) || unicode.IsMark(c) }

// isJoinedPhrase reports words that one and the same sign joins, as in legal-winner-thank, and
// nothing else. seen is what kindsIn says.
func isJoinedPhrase(text string, seen byte, enough int) bool {
	if seen&(markByte|joinByte) == 0 {
		return false
	}
	at := strings.IndexFunc(text, func(c rune) bool { return !isLetter(c) })
	if at < 0 || text[at] <= ' ' || text[at] >= 0x7f || alphanumeric(text[at]) {
		return false
	}
	words := 0
	for word := range strings.SplitSeq(text, text[at:at+1]) {
		if !isWord(word) {
			return false
		}
		words++
	}
	return words >= enough
}
