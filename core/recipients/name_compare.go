package recipients

import (
	"slices"

	"causeway/core"
)

const (
	longWord = 6  // letters of a word in which one typing error is likelier than another name
	cutName  = 20 // characters of a name from which on it may have been cut off; banks keep 20 to 40
)

// comparison is two holders in front of each other.
type comparison struct {
	left   [2][]word // what is not in the other one, by side
	roles  [2][]word // of what is left: titles, forms and the like
	whole  [2]int    // characters of the whole name
	common int       // written words that tell people apart and are equal
	shared tally     // equal words
	doubt  bool      // something for a person to look at
}

// compare says whether two holders are one.
func compare(a, b holder) core.NameMatch {
	c := face(a, b)
	if !c.agreeable() {
		return core.NoMatch
	}
	verdict := c.names()
	if verdict == core.Match && c.doubt {
		return core.CloseMatch
	}
	return verdict
}

// face strikes out what is equal on both sides.
func face(a, b holder) *comparison {
	c := &comparison{whole: [2]int{a.whole, b.whole}}
	one, other := a.wordsFor(b), b.wordsFor(a)
	var common [2][]int // the written words that tell people apart and are equal, by side
	for _, w := range one {
		i := slices.IndexFunc(other, func(o word) bool { return o.text == w.text })
		if i < 0 {
			c.leave(0, w)
			continue
		}
		c.shared.words[min(w.role, other[i].role)]++ // they differ where one of them is no free word: N'GUESSAN, N GUESSAN
		if w.telling() && other[i].telling() && !particles[w.text] {
			common[0], common[1] = append(common[0], w.at), append(common[1], other[i].at)
		}
		other = slices.Delete(other, i, i+1)
	}
	for _, w := range other {
		c.leave(1, w)
	}
	c.common = min(distinct(common[0]), distinct(common[1])) // JEAN-PAUL is one name
	return c
}

func distinct(values []int) int {
	slices.Sort(values)
	return len(slices.Compact(values))
}

// telling reports whether a word tells people apart by itself.
func (w word) telling() bool {
	return w.role == ofName || w.role == ofNumber || w.role == ofScript || w.role == ofTrade
}

func (c *comparison) leave(side int, w word) {
	if w.telling() || w.role == ofInitial {
		c.left[side] = append(c.left[side], w)
	} else {
		c.roles[side] = append(c.roles[side], w)
	}
}

// agreeable looks at what is left beside the names. It reports whether the two may be one, and notes doubts.
func (c *comparison) agreeable() bool {
	one, other := rolesOf(c.roles[0]), rolesOf(c.roles[1])
	both := func(r role) bool { return one.words[r] > 0 && other.words[r] > 0 }
	either := func(r role) bool { return one.words[r]+other.words[r] > 0 }
	if both(ofGeneration) {
		return false
	}
	for _, doubt := range []bool{
		either(ofGeneration),
		both(ofForm), // LTD and PLC
		one.person() && other.company() || one.company() && other.person(), // a man, and a company that has his name
		both(ofTitle) && c.common < 2,                                      // MR OKAFOR and DR OKAFOR
		one.sexes[male] && other.sexes[female],                             // MR and MRS
		one.sexes[female] && other.sexes[male],                             //
		either(ofFiller) && c.common+c.shared.words[ofForm] < 2,            // AIR and AIR NIGERIA
	} {
		c.doubt = c.doubt || doubt
	}
	return true
}

// tally counts words by what they do.
type tally struct {
	words [ofGeneration + 1]int
	sexes [female + 1]bool
}

func rolesOf(words []word) tally {
	var t tally
	for _, w := range words {
		t.words[w.role]++
		t.sexes[w.sex] = true
	}
	return t
}

func (t tally) person() bool { return t.words[ofTitle] > 0 }

func (t tally) company() bool { return t.words[ofForm] > 0 }

// names compares what is left of the names.
func (c *comparison) names() core.NameMatch {
	c.trades()
	a, b := c.left[0], c.left[1]
	switch {
	case len(a)+len(b) == 0 && c.nameless():
		return core.NoMatch
	case len(a)+len(b) == 0:
		return core.Match
	case slices.ContainsFunc(slices.Concat(a, b), func(w word) bool { return w.role == ofScript }):
		return core.NoMatch
	case unspaced(a, b) || unspaced(b, a) || c.misspelt():
		return core.CloseMatch
	}
	initials := spelledOut(a, b) + spelledOut(b, a)
	one, other := len(a)-initials, len(b)-initials
	if one > 0 && other > 0 || c.common == 0 {
		return core.NoMatch
	}
	return c.missing(one+other, initials)
}

// misspelt reports whether the one word that is left on each side is likely the same.
func (c *comparison) misspelt() bool {
	a, b := c.left[0], c.left[1]
	return len(a) == 1 && len(b) == 1 && (mistyped(a[0], b[0]) || c.cut(0) || c.cut(1))
}

// nameless reports whether two that leave nothing have no name in common, and not the same words either: "MR" and "DR".
func (c *comparison) nameless() bool {
	names := c.common + c.shared.words[ofName] + c.shared.words[ofInitial] // particles and all
	return names == 0 && len(c.roles[0])+len(c.roles[1]) > 0
}

// missing judges names of which some are missing on one side, or are initials there.
func (c *comparison) missing(names, initials int) core.NameMatch {
	longer := names + initials + c.shared.words[ofName] + c.shared.words[ofInitial] + c.shared.words[ofNumber] + c.shared.words[ofTrade]
	switch {
	case names == 0 && c.common >= 2:
		return core.Match
	case names == 0 || c.common+initials >= 2 || longer <= 2:
		return core.CloseMatch
	default:
		return core.NoMatch
	}
}

// trades strikes out trades that differ: an owner may call one business both ways, or have both.
func (c *comparison) trades() {
	isTrade := func(w word) bool { return w.role == ofTrade }
	for c.common > 0 {
		i, j := slices.IndexFunc(c.left[0], isTrade), slices.IndexFunc(c.left[1], isTrade)
		if i < 0 || j < 0 {
			return
		}
		c.left[0], c.left[1] = slices.Delete(c.left[0], i, i+1), slices.Delete(c.left[1], j, j+1)
		c.doubt = true
	}
}

// unspaced reports whether one word is two of the other side without the space between them.
func unspaced(one, two []word) bool {
	return len(one) == 1 && len(two) == 2 && two[0].role != ofNumber && two[1].role != ofNumber &&
		(one[0].text == two[0].text+two[1].text || one[0].text == two[1].text+two[0].text)
}

// mistyped reports whether two long words differ by one letter that is changed, missing, or swapped with the next one.
func mistyped(a, b word) bool {
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

// cut reports whether one side's only word that is left is the last of a long name, and the beginning of the other's.
func (c *comparison) cut(side int) bool {
	stump, word := c.left[side][0], c.left[1-side][0]
	return stump.final && c.whole[side] >= cutName && stump.role == ofName && word.role == ofName &&
		len(stump.text) < len(word.text) && word.text[:len(stump.text)] == stump.text
}

// spelledOut counts the initials that stand for names of the other side.
func spelledOut(initials, names []word) int {
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
