package sim

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"causeway/cmd/causeway/cli"
	"causeway/simulator"
	"causeway/simulator/wire"
)

// catalogTables are the tables of the catalog, by the names of its lists.
func catalogTables(c simulator.Catalog) map[string]cli.Table {
	out := map[string]cli.Table{
		"operations": {Head: []string{"OPERATION"}},
		"accounts":   {Head: []string{"ENDS IN", "OUTCOME", "WHAT HAPPENS", "ANSWER"}},
		"pairs":      {Head: []string{"PAIR", "STATUS", "REASON", "WHAT HAPPENS"}},
		"outcomes":   {Head: []string{"OUTCOME", "PLANE", "OPERATIONS", "WHAT HAPPENS", "ANSWER"}},
		"errors":     {Head: []string{"ERROR", "STATUS", "TRY"}},
		"addresses":  {Head: []string{"CODE", "KIND", "TRY"}},
		"faults":     {Head: []string{"KIND", "PLANES", "TAKES", "WHAT HAPPENS"}},
		"presets":    {Head: []string{"PRESET", "RULES", "WHAT HAPPENS"}},
		"scenarios":  {Head: []string{"SCENARIO", "LASTS", "WHAT HAPPENS", "SOURCE"}},
	}
	add := func(list string, cells ...any) {
		t := out[list]
		t.Row(cells...)
		out[list] = t
	}
	for _, o := range c.Operations {
		add("operations", o)
	}
	for _, a := range c.Accounts {
		add("accounts", "…"+a.Suffix, a.Outcome, a.Title, wanted(a.Try.Want))
	}
	for _, p := range c.Pairs {
		add("pairs", p.ID, p.Status, p.Reason, p.Title)
	}
	for _, o := range c.Outcomes {
		operations := "all"
		if len(o.Operations) < len(c.Operations) {
			operations = strings.Join(o.Operations, " ")
		}
		add("outcomes", o.Name, o.Plane, operations, o.Title, wanted(o.Try.Want))
	}
	for _, e := range c.Errors {
		add("errors", e.Name, e.Status, e.Try.Request.Method+" "+e.Try.Request.Path)
	}
	for _, a := range c.Addresses {
		add("addresses", a.Code, map[bool]string{true: "warning", false: "reason"}[a.Warning], a.Try.Request.Body)
	}
	for _, f := range c.Faults {
		add("faults", f.Kind, strings.Trim(fmt.Sprint(f.Planes), "[]"), strings.Join(f.Takes, " "), f.Title)
	}
	for _, p := range c.Presets {
		add("presets", p.Name, len(p.Rules), p.Title)
	}
	for _, s := range c.Scenarios {
		add("scenarios", s.Name, time.Duration(s.Lasts), s.Title, s.Source)
	}
	return out
}

// wanted is what an answer has to be.
func wanted(w simulator.Want) string { return strings.TrimSpace(fmt.Sprint(w.Status) + " " + w.Error) }

func (s *sim) catalog() *cobra.Command {
	lists := slices.Sorted(maps.Keys(catalogTables(simulator.Catalog{})))
	cmd := &cobra.Command{
		Use: "catalog [" + strings.Join(lists, "|") + "]", Short: "List everything that can be made to happen", Args: cobra.MaximumNArgs(1), ValidArgs: lists,
		Long: "Lists everything that can be made to happen, list by list. With -o json each has a request that is ready to be sent, and what comes of it.",
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 && !slices.Contains(lists, args[0]) {
				return cli.UsageError("%q is no list of the catalog; accepted: %s", args[0], strings.Join(lists, ", "))
			}
			data, err := s.call(cmd.Context(), http.MethodGet, "/catalog", nil)
			if err != nil {
				return err
			}
			if len(args) > 0 && s.output == "json" {
				var parts map[string]json.RawMessage
				if err := json.Unmarshal(data, &parts); err != nil {
					return err
				}
				return cli.PrintJSON(cmd.OutOrStdout(), parts[args[0]])
			}
			return show(s, cmd, data, func(c simulator.Catalog) cli.Table {
				all := catalogTables(c)
				if len(args) > 0 {
					return all[args[0]]
				}
				t := cli.Table{Head: []string{"LIST", "ENTRIES"}}
				for _, list := range lists {
					t.Row(list, len(all[list].Rows))
				}
				return t
			})
		},
	}
	cmd.AddCommand(ask[[]wire.Divergence]{
		use: "divergences", short: "List where simulated providers differ from the real ones", args: cobra.NoArgs, method: http.MethodGet, path: func([]string) string { return "/divergences" },
		table: func(all []wire.Divergence) cli.Table {
			t := cli.Table{Head: []string{"PROVIDER", "WHAT", "WHY", "TEST"}}
			for _, d := range all {
				t.Row(d.Provider, d.What, d.Why, d.Test)
			}
			return t
		},
	}.command(s))
	return cmd
}
