// Package sim holds the commands that control the simulated worlds of a running sandbox.
package sim

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"causeway/cmd/causeway/cli"
	"causeway/simulator/control"
	"causeway/simulator/world"
)

// Exit codes of causeway sim beside 0 and 1.
const (
	exitRefused = 2 // the control API refused the call, like a usage error
	exitFails   = 3 // an assertion, a wait or a replay failed
)

// sim holds the flags that all commands share.
type sim struct {
	version, operator, world, output string
	wide                             bool
}

// Command returns causeway sim.
func Command(version string) *cobra.Command {
	s := &sim{version: version}
	cmd := cli.Group("sim", "Control the simulated worlds of a running sandbox: time, market, accounts, faults, journal")
	cmd.Long = `Calls the control API of a sandbox or of causeway upstream: worlds, their time, markets, accounts
and faults, the outcome of the next requests, and the journal. Members of a request are given as
name=value, with a dot between a member and one inside it: effect.kind=inverted. The API is
described at http://OPERATOR/_sim/v1/openapi.json.

CAUSEWAY_SIM_OPERATOR and CAUSEWAY_SIM_WORLD replace the defaults of --operator and --world. Tables
are cut to the width of the terminal; --wide shows all of them.

Exit code: 0 success, 1 no response, 2 usage error or refused by the control API, 3 an assertion, a
wait or a replay failed.`
	cmd.Example = `  causeway sim clock advance 37s --world TestCheckout
  causeway sim next resolve-account unknown all_down
  causeway sim fault add match.provider=kraken effect.kind=inverted when.max_hits=2
  causeway sim journal assert operation=resolve-account status=404 -o json`
	flags := cmd.PersistentFlags()
	flags.StringVar(&s.operator, "operator", cmp.Or(os.Getenv("CAUSEWAY_SIM_OPERATOR"), "127.0.0.1:9099"),
		"address of the operator listener (operator_listen)")
	flags.StringVar(&s.world, "world", cmp.Or(os.Getenv("CAUSEWAY_SIM_WORLD"), world.Default),
		"name of the world, as in the header Sim-World")
	flags.BoolVar(&s.wide, "wide", false, "do not cut tables to the width of the terminal")
	_ = cmd.RegisterFlagCompletionFunc("world", s.complete(s.worldNames)) // the flag exists
	cli.OutputFlag(flags, &s.output)
	for _, g := range groups {
		group := cli.Group(g.name, g.short)
		for _, c := range g.commands {
			group.AddCommand(s.command(c))
		}
		cmd.AddCommand(group)
	}
	next := s.command(nextCommand)
	next.AddCommand(s.command(nextList), s.command(nextClear))
	cmd.AddCommand(next, s.command(playCommand), s.journal(), s.replay())
	return cmd
}

// worldPath returns the path of something in the world.
func (s *sim) worldPath(below string) string { return "/worlds/" + url.PathEscape(s.world) + below }

// command returns the cobra command of a call.
func (s *sim) command(c call) *cobra.Command {
	cmd := &cobra.Command{Use: c.use, Short: c.short, Long: c.long, Example: c.example, Args: c.args}
	switch {
	case c.named:
		cmd.Use, cmd.Args = c.use+" [NAME]", cobra.MaximumNArgs(1)
		cmd.ValidArgsFunction = s.complete(s.worldNames)
	case c.args == nil:
		cmd.Args = cobra.NoArgs
	case c.complete != nil:
		cmd.ValidArgsFunction = s.complete(func(ctx context.Context, args []string) []string {
			return c.complete(s, ctx, args)
		})
	}
	cmd.RunE = func(cmd *cobra.Command, args []string) (err error) {
		if c.named && len(args) == 1 {
			s.world, args = args[0], nil
		}
		method, path, _ := strings.Cut(c.request, " ")
		path = strings.Replace(path, "/worlds/{world}", s.worldPath(""), 1)
		for strings.Contains(path, "{}") {
			path, args = strings.Replace(path, "{}", url.PathEscape(args[0]), 1), args[1:]
		}
		if c.query != nil {
			query, err := c.query(args)
			if err != nil {
				return err
			}
			path += "?" + queryOf(query)
		}
		var body json.RawMessage
		if c.body != nil {
			if body, err = c.body(args); err != nil {
				return err
			}
		}
		data, err := s.data(cmd.Context(), method, path, body)
		if err == nil && c.member != "" {
			var members map[string]json.RawMessage
			err = json.Unmarshal(data, &members)
			data = members[c.member]
		}
		if err != nil {
			return err
		}
		return s.print(cmd, data, c.columns)
	}
	return cmd
}

// queryOf returns a flat JSON object as a query.
func queryOf(object json.RawMessage) string {
	var members map[string]string
	_ = json.Unmarshal(object, &members)
	query := url.Values{}
	for name, value := range members {
		query.Set(name, value)
	}
	return query.Encode()
}

// data calls the control API and returns the data of its response. body is JSON; nil: none.
func (s *sim) data(ctx context.Context, method, path string, body json.RawMessage) (json.RawMessage, error) {
	response, err := s.fetch(ctx, method, path, body)
	if err != nil {
		return nil, err
	}
	var envelope struct{ Data json.RawMessage }
	if err := json.Unmarshal(response, &envelope); err != nil || envelope.Data == nil {
		return nil, fmt.Errorf(
			"%s responds like another program; give the operator_listen of a sandbox with --operator", s.operator)
	}
	return envelope.Data, nil
}

// fetch calls the control API and returns the body of its response. It has no time limit: to advance a world by a month
// takes a while.
func (s *sim) fetch(ctx context.Context, method, path string, body json.RawMessage) ([]byte, error) {
	status, response, err := cli.CallOperator(ctx, s.operator, method, control.Prefix+path, body)
	if err == nil && status/100 != 2 {
		err = s.refusal(status, response)
	}
	return response, err
}

// refusal returns the error of a response.
func (s *sim) refusal(status int, body []byte) error {
	text := cli.ErrorText(body)
	if text == "" {
		return fmt.Errorf(
			"%s has no control API: it responds with %d. Only a sandbox has one, on its operator_listen", s.operator, status)
	}
	return &cli.ExitError{Code: exitRefused, Err: errors.New(text)}
}

// print writes data as JSON, or as a table with columns.
func (s *sim) print(cmd *cobra.Command, data json.RawMessage, columns string) error {
	if s.output == "json" {
		return cli.PrintJSON(cmd.OutOrStdout(), data)
	}
	t, err := cli.JSONTable(data, columns)
	if err != nil {
		return err
	}
	if s.wide {
		return t.Write(cmd.OutOrStdout())
	}
	return t.WriteFitted(cmd.OutOrStdout())
}

// readFile reads a file, or standard input if the name is "-".
func readFile(cmd *cobra.Command, name string) ([]byte, error) {
	if name == "-" {
		return io.ReadAll(cmd.InOrStdin())
	}
	return os.ReadFile(name)
}
