package cli

import (
	"cmp"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"causeway/adapters/storage"
	"causeway/config"
	"causeway/core"
	"causeway/ports"
)

func keysCommand() *cobra.Command {
	cmd := Group("keys", "Create, list, rotate and revoke API keys", createKey(), listKeys(), rotateKey(), revokeKey())
	cmd.Long = "Only hashes of keys are stored, in the database that state.dir or storage.url of the configuration\n" +
		"names. Running processes with the same database accept and refuse keys within seconds."
	cmd.PersistentFlags().String("config", "", "YAML file of settings")
	OutputFlag(cmd.PersistentFlags())
	return cmd
}

// withKeys lets a command run with the store of API keys.
func withKeys(
	cmd *cobra.Command, run func(cmd *cobra.Command, args []string, store ports.APIKeyStore) error,
) *cobra.Command {
	return withDatabase(cmd, func(config.Config) error { return nil },
		func(cmd *cobra.Command, args []string, _ config.Config, store *storage.Store) error {
			return run(cmd, args, store.Keys())
		})
}

// withDatabase lets a command run with the database that the configuration names. check reports what the configuration
// lacks for the command. Other faults do not matter: an operator may lack the secrets of the service.
func withDatabase(
	cmd *cobra.Command, check func(config.Config) error,
	run func(cmd *cobra.Command, args []string, cfg config.Config, store *storage.Store) error,
) *cobra.Command {
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		cfg, err := config.Load(config.Sources{File: cmd.Flag("config").Value.String(), Env: os.Environ()})
		lacking := check(cfg)
		if !cfg.Database().Enabled() || lacking != nil {
			if err = cmp.Or(err, lacking); err != nil {
				return err
			}
		}
		store, err := storage.Open(cmd.Context(), cfg.Database())
		if err != nil {
			return err
		}
		defer func() { _ = store.Close() }()
		return run(cmd, args, cfg, store)
	}
	return cmd
}

func createKey() *cobra.Command {
	var (
		key     core.Key
		scopes  []string
		rate    string
		expires time.Duration
	)
	cmd := withKeys(&cobra.Command{
		Use:     "create --name NAME",
		Short:   "Create a key and print it, once",
		Long:    "Creates a key and prints it to standard output, and nothing else. The key is not stored: only its hash is.",
		Example: "  causeway keys create --name payouts --rate 600/m --expires 90d > payouts.key",
		Args:    NoArgs,
	}, func(cmd *cobra.Command, _ []string, store ports.APIKeyStore) (err error) {
		if key.Limit, err = core.ParseRateLimit(rate); err != nil {
			return UsageError("--rate %w", err)
		}
		if rate != "" && key.Limit.None() {
			return UsageError("--rate is none; a key is always limited: omit --rate for the limits of the configuration")
		}
		if key.Scopes, err = parseScopes(scopes); err != nil {
			return err
		}
		if cmd.Flags().Changed("expires") {
			if expires <= 0 {
				return UsageError("--expires is %s; accepted: more than 0s, such as 90d; omit it for a key that does not expire",
					config.FormatDuration(expires))
			}
			key.Expires = time.Now().UTC().Add(expires)
		}
		if err := storage.CheckKey(key); err != nil {
			return UsageError("%w", err)
		}
		created, credential, err := store.Create(cmd.Context(), key)
		if err != nil {
			return err
		}
		return printCredential(cmd, created, credential)
	})
	cmd.Flags().StringVar(&key.Name, "name", "", "who uses the key")
	cmd.Flags().StringSliceVar(&scopes, "scopes", []string{core.OpResolveAccount},
		"IDs of the operations that it may call; * for all")
	cmd.Flags().StringVar(&rate, "rate", "",
		"calls of each operation, such as 600/m (default: limits of the configuration)")
	DurationVar(cmd.Flags(), &expires, "expires", 0, "time until it expires, such as 90d (default: never)")
	_ = cmd.MarkFlagRequired("name")
	return cmd
}

// parseScopes reads the operations of a key and refuses unknown ones.
func parseScopes(given []string) ([]string, error) {
	scopes := make([]string, 0, len(given))
	for _, scope := range given {
		id := config.OperationID(scope)
		if scope != core.AllScopes && !config.IsScope(id) {
			return nil, UsageError("--scopes has %s; accepted: * for all, or %s", core.Quoted(scope), config.Scopes())
		}
		scopes = append(scopes, id)
	}
	return scopes, nil
}

// keyJSON is a key in JSON output.
type keyJSON struct {
	Credential string `json:"key,omitempty"`
	core.Key

	State string `json:"state"`
}

// printCredential writes a credential to standard output, and what it is for to standard error.
func printCredential(cmd *cobra.Command, key core.Key, credential core.Secret) error {
	if WantsJSON(cmd) {
		return PrintJSON(cmd.OutOrStdout(), keyJSON{credential.Reveal(), key, stateOf(key, time.Now())})
	}
	if _, err := fmt.Fprintln(cmd.OutOrStdout(), credential.Reveal()); err != nil {
		return err
	}
	cmd.PrintErrf("Key %s (%s) may call %s. It is shown only now.\n", key.ID, key.Name, strings.Join(key.Scopes, ", "))
	return nil
}

func listKeys() *cobra.Command {
	cmd := withKeys(&cobra.Command{
		Use:   "list",
		Short: "List the keys, without credentials",
		Args:  NoArgs,
	}, func(cmd *cobra.Command, _ []string, store ports.APIKeyStore) error {
		all, err := store.List(cmd.Context())
		if err != nil {
			return err
		}
		now, documents := time.Now(), []keyJSON{}
		t := Table{Head: []string{"ID", "NAME", "STATE", "UNTIL", "SCOPES", "RATE", "CREATED", "LAST USED"}}
		for _, key := range all {
			rate, until := key.Limit.String(), key.Expires
			if key.Limit.None() {
				rate = "configured"
			}
			if !key.Revoked.IsZero() {
				until = key.Revoked
			}
			documents = append(documents, keyJSON{Key: key, State: stateOf(key, now)})
			t.Row(key.ID, key.Name, stateOf(key, now), minute(until), strings.Join(key.Scopes, ","), rate,
				minute(key.Created), minute(key.LastUsed))
		}
		return t.Print(cmd, documents)
	})
	WideFlag(cmd.Flags())
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

func minute(at time.Time) string {
	if at.IsZero() {
		return ""
	}
	return at.UTC().Format("2006-01-02 15:04Z")
}

func rotateKey() *cobra.Command {
	var overlap time.Duration
	cmd := withKeys(&cobra.Command{
		Use:   "rotate ID",
		Short: "Replace a key by a new one with the same lifetime; the old one expires after an overlap",
		Args:  cobra.ExactArgs(1),
	}, func(cmd *cobra.Command, args []string, store ports.APIKeyStore) error {
		if overlap < 0 {
			return UsageError("--overlap is %s; accepted: 0s or more, such as 7d", config.FormatDuration(overlap))
		}
		created, credential, err := store.Rotate(cmd.Context(), args[0], overlap)
		if err != nil {
			return err
		}
		cmd.PrintErrf("Key %s expires in %s at the latest.\n", args[0], config.FormatDuration(overlap))
		return printCredential(cmd, created, credential)
	})
	DurationVar(cmd.Flags(), &overlap, "overlap", 7*24*time.Hour, "time in which both keys are valid")
	return cmd
}

func revokeKey() *cobra.Command {
	return withKeys(&cobra.Command{
		Use:   "revoke ID",
		Short: "Revoke a key",
		Args:  cobra.ExactArgs(1),
	}, func(cmd *cobra.Command, args []string, store ports.APIKeyStore) error {
		if err := store.Revoke(cmd.Context(), args[0]); err != nil {
			return err
		}
		return PrintResult(cmd, map[string]string{"id": args[0], "state": "revoked"},
			"Key %s is revoked; all processes refuse it within five seconds.", args[0])
	})
}
