// Command causeway serves bank lists, account resolution, address validation and currency prices over HTTP.
//
// See packages cli and cli/sim for the commands.
package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"strings"

	"github.com/shopspring/decimal"
	"github.com/spf13/cobra"
	"go.uber.org/zap"

	"causeway/cmd/causeway/app"
	"causeway/cmd/causeway/cli"
	"causeway/cmd/causeway/cli/sim"
	"causeway/config"
)

// version is set by the linker when a release is built: -ldflags "-X main.version=…".
var version string

// maxDecimalExponent bounds the numbers that providers can make us expand: 1e1000000 would cost a megabyte.
const maxDecimalExponent = 64

func main() {
	decimal.MaxDecodeExponent = maxDecimalExponent
	version = cli.NewBuild(version).Version
	err := cli.Execute(context.Background(), command())
	if err != nil && !errors.Is(err, cli.ErrInvalidAddress) { // the verdict is printed already
		for line := range strings.Lines(err.Error()) {
			fmt.Fprintln(os.Stderr, "causeway: "+strings.TrimRight(line, "\n"))
		}
	}
	os.Exit(cli.ExitCode(err))
}

func command() *cobra.Command {
	root := cli.Group("causeway", "Banks, account names, crypto addresses and prices for moving money between a bank account and a wallet")
	root.SilenceErrors, root.SilenceUsage, root.Version = true, true, version
	root.AddCommand(cli.Commands(options())...)
	root.AddCommand(sim.Command(sim.Options{Version: version, NewLogger: app.NewLogger, NewSandbox: newReplaySandbox}))
	return root
}

// options connects the commands with the rest of the program.
func options() cli.Options {
	return cli.Options{
		Build: cli.NewBuild(version), NewLogger: app.NewLogger, Serve: serve, ServeUpstream: serveUpstream, NewProviders: newProviders, OpenKeys: app.OpenKeys,
	}
}

// newProviders constructs the parts of a process but for what listens or is stored.
func newProviders(cfg config.Config, wrap func(http.RoundTripper) http.RoundTripper) (cli.Providers, error) {
	return assemble(cfg, app.NewEnvironment(nil), wrap)
}

func assemble(cfg config.Config, env app.Environment, wrap func(http.RoundTripper) http.RoundTripper) (cli.Providers, error) {
	if wrap != nil {
		env.Transport = wrap(env.Transport)
	}
	if cfg.Mode == config.Sandbox {
		cfg = app.SandboxSettings(cfg)
	}
	catalog, err := cfg.LoadCatalog()
	if err != nil {
		return cli.Providers{}, err
	}
	w, err := app.NewWorldServices(cfg, catalog, env, app.Shared{})
	if err != nil {
		return cli.Providers{}, err
	}
	return cli.Providers{Directories: w.Providers.Directories, Resolvers: w.Providers.Resolvers, Sources: w.Providers.Sources, Catalog: catalog}, nil
}

func serve(ctx context.Context, cfg config.Config, log *zap.Logger) error {
	return app.Serve(ctx, cfg, app.Version(version), log)
}
