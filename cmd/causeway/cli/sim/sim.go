// Package sim holds the commands that control the simulated worlds of a running sandbox.
package sim

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"causeway/cmd/causeway/cli"
	"causeway/simulator/control"
)

// exitFails is the exit code after an assertion, a wait or a replay that failed.
const exitFails = 3

// sim holds the flags that all commands share.
type sim struct {
	cli.Client

	version string
}

// Command returns causeway sim.
func Command(version string) *cobra.Command {
	s := &sim{version: version}
	cmd := cli.Group("sim",
		"Control the simulated worlds of a running sandbox: time, market, accounts, faults, chains, journal")
	cmd.Long = `Calls the control API of a sandbox or of causeway upstream: worlds, their time, markets, accounts,
faults and blockchains, the outcome of the next requests, and the journal. Members of a request are given as
name=value, with a dot between a member and one inside it: effect.kind=inverted. The API is
described at http://OPERATOR/_sim/v1/openapi.json.

CAUSEWAY_SIM_OPERATOR and CAUSEWAY_SIM_WORLD replace the defaults of --operator and --world.

Exit code: 0 success, 1 no response, 2 usage error or refused by the control API, 3 an assertion, a
wait or a replay failed.`
	cmd.Example = `  causeway sim clock advance 37s --world TestCheckout
  causeway sim next resolve-account unknown all_down
  causeway sim fault add match.provider=kraken effect.kind=inverted when.max_hits=2
  causeway sim journal assert operation=resolve-account status=404 -o json`
	flags := cmd.PersistentFlags()
	s.SandboxFlags(flags, "name of the world, as in the header Sim-World")
	_ = cmd.RegisterFlagCompletionFunc("world", s.complete(s.worldNames)) // the flag exists
	cli.OutputFlag(flags)
	for _, g := range groups {
		group := cli.Group(g.name, g.short)
		for _, c := range g.commands {
			group.AddCommand(s.command(c))
		}
		if g.name == webhookGroup.name {
			group.AddCommand(s.listen())
		}
		cmd.AddCommand(group)
	}
	next := s.command(nextCommand)
	next.AddCommand(s.command(nextList), s.command(nextClear))
	cmd.AddCommand(next, s.command(playCommand), s.deposit(), s.journal(), s.replay())
	return cmd
}

// worldPath returns the path of something in the world.
func (s *sim) worldPath(below string) string { return "/worlds/" + url.PathEscape(s.World) + below }

// command returns the cobra command of a call.
func (s *sim) command(c call) *cobra.Command {
	cmd := &cobra.Command{Use: c.use, Short: c.short, Long: c.long, Example: c.example, Args: c.args}
	switch {
	case c.named:
		cmd.Use, cmd.Args = c.use+" [NAME]", cobra.MaximumNArgs(1)
		cmd.ValidArgsFunction = s.complete(s.worldNames)
	case c.args == nil:
		cmd.Args = cli.NoArgs
	case c.complete != nil:
		cmd.ValidArgsFunction = s.complete(func(ctx context.Context, args []string) []string {
			return c.complete(s, ctx, args)
		})
	case c.members() != nil:
		cmd.ValidArgsFunction = s.completeMembers(c)
	}
	cli.WideFlag(cmd.Flags())
	cmd.RunE = func(cmd *cobra.Command, args []string) (err error) {
		if c.named && len(args) == 1 {
			s.World, args = args[0], nil
		}
		method, path, _ := strings.Cut(c.request, " ")
		path = strings.Replace(path, "/worlds/{world}", s.worldPath(""), 1)
		for strings.Contains(path, "{}") {
			path, args = strings.Replace(path, "{}", url.PathEscape(args[0]), 1), args[1:]
		}
		call := cli.Call{Wording: cli.NewWording(cmd, c.members()), Method: method, Path: control.Prefix + path}
		if c.query.encode != nil {
			if call.Query, err = queryOf(c.query.encode(args)); err != nil {
				return err
			}
		}
		if c.body.encode != nil {
			if call.Body, err = c.body.encode(args); err != nil {
				return err
			}
		}
		data, err := s.Data(cmd.Context(), call)
		if err == nil && c.member != "" {
			var members map[string]json.RawMessage
			err = json.Unmarshal(data, &members)
			data = members[c.member]
		}
		if err != nil {
			return err
		}
		return cli.Print(cmd, data, c.view)
	}
	return cmd
}

// queryOf returns a flat JSON object as a query.
func queryOf(object json.RawMessage, err error) (url.Values, error) {
	var members map[string]string
	_ = json.Unmarshal(object, &members)
	query := url.Values{}
	for name, value := range members {
		query.Set(name, value)
	}
	return query, err
}

// get returns data of the control API.
func (s *sim) get(ctx context.Context, path string, query url.Values) (json.RawMessage, error) {
	return s.Data(ctx, cli.Call{Method: http.MethodGet, Path: control.Prefix + path, Query: query})
}

// readFile reads a file, or standard input if the name is "-".
func readFile(cmd *cobra.Command, name string) ([]byte, error) {
	if name == "-" {
		return io.ReadAll(cmd.InOrStdin())
	}
	return os.ReadFile(name)
}
