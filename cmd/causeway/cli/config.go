package cli

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"causeway/cmd/causeway/app"
	"causeway/cmd/causeway/server"
	"causeway/config"
)

func configCommand() *cobra.Command {
	show := &cobra.Command{
		Use:   "print",
		Short: "Print the settings in force, secrets redacted",
		Args:  NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			cfg, err := LoadConfig(cmd.Flags())
			if err != nil {
				return err
			}
			text := cfg.YAML()
			if WantsJSON(cmd) {
				text, err = cfg.JSON()
				text = append(text, '\n')
			}
			if err == nil {
				_, err = cmd.OutOrStdout().Write(text)
			}
			return err
		},
	}
	EnumVar(show.Flags(), new(string), "output", "o", "yaml", "output format", "yaml", "json")
	check := &cobra.Command{
		Use:   "check",
		Short: "Check the settings, the catalog and the files that they name, as a start does",
		Args:  NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := checkConfig(cmd.Flags()); err != nil {
				return err
			}
			_, err := fmt.Fprintln(cmd.OutOrStdout(), "The configuration is valid.")
			return err
		},
	}
	SettingFlags(show.Flags())
	SettingFlags(check.Flags())
	initialize := &cobra.Command{
		Use:     "init",
		Short:   "Print a configuration file that describes every setting",
		Example: "  causeway config init > causeway.yaml",
		Args:    NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			_, err := cmd.OutOrStdout().Write(config.Template())
			return err
		},
	}
	schema := &cobra.Command{
		Use:   "schema",
		Short: "Print the JSON Schema of the configuration file, for editors",
		Args:  NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			text, err := config.Schema()
			if err == nil {
				_, err = cmd.OutOrStdout().Write(append(text, '\n'))
			}
			return err
		},
	}
	return Group("config", "Print, check and describe the configuration", show, check, initialize, schema)
}

// checkConfig reads everything on this machine that the configuration names, and nothing over the network.
func checkConfig(flags *pflag.FlagSet) error {
	cfg, err := LoadConfig(flags)
	if err != nil {
		return err
	}
	var faults []error
	if _, _, err := newWorld(cfg, app.NewEnvironment(nil), app.Shared{}); err != nil {
		faults = append(faults, err)
	}
	if cfg.TLS.On() {
		_, err := server.ReadCertificate(cfg.TLS)
		faults = append(faults, err)
	}
	return errors.Join(faults...)
}
