package cli

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"
	"unicode/utf8"

	"golang.org/x/term"
)

var errOtherVersion = errors.New("the response is not that of this version; compare causeway version with the server's")

// JSONTable makes a table of a JSON list, or of an object as its one row. columns are HEAD=path pairs,
// separated by spaces. A path names members, separated by dots; "." is the row itself, "+" joins
// two paths, and a path through a list returns every element. An underscore in a head is a space.
// A first pair "*=path" makes a row of every element of that list; the element then overrides
// members of the object that contains it.
func JSONTable(data json.RawMessage, columns string) (Table, error) {
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.UseNumber()
	var document any
	if err := decoder.Decode(&document); err != nil {
		return Table{}, errOtherVersion
	}
	pairs := strings.Fields(columns)
	rows, isList := document.([]any)
	if _, isObject := document.(map[string]any); isObject {
		rows = []any{document}
	} else if !isList {
		return Table{}, errOtherVersion
	}
	if path, ok := strings.CutPrefix(pairs[0], "*="); ok {
		pairs, rows = pairs[1:], expand(rows, path)
	}
	var t Table
	paths := make([]string, len(pairs))
	for i, pair := range pairs {
		head, path, _ := strings.Cut(pair, "=")
		t.Head, paths[i] = append(t.Head, strings.ReplaceAll(head, "_", " ")), path
	}
	for _, row := range rows {
		var cells []any
		for _, path := range paths {
			var parts []string
			for one := range strings.SplitSeq(path, "+") {
				if text := cell(member(row, one)); text != "" {
					parts = append(parts, text)
				}
			}
			cells = append(cells, strings.Join(parts, " "))
		}
		t.Row(cells...)
	}
	return t, nil
}

// expand returns a row for every element of a list in each row.
func expand(rows []any, path string) []any {
	var out []any
	for _, row := range rows {
		elements, _ := member(row, path).([]any)
		for _, element := range elements {
			merged := map[string]any{}
			for _, object := range []any{row, element} {
				members, _ := object.(map[string]any)
				maps.Copy(merged, members)
			}
			out = append(out, merged)
		}
	}
	return out
}

// member returns what a path leads to; nil if there is nothing.
func member(v any, path string) any {
	if path == "." {
		return v
	}
	name, rest, more := strings.Cut(path, ".")
	switch v := v.(type) {
	case map[string]any:
		if !more {
			return v[name]
		}
		return member(v[name], rest)
	case []any:
		out := make([]any, len(v))
		for i, element := range v {
			out[i] = member(element, path)
		}
		return out
	}
	return nil
}

// cell returns a value as text: a list with commas, an object as name=value.
func cell(v any) string {
	switch v := v.(type) {
	case nil:
		return ""
	case []any:
		texts := make([]string, len(v))
		for i, element := range v {
			texts[i] = cell(element)
		}
		return strings.Join(texts, ", ")
	case map[string]any:
		texts := make([]string, 0, len(v))
		for _, name := range slices.Sorted(maps.Keys(v)) {
			texts = append(texts, name+"="+cell(v[name]))
		}
		return strings.Join(texts, " ")
	}
	return fmt.Sprint(v)
}

// terminalWidth returns the number of columns of a terminal; 0 if out is not a terminal.
func terminalWidth(out io.Writer) int {
	file, ok := out.(*os.File)
	if !ok {
		return 0
	}
	width, _, err := term.GetSize(int(file.Fd()))
	if err != nil {
		return 0
	}
	return width
}

// useColor decides whether output is colored. The consoles of older versions of Windows set no TERM and show no colors.
func useColor(terminal bool, getenv func(string) string) bool {
	term := getenv("TERM")
	return terminal && getenv("NO_COLOR") == "" && term != "" && term != "dumb"
}

var statusColors = map[string]int{"fresh": 32, "valid": 32, "stale": 33, "halted": 31, "NOT valid": 31}

// paint colors a status word; other text keeps the default color, 39. All texts grow by the same number of bytes, so
// that the columns of a table stay aligned.
func paint(text string) string {
	return fmt.Sprintf("\x1b[%dm%s\x1b[0m", cmp.Or(statusColors[text], 39), text)
}

// statusText returns a status word, colored if out is a terminal that shows colors.
func statusText(out io.Writer, word string) string {
	if useColor(terminalWidth(out) > 0, os.Getenv) {
		return paint(word)
	}
	return word
}

// fit cuts cells, the widest column first, until lines have at most width characters.
func (t *Table) fit(width int) {
	const gap, minimum = 2, 8
	lines := append([][]string{t.Head}, t.Rows...)
	widths := make([]int, len(t.Head))
	total := -gap
	for i := range widths {
		for _, line := range lines {
			widths[i] = max(widths[i], utf8.RuneCountInString(line[i]))
		}
		total += widths[i] + gap
	}
	for ; total > width; total-- {
		widest := slices.Index(widths, slices.Max(widths))
		if widths[widest] <= minimum {
			break
		}
		widths[widest]--
	}
	for _, line := range lines {
		for i, cell := range line {
			if utf8.RuneCountInString(cell) > widths[i] {
				line[i] = string([]rune(cell)[:widths[i]-1]) + "…"
			}
		}
	}
}
