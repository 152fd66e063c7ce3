package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"go.uber.org/zap"

	"causeway/adapters/history"
	"causeway/adapters/keyring"
	"causeway/config"
)

// settingFlags are the flags that override a key of the configuration.
func settingFlags(flags *pflag.FlagSet) {
	flags.String("config", "", "YAML file with settings")
	flags.String("mode", "", "sandbox (default) or production")
	flags.String("listen", "", "address of the public API (default :8080)")
	flags.String("operator-listen", "", "address of the operator's listener (default 127.0.0.1:9099)")
}

// load reads the configuration from the file, the environment and the flags that were given.
func load(flags *pflag.FlagSet) (config.Config, error) {
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

func configCommand() *cobra.Command {
	parent := &cobra.Command{
		Use: "config", Short: "Look at the configuration", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	show := &cobra.Command{
		Use:   "print",
		Short: "Print the effective configuration as YAML, secrets redacted",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			cfg, err := load(cmd.Flags())
			if err != nil {
				return err
			}
			text, err := cfg.Print()
			if err != nil {
				return err
			}
			_, err = cmd.OutOrStdout().Write(text)
			return err
		},
	}
	check := &cobra.Command{
		Use:   "check",
		Short: "Check the configuration, with the catalog and the keys, as the start and a reload do",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := checkConfig(cmd.Context(), cmd.Flags()); err != nil {
				return err
			}
			_, err := fmt.Fprintln(cmd.OutOrStdout(), "The configuration is in order.")
			return err
		},
	}
	settingFlags(show.Flags())
	settingFlags(check.Flags())
	parent.AddCommand(show, check)
	return parent
}

// checkConfig reads everything that the configuration names on this machine. Nobody else is asked.
func checkConfig(ctx context.Context, flags *pflag.FlagSet) error {
	cfg, err := load(flags)
	if err != nil {
		return err
	}
	_, _, partFault := newDoctor(cfg, network(), true).assemble()
	_, tlsFault := newCertificate(cfg, zap.NewNop(), prometheus.NewRegistry())
	_, keyFault := keyring.Open(ctx, keyStore(cfg, shared{}), nil, time.Now, nil)
	return errors.Join(partFault, historyFault(cfg), tlsFault, keyFault)
}

// historyFault is what can be told of where the price history is to be without asking there.
func historyFault(cfg config.Config) error {
	if cfg.Mode == config.Sandbox || cfg.History.URL == "" {
		return nil
	}
	return history.CheckURL(cfg.History.URL)
}
