package cli

import (
	"context"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"causeway/config"
	"causeway/core"
	"causeway/ports"
)

// withKeys calls use with the store of API keys.
type withKeys func(ctx context.Context, use func(ports.APIKeyStore) error) error

func keysCommand(o Options) *cobra.Command {
	cmd := Group("keys", "Create, list, rotate and revoke API keys")
	cmd.Long = "Only hashes of keys are stored, in the database that state.dir or storage.url of the configuration names. Running\n" +
		"processes with the same database accept and refuse keys within seconds."
	settings := cmd.PersistentFlags().String("config", "", "YAML file of settings")
	open := func(ctx context.Context, use func(ports.APIKeyStore) error) error {
		cfg, err := config.Load(config.Sources{File: *settings, Env: os.Environ()})
		if err != nil && !cfg.Database().Enabled() {
			return err // other faults do not matter: an operator may lack the secrets of the service
		}
		store, closeStore, err := o.OpenKeys(ctx, cfg)
		if err != nil {
			return err
		}
		defer closeStore()
		return use(store)
	}
	cmd.AddCommand(createKey(open), listKeys(open), rotateKey(open), revokeKey(open))
	return cmd
}

func createKey(open withKeys) *cobra.Command {
	var (
		key     core.Key
		scopes  []string
		rate    string
		expires time.Duration
		output  string
	)
	cmd := &cobra.Command{
		Use:     "create --name NAME",
		Short:   "Create a key and print it, once",
		Long:    "Creates a key and prints it to standard output, and nothing else. The key is not stored: only its hash is.",
		Example: "  causeway keys create --name payouts --rate 600/m --expires 90d > payouts.key",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) (err error) {
			key.Limit, err = core.ParseRateLimit(rate)
			switch {
			case err != nil:
				return UsageError("--rate %w", err)
			case rate != "" && key.Limit.None():
				return UsageError("--rate is none; a key is always limited: omit --rate for the limits of the configuration")
			}
			if key.Scopes, err = parseScopes(scopes); err != nil {
				return err
			}
			if cmd.Flags().Changed("expires") {
				if expires <= 0 {
					return UsageError("--expires is %s; accepted: more than 0s, such as 90d; omit it for a key that does not expire", config.FormatDuration(expires))
				}
				key.Expires = time.Now().UTC().Add(expires)
			}
			return open(cmd.Context(), func(store ports.APIKeyStore) error {
				created, credential, err := store.Create(cmd.Context(), key)
				if err != nil {
					return err
				}
				return printKey(cmd, output, created, credential)
			})
		},
	}
	cmd.Flags().StringVar(&key.Name, "name", "", "who uses the key")
	cmd.Flags().StringSliceVar(&scopes, "scopes", []string{"resolve-account"}, "IDs of the operations that it may call; * for all")
	cmd.Flags().StringVar(&rate, "rate", "", "calls of each operation, such as 600/m (default: limits of the configuration)")
	DurationVar(cmd.Flags(), &expires, "expires", 0, "time until it expires, such as 90d (default: never)")
	OutputFlag(cmd.Flags(), &output)
	return cmd
}

// parseScopes reads the operations of a key. One that does not exist is a typing error.
func parseScopes(written []string) ([]string, error) {
	scopes := make([]string, 0, len(written))
	for _, scope := range written {
		id := config.OperationID(scope)
		if scope != core.AllScopes && !config.IsOperation(id) {
			return nil, UsageError("--scopes has %s; accepted: * for all, or %s", core.Quoted(scope), config.OperationIDs())
		}
		scopes = append(scopes, id)
	}
	return scopes, nil
}

// printKey prints a credential to standard output, and what it is for to standard error.
func printKey(cmd *cobra.Command, output string, key core.Key, credential core.Secret) error {
	if output == "json" {
		return PrintJSON(cmd.OutOrStdout(), struct {
			Key string `json:"key"`
			keyJSON
		}{credential.Reveal(), keyJSON{key, stateOf(key, time.Now())}})
	}
	if _, err := fmt.Fprintln(cmd.OutOrStdout(), credential.Reveal()); err != nil {
		return err
	}
	cmd.PrintErrf("Key %s (%s) may call %s. It is shown only now.\n", key.ID, key.Name, strings.Join(key.Scopes, ", "))
	return nil
}

// keyJSON is a key in JSON output.
type keyJSON struct {
	core.Key

	State string `json:"state"`
}

func listKeys(open withKeys) *cobra.Command {
	var output string
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List the keys, without credentials",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			var keys []core.Key
			err := open(cmd.Context(), func(store ports.APIKeyStore) (err error) {
				keys, err = store.List(cmd.Context())
				return err
			})
			if err != nil {
				return err
			}
			now := time.Now()
			if output == "json" {
				all := make([]keyJSON, 0, len(keys))
				for _, key := range keys {
					all = append(all, keyJSON{key, stateOf(key, now)})
				}
				return PrintJSON(cmd.OutOrStdout(), all)
			}
			t := Table{Head: []string{"ID", "NAME", "STATE", "UNTIL", "SCOPES", "RATE", "CREATED", "LAST USED"}}
			for _, key := range keys {
				rate, until := key.Limit.String(), key.Expires
				if key.Limit.None() {
					rate = "configured"
				}
				if !key.Revoked.IsZero() {
					until = key.Revoked
				}
				t.Row(key.ID, key.Name, stateOf(key, now), minute(until), strings.Join(key.Scopes, ","), rate, minute(key.Created), minute(key.LastUsed))
			}
			return t.Write(cmd.OutOrStdout())
		},
	}
	OutputFlag(cmd.Flags(), &output)
	return cmd
}

func stateOf(key core.Key, now time.Time) string {
	switch {
	case !key.Revoked.IsZero():
		return "revoked"
	case !key.Live(now):
		return "expired"
	}
	return "valid"
}

// minute writes a time for people.
func minute(at time.Time) string {
	if at.IsZero() {
		return ""
	}
	return at.UTC().Format("2006-01-02 15:04Z")
}

func rotateKey(open withKeys) *cobra.Command {
	var (
		overlap time.Duration
		output  string
	)
	cmd := &cobra.Command{
		Use:   "rotate ID",
		Short: "Create a key like an existing one, which then expires after an overlap",
		Args:  cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if overlap < 0 {
				return UsageError("--overlap is %s; accepted: 0s or more", config.FormatDuration(overlap))
			}
			return open(cmd.Context(), func(store ports.APIKeyStore) error {
				created, credential, err := store.Rotate(cmd.Context(), args[0], overlap)
				if err != nil {
					return err
				}
				if err := printKey(cmd, output, created, credential); err != nil {
					return err
				}
				cmd.PrintErrf("Key %s is valid for another %s.\n", args[0], config.FormatDuration(overlap))
				return nil
			})
		},
	}
	DurationVar(cmd.Flags(), &overlap, "overlap", 7*24*time.Hour, "time in which both keys are valid")
	OutputFlag(cmd.Flags(), &output)
	return cmd
}

func revokeKey(open withKeys) *cobra.Command {
	return &cobra.Command{
		Use:   "revoke ID",
		Short: "Revoke a key",
		Args:  cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return open(cmd.Context(), func(store ports.APIKeyStore) error {
				if err := store.Revoke(cmd.Context(), args[0]); err != nil {
					return err
				}
				_, err := fmt.Fprintf(cmd.OutOrStdout(), "Key %s is revoked; all processes refuse it within five seconds.\n", args[0])
				return err
			})
		},
	}
}
