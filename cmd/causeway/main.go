// Command causeway serves bank lists, account resolution, address validation and currency prices over HTTP.
//
// See packages cli and cli/sim for the commands.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/shopspring/decimal"
	"github.com/spf13/cobra"

	"causeway/cmd/causeway/cli"
	"causeway/cmd/causeway/cli/sim"
)

// version is set by the linker when a release is built: -ldflags "-X main.version=…".
var version string

// maxDecimalExponent bounds the numbers that providers can send: the digits of 1e1000000 would take a megabyte.
const maxDecimalExponent = 64

func main() {
	decimal.MaxDecodeExponent = maxDecimalExponent
	err := cli.Execute(context.Background(), command())
	if err != nil && !errors.Is(err, cli.ErrInvalidAddress) { // the verdict is printed already
		for line := range strings.Lines(err.Error()) {
			fmt.Fprintln(os.Stderr, "causeway: "+strings.TrimRight(line, "\n"))
		}
	}
	os.Exit(cli.ExitCode(err))
}

func command() *cobra.Command {
	build := cli.NewBuild(version)
	root := cli.Group("causeway",
		"Banks, account names, crypto addresses and prices for payments between bank accounts and wallets")
	root.SilenceErrors, root.SilenceUsage, root.Version = true, true, build.Version
	root.AddCommand(cli.Commands(build)...)
	root.AddCommand(sim.Command(build.Version))
	return root
}
