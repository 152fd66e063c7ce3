// Package names decides whether a claimed name is the name of an account's holder.
package names

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"causeway/core"
)

// Limits of a claim. The longest names that banks return have 80 characters and a dozen words; a
// claim with more words or initials is a list of guesses.
const (
	maxLength   = 200 // characters; longer names are compared as a whole
	maxWords    = 12
	maxInitials = 4
)

// CheckClaim returns what is wrong with a claimed name, or an empty string. The reason does not
// contain the name.
func CheckClaim(claim core.Private) string {
	text := strings.TrimSpace(claim.Reveal())
	if n := utf8.RuneCountInString(text); n > maxLength {
		return fmt.Sprintf("has %d characters; at most %d are accepted", n, maxLength)
	}
	words, initials := 0, 0
	for _, t := range tokenize(text) {
		words++
		if utf8.RuneCountInString(t.text) == 1 {
			initials++
		}
	}
	switch {
	case text != "" && !strings.ContainsFunc(text, unicode.IsLetter):
		return "has no letters; accepted: the name of the account's holder, a person's or a company's"
	case initials > maxInitials:
		return fmt.Sprintf("has %d single letters; at most %d are accepted", initials, maxInitials)
	case words > maxWords:
		return fmt.Sprintf("has %d words; at most %d are accepted", words, maxWords)
	}
	return ""
}

// Compare reports whether a claimed name is the holder's. The result is the same with the names
// swapped.
//
// The holder of the account gets the money, so two different people never match, and doubtful cases
// are core.CloseMatch:
//
//   - Match: the same words, whatever their order, case and accents, with or without hyphens and
//     apostrophes, titles and company suffixes. An initial matches a name only next to two names
//     that are equal.
//   - CloseMatch: an initial next to one equal name; names missing on one side; one typing error in
//     a long word; a name that the bank cut off; a space too many; JR or III on one side only; MR
//     and MRS; two legal forms (LTD, PLC) or two trades (VENTURES, ENTERPRISES) of one company; one
//     holder of a joint account.
//   - NoMatch: all else. Two names that each have a full word that the other lacks belong to two
//     people: siblings share all other words. Nicknames and spellings (MOHAMMED, MUHAMMAD) are
//     unknown, and scripts other than Latin are compared as is.
//
// A word that is both a title and a given name (PRINCE, JUSTICE) counts as a name, and so does SA,
// a surname and a legal form. The holders of a joint account ("A / B", "A AND B") are matched one
// to one.
func Compare(claimed, held core.Private) core.NameMatch {
	a, b := claimed.Reveal(), held.Reveal()
	if utf8.RuneCountInString(a) > maxLength || utf8.RuneCountInString(b) > maxLength {
		text := func(t token) string { return t.text }
		if x, y := mapped(tokenize(a), text), mapped(tokenize(b), text); len(x) > 0 && slices.Equal(x, y) {
			return core.Match
		}
		return core.NoMatch
	}
	few, many := holdersOf(a), holdersOf(b)
	if len(few) > len(many) {
		few, many = many, few
	}
	if len(few) == 0 {
		return core.NoMatch
	}
	results := make([][]core.NameMatch, len(few))
	for i, one := range few {
		results[i] = mapped(many, func(other holder) core.NameMatch { return compare(one, other) })
	}
	switch {
	case len(few) == len(many) && assignable(results, func(m core.NameMatch) bool { return m == core.Match }):
		return core.Match
	case assignable(results, func(m core.NameMatch) bool { return m != core.NoMatch }):
		return core.CloseMatch
	default:
		return core.NoMatch
	}
}

// assignable reports whether every row can have a column of its own with an accepted result. It
// finds the largest matching of a bipartite graph by augmenting paths (Kuhn).
func assignable(results [][]core.NameMatch, accepted func(core.NameMatch) bool) bool {
	rowOf := make(map[int]int) // by column
	var assign func(row int, tried []bool) bool
	assign = func(row int, tried []bool) bool {
		for column, result := range results[row] {
			if tried[column] || !accepted(result) {
				continue
			}
			tried[column] = true
			if other, taken := rowOf[column]; !taken || assign(other, tried) {
				rowOf[column] = row
				return true
			}
		}
		return false
	}
	for row := range results {
		if !assign(row, make([]bool, len(results[row]))) {
			return false
		}
	}
	return true
}

func mapped[T, R any](list []T, f func(T) R) []R {
	out := make([]R, len(list))
	for i, v := range list {
		out[i] = f(v)
	}
	return out
}
