package sim

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"causeway/cmd/causeway/cli"
	"causeway/simulator/control"
	"causeway/simulator/journal"
)

// conditionsOf encodes conditions for entries, given as name=value.
var conditionsOf = members[journal.Match]()

var entryView = cli.NewView("SEQ,TIME,OPERATION,REQUEST,DECIDED BY,CACHE,ATTEMPTS,RESPONSE",
	func(t *cli.Table, body struct{ Entries []journal.Entry }) {
		for _, e := range body.Entries {
			t.Row(e.Seq, e.At, e.Operation, cli.Words(e.Request.Method, e.Request.Path), e.Applied, e.Cache,
				cli.Column(e.Attempts, func(a journal.Attempt) string { return a.Provider }),
				cli.Words(e.Answer.Status, e.Answer.Error))
		}
	}).Optional("CACHE", "REQUEST", "ATTEMPTS", "TIME")

func (s *sim) journal() *cobra.Command {
	return cli.Group("journal", "Read, assert, wait for and export the journal of a world",
		s.listJournal(), s.assertJournal(), s.waitJournal(), s.exportJournal())
}

// read reads the journal: path is below the world, and conditions are given as name=value.
func (s *sim) read(cmd *cobra.Command, path string, conditions []string, other ...string) (json.RawMessage, error) {
	text, err := conditionsOf.encode(conditions)
	if err != nil {
		return nil, err
	}
	var m journal.Match
	if err := json.Unmarshal(text, &m); err != nil {
		return nil, cli.UsageError("%v", err)
	}
	query := m.Values()
	for i := 0; i+1 < len(other); i += 2 {
		query.Set(other[i], other[i+1])
	}
	return s.Data(cmd.Context(), cli.Call{
		Wording: cli.NewWording(cmd, conditionsOf.names()), Method: http.MethodGet,
		Path: control.Prefix + s.worldPath(path), Query: query,
	})
}

func (s *sim) listJournal() *cobra.Command {
	var limit int
	cmd := &cobra.Command{
		Use: "list [name=value…]", Short: "List the newest entries that meet all conditions",
		Example: "  causeway sim journal list operation=resolve-account status=404\n" +
			"  causeway sim journal list provider=paystack outcome=timeout -o json",
		RunE: func(cmd *cobra.Command, args []string) error {
			data, err := s.read(cmd, "/journal", args, "limit", strconv.Itoa(limit))
			if err != nil {
				return err
			}
			return cli.Print(cmd, data, entryView)
		},
	}
	cmd.Flags().IntVar(&limit, "limit", 50, "maximum number of entries")
	cli.WideFlag(cmd.Flags())
	cli.SetField(cmd, "limit", "limit")
	return cmd
}

// report prints the result of an assertion or a wait. A failure is an error with the message of the report.
func (s *sim) report(cmd *cobra.Command, data json.RawMessage) error {
	var r journal.Report
	if err := json.Unmarshal(data, &r); err != nil {
		return fmt.Errorf("the response is not of this version: %w", err)
	}
	var err error
	if cli.WantsJSON(cmd) {
		err = cli.PrintJSON(cmd.OutOrStdout(), data)
	} else if r.Pass {
		_, err = fmt.Fprintln(cmd.OutOrStdout(), r.Message)
	}
	if err == nil && !r.Pass {
		err = &cli.ExitError{Code: exitFails, Err: errors.New(r.Message)}
	}
	return err
}

func (s *sim) assertJournal() *cobra.Command {
	var (
		count int
		never bool
		steps []string
	)
	cmd := &cobra.Command{
		Use:   "assert [name=value…]",
		Short: "Check that something happened: at least one entry, unless a flag says otherwise",
		Long: "Checks that something happened. If not, the closest entry is printed with the differences,\n" +
			"and the exit code is 3.",
		Example: "  causeway sim journal assert operation=resolve-account status=200 --count 2\n" +
			"  causeway sim journal assert status=503 --never\n" +
			"  causeway sim journal assert --order operation=list-banks --order 'operation=resolve-account status=200'",
		RunE: func(cmd *cobra.Command, args []string) error {
			match, err := conditionsOf.encode(args)
			if err != nil {
				return err
			}
			assertion := map[string]any{"match": match, "never": never}
			if cmd.Flags().Changed("count") {
				assertion["count"] = count
			}
			order := make([]json.RawMessage, len(steps))
			for i, step := range steps {
				if order[i], err = conditionsOf.encode(strings.Fields(step)); err != nil {
					return err
				}
			}
			assertion["order"] = order
			wording := cli.NewWording(cmd, nil)
			for _, name := range conditionsOf.names() {
				wording.Fields["match."+name] = name
			}
			data, err := s.Data(cmd.Context(), cli.Call{
				Wording: wording, Method: http.MethodPost, Path: control.Prefix + s.worldPath("/journal/assert"), Body: assertion,
			})
			if err != nil {
				return err
			}
			return s.report(cmd, data)
		},
	}
	cmd.Flags().IntVar(&count, "count", 0, "exact number of entries")
	cmd.Flags().BoolVar(&never, "never", false, "no entry")
	cmd.Flags().StringArrayVar(&steps, "order", nil,
		"a step, as 'name=value name=value'; repeat it for steps that follow each other")
	cli.SetField(cmd, "order", "order")
	return cmd
}

func (s *sim) waitJournal() *cobra.Command {
	var (
		count   int
		timeout time.Duration
	)
	cmd := &cobra.Command{
		Use: "wait [name=value…]", Short: "Wait until something has happened; the exit code is 3 if the time is over",
		RunE: func(cmd *cobra.Command, args []string) error {
			data, err := s.read(cmd, "/journal/wait", args,
				"count", strconv.Itoa(count), "timeout", timeout.String())
			if err != nil {
				return err
			}
			return s.report(cmd, data)
		},
	}
	cmd.Flags().IntVar(&count, "count", 1, "number of entries")
	cmd.Flags().DurationVar(&timeout, "timeout", 10*time.Second, "time limit by the clock of this machine, up to 1m")
	cli.SetField(cmd, "count", "count")
	cli.SetField(cmd, "timeout", "timeout")
	return cmd
}

func (s *sim) exportJournal() *cobra.Command {
	return &cobra.Command{
		Use: "export", Short: "Print a bundle for causeway sim replay", Args: cli.NoArgs,
		Example: "  causeway sim journal export --world TestCheckout > bundle.json\n  causeway sim replay bundle.json",
		RunE: func(cmd *cobra.Command, _ []string) error {
			text, err := s.Body(cmd.Context(), cli.Call{
				Method: http.MethodGet, Path: control.Prefix + s.worldPath("/journal/bundle"),
			})
			if err != nil {
				return err
			}
			var bundle struct {
				LeftOut int `json:"left_out"`
			}
			if json.Unmarshal(text, &bundle) == nil && bundle.LeftOut > 0 {
				cmd.PrintErrf("The bundle lacks %d requests that the journal did not keep: a replay may differ. "+
					"Export sooner.\n", bundle.LeftOut)
			}
			_, err = cmd.OutOrStdout().Write(text)
			return err
		},
	}
}
