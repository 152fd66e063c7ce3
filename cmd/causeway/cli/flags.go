package cli

import (
	"errors"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"causeway/config"
)

// enum is the value of a flag that accepts a few texts.
type enum struct {
	value    *string
	accepted []string
}

// EnumVar adds a flag that accepts one of several texts.
func EnumVar(flags *pflag.FlagSet, p *string, name, shorthand, value, usage string, accepted ...string) {
	*p = value
	flags.VarP(enum{p, accepted}, name, shorthand, usage)
}

func (e enum) String() string { return *e.value }

// Type is the placeholder in the help.
func (e enum) Type() string { return strings.Join(e.accepted, "|") }

// Set implements pflag.Value.
func (e enum) Set(text string) error {
	if !slices.Contains(e.accepted, text) {
		return errors.New("accepted: " + strings.Join(e.accepted, ", "))
	}
	*e.value = text
	return nil
}

// OutputFlag adds -o: a table for people or JSON for programs.
func OutputFlag(flags *pflag.FlagSet) {
	EnumVar(flags, new(string), "output", "o", "table", "output: table for people, json for programs", "table", "json")
}

// WideFlag adds --wide to a command that prints a table.
func WideFlag(flags *pflag.FlagSet) {
	flags.Bool("wide", false, "print a table with all columns, whatever the width of the terminal")
}

// WantsJSON reports whether a command has -o json.
func WantsJSON(cmd *cobra.Command) bool { return outputOf(cmd) == "json" }

func outputOf(cmd *cobra.Command) string { return cmd.Flag("output").Value.String() }

// duration is the value of a flag that accepts days, too.
type duration struct{ value *time.Duration }

// DurationVar adds a flag that accepts durations as the configuration does, such as 30d.
func DurationVar(flags *pflag.FlagSet, p *time.Duration, name string, value time.Duration, usage string) {
	*p = value
	flags.Var(duration{p}, name, usage)
}

// String returns nothing for zero, so that the help shows no default.
func (d duration) String() string {
	if *d.value == 0 {
		return ""
	}
	return config.FormatDuration(*d.value)
}

// Type is the placeholder in the help.
func (duration) Type() string { return "duration" }

// Set implements pflag.Value.
func (d duration) Set(text string) (err error) {
	*d.value, err = config.ParseDuration(text)
	return err
}

// SettingFlags adds the flags that override settings.
func SettingFlags(flags *pflag.FlagSet) {
	flags.String("config", "", "YAML file of settings")
	EnumVar(flags, new(string), "mode", "", "", "what to serve (default sandbox)",
		string(config.Sandbox), string(config.Production))
	flags.String("listen", "", "address of the public API (default 127.0.0.1:8080, in production :8080)")
	flags.String("operator-listen", "", "address of the operator listener (default 127.0.0.1:9099)")
}

// LoadConfig reads the configuration from the file, the environment and the flags of SettingFlags.
func LoadConfig(flags *pflag.FlagSet) (config.Config, error) {
	given := map[string]string{}
	for flag, key := range map[string]string{"mode": "mode", "listen": "listen", "operator-listen": "operator_listen"} {
		if f := flags.Lookup(flag); f.Changed {
			given[key] = f.Value.String()
		}
	}
	return config.Load(config.Sources{File: flags.Lookup("config").Value.String(), Env: os.Environ(), Flags: given})
}
