package recipients

import (
	"unicode/utf8"

	"causeway/core"
)

// longestName is how many characters of a name are compared word by word; the longest that a bank has been seen to give has 80. Longer
// ones are the same or they are not.
const longestName = 200

// CompareNames says whether a claimed name is the holder's. Claimed and held may be swapped.
//
// The payer asks because money goes to whoever has the account, so that the verdicts err on one side: two different people never
// match, and where a person can decide better than a rule it is core.CloseMatch.
//
//   - Match: the same words, whatever their order, case and accents, with or without hyphens and apostrophes, titles and company
//     suffixes. An initial stands for its name only beside two names that are equal: "J OKAFOR" may be anybody of the family.
//   - CloseMatch: an initial beside one equal name; names missing on one side; one typing error in a long word, a name cut off
//     by the bank, a space too many; JR or III on one side only; MR and MRS; two legal forms (LTD, PLC) or two trades
//     (VENTURES, ENTERPRISES) of one company; one holder of a joint account.
//   - NoMatch: the rest. Two names where each has a full word that the other lacks are two people: siblings share all others. Nicknames
//     and spellings (MOHAMMED, MUHAMMAD) are not known here, and scripts other than Latin are compared as they are.
//
// What is a title and a given name too (PRINCE, JUSTICE) counts as a name, and so does SA, a surname and a legal form: with
// and without it is a close match. A joint account ("A / B", "A AND B") matches holder by holder, so that words do not
// wander from one to the other. The cost is bounded by the square of longestName.
func CompareNames(claimed, held core.Private) core.NameMatch {
	a, b := claimed.Reveal(), held.Reveal()
	if utf8.RuneCountInString(a) > longestName || utf8.RuneCountInString(b) > longestName {
		if same(partsOf(a), partsOf(b)) {
			return core.Match
		}
		return core.NoMatch
	}
	one, other := holdersOf(a), holdersOf(b)
	if len(one) > len(other) {
		one, other = other, one
	}
	if len(one) == 0 {
		return core.NoMatch
	}
	verdicts := make([][]core.NameMatch, len(one))
	for i, holder := range one {
		for _, with := range other {
			verdicts[i] = append(verdicts[i], compare(holder, with))
		}
	}
	switch {
	case len(one) == len(other) && paired(verdicts, func(v core.NameMatch) bool { return v == core.Match }):
		return core.Match
	case paired(verdicts, func(v core.NameMatch) bool { return v != core.NoMatch }):
		return core.CloseMatch
	default:
		return core.NoMatch
	}
}

func same(a, b []part) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if a[i].text != b[i].text {
			return false
		}
	}
	return len(a) > 0
}

// paired reports whether every holder of a row can have a column of its own whose verdict will do. It finds the largest
// matching of a bipartite graph by augmenting paths (Kuhn).
func paired(verdicts [][]core.NameMatch, will func(core.NameMatch) bool) bool {
	taken := make([]int, len(verdicts[0])) // by column: the row that has it, counted from 1
	var place func(row int, tried []bool) bool
	place = func(row int, tried []bool) bool {
		for column, verdict := range verdicts[row] {
			if tried[column] || !will(verdict) {
				continue
			}
			tried[column] = true
			if taken[column] == 0 || place(taken[column]-1, tried) {
				taken[column] = row + 1
				return true
			}
		}
		return false
	}
	for row := range verdicts {
		if !place(row, make([]bool, len(taken))) {
			return false
		}
	}
	return true
}
