package sim

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"causeway/cmd/causeway/cli"
	"causeway/simulator"
)

// newFault is what a fault is made of, or the name of several.
type newFault struct {
	Preset string `json:"preset"`

	simulator.Rule
}

func faultTable(all []simulator.Fault) cli.Table {
	t := cli.Table{Head: []string{"FAULT", "EFFECT", "MATCH", "WHEN", "HITS", "UNTIL"}}
	for _, f := range all {
		var hits []string
		for _, by := range []map[string]uint64{f.HitProvider, f.HitOperation} {
			for _, name := range slices.Sorted(maps.Keys(by)) {
				hits = append(hits, fmt.Sprintf("%s %d", name, by[name]))
			}
		}
		t.Row(f.ID, membersOf(f.Rule.Effect), membersOf(f.Rule.Match), membersOf(f.Rule.When), fmt.Sprintf("%d of %d", f.Hits, f.Matched)+strings.Join(append([]string{""}, hits...), " "), instant(f.Until))
	}
	return t
}

// membersOf writes what is set in a structure as it would be given: name=value.
func membersOf(v any) string {
	text, err := json.Marshal(v)
	if err != nil {
		return ""
	}
	var members map[string]any
	if json.Unmarshal(text, &members) != nil {
		return ""
	}
	var out []string
	for _, name := range slices.Sorted(maps.Keys(members)) {
		out = append(out, fmt.Sprintf("%s=%v", name, members[name]))
	}
	return strings.Join(out, " ")
}

func (s *sim) faults() *cobra.Command {
	return cli.Group("fault", "Let things go wrong, and end that",
		ask[[]simulator.Fault]{use: "list", short: "List the faults, with their hits", args: cobra.NoArgs, method: http.MethodGet, path: s.at("faults"), table: faultTable}.command(s),
		ask[[]simulator.Fault]{
			use: "add preset=NAME | name=value…", short: "Let something go wrong", args: cobra.MinimumNArgs(1), method: http.MethodPost, path: s.at("faults"), table: faultTable,
			long: "Let something go wrong between the service and a provider (match.plane=upstream, where nothing else is said), or between clients and the service (match.plane=edge). Kinds of effects and the planes " +
				"that they fit, and presets: causeway sim catalog faults, causeway sim catalog presets.",
			example: "  causeway sim fault add match.provider=kraken effect.kind=inverted when.max_hits=2\n  causeway sim fault add preset=provider_down:kraken\n" +
				"  causeway sim fault add match.plane=edge match.operation=resolve-account effect.kind=status effect.status=503 when.probability=0.2",
			body: func(args []string) (json.RawMessage, error) { return bodyOf[newFault](args) },
		}.command(s),
		ask[[]simulator.Fault]{
			use: "remove FAULT", short: "End a fault", args: cobra.ExactArgs(1), method: http.MethodDelete, path: func(args []string) string { return s.worldPath("faults", args[0]) }, table: faultTable,
		}.command(s),
		ask[[]simulator.Fault]{use: "clear", short: "End all faults", args: cobra.NoArgs, method: http.MethodDelete, path: s.at("faults"), table: faultTable}.command(s),
	)
}

func queueTable(all []simulator.Queued) cli.Table {
	t := cli.Table{Head: []string{"OPERATION", "NEXT"}}
	for _, q := range all {
		t.Row(q.Operation, strings.Join(q.Outcomes, ", "))
	}
	return t
}

func (s *sim) next() *cobra.Command {
	const operationAndOutcome = 2
	cmd := ask[[]simulator.Queued]{
		use: "next OPERATION OUTCOME…", short: "Say what happens to the next requests for an operation", args: cobra.MinimumNArgs(operationAndOutcome), method: http.MethodPost, path: s.at("next"), table: queueTable,
		long:    "Say what happens to the next requests for an operation: each outcome befalls one of them, in order. Outcomes: causeway sim catalog outcomes.",
		example: "  causeway sim next resolve-account unknown all_down",
		body: func(args []string) (json.RawMessage, error) {
			return json.Marshal(simulator.Queued{Operation: args[0], Outcomes: args[1:]})
		},
	}.command(s)
	cmd.AddCommand(
		ask[[]simulator.Queued]{use: "list", short: "List what waits for the next requests", args: cobra.NoArgs, method: http.MethodGet, path: s.at("next"), table: queueTable}.command(s),
		ask[[]simulator.Queued]{
			use: "clear [OPERATION]", short: "Forget what waits for the next requests", args: cobra.MaximumNArgs(1), method: http.MethodDelete, table: queueTable,
			path: func(args []string) string {
				return s.worldPath("next") + "?" + url.Values{"operation": args}.Encode()
			},
		}.command(s),
	)
	return cmd
}
