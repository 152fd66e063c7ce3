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
	"time"
	"unicode/utf8"

	"golang.org/x/term"
)

var errOtherVersion = errors.New("the response is not of this version; compare causeway version with the server's")

// View makes a table of JSON.
type View func(data json.RawMessage) (Table, error)

// NewView returns a view with a head, comma-separated. add adds the rows of each element of a list of T, or of a
// single T.
func NewView[T any](head string, add func(t *Table, item T)) View {
	return func(data json.RawMessage) (Table, error) {
		var items []T
		if bytes.HasPrefix(data, []byte("{")) {
			data = slices.Concat([]byte("["), data, []byte("]"))
		}
		if err := json.Unmarshal(data, &items); err != nil || items == nil {
			return Table{}, errOtherVersion
		}
		t := Table{Head: strings.Split(head, ",")}
		for _, item := range items {
			add(&t, item)
		}
		return t, nil
	}
}

// Words joins the texts of two cells, of which either may be empty.
func Words(first, second any) string { return strings.TrimSpace(text(first) + " " + text(second)) }

// Column returns one value of each item of a list.
func Column[T any](items []T, value func(T) string) []string {
	values := make([]string, len(items))
	for i, item := range items {
		values[i] = value(item)
	}
	return values
}

// text returns a value as its JSON shows it: a list with commas, an object as name=value, no time as nothing.
func text(v any) string {
	if v == any(time.Time{}) {
		return ""
	}
	document, _ := json.Marshal(v) // a value of a document
	decoder := json.NewDecoder(bytes.NewReader(document))
	decoder.UseNumber()
	var plain any
	_ = decoder.Decode(&plain) // it was encoded above
	return cell(plain)
}

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
