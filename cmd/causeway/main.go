// Command causeway serves bank lists, account resolution, address validation and currency prices over HTTP.
//
// This package is the edge of the program: it reads the flags, builds the object graph (wire.go, the one
// place where the outside world is chosen) and owns the process: listeners, signals, exit code. It holds no rule
// of any domain.
package main

import (
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/shopspring/decimal"
	"github.com/spf13/cobra"
)

// version is set by the linker when a release is built: -ldflags "-X main.version=…".
var version = "dev"

// maxDecimalExponent bounds the numbers that providers can make us expand: 1e1000000 would cost a megabyte.
const maxDecimalExponent = 64

// exitError is an error with an exit code of its own; others end with 1.
type exitError struct {
	code int
	err  error
}

func (e *exitError) Error() string { return e.err.Error() }

func main() {
	decimal.MaxDecodeExponent = maxDecimalExponent
	err := command().Execute()
	if err == nil {
		return
	}
	if !errors.Is(err, errInvalidAddress) { // its verdict says it all
		for line := range strings.Lines(err.Error()) {
			fmt.Fprintln(os.Stderr, "causeway: "+strings.TrimRight(line, "\n"))
		}
	}
	if e, ok := errors.AsType[*exitError](err); ok {
		os.Exit(e.code)
	}
	os.Exit(1)
}

func command() *cobra.Command {
	root := &cobra.Command{
		Use:           "causeway",
		Short:         "Banks, account names, crypto addresses and prices for moving money between a bank account and a wallet",
		SilenceErrors: true,
		SilenceUsage:  true,
		Version:       version,
	}
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		return fmt.Errorf("%w; see %s --help", err, cmd.CommandPath())
	})
	root.AddCommand(serveCommand(), validateCommand(), configCommand(), pricesCommand(), banksCommand(), keysCommand(), upstreamCommand(), simCommand(), doctorCommand())
	return root
}
