package cli

import (
	"cmp"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
	"unicode"

	"github.com/spf13/cobra"
)

// Table is output for people: a head, and rows of as many cells.
type Table struct {
	Head []string
	Rows [][]string

	Optional []string // columns that a narrow terminal may lack, the least important one first
}

// Row adds a row.
func (t *Table) Row(cells ...any) {
	texts := make([]string, len(cells))
	for i, cell := range cells {
		texts[i] = text(cell)
	}
	t.Rows = append(t.Rows, texts)
}

// Write writes the table with aligned columns. An empty cell is shown as "-". Control characters,
// with which a server could take over the terminal, become spaces. On a terminal, the column STATUS
// is colored.
func (t *Table) Write(out io.Writer) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	for _, line := range t.lines() {
		cells := make([]string, len(line))
		for i, cell := range line {
			cells[i] = t.shown(out, i, cell)
		}
		if _, err := fmt.Fprintln(w, strings.Join(cells, "\t")); err != nil {
			return err
		}
	}
	return w.Flush()
}

// shown returns a cell of a column as it is written.
func (t *Table) shown(out io.Writer, column int, cell string) string {
	cell = cmp.Or(strings.Map(printable, cell), "-")
	if t.Head[column] == "STATUS" {
		cell = statusText(out, cell)
	}
	return cell
}

func printable(r rune) rune {
	if unicode.IsControl(r) {
		return ' '
	}
	return r
}

// WriteCSV writes the rows as CSV, below the head in lower case if it is wanted.
func (t *Table) WriteCSV(out io.Writer, head bool) error {
	w := csv.NewWriter(out)
	if head {
		names := strings.ToLower(strings.Join(t.Head, "\t"))
		_ = w.Write(strings.Split(strings.ReplaceAll(names, " ", "_"), "\t")) // Flush reports the error
	}
	_ = w.WriteAll(t.Rows)
	return w.Error()
}

// Print writes data as JSON, or its view as a table or CSV. The command has the flag of WideFlag.
func Print(cmd *cobra.Command, data json.RawMessage, view View) error {
	if WantsJSON(cmd) {
		return PrintJSON(cmd.OutOrStdout(), data)
	}
	t, err := view(data)
	if err != nil {
		return err
	}
	return t.Print(cmd, nil)
}

// Print writes the table, or the document instead if JSON is wanted. Unless --wide is given, the table is as wide as
// the terminal at most: see fit. If it cannot be, each field has a line of its own. No value is shortened.
func (t *Table) Print(cmd *cobra.Command, document any) error {
	out := cmd.OutOrStdout()
	switch outputOf(cmd) {
	case "json":
		return PrintJSON(out, document)
	case "csv":
		return t.WriteCSV(out, true)
	}
	width := terminalWidth(out)
	if width == 0 || flagValue(cmd, "wide") == "true" {
		return t.Write(out)
	}
	fitted, ok := t.fit(width)
	if !ok {
		return t.writeFields(out, width)
	}
	if err := fitted.Write(out); err != nil {
		return err
	}
	if hidden := t.Optional[:len(t.Head)-len(fitted.Head)]; len(hidden) > 0 {
		cmd.PrintErrf("Not shown: %s. --wide or -o json shows all columns.\n", strings.Join(hidden, ", "))
	}
	return nil
}

// PrintResult writes a line of text, or the document instead if JSON is wanted.
func PrintResult(cmd *cobra.Command, document any, format string, args ...any) error {
	if WantsJSON(cmd) {
		return PrintJSON(cmd.OutOrStdout(), document)
	}
	_, err := fmt.Fprintf(cmd.OutOrStdout(), format+"\n", args...)
	return err
}

// PrintJSON writes a value as an indented JSON document.
func PrintJSON(out io.Writer, value any) error {
	e := json.NewEncoder(out)
	e.SetIndent("", "  ")
	e.SetEscapeHTML(false)
	return e.Encode(value)
}
