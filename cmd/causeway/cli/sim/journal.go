package sim

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"causeway/cmd/causeway/cli"
	"causeway/simulator/journal"
)

// simJournal is a page of a journal.
type simJournal struct {
	Entries []journal.Entry
	State   journal.State
	Note    string
}

func (s *sim) journal() *cobra.Command {
	return cli.Group("journal", "Read, assert and wait for what happened in a world, and export it", s.readJournal(), s.assertJournal(), s.waitJournal(), s.exportJournal())
}

func entryTable(all []journal.Entry) cli.Table {
	t := cli.Table{Head: []string{"SEQ", "TIME", "OPERATION", "REQUEST", "APPLIED", "CACHE", "ASKED", "ANSWER"}}
	for i := range all {
		e := &all[i]
		var asked []string
		for _, a := range e.Attempts {
			asked = append(asked, a.Provider+" "+a.Outcome)
		}
		answered := strings.TrimSpace(strconv.Itoa(e.Answer.Status) + " " + e.Answer.Error)
		t.Row(e.Seq, instant(e.At), e.Operation, e.Request.Method+" "+e.Request.Path, e.Applied, string(e.Cache), strings.Join(asked, ", "), answered)
	}
	return t
}

// matching is the query of a match that is given as name=value.
func matching(args []string, more url.Values) (string, error) {
	match, err := bodyOf[journal.Match](args)
	if err != nil {
		return "", err
	}
	more.Set("match", string(match))
	return "?" + more.Encode(), nil
}

func (s *sim) readJournal() *cobra.Command {
	var limit int
	cmd := &cobra.Command{
		Use: "list [name=value…]", Short: "List what happened: the newest entries that meet all conditions",
		Example: "  causeway sim journal list operation=resolve-account status=404\n  causeway sim journal list provider=paystack outcome=timeout -o json",
		RunE: func(cmd *cobra.Command, args []string) error {
			query, err := matching(args, url.Values{"limit": {strconv.Itoa(limit)}})
			if err != nil {
				return err
			}
			data, err := s.call(cmd.Context(), http.MethodGet, s.worldPath("journal")+query, nil)
			if err != nil {
				return err
			}
			return show(s, cmd, data, func(j simJournal) cli.Table {
				if j.Note != "" {
					cmd.PrintErrln(j.Note)
				}
				return entryTable(j.Entries)
			})
		},
	}
	const usual = 50
	cmd.Flags().IntVar(&limit, "limit", usual, "at most so many entries")
	return cmd
}

// report shows what came of an assertion or a wait. One that does not hold is an error with the message of the report.
func (s *sim) report(cmd *cobra.Command, data json.RawMessage) error {
	var r journal.Report
	if err := json.Unmarshal(data, &r); err != nil {
		return fmt.Errorf("%s answers in the words of another version: %w", s.operator, err)
	}
	if s.output == "json" {
		if err := cli.PrintJSON(cmd.OutOrStdout(), data); err != nil {
			return err
		}
	}
	if !r.Pass {
		return &cli.ExitError{Code: simFails, Err: errors.New(r.Message)}
	}
	if s.output == "json" {
		return nil
	}
	_, err := fmt.Fprintln(cmd.OutOrStdout(), r.Message)
	return err
}

func (s *sim) assertJournal() *cobra.Command {
	var (
		a                     journal.Assertion
		steps                 []string
		count, atLeast, atMax int
	)
	cmd := &cobra.Command{
		Use: "assert [name=value…]", Short: "Say whether something happened: one entry at least, unless a flag says otherwise",
		Long: "Says whether something happened. Where it did not, the closest entry is shown with what differs, and the exit code is 3.",
		Example: "  causeway sim journal assert operation=resolve-account status=200 --count 2\n  causeway sim journal assert status=503 --never\n" +
			"  causeway sim journal assert --order operation=list-banks --order 'operation=resolve-account status=200'",
		RunE: func(cmd *cobra.Command, args []string) error {
			match, err := bodyOf[journal.Match](args)
			if err != nil {
				return err
			}
			for flag, to := range map[string]**int{"count": &a.Count, "at-least": &a.AtLeast, "at-most": &a.AtMost} {
				if cmd.Flags().Changed(flag) {
					*to = map[string]*int{"count": &count, "at-least": &atLeast, "at-most": &atMax}[flag]
				}
			}
			order := make([]json.RawMessage, len(steps))
			for i, step := range steps {
				if order[i], err = bodyOf[journal.Match](strings.Fields(step)); err != nil {
					return err
				}
			}
			body, err := json.Marshal(struct {
				Match json.RawMessage   `json:"match"`
				Order []json.RawMessage `json:"order,omitempty"`
				journal.Assertion
			}{match, order, a})
			if err != nil {
				return err
			}
			data, err := s.call(cmd.Context(), http.MethodPost, s.worldPath("journal", "assert"), body)
			if err != nil {
				return err
			}
			return s.report(cmd, data)
		},
	}
	cmd.Flags().IntVar(&count, "count", 0, "exactly so many entries")
	cmd.Flags().IntVar(&atLeast, "at-least", 0, "so many entries or more")
	cmd.Flags().IntVar(&atMax, "at-most", 0, "so many entries or fewer")
	cmd.Flags().BoolVar(&a.Never, "never", false, "no entry")
	cmd.Flags().StringArrayVar(&steps, "order", nil, "a step, as 'name=value name=value': once for each, in the order in which entries must follow each other")
	return cmd
}

func (s *sim) waitJournal() *cobra.Command {
	var (
		count   int
		timeout time.Duration
	)
	cmd := &cobra.Command{
		Use: "wait [name=value…]", Short: "Wait until something has happened; the exit code is 3 where it does not in time",
		RunE: func(cmd *cobra.Command, args []string) error {
			query, err := matching(args, url.Values{"count": {strconv.Itoa(count)}, "timeout": {timeout.String()}})
			if err != nil {
				return err
			}
			data, err := s.call(cmd.Context(), http.MethodGet, s.worldPath("journal", "wait")+query, nil)
			if err != nil {
				return err
			}
			return s.report(cmd, data)
		},
	}
	const usual = 10 * time.Second
	cmd.Flags().IntVar(&count, "count", 1, "so many entries")
	cmd.Flags().DurationVar(&timeout, "timeout", usual, "how long, by this machine's clock: up to 1m")
	return cmd
}

func (s *sim) exportJournal() *cobra.Command {
	return &cobra.Command{
		Use: "export", Short: "Print a bundle for causeway sim replay", Args: cobra.NoArgs,
		Example: "  causeway sim journal export --world TestCheckout > bundle.json\n  causeway sim replay bundle.json",
		RunE: func(cmd *cobra.Command, _ []string) error {
			text, err := s.fetch(cmd.Context(), http.MethodGet, s.worldPath("journal")+"?format=bundle", nil)
			if err != nil {
				return err
			}
			var bundle struct {
				LeftOut int `json:"left_out"`
			}
			if json.Unmarshal(text, &bundle) == nil && bundle.LeftOut > 0 {
				cmd.PrintErrf("The bundle lacks %d requests that the journal did not keep: a replay may differ. "+
					"Export sooner, or give the world a larger journal.\n", bundle.LeftOut)
			}
			_, err = cmd.OutOrStdout().Write(text)
			return err
		},
	}
}
