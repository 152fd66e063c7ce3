// Package cli holds the commands of the causeway program, one file per command. Package cli/sim holds
// those that control a sandbox.
package cli

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"go.uber.org/zap"

	"causeway/config"
)

// Options is what the commands use of the rest of the program.
type Options struct {
	Version string

	// NewLogger returns a logger and a function that flushes it.
	NewLogger func(config.Log) (*zap.Logger, func(), error)
	// Serve runs the service until ctx ends, a signal arrives or a listener fails.
	Serve func(ctx context.Context, cfg config.Config, log *zap.Logger) error
	// ServeUpstream runs the simulated providers likewise.
	ServeUpstream func(ctx context.Context, s Upstream, log *zap.Logger) error
	// NewProviders constructs the provider clients and the catalog. The transport is nil for the
	// machine's own network; wrap, if not nil, is put around it.
	NewProviders func(cfg config.Config, wrap func(http.RoundTripper) http.RoundTripper) (Providers, error)
	// OpenKeys opens the store of API keys: the file, or what the configuration file names.
	OpenKeys func(ctx context.Context, file, configFile string) (store KeyStore, closeStore func(), err error)
	// OpenConfiguredKeys opens the store of a configuration that was loaded.
	OpenConfiguredKeys func(ctx context.Context, cfg config.Config) (store KeyStore, closeStore func(), err error)
}

// Commands returns all commands but those of package sim.
func Commands(o Options) []*cobra.Command {
	return []*cobra.Command{
		serveCommand(o), validateCommand(), configCommand(o), pricesCommand(), banksCommand(), keysCommand(o), upstreamCommand(o), doctorCommand(o), versionCommand(o),
	}
}

// ExitError is an error with an exit code of its own. Other errors end the process with 1.
type ExitError struct {
	Code int
	Err  error
}

func (e *ExitError) Error() string { return e.Err.Error() }

// Unwrap returns the cause.
func (e *ExitError) Unwrap() error { return e.Err }

// ExitCode returns the exit code of the process for what a command returned.
func ExitCode(err error) int {
	if err == nil {
		return 0
	}
	if e, ok := errors.AsType[*ExitError](err); ok {
		return e.Code
	}
	return 1
}

// SettingFlags adds the flags that override a key of the configuration.
func SettingFlags(flags *pflag.FlagSet) {
	flags.String("config", "", "YAML file with settings")
	flags.String("mode", "", "sandbox (default) or production")
	flags.String("listen", "", "address of the public API (default :8080)")
	flags.String("operator-listen", "", "address of the operator's listener (default 127.0.0.1:9099)")
}

// LoadConfig reads the configuration from the file, the environment and the flags that were given.
func LoadConfig(flags *pflag.FlagSet) (config.Config, error) {
	given := map[string]string{}
	for flag, key := range map[string]string{"mode": "mode", "listen": "listen", "operator-listen": "operator_listen"} {
		if f := flags.Lookup(flag); f.Changed {
			given[key] = f.Value.String()
		}
	}
	file, err := flags.GetString("config")
	if err != nil {
		return config.Config{}, err
	}
	return config.Load(config.Sources{File: file, Env: os.Environ(), Flags: given})
}

func versionCommand(o Options) *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Print the version",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			_, err := fmt.Fprintln(cmd.OutOrStdout(), "causeway "+o.Version)
			return err
		},
	}
}
