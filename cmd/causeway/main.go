// Command causeway serves bank lists, account resolution, address validation and currency prices over HTTP.
//
// This package is the edge of the program: it reads the flags, builds the object graph (wire.go, the one
// place where the outside world is chosen) and owns the process: listeners, signals, exit code. It holds no rule
// of any domain.
package main

import (
	"errors"
	"fmt"
	"net/http"
	"os"
	"strings"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/shopspring/decimal"
	"github.com/spf13/cobra"
	"go.uber.org/dig"
	"go.uber.org/fx"
	"go.uber.org/zap"

	"causeway/adapters/history"
	"causeway/adapters/telemetry"
	"causeway/cmd/causeway/cli"
	"causeway/cmd/causeway/cli/sim"
	"causeway/config"
	"causeway/core/addresses"
	"causeway/core/pairs"
	"causeway/core/recipients"
	"causeway/ports"
)

// version is set by the linker when a release is built: -ldflags "-X main.version=…".
var version = "dev"

// maxDecimalExponent bounds the numbers that providers can make us expand: 1e1000000 would cost a megabyte.
const maxDecimalExponent = 64

func main() {
	decimal.MaxDecodeExponent = maxDecimalExponent
	err := command().Execute()
	if err != nil && !errors.Is(err, cli.ErrInvalidAddress) { // its verdict says it all
		for line := range strings.Lines(err.Error()) {
			fmt.Fprintln(os.Stderr, "causeway: "+strings.TrimRight(line, "\n"))
		}
	}
	os.Exit(cli.ExitCode(err))
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
	root.AddCommand(cli.Commands(options())...)
	root.AddCommand(sim.Command(sim.Options{Version: version, NewLogger: newLogger, NewSandbox: newReplaySandbox, Record: record}))
	return root
}

// options connects the commands with the rest of the program.
func options() cli.Options {
	return cli.Options{
		Version: version, NewLogger: newLogger, Serve: serve, ServeUpstream: serveUpstream, NewProviders: newProviders, OpenKeys: openKeys, OpenConfiguredKeys: openConfiguredKeys,
	}
}

// newProviders constructs the parts of a process but for what listens or is stored.
func newProviders(cfg config.Config, wrap func(http.RoundTripper) http.RoundTripper) (cli.Providers, error) {
	return assemble(cfg, network(), wrap)
}

func assemble(cfg config.Config, s surroundings, wrap func(http.RoundTripper) http.RoundTripper) (made cli.Providers, err error) {
	if wrap != nil {
		s.Transport = wrap(s.Transport)
	}
	outside := fx.Provide(newSeams)
	if cfg.Mode == config.Sandbox {
		outside = fx.Options(outside, simulatedAccounts())
	}
	app := fx.New(
		fx.NopLogger, fx.Supply(cfg, s, zap.NewNop(), &telemetry.Tracing{}), adapters(cfg), outside,
		fx.Provide(config.Config.LoadCatalog, newInstitutions, newAddresses, newPairs, func() prometheus.Registerer { return prometheus.NewRegistry() },
			func() ports.RateHistory { return history.New(nil) }),
		fx.Invoke(func(p providers, c config.Catalog, _ *recipients.Service, _ *pairs.Service, _ *addresses.Service) {
			made = cli.Providers{Directories: p.Directories, Resolvers: p.Resolvers, Sources: p.Sources, Catalog: c}
		}),
	)
	return made, dig.RootCause(app.Err())
}
