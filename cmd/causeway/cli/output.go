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
	for _, line := range append([][]string{t.Head}, t.Rows...) {
		for i, cell := range line {
			line[i] = cmp.Or(strings.Map(printable, cell), "-")
			if t.Head[i] == "STATUS" {
				line[i] = statusText(out, line[i])
			}
		}
		if _, err := fmt.Fprintln(w, strings.Join(line, "\t")); err != nil {
			return err
		}
	}
	return w.Flush()
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

// Print writes data as JSON, or its view as a table or CSV. If the command has the flag --wide and it is
// not given, lines of a table are cut to the width of the terminal.
func Print(cmd *cobra.Command, data json.RawMessage, view View) error {
	out := cmd.OutOrStdout()
	if WantsJSON(cmd) {
		return PrintJSON(out, data)
	}
	t, err := view(data)
	if err != nil {
		return err
	}
	if outputOf(cmd) == "csv" {
		return t.WriteCSV(out, true)
	}
	wide, width := cmd.Flag("wide"), terminalWidth(out)
	if wide != nil && wide.Value.String() == "false" && width > 0 {
		t.fit(width)
	}
	return t.Write(out)
}

// Print writes the table, or the document instead if JSON is wanted.
func (t *Table) Print(cmd *cobra.Command, document any) error {
	if WantsJSON(cmd) {
		return PrintJSON(cmd.OutOrStdout(), document)
	}
	return t.Write(cmd.OutOrStdout())
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
