package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"
)

// table is what people are shown: a head, and rows of as many cells.
type table struct {
	head []string
	rows [][]string
}

func (t *table) row(cells ...any) {
	texts := make([]string, len(cells))
	for i, cell := range cells {
		texts[i] = fmt.Sprint(cell)
		if texts[i] == "" {
			texts[i] = "-"
		}
	}
	t.rows = append(t.rows, texts)
}

func (t *table) write(out io.Writer) error {
	const gap = 2
	w := tabwriter.NewWriter(out, 0, 0, gap, ' ', 0)
	for _, line := range append([][]string{t.head}, t.rows...) {
		if _, err := fmt.Fprintln(w, strings.Join(line, "\t")); err != nil {
			return err
		}
	}
	return w.Flush()
}

// show prints data: as it is for programs, and as a table for people.
func show[T any](s *sim, cmd *cobra.Command, data json.RawMessage, as func(T) table) error {
	if s.output == "json" {
		return printJSON(cmd.OutOrStdout(), data)
	}
	var v T
	if err := json.Unmarshal(data, &v); err != nil {
		return fmt.Errorf("%s answers in the words of another version: %w", s.operator, err)
	}
	t := as(v)
	return t.write(cmd.OutOrStdout())
}

func printJSON(out io.Writer, data json.RawMessage) error {
	var text bytes.Buffer
	if err := json.Indent(&text, data, "", "  "); err != nil {
		return err
	}
	_, err := fmt.Fprintln(out, text.String())
	return err
}

// ask is a command that makes one call and shows what comes of it.
type ask[T any] struct {
	use, short, long, example string
	args                      cobra.PositionalArgs
	method                    string
	path                      func(args []string) string
	query                     func(args []string) (string, error)          // behind the path, with its question mark; nil: there is none
	body                      func(args []string) (json.RawMessage, error) // nil: there is none
	table                     func(T) table
}

func (a ask[T]) command(s *sim) *cobra.Command {
	return &cobra.Command{
		Use: a.use, Short: a.short, Long: a.long, Example: a.example, Args: a.args,
		RunE: func(cmd *cobra.Command, args []string) error {
			var body json.RawMessage
			if a.body != nil {
				var err error
				if body, err = a.body(args); err != nil {
					return err
				}
			}
			path := a.path(args)
			if a.query != nil {
				query, err := a.query(args)
				if err != nil {
					return err
				}
				path += query
			}
			data, err := s.call(cmd.Context(), a.method, path, body)
			if err != nil {
				return err
			}
			return show(s, cmd, data, a.table)
		},
	}
}

// at is the path of the world, or of something in it.
func (s *sim) at(segments ...string) func([]string) string {
	return func([]string) string { return s.worldPath(segments...) }
}

// instant is a time as people read it.
func instant(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format("2006-01-02T15:04:05.999Z")
}
