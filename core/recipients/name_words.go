package recipients

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// holder is one of the people, or the company, that a name names.
type holder struct {
	words []written
	whole int  // characters of the whole name
	last  bool // nobody is named after this one
}

// written is a word as it is written: in several parts, if hyphens or apostrophes join them.
type written struct {
	parts []string
	after separator
}

// word is what is compared.
type word struct {
	text  string
	role  role
	sex   sex
	at    int  // of the written word that it is part of
	final bool // the last one of a name: where banks cut
}

// role is what a word does in a name.
type role int

const (
	ofName       role = iota // tells people apart
	ofInitial                // a letter that may stand for a name
	ofNumber                 // has a digit; tells people apart, and is never mistyped
	ofScript                 // in another script than Latin; likewise
	ofTitle                  // says nothing about who it is
	ofForm                   // a company's legal form
	ofFiller                 // beside a legal form: CO, NIG
	ofTrade                  // a company's trade: one of several that an owner may have
	ofGeneration             // JR, SR, II: tells father and son apart
)

// sex is what a title says about its bearer.
type sex int

const (
	male sex = iota + 1
	female
)

// meaning is what is known of a word.
type meaning struct {
	as   string // the spelling in which it is compared
	role role
	sex  sex
}

// holdersOf takes a name apart into those whom it names.
func holdersOf(name string) []holder {
	parts := partsOf(name)
	whole := len(parts) - 1 // one space between two parts
	for _, p := range parts {
		whole += utf8.RuneCountInString(p.text)
	}
	var out []holder
	for _, words := range split(wordsOf(parts), conjunction) {
		people := split(words, comma)
		if slices.ContainsFunc(people, func(p []written) bool { return names(p) < 2 }) {
			people = [][]written{words} // "OKAFOR, JOHN" is one person, "OKAFOR JOHN, BELLO MARY" may be two
		}
		for _, one := range people {
			out = append(out, holder{words: one, whole: whole})
		}
	}
	if len(out) > 0 {
		out[len(out)-1].last = true
	}
	return out
}

// wordsOf joins parts that are one word. A conjunction between two words separates them.
func wordsOf(parts []part) []written {
	out := make([]written, 0, len(parts))
	for i := 0; i < len(parts); {
		w, next := wordAt(parts, i)
		if n := len(out); n > 0 && next < len(parts) && len(w.parts) == 1 && conjunctions[w.parts[0]] && out[n-1].after != conjunction {
			out[n-1].after = conjunction
		} else {
			out = append(out, w)
		}
		i = next
	}
	return out
}

// wordAt returns the word that begins at a part, and where the next one does. Letters with points between them are initials, as letters
// with spaces are: joined, M.E. would be a title and C.O. a filler, which say nothing. Only a legal form is one word ("P.L.C.").
func wordAt(parts []part, i int) (written, int) {
	if w, next, ok := pointed(parts, i); ok {
		return w, next
	}
	texts := []string{parts[i].text}
	for ; i+1 < len(parts) && parts[i].after == joiner; i++ {
		texts = append(texts, parts[i+1].text)
	}
	return written{texts, parts[i].after}, i + 1
}

// pointed returns the legal form that letters with points between them spell, if they do.
func pointed(parts []part, i int) (written, int, bool) {
	var letters []string
	for ; i < len(parts) && len(parts[i].text) == 1; i++ {
		letters = append(letters, parts[i].text)
		if parts[i].after == dot && i+1 < len(parts) && len(parts[i+1].text) == 1 {
			continue
		}
		form := strings.Join(letters, "")
		switch w := (written{letters, parts[i].after}); {
		case len(letters) < 2 || parts[i].after == joiner:
			return written{}, 0, false
		case ambiguousForms[form]: // one word only where the other name has it as one
			return w, i + 1, true
		case meanings[form].role == ofForm:
			return written{[]string{form}, parts[i].after}, i + 1, true
		default:
			return written{}, 0, false
		}
	}
	return written{}, 0, false
}

// split splits words after those that the separator follows.
func split(words []written, at separator) [][]written {
	var out [][]written
	begin := 0
	for i, w := range words {
		if w.after == at || i == len(words)-1 {
			out = append(out, words[begin:i+1])
			begin = i + 1
		}
	}
	return out
}

// names counts the words that may be somebody's name.
func names(words []written) int {
	n := 0
	for _, w := range words {
		if len(w.parts) > 1 || meanings[w.parts[0]].as == "" {
			n++
		}
	}
	return n
}

// wordsFor returns the words of a holder as they are compared with another one: parts are joined where the other has them as
// one, so that ABDUL-RAHMAN is ABDUL RAHMAN and ABDULRAHMAN.
func (h holder) wordsFor(other holder) []word {
	longest := 0
	for _, w := range other.words {
		for _, p := range w.parts {
			longest = max(longest, len(p))
		}
	}
	out := make([]word, 0, len(h.words)+2)
	for at, w := range h.words {
		free := len(w.parts) == 1 || !slices.ContainsFunc(w.parts, func(p string) bool { return len(p) > 1 })
		for rest := w.parts; len(rest) > 0; {
			n := within(rest, longest)
			for n > 1 && !other.has(strings.Join(rest[:n], "")) {
				n--
			}
			out = append(out, wordOf(strings.Join(rest[:n], ""), free, at))
			rest = rest[n:]
		}
	}
	out[len(out)-1].final = h.last
	return out
}

// within counts the parts, one at least, that together have so many bytes at most.
func within(parts []string, most int) int {
	n, length := 1, len(parts[0])
	for n < len(parts) && length+len(parts[n]) <= most {
		length += len(parts[n])
		n++
	}
	return n
}

// has reports whether a part of some word has that spelling.
func (h holder) has(text string) bool {
	return slices.ContainsFunc(h.words, func(w written) bool { return slices.Contains(w.parts, text) })
}

// wordOf makes a word of its spelling. Only a free one means something by itself: SA'AD is no company, N'GUESSAN no initial.
func wordOf(text string, free bool, at int) word {
	if m := meanings[text]; free && m.as != "" {
		return word{text: m.as, role: m.role, sex: m.sex, at: at}
	}
	w := word{text: text, at: at}
	for _, r := range text {
		switch {
		case r > 'z':
			w.role = ofScript
			return w
		case r < 'a':
			w.role = ofNumber
		}
	}
	if w.role == ofName && free && len(text) == 1 {
		w.role = ofInitial
	}
	return w
}
