package addresses

import (
	"strings"
	"unicode"
)

// How many words are a recovery phrase.
const (
	someWords   = 6  // enough of one to be guarded, where there is nothing beside them
	wholePhrase = 12 // the shortest that wallets make
	strayShare  = 4  // a whole one may stand among others: numbers, and one stray word for each four
)

// isPhrase reports a recovery phrase, or enough of one: so many words of letters and nothing else, or a whole phrase among few strays.
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
	return words >= enough && strays == 0 && alone || words >= wholePhrase && strays*strayShare <= words
}

// isWord reports what may be in a list of words. Words of one or two letters are in none of them, and in nearly every sentence.
func isWord(word string) bool {
	return len(word) >= 3 && len(word) <= 36 && !strings.ContainsFunc(word, func(c rune) bool { return !isLetter(c) })
}

func isLetter(c rune) bool { return unicode.IsLetter(c) || unicode.IsMark(c) }

// isJoinedPhrase reports words that one and the same sign joins, as in legal-winner-thank, and nothing else. seen is what kindsIn says.
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
