package names

import (
	"slices"
	"strings"

	"causeway/core"
)

const (
	longWord   = 6  // letters of a word in which a typing error is likelier than another name
	cutName    = 20 // characters from which on a bank may have cut off a name; banks keep 20 to 40
	maxMissing = 3  // names that may be missing on one side; a claim with more surplus names is a guess
)

// comparison is the difference between two holders.
type comparison struct {
	rest   [2][]word // words without an equal on the other side: names, initials, numbers, trades
	roles  [2]tally  // other words without an equal: titles, legal forms and the like
	length [2]int    // characters of the whole names
	common int       // compounds that distinguish people and are equal
	shared tally     // equal words
	doubt  bool      // a person should compare
}

// tally counts words by role and by sex.
type tally struct {
	roles [ofGeneration + 1]int
	sexes [female + 1]int
}

// compare decides whether two holders are the same.
func compare(a, b holder) core.NameMatch {
	c := diff(a, b)
	if c.roles[0].roles[ofGeneration] > 0 && c.roles[1].roles[ofGeneration] > 0 {
		return core.NoMatch // JR and SR
	}
	c.doubt = c.doubtfulRoles()
	result := c.compareNames()
	if result == core.Match && c.doubt {
		return core.CloseMatch
	}
	return result
}

// diff removes the words that are equal.
func diff(a, b holder) *comparison {
	c := &comparison{length: [2]int{a.length, b.length}}
	ours, theirs := a.wordsFor(b), b.wordsFor(a)
	equal := [2]map[int]bool{{}, {}} // compounds, by side
	for _, w := range ours {
		i := slices.IndexFunc(theirs, func(o word) bool { return o.text == w.text })
		if i < 0 {
			c.addRest(0, w)
			continue
		}
		other := theirs[i]
		c.shared.roles[min(w.role, other.role)]++ // they differ if one of them is not free: N'GUESSAN, N GUESSAN
		if w.distinguishes() && other.distinguishes() && !particles[w.text] {
			equal[0][w.compound], equal[1][other.compound] = true, true
		}
		theirs = slices.Delete(theirs, i, i+1)
	}
	for _, w := range theirs {
		c.addRest(1, w)
	}
	c.common = min(len(equal[0]), len(equal[1])) // JEAN-PAUL is one name
	return c
}

// distinguishes reports whether a word alone can distinguish two people.
func (w word) distinguishes() bool {
	return w.role == ofName || w.role == ofNumber || w.role == ofScript || w.role == ofTrade
}

func (c *comparison) addRest(side int, w word) {
	if w.distinguishes() || w.role == ofInitial {
		c.rest[side] = append(c.rest[side], w)
		return
	}
	c.roles[side].roles[w.role]++
	c.roles[side].sexes[w.sex]++
}

// doubtfulRoles reports whether titles, legal forms and other roles are a reason to doubt a match.
func (c *comparison) doubtfulRoles() bool {
	a, b := c.roles[0], c.roles[1]
	both := func(r role) bool { return a.roles[r] > 0 && b.roles[r] > 0 }
	either := func(r role) bool { return a.roles[r]+b.roles[r] > 0 }
	crossed := func(r, s int) bool { return r > 0 && s > 0 }
	switch {
	case either(ofGeneration), both(ofForm): // LTD and PLC
	case crossed(a.roles[ofTitle], b.roles[ofForm]), crossed(a.roles[ofForm], b.roles[ofTitle]): // MR and LTD
	case both(ofTitle) && c.common < 2: // MR OKAFOR and DR OKAFOR
	case crossed(a.sexes[male], b.sexes[female]), crossed(a.sexes[female], b.sexes[male]): // MR and MRS
	case either(ofFiller) && c.common+c.shared.roles[ofForm] < 2: // AIR and AIR NIGERIA
	default:
		return false
	}
	return true
}

// compareNames compares the remaining names.
func (c *comparison) compareNames() core.NameMatch {
	c.removeTrades()
	a, b := c.rest[0], c.rest[1]
	isScript := func(w word) bool { return w.role == ofScript }
	switch {
	case len(a)+len(b) == 0 && c.nameless():
		return core.NoMatch
	case len(a)+len(b) == 0:
		return core.Match
	case slices.ContainsFunc(slices.Concat(a, b), isScript):
		return core.NoMatch
	case c.misspelled():
		return core.CloseMatch
	}
	initials := abbreviations(a, b) + abbreviations(b, a)
	ours, theirs := len(a)-initials, len(b)-initials
	if ours > 0 && theirs > 0 || c.common == 0 {
		return core.NoMatch
	}
	return c.compareMissing(ours+theirs, initials)
}

// misspelled reports whether the remaining words are likely the same.
func (c *comparison) misspelled() bool {
	a, b := c.rest[0], c.rest[1]
	return spaceMissing(a, b) || spaceMissing(b, a) ||
		len(a) == 1 && len(b) == 1 && (misspelt(a[0], b[0]) || c.cutOff(0) || c.cutOff(1))
}

// nameless reports whether two equal holders share no name, and differ otherwise: "MR" and "DR".
func (c *comparison) nameless() bool {
	names := c.common + c.shared.roles[ofName] + c.shared.roles[ofInitial] // particles count here
	return names == 0 && c.roles != [2]tally{}
}

// compareMissing decides on names that one side lacks or abbreviates.
func (c *comparison) compareMissing(names, initials int) core.NameMatch {
	length := names + initials + c.shared.roles[ofName] + c.shared.roles[ofInitial] + c.shared.roles[ofNumber] +
		c.shared.roles[ofTrade]
	switch {
	case names == 0 && c.common >= 2:
		return core.Match
	case names > maxMissing:
		return core.NoMatch
	case names == 0 || c.common+initials >= 2 || length <= 2:
		return core.CloseMatch
	default:
		return core.NoMatch
	}
}

// removeTrades removes trades that differ: one business may be called both ways, or its owner has
// both.
func (c *comparison) removeTrades() {
	isTrade := func(w word) bool { return w.role == ofTrade }
	for c.common > 0 {
		i, j := slices.IndexFunc(c.rest[0], isTrade), slices.IndexFunc(c.rest[1], isTrade)
		if i < 0 || j < 0 {
			return
		}
		c.rest[0], c.rest[1] = slices.Delete(c.rest[0], i, i+1), slices.Delete(c.rest[1], j, j+1)
		c.doubt = true
	}
}

// spaceMissing reports whether one word equals two of the other side without the space between
// them.
func spaceMissing(one, two []word) bool {
	return len(one) == 1 && len(two) == 2 && two[0].role != ofNumber && two[1].role != ofNumber &&
		(one[0].text == two[0].text+two[1].text || one[0].text == two[1].text+two[0].text)
}

// misspelt reports whether two long words differ by one letter that is changed, missing or swapped
// with the next one.
func misspelt(a, b word) bool {
	x, y := a.text, b.text
	if len(x) > len(y) {
		x, y = y, x
	}
	if a.role != ofName || b.role != ofName || len(x) < longWord {
		return false
	}
	i := 0
	for i < len(x) && x[i] == y[i] {
		i++
	}
	x, y = x[i:], y[i:]
	switch {
	case len(x) < len(y):
		return x == y[1:]
	case x[1:] == y[1:]:
		return true
	default:
		return len(x) > 1 && x[0] == y[1] && x[1] == y[0] && x[2:] == y[2:]
	}
}

// cutOff reports whether the one word that remains on a side ends a long name and begins the other
// side's word.
func (c *comparison) cutOff(side int) bool {
	stump, whole := c.rest[side][0], c.rest[1-side][0]
	return stump.final && c.length[side] >= cutName && stump.role == ofName && whole.role == ofName &&
		len(stump.text) < len(whole.text) && strings.HasPrefix(whole.text, stump.text)
}

// abbreviations counts the initials that abbreviate a name of the other side.
func abbreviations(initials, names []word) int {
	names = slices.Clone(names)
	n := 0
	for _, w := range initials {
		i := slices.IndexFunc(names, func(name word) bool { return name.role == ofName && name.text[0] == w.text[0] })
		if w.role == ofInitial && i >= 0 {
			names = slices.Delete(names, i, i+1)
			n++
		}
	}
	return n
}
