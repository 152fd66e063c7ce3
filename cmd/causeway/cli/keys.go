package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"causeway/adapters/keyring"
	"causeway/config"
	"causeway/core"
)

// KeyStore manages the API keys.
type KeyStore interface {
	Create(ctx context.Context, key core.Key) (core.Key, core.Secret, error)
	List(ctx context.Context) ([]keyring.Listed, error)
	Rotate(ctx context.Context, id string, overlap time.Duration) (core.Key, core.Secret, error)
	Revoke(ctx context.Context, id string) error
}

// keysCommand makes and ends callers' keys, in the store that running processes read.
func keysCommand(o Options) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "keys",
		Short: "Make, list, rotate and revoke callers' keys",
		Long: "Keys are kept by hash: in the file that auth.key_file of the configuration names, else in the Redis that replicas share (redis.url). Processes\n" +
			"that have the same configuration take a change within a second or two.",
	}
	file := cmd.PersistentFlags().String("file", "", "the file of keys (default: where the configuration has them: auth.key_file, or Redis)")
	settings := cmd.PersistentFlags().String("config", "", "YAML file with settings")
	open := func(existing bool) keeperOf {
		return func(ctx context.Context, use func(KeyStore) error) error {
			if _, err := os.Stat(*file); existing && *file != "" && errors.Is(err, os.ErrNotExist) {
				return fmt.Errorf("there is no file of keys %s; causeway keys create makes it", *file)
			}
			store, end, err := o.OpenKeys(ctx, *file, *settings)
			if err != nil {
				return err
			}
			defer end()
			return use(store)
		}
	}
	cmd.AddCommand(createKey(open(false)), listKeys(open(true)), rotateKey(open(true)), revokeKey(open(true)))
	return cmd
}

// keeperOf lends the keeper of the keys.
type keeperOf func(context.Context, func(KeyStore) error) error

func createKey(keeper keeperOf) *cobra.Command {
	var (
		key     core.Key
		scopes  []string
		rate    string
		expires time.Duration
	)
	cmd := &cobra.Command{
		Use:   "create --name NAME [--scopes resolve-account] [--rate 600/m] [--expires 2160h]",
		Short: "Make a key and show it, this once",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			limit, err := core.ParseRateLimit(rate)
			switch {
			case err != nil:
				return fmt.Errorf("--rate %w", err)
			case rate != "" && limit.None():
				return errors.New("--rate none: a key is always limited; leave --rate out for the limits of the configuration")
			}
			if key.Scopes, err = scopesOf(scopes); err != nil {
				return err
			}
			key.Limit = limit
			if cmd.Flags().Changed("expires") {
				if expires <= 0 {
					return fmt.Errorf("--expires %s: accepted: more than 0s, such as 2160h; leave it out for a key that does not expire", expires)
				}
				key.Expires = time.Now().UTC().Add(expires)
			}
			return keeper(cmd.Context(), func(k KeyStore) error {
				made, credential, err := k.Create(cmd.Context(), key)
				if err != nil {
					return err
				}
				return showKey(cmd.OutOrStdout(), made, credential)
			})
		},
	}
	cmd.Flags().StringVar(&key.Name, "name", "", "whose key it is")
	cmd.Flags().StringSliceVar(&scopes, "scopes", []string{"resolve-account"}, "operations that it allows, by their ids in the API's description; * for all")
	cmd.Flags().StringVar(&rate, "rate", "", "calls of each operation that it allows, such as 600/m (default: limits of the configuration)")
	cmd.Flags().DurationVar(&expires, "expires", 0, "after which time it is no longer good, such as 2160h (default: never)")
	return cmd
}

// scopesOf reads the operations that a key is to allow. An operation that does not exist is a typing error.
func scopesOf(written []string) ([]string, error) {
	scopes := make([]string, 0, len(written))
	for _, scope := range written {
		id := config.OperationID(scope)
		if scope != core.AllScopes && !config.IsOperation(id) {
			return nil, fmt.Errorf("--scopes has %s; accepted: * for all, or %s", core.Quoted(scope), config.OperationIDs())
		}
		scopes = append(scopes, id)
	}
	return scopes, nil
}

// showKey shows a credential, which is kept nowhere.
func showKey(out io.Writer, key core.Key, credential core.Secret) error {
	_, err := fmt.Fprintf(out, "%s\n\nKey %s (%s) allows %s. It is shown this once: only its hash is kept.\n", credential.Reveal(), key.ID, key.Name, strings.Join(key.Scopes, ", "))
	return err
}

func listKeys(keeper keeperOf) *cobra.Command {
	return &cobra.Command{
		Use:   "list",
		Short: "List the keys, without their secrets",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			var keys []keyring.Listed
			err := keeper(cmd.Context(), func(k KeyStore) (err error) {
				keys, err = k.List(cmd.Context())
				return err
			})
			if err != nil {
				return err
			}
			const gap = 2
			table := tabwriter.NewWriter(cmd.OutOrStdout(), 0, 0, gap, ' ', 0)
			if _, err := fmt.Fprintln(table, "ID\tNAME\tSTATE\tSCOPES\tRATE\tCREATED\tLAST USED"); err != nil {
				return err
			}
			for _, key := range keys {
				if _, err := fmt.Fprintf(table, "%s\t%s\t%s\t%s\t%s\t%s\t%s\n", key.ID, key.Name, stateOf(key.Key, time.Now()),
					strings.Join(key.Scopes, ","), rateOf(key.Limit), day(key.Created), day(key.LastUsed)); err != nil {
					return err
				}
			}
			return table.Flush()
		},
	}
}

// stateOf says whether a key is good.
func stateOf(key core.Key, now time.Time) string {
	switch {
	case !key.Revoked.IsZero():
		return "revoked " + day(key.Revoked)
	case key.Expires.IsZero():
		return "good"
	case key.Live(now):
		return "good until " + day(key.Expires)
	default:
		return "expired " + day(key.Expires)
	}
}

// rateOf is a key's own limit, or that it has none of its own.
func rateOf(limit core.RateLimit) string {
	if limit.None() {
		return "configured"
	}
	return limit.String()
}

func day(at time.Time) string {
	if at.IsZero() {
		return "never"
	}
	return at.UTC().Format("2006-01-02 15:04Z")
}

func rotateKey(keeper keeperOf) *cobra.Command {
	var overlap time.Duration
	cmd := &cobra.Command{
		Use:   "rotate ID",
		Short: "Make a key like another one, which ends after an overlap",
		Args:  cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return keeper(cmd.Context(), func(k KeyStore) error {
				made, credential, err := k.Rotate(cmd.Context(), args[0], overlap)
				if err != nil {
					return err
				}
				if err := showKey(cmd.OutOrStdout(), made, credential); err != nil {
					return err
				}
				_, err = fmt.Fprintf(cmd.OutOrStdout(), "Key %s is good for another %s.\n", args[0], overlap)
				return err
			})
		},
	}
	const week = 7 * 24 * time.Hour
	cmd.Flags().DurationVar(&overlap, "overlap", week, "how long both are good")
	return cmd
}

func revokeKey(keeper keeperOf) *cobra.Command {
	return &cobra.Command{
		Use:   "revoke ID",
		Short: "End a key now",
		Args:  cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return keeper(cmd.Context(), func(k KeyStore) error {
				if err := k.Revoke(cmd.Context(), args[0]); err != nil {
					return err
				}
				_, err := fmt.Fprintf(cmd.OutOrStdout(), "Key %s is refused from now on, within five seconds everywhere.\n", args[0])
				return err
			})
		},
	}
}
