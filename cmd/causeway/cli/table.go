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

// more is the cell below a cell whose row goes on in the next one.
const more = " "

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

// Optional returns the view with columns that a narrow terminal may lack, the least important one first.
func (v View) Optional(columns ...string) View {
	return func(data json.RawMessage) (Table, error) {
		t, err := v(data)
		t.Optional = columns
		return t, err
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

// The widths, in characters, of the gap between columns, and below which the last column is not broken into lines.
const columnGap, minTextWidth = 2, 20

// fit returns the table with lines of at most width characters, and false if that is not possible. It breaks the last
// column at spaces, or leaves out optional columns. A single row keeps all columns.
func (t *Table) fit(width int) (Table, bool) {
	if fitted, ok := t.wrap(width); ok || len(t.Rows) == 1 {
		return fitted, ok
	}
	for n := 1; n <= len(t.Optional); n++ {
		shown := t.without(t.Optional[:n])
		if fitted, ok := shown.wrap(width); ok {
			return fitted, true
		}
	}
	return Table{}, false
}

// without returns the table without some columns.
func (t *Table) without(columns []string) Table {
	var out Table
	for _, line := range t.lines() {
		var cells []string
		for i, cell := range line {
			if !slices.Contains(columns, t.Head[i]) {
				cells = append(cells, cell)
			}
		}
		out.Rows = append(out.Rows, cells)
	}
	return Table{Head: out.Rows[0], Rows: out.Rows[1:]}
}

func (t *Table) lines() [][]string { return append([][]string{t.Head}, t.Rows...) }

// wrap returns the table with the last column broken at spaces, and false if lines have more than width characters all
// the same.
func (t *Table) wrap(width int) (Table, bool) {
	last, room := len(t.Head)-1, width
	for i := range last {
		room -= columnGap + maxLength(t.lines(), func(line []string) int { return utf8.RuneCountInString(line[i]) })
	}
	if maxLength(t.lines(), func(line []string) int { return utf8.RuneCountInString(line[last]) }) <= room {
		return *t, true
	}
	if room < minTextWidth {
		return Table{}, false
	}
	out, ok := Table{Head: t.Head}, true
	for _, row := range t.Rows {
		for n, text := range breakLines(row[last], room) {
			line := slices.Concat(row[:last], []string{text})
			if n > 0 {
				for i := range last {
					line[i] = more
				}
			}
			out.Rows, ok = append(out.Rows, line), ok && utf8.RuneCountInString(text) <= room
		}
	}
	return out, ok && utf8.RuneCountInString(t.Head[last]) <= room
}

func maxLength[T any](items []T, length func(T) int) (longest int) {
	for _, item := range items {
		longest = max(longest, length(item))
	}
	return longest
}

// breakLines breaks a text at spaces into lines of at most width characters. A longer word has a line of its own.
func breakLines(text string, width int) []string {
	if utf8.RuneCountInString(text) <= width {
		return []string{text}
	}
	var lines []string
	for word := range strings.FieldsSeq(text) {
		last := len(lines) - 1
		if last >= 0 && utf8.RuneCountInString(lines[last]+" "+word) <= width {
			lines[last] += " " + word
		} else {
			lines = append(lines, word)
		}
	}
	return lines
}

// writeFields writes each field on a line of its own, or on several if it has spaces and is wide, and an empty line
// between rows.
func (t *Table) writeFields(out io.Writer, width int) error {
	if len(t.Rows) == 0 {
		_, err := fmt.Fprintln(out, "none")
		return err
	}
	indent := columnGap + maxLength(t.Head, utf8.RuneCountInString)
	var text strings.Builder
	for n, row := range t.Rows {
		if n > 0 && row[0] != more {
			text.WriteByte('\n')
		}
		for i, cell := range row {
			name := t.Head[i]
			for _, line := range breakLines(t.shown(out, i, cell), width-indent) {
				if cell != more {
					fmt.Fprintf(&text, "%-*s%s\n", indent, name, line)
				}
				name = ""
			}
		}
	}
	_, err := io.WriteString(out, text.String())
	return err
}
