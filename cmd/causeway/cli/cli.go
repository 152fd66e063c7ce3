// Package cli holds the commands of the causeway program, one file per command. Package cli/sim holds the commands
// that control a sandbox.
package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// Commands returns all commands except the commands of package sim.
func Commands(build Build) []*cobra.Command {
	return []*cobra.Command{
		resolveCommand(), countriesCommand(), currenciesCommand(), pairsCommand(), priceCommand(), watchCommand(),
		manCommand(build),
		serveCommand(build), validateCommand(), configCommand(), pricesCommand(), banksCommand(), keysCommand(),
		depositsCommand(), webhooksCommand(), upstreamCommand(build), doctorCommand(build), versionCommand(build),
		mcpCommand(build),
	}
}

// exitUsage is the exit code of a command line that makes no sense. Other errors end the process with 1, unless they
// are an ExitError.
const exitUsage = 2

// ExitError is an error with an exit code of its own.
type ExitError struct {
	Code int
	Err  error
}

func (e *ExitError) Error() string { return e.Err.Error() }

// Unwrap returns the cause.
func (e *ExitError) Unwrap() error { return e.Err }

// UsageError returns an error in the command line.
func UsageError(format string, args ...any) error {
	return &ExitError{exitUsage, fmt.Errorf(format, args...)}
}

// ExitCode returns the exit code of the process for what Execute returned.
func ExitCode(err error) int {
	if err == nil {
		return 0
	}
	if e, ok := errors.AsType[*ExitError](err); ok {
		return e.Code
	}
	return 1
}

// Execute runs a command line. What fails before the command itself runs, such as an unknown flag, is a usage error.
func Execute(ctx context.Context, root *cobra.Command) error {
	ran := false
	observe(root, &ran)
	completeFlags(root)
	root.SetFlagErrorFunc(unknownFlag)
	cmd, err := root.ExecuteContextC(ctx)
	switch {
	case err == nil || ran:
		return err
	case cmd.HasSubCommands():
		return UsageError("%w\nSee %s --help", err, cmd.CommandPath())
	}
	return UsageError("%w\nUsage: %s; see %s --help", err, cmd.UseLine(), cmd.CommandPath())
}

// unknownFlag returns the error of a flag, with a suggestion for a flag that the command does not have.
func unknownFlag(cmd *cobra.Command, err error) error {
	unknown, ok := errors.AsType[*pflag.NotExistError](err)
	switch {
	case !ok:
		return err
	case cmd.HasSubCommands() && cmd.Flags().NArg() > 0: // the flag is of a command that is unknown, too
		return NoArgs(cmd, cmd.Flags().Args())
	}
	var names []string
	cmd.Flags().VisitAll(func(f *pflag.Flag) { names = append(names, f.Name) })
	given := cmp.Or(unknown.GetSpecifiedShortnames(), unknown.GetSpecifiedName()) // -country has the short name c
	meant := nearest(given, names)
	if other := otherNames[given]; slices.Contains(names, other) {
		meant = []string{other}
	}
	if meant != nil {
		return fmt.Errorf("%w; did you mean --%s?", err, strings.Join(meant, " or --"))
	}
	return err
}

// otherNames are flags of other programs with the flags that do the same here.
var otherNames = map[string]string{"port": "listen", "addr": "listen", "host": "listen", "url": "server"}

// NoArgs refuses arguments. The first argument of a command with commands is an unknown command: the error suggests
// another one.
func NoArgs(cmd *cobra.Command, args []string) error {
	switch {
	case len(args) == 0:
		return nil
	case !cmd.HasSubCommands():
		return fmt.Errorf("%s takes flags only, not %q", cmd.CommandPath(), args[0])
	}
	err := fmt.Errorf("unknown command %q for %q", args[0], cmd.CommandPath())
	if meant := nearest(args[0], Column(cmd.Commands(), (*cobra.Command).Name)); meant != nil {
		return fmt.Errorf("%w; did you mean %s?", err, strings.Join(meant, " or "))
	}
	return err
}

// observe lets all commands report that they run.
func observe(cmd *cobra.Command, ran *bool) {
	if run := cmd.RunE; run != nil {
		cmd.RunE = func(cmd *cobra.Command, args []string) error {
			*ran = true
			return run(cmd, args)
		}
	}
	for _, c := range cmd.Commands() {
		observe(c, ran)
	}
}

// Group returns a command that has others and prints its help by itself.
func Group(use, short string, commands ...*cobra.Command) *cobra.Command {
	cmd := &cobra.Command{
		Use: use, Short: short, Args: NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(commands...)
	return cmd
}
