package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"causeway/simulator"
	"causeway/simulator/wire"
)

// catalogTables are the tables of the catalog, by the names of its lists.
func catalogTables(c simulator.Catalog) map[string]table {
	out := map[string]table{
		"operations": {head: []string{"OPERATION"}},
		"accounts":   {head: []string{"ENDS IN", "OUTCOME", "WHAT HAPPENS", "ANSWER"}},
		"pairs":      {head: []string{"PAIR", "STATUS", "REASON", "WHAT HAPPENS"}},
		"outcomes":   {head: []string{"OUTCOME", "PLANE", "OPERATIONS", "WHAT HAPPENS", "ANSWER"}},
		"errors":     {head: []string{"ERROR", "STATUS", "TRY"}},
		"addresses":  {head: []string{"CODE", "KIND", "TRY"}},
		"faults":     {head: []string{"KIND", "PLANES", "TAKES", "WHAT HAPPENS"}},
		"presets":    {head: []string{"PRESET", "RULES", "WHAT HAPPENS"}},
		"scenarios":  {head: []string{"SCENARIO", "LASTS", "WHAT HAPPENS", "SOURCE"}},
		"tapes":      {head: []string{"TAPE", "WHAT HAPPENS"}},
	}
	add := func(list string, cells ...any) {
		t := out[list]
		t.row(cells...)
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
	for _, s := range c.Tapes {
		add("tapes", s.Name, s.Title)
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
				return fmt.Errorf("%q is no list of the catalog; accepted: %s", args[0], strings.Join(lists, ", "))
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
				return printJSON(cmd.OutOrStdout(), parts[args[0]])
			}
			return show(s, cmd, data, func(c simulator.Catalog) table {
				all := catalogTables(c)
				if len(args) > 0 {
					return all[args[0]]
				}
				t := table{head: []string{"LIST", "ENTRIES"}}
				for _, list := range lists {
					t.row(list, len(all[list].rows))
				}
				return t
			})
		},
	}
	cmd.AddCommand(ask[[]wire.Divergence]{
		use: "divergences", short: "List where simulated providers differ from the real ones", args: cobra.NoArgs, method: http.MethodGet, path: func([]string) string { return "/divergences" },
		table: func(all []wire.Divergence) table {
			t := table{head: []string{"PROVIDER", "WHAT", "WHY", "TEST"}}
			for _, d := range all {
				t.row(d.Provider, d.What, d.Why, d.Test)
			}
			return t
		},
	}.command(s))
	return cmd
}
