package sim

import (
	"context"
	"encoding/json"
	"slices"

	"github.com/spf13/cobra"

	"causeway/simulator/catalog"
)

// completer returns the values of the next argument.
type completer func(s *sim, ctx context.Context, args []string) []string

// complete returns a completion of shells. Without a sandbox there is nothing to complete.
func (s *sim) complete(values func(context.Context, []string) []string) cobra.CompletionFunc {
	return func(cmd *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
		return values(cmd.Context(), args), cobra.ShellCompDirectiveNoFileComp
	}
}

func (s *sim) worldNames(ctx context.Context, args []string) (names []string) {
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

func (s *sim) catalogOf(ctx context.Context) (c catalog.Catalog) {
	if data, err := s.get(ctx, "/catalog", nil); err == nil {
		_ = json.Unmarshal(data, &c) // of another version: nothing to complete
	}
	return c
}
