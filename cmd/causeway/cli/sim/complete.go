package sim

import (
	"context"
	"encoding/json"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"causeway/cmd/causeway/cli"
	"causeway/simulator/catalog"
)

// completer returns the values of the next argument.
type completer func(s *sim, ctx context.Context, args []string) []string

// complete returns a completion of shells. Without a sandbox there are no worlds.
func (s *sim) complete(values func(context.Context, []string) []string) cobra.CompletionFunc {
	return func(cmd *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
		return values(cmd.Context(), args), cobra.ShellCompDirectiveNoFileComp
	}
}

func (s *sim) worldNames(ctx context.Context, args []string) (names []string) {
	ctx, cancel := context.WithTimeout(ctx, cli.CompletionTimeout)
	defer cancel()
	var worlds []struct{ ID string }
	if data, err := s.get(ctx, "/worlds", nil); err == nil && len(args) == 0 {
		_ = json.Unmarshal(data, &worlds) // of another version: nothing to complete
	}
	for _, w := range worlds {
		names = append(names, w.ID)
	}
	return names
}

// nextOutcomes returns the operations, and after an operation its outcomes.
func (s *sim) nextOutcomes(ctx context.Context, args []string) (names []string) {
	c := s.catalogOf(ctx)
	if len(args) == 0 {
		return c.Operations
	}
	for _, o := range c.Outcomes {
		if slices.Contains(o.Operations, args[0]) {
			names = append(names, o.Name)
		}
	}
	return names
}

func (s *sim) scenarioNames(ctx context.Context, args []string) (names []string) {
	if len(args) > 0 {
		return []string{"speed="}
	}
	for _, scenario := range s.catalogOf(ctx).Scenarios {
		names = append(names, scenario.Name)
	}
	return names
}

// completeMembers completes name=value: the names, and after a name its values.
func (s *sim) completeMembers(c call) cobra.CompletionFunc {
	return func(cmd *cobra.Command, args []string, text string) ([]string, cobra.ShellCompDirective) {
		if len(args) < strings.Count(c.request, "{}")+c.query.positional+c.body.positional {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		var out []string
		given, _, found := strings.Cut(text, "=")
		for _, m := range slices.Concat(c.query.members, c.body.members) {
			switch {
			case !found:
				out = append(out, m.name+"=")
			case m.name == given:
				for _, value := range append(m.values, s.valuesOf(cmd.Context(), m.name)...) {
					out = append(out, m.name+"="+value)
				}
			}
		}
		if !found {
			return out, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveNoSpace
		}
		return out, cobra.ShellCompDirectiveNoFileComp
	}
}

// valuesOf returns the values of a member that the catalog lists, with descriptions.
func (s *sim) valuesOf(ctx context.Context, member string) (values []string) {
	switch member {
	case "effect.kind":
		for _, f := range s.catalogOf(ctx).Faults {
			values = append(values, cobra.CompletionWithDesc(string(f.Kind), f.Title))
		}
	case "preset":
		for _, p := range s.catalogOf(ctx).Presets {
			values = append(values, cobra.CompletionWithDesc(strings.TrimSuffix(p.Name, "<provider>"), p.Title))
		}
	case "outcome":
		for _, o := range s.catalogOf(ctx).Outcomes {
			values = append(values, cobra.CompletionWithDesc(o.Name, o.Title))
		}
	}
	return values
}

// catalogOf returns the catalog of the sandbox or, without one, of this program.
func (s *sim) catalogOf(ctx context.Context) (c catalog.Catalog) {
	ctx, cancel := context.WithTimeout(ctx, cli.CompletionTimeout)
	defer cancel()
	data, err := s.get(ctx, "/catalog", nil)
	if err != nil || json.Unmarshal(data, &c) != nil {
		return catalog.New()
	}
	return c
}
