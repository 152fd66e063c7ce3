package sim

import (
	"encoding/json"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"causeway/cmd/causeway/cli"
)

// show prints data: as it is for programs, and as a table for people.
func show[T any](s *sim, cmd *cobra.Command, data json.RawMessage, as func(T) cli.Table) error {
	if s.output == "json" {
		return cli.PrintJSON(cmd.OutOrStdout(), data)
	}
	var v T
	if err := json.Unmarshal(data, &v); err != nil {
		return fmt.Errorf("%s answers in the words of another version: %w", s.operator, err)
	}
	t := as(v)
	return t.Write(cmd.OutOrStdout())
}

// ask is a command that makes one call and shows what comes of it.
type ask[T any] struct {
	use, short, long, example string
	args                      cobra.PositionalArgs
	method                    string
	path                      func(args []string) string
	query                     func(args []string) (string, error)          // behind the path, with its question mark; nil: there is none
	body                      func(args []string) (json.RawMessage, error) // nil: there is none
	table                     func(T) cli.Table
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
