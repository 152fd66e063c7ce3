// Package sim holds the commands that control the simulated worlds of a running sandbox.
package sim

import (
	"context"

	"github.com/spf13/cobra"
	"go.uber.org/zap"

	"causeway/cmd/causeway/cli"
	"causeway/config"
	"causeway/simulator"
	"causeway/simulator/journal"
)

// Exit codes of causeway sim beside 0 and 1.
const (
	simRefused = 2 // the control API refused the call, like a usage error
	simFails   = 3 // what was asserted, waited for or replayed does not hold
)

// Options is what the commands use of the rest of the program.
type Options struct {
	Version string

	// NewLogger returns a logger and a function that flushes it.
	NewLogger func(config.Log) (*zap.Logger, func(), error)
	// NewSandbox makes the world of a bundle, at the time at which it began.
	NewSandbox func(context.Context, journal.Bundle) (Sandbox, error)
}

// sim is what all commands of causeway sim have in common.
type sim struct {
	options  Options
	operator string
	world    string
	output   string
}

// Command returns causeway sim.
func Command(o Options) *cobra.Command {
	s := &sim{options: o}
	cmd := &cobra.Command{
		Use:   "sim",
		Short: "Control the simulated worlds of a running sandbox: time, market, accounts, faults, journal",
		Long: `Everything that the control API of a sandbox (or of causeway upstream) does, from the command line: its worlds, their time, markets, accounts and faults, what
happens to the next requests, and what happened. Members of a body are given as name=value, named as the API's document names them, a dot between
a member and one inside it: effect.kind=inverted. The document is at http://OPERATOR/_sim/v1/openapi.json.

Exit code: 0 done, 1 no response, 2 usage error or the call was refused, 3 what was asserted, waited for or replayed does not hold.`,
		Example: `  causeway sim clock advance 37s --world TestCheckout
  causeway sim next resolve-account unknown all_down
  causeway sim fault add match.provider=kraken effect.kind=inverted when.max_hits=2
  causeway sim journal assert operation=resolve-account status=404 -o json`,
		Args:              cobra.NoArgs,
		PersistentPreRunE: func(*cobra.Command, []string) error { return simulator.CheckID(s.world) },
		RunE:              func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.PersistentFlags().StringVar(&s.operator, "operator", "127.0.0.1:9099", "address of the operator's listener of the sandbox (its operator_listen)")
	cmd.PersistentFlags().StringVar(&s.world, "world", simulator.DefaultWorld, "which world: the name in Sim-World")
	cli.OutputFlag(cmd.PersistentFlags(), &s.output)
	cmd.AddCommand(s.worlds(), s.clock(), s.market(), s.play(), s.accounts(), s.faults(), s.next(), s.journal(), s.catalog(), s.replay())
	return cmd
}
