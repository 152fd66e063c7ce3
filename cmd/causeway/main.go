// Command causeway serves bank lists, account resolution, address validation and currency prices over HTTP.
//
// This package is the edge of the program: it reads the flags, builds the object graph (wire.go, the one
// place where the outside world is chosen) and owns the process: listeners, signals, exit code. It holds no rule
// of any domain.
package main

import (
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

func main() {
	decimal.MaxDecodeExponent = maxDecimalExponent
	if err := command().Execute(); err != nil {
		for line := range strings.Lines(err.Error()) {
			fmt.Fprintln(os.Stderr, "causeway: "+strings.TrimRight(line, "\n"))
		}
		os.Exit(1)
	}
}

func command() *cobra.Command {
	root := &cobra.Command{
		Use:           "causeway",
		Short:         "Banks, account names, crypto addresses and prices for moving money between a bank account and a wallet",
		SilenceErrors: true,
		SilenceUsage:  true,
		Version:       version,
	}
	root.AddCommand(serveCommand(), configCommand())
	return root
}
