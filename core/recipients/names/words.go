package names

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// holder is a person or company in a name.
type holder struct {
	words  []compound
	length int  // characters of the whole name
	last   bool // no other holder follows
}

// compound is a word as written: several parts if hyphens or apostrophes join them.
type compound struct {
	parts []string
	after separator
}

// word is the unit of comparison.
type word struct {
	text     string
	role     role
	sex      sex
	compound int  // index of the compound that it is part of
	final    bool // the last word of a name, which banks may cut off
}

// role is the function of a word in a name.
type role int

const (
	ofName       role = iota // distinguishes people
	ofInitial                // a single letter that may abbreviate a name
	ofNumber                 // contains a digit; distinguishes people, and is never misspelled
	ofScript                 // in a script other than Latin; likewise
	ofTitle                  // does not distinguish people
	ofForm                   // legal form of a company
	ofFiller                 // goes with a legal form: CO, NIG
	ofTrade                  // trade of a company; an owner may have several
	ofGeneration             // JR, SR, II: distinguishes father and son
)

// sex is what a title reveals about its bearer.
type sex int

const (
	male sex = iota + 1
	female
)

// meaning is the entry of a word in the table.
type meaning struct {
	as   string // the spelling that is compared
	role role
	sex  sex
}

// holdersOf splits a name into its holders.
func holdersOf(name string) []holder {
	tokens := tokenize(name)
	length := len(tokens) - 1 // one space between two tokens
	for _, t := range tokens {
		length += utf8.RuneCountInString(t.text)
	}
	var out []holder
	for _, words := range split(compoundsOf(tokens), conjunction) {
		people := split(words, comma)
		if slices.ContainsFunc(people, func(p []compound) bool { return countNames(p) < 2 }) {
			people = [][]compound{words} // "OKAFOR, JOHN" is one person, "OKAFOR JOHN, BELLO MARY" may be two
		}
		for _, words := range people {
			out = append(out, holder{words: words, length: length})
		}
	}
	if len(out) > 0 {
		out[len(out)-1].last = true
	}
	return out
}

// compoundsOf joins the tokens of each word. A conjunction between two words separates holders.
func compoundsOf(tokens []token) []compound {
	var out []compound
	for i := 0; i < len(tokens); {
		w, next := compoundAt(tokens, i)
		last := len(out) - 1
		isConjunction := len(w.parts) == 1 && conjunctions[w.parts[0]]
		if last >= 0 && next < len(tokens) && isConjunction && out[last].after != conjunction {
			out[last].after = conjunction
		} else {
			out = append(out, w)
		}
		i = next
	}
	return out
}

// compoundAt returns the word that begins at a token and the index of the next word. Letters with
// points are initials, unless they, or the last of them, spell a legal form ("P.L.C."): M.E. is not
// the title ME.
func compoundAt(tokens []token, i int) (compound, int) {
	var letters []string
	for j := i; j < len(tokens) && len(tokens[j].text) == 1; j++ {
		letters = append(letters, tokens[j].text)
		if tokens[j].after == dot && j+1 < len(tokens) && len(tokens[j+1].text) == 1 {
			continue
		}
		switch form := strings.Join(letters, ""); {
		case len(letters) < 2 || tokens[j].after == joiner:
		case ambiguousForms[form]: // one word only if the other name has it as one word
			return compound{letters, tokens[j].after}, j + 1
		case meanings[form].role == ofForm:
			return compound{[]string{form}, tokens[j].after}, j + 1
		}
		break
	}
	parts := []string{tokens[i].text}
	for ; i+1 < len(tokens) && tokens[i].after == joiner; i++ {
		parts = append(parts, tokens[i+1].text)
	}
	return compound{parts, tokens[i].after}, i + 1
}

// split splits words after each one that the separator follows.
func split(words []compound, at separator) [][]compound {
	var out [][]compound
	begin := 0
	for i, w := range words {
		if w.after == at || i == len(words)-1 {
			out = append(out, words[begin:i+1])
			begin = i + 1
		}
	}
	return out
}

// countNames counts the words that can be names of people.
func countNames(words []compound) int {
	n := 0
	for _, w := range words {
		if len(w.parts) > 1 || meanings[w.parts[0]].as == "" {
			n++
		}
	}
	return n
}

// wordsFor returns the words of a holder for the comparison with another one. Parts are joined if
// the other name has them as one word, so that ABDUL-RAHMAN equals ABDUL RAHMAN and ABDULRAHMAN.
func (h holder) wordsFor(other holder) []word {
	written := make(map[string]bool) // the parts of the other name
	longest := 0
	for _, w := range other.words {
		for _, p := range w.parts {
			written[p] = true
			longest = max(longest, len(p))
		}
	}
	var out []word
	for i, w := range h.words {
		free := len(w.parts) == 1 || !slices.ContainsFunc(w.parts, func(p string) bool { return len(p) > 1 })
		for rest := w.parts; len(rest) > 0; {
			n, joined := 1, rest[0]
			for k, text := 2, rest[0]; k <= len(rest); k++ {
				if text += rest[k-1]; len(text) > longest {
					break
				}
				if written[text] {
					n, joined = k, text
				}
			}
			out = append(out, newWord(joined, free, i))
			rest = rest[n:]
		}
	}
	out[len(out)-1].final = h.last
	return out
}

// newWord classifies a word. Only a free one has the meaning of the table: SA'AD is not a company,
// N'GUESSAN has no initial.
func newWord(text string, free bool, compound int) word {
	if m := meanings[text]; free && m.as != "" {
		return word{text: m.as, role: m.role, sex: m.sex, compound: compound}
	}
	w := word{text: text, compound: compound}
	switch {
	case strings.ContainsFunc(text, func(r rune) bool { return r > 'z' }):
		w.role = ofScript
	case strings.ContainsFunc(text, func(r rune) bool { return r < 'a' }):
		w.role = ofNumber
	case free && len(text) == 1:
		w.role = ofInitial
	}
	return w
}
