package cli

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"causeway/adapters/history"
	"causeway/adapters/keyring"
	"causeway/config"
)

func configCommand(o Options) *cobra.Command {
	parent := &cobra.Command{
		Use: "config", Short: "Look at the configuration", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	show := &cobra.Command{
		Use:   "print",
		Short: "Print the effective configuration as YAML, secrets redacted",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			cfg, err := LoadConfig(cmd.Flags())
			if err != nil {
				return err
			}
			_, err = cmd.OutOrStdout().Write(cfg.YAML())
			return err
		},
	}
	check := &cobra.Command{
		Use:   "check",
		Short: "Check the configuration, with the catalog and the keys, as the start and a reload do",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := checkConfig(cmd.Context(), o, cmd.Flags()); err != nil {
				return err
			}
			_, err := fmt.Fprintln(cmd.OutOrStdout(), "The configuration is in order.")
			return err
		},
	}
	SettingFlags(show.Flags())
	SettingFlags(check.Flags())
	parent.AddCommand(show, check)
	return parent
}

// checkConfig reads everything that the configuration names on this machine. Nobody else is asked.
func checkConfig(ctx context.Context, o Options, flags *pflag.FlagSet) error {
	cfg, err := LoadConfig(flags)
	if err != nil {
		return err
	}
	faults := []error{historyFault(cfg)}
	if _, err := o.NewProviders(cfg, nil); err != nil {
		faults = append(faults, err)
	}
	if cfg.TLS.On() {
		_, err := loadCertificate(cfg.TLS)
		faults = append(faults, err)
	}
	if cfg.Auth.KeyFile != "" {
		_, err := keyring.Open(ctx, keyring.File(cfg.Auth.KeyFile), nil, time.Now, nil)
		faults = append(faults, err)
	}
	return errors.Join(faults...)
}

// historyFault is what can be told of where the price history is to be without asking there.
func historyFault(cfg config.Config) error {
	if cfg.Mode == config.Sandbox || cfg.Storage.URL == "" {
		return nil
	}
	return history.CheckURL(cfg.Storage.URL)
}
