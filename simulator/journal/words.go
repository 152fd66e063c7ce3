package journal

import (
	"strconv"
	"strings"
)

// text is what the match asks for, in words.
func (m *matcher) text() string {
	var words []string
	for _, f := range m.judge(&Open{}, nil) {
		words = append(words, f.Field+" "+nothing(f.Want))
	}
	switch {
	case len(words) == 0 && m.Control:
		return "of the control API"
	case len(words) == 0:
		return "of any kind"
	}
	return "with " + strings.Join(words, ", ")
}

func nothing(text string) string {
	if text == "" {
		return "nothing"
	}
	return text
}

func none(n int) string {
	if n == 0 {
		return "none"
	}
	return plural(n)
}

func plural(n int) string {
	if n == 1 {
		return "1 entry"
	}
	return strconv.Itoa(n) + " entries"
}

func number(least, most int) string {
	switch {
	case most == 0:
		return "no entry"
	case least == most:
		return plural(least)
	case most == unbounded:
		return "at least " + plural(least)
	case least == 0:
		return "at most " + plural(most)
	}
	return "between " + strconv.Itoa(least) + " and " + plural(most)
}

// places names entries by their numbers, the first few of them.
func places(found []*Open) string {
	const shown = 5
	var list []string
	for _, o := range found[:min(len(found), shown)] {
		list = append(list, strconv.FormatUint(o.entry.Seq, 10))
	}
	if len(found) > shown {
		list = append(list, "…")
	}
	return strings.Join(list, ", ")
}
