package cli

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"causeway/adapters/storage"
	"causeway/cmd/causeway/app"
	"causeway/config"
	"causeway/core"
	"causeway/core/addresses"
	"causeway/core/deposits"
	"causeway/ports"
)

func depositsCommand() *cobra.Command {
	cmd := Group("deposits", "Show addresses and incoming deposits, and confirm, fill, verify and export the wallets",
		depositStatus(), confirmWallet(), importPool(), verifyDeposits(), exportDeposits(), resumeWallet(), sealDeposits(),
		depositChains(), unassignedDeposits(), rescanChain(), resumeChain(), listDeposits(), depositOwner(),
		regenerateDeposit())
	cmd.Long = "list, owner and regenerate call a server. The other commands use the wallets of deposits.wallets and\n" +
		"the networks of deposits.chains in the configuration, and the database that state.dir or storage.url names.\n" +
		"No command needs a private key."
	return cmd
}

// withDeposits adds the flag --config to a command, and lets it run with the deposit addresses of
// the installation. Rows with the seal of a key in one of the files may be sealed again.
func withDeposits(
	cmd *cobra.Command, run func(cmd *cobra.Command, args []string, service *deposits.Service) error,
	previousKeys ...*string,
) *cobra.Command {
	cmd.Flags().String("config", "", "YAML file of settings")
	return withDatabase(cmd, func(cfg config.Config) error {
		if len(cfg.Deposits.Wallets) == 0 {
			return errors.New("no deposit wallet is configured: set deposits.wallets; see docs/deposits.md")
		}
		return cfg.Deposits.Check()
	}, func(cmd *cobra.Command, args []string, cfg config.Config, store *storage.Store) error {
		keys := []core.Secret{cfg.Privacy.HashKey}
		for _, path := range previousKeys {
			if *path == "" {
				continue
			}
			text, err := os.ReadFile(*path)
			if err != nil {
				return err
			}
			keys = append(keys, core.Secret(strings.TrimSpace(string(text))))
		}
		service, err := newDepositService(cfg, store, deposits.Events{Verified: func(checked int, total int64) {
			cmd.PrintErrf("%d of %d addresses checked\n", checked, total)
		}}, keys...)
		if err != nil {
			return err
		}
		return run(cmd, args, service)
	})
}

func newDepositService(
	cfg config.Config, store *storage.Store, events deposits.Events, keys ...core.Secret,
) (*deposits.Service, error) {
	tables, err := store.Deposits(keys...)
	if err != nil {
		return nil, err
	}
	marks, err := app.DepositMarks(cfg)
	if err != nil {
		return nil, err
	}
	sources, err := cfg.Deposits.Sources()
	if err != nil {
		return nil, err
	}
	catalog, err := cfg.LoadCatalog()
	if err != nil {
		return nil, err
	}
	validator, err := addresses.New(catalog.Currencies, addresses.Policy{})
	if err != nil {
		return nil, err
	}
	return deposits.New(deposits.Config{
		Sources: sources, Store: tables, Marks: marks, Addresses: validator, Currencies: catalog.Currencies,
		Clock: time.Now, Events: events,
	})
}

// walletJSON is a wallet in JSON output.
type walletJSON struct {
	Wallet      string `json:"wallet"`
	Source      string `json:"source"`
	State       string `json:"state"`
	Fingerprint string `json:"fingerprint"`
	First       string `json:"first_address,omitempty"`
	Confirmed   string `json:"confirmed,omitempty"`
	Next        int64  `json:"next_index"`
	Left        *int64 `json:"pool_left,omitempty"`
}

func newWalletJSON(s deposits.Status) walletJSON {
	w := walletJSON{
		Wallet: s.Wallet, Source: string(s.Kind), State: string(s.Reason), Fingerprint: s.Fingerprint,
		First: s.First.Reveal(), Confirmed: minute(s.Confirmed), Next: s.Next,
	}
	if s.Reason == "" {
		w.State = "ready"
	}
	if s.Kind == ports.PoolSource {
		w.Left = &s.Left
	}
	return w
}

func depositStatus() *cobra.Command {
	cmd := withDeposits(&cobra.Command{
		Use: "status", Short: "Show the state of the configured wallets", Args: NoArgs,
	}, func(cmd *cobra.Command, _ []string, service *deposits.Service) error {
		all, err := service.Statuses(cmd.Context())
		if err != nil {
			return err
		}
		t := Table{Head: []string{"WALLET", "SOURCE", "STATE", "FINGERPRINT", "FIRST ADDRESS", "NEXT INDEX", "POOL LEFT"}}
		documents := []walletJSON{}
		for _, s := range all {
			w := newWalletJSON(s)
			documents = append(documents, w)
			t.Row(w.Wallet, w.Source, w.State, w.Fingerprint, w.First, w.Next, w.Left)
		}
		return t.Print(cmd, documents)
	})
	OutputFlag(cmd.Flags())
	WideFlag(cmd.Flags())
	return cmd
}

func confirmWallet() *cobra.Command {
	cmd := withDeposits(&cobra.Command{
		Use:   "confirm WALLET",
		Short: "Bind a wallet to its source and its first address, once",
		Long: "Binds a wallet to the fingerprint of its source and to its first address. Before, the wallet assigns no\n" +
			"addresses. Compare the first address, which causeway deposits status prints, with the address that your\n" +
			"hardware wallet shows first. A wallet stays bound to its source.",
		Example: "  causeway deposits status\n  causeway deposits confirm BTC",
		Args:    cobra.ExactArgs(1),
	}, func(cmd *cobra.Command, args []string, service *deposits.Service) error {
		s, err := service.Confirm(cmd.Context(), args[0])
		if err != nil {
			return err
		}
		return PrintResult(cmd, newWalletJSON(s), "Wallet %s is bound to source %s with the first address %s.",
			s.Wallet, s.Fingerprint, s.First.Reveal())
	})
	OutputFlag(cmd.Flags())
	return cmd
}

func importPool() *cobra.Command {
	var wallet string
	cmd := withDeposits(&cobra.Command{
		Use:   "import --wallet WALLET FILE",
		Short: "Add addresses to the pool of a wallet",
		Long: "Adds the addresses of a CSV file to the pool of a wallet: one a line, in the first column; - reads\n" +
			"standard input. If a line is wrong or an address occurs twice, nothing is imported.",
		Example: "  causeway deposits import --wallet SOL addresses.csv",
		Args:    cobra.ExactArgs(1),
	}, func(cmd *cobra.Command, args []string, service *deposits.Service) error {
		file, err := openInput(cmd, args[0])
		if err != nil {
			return err
		}
		defer func() { _ = file.Close() }()
		n, err := service.Import(cmd.Context(), wallet, file)
		if err != nil {
			return err
		}
		name := strings.ToUpper(wallet)
		return PrintResult(cmd, map[string]any{"wallet": name, "imported": n},
			"Imported %d addresses into the pool of %s.", n, name)
	})
	cmd.Flags().StringVar(&wallet, "wallet", "", "wallet with the source pool, such as SOL")
	_ = cmd.MarkFlagRequired("wallet")
	OutputFlag(cmd.Flags())
	return cmd
}

// openInput opens a file, or standard input for "-".
func openInput(cmd *cobra.Command, path string) (io.ReadCloser, error) {
	if path == "-" {
		return io.NopCloser(cmd.InOrStdin()), nil
	}
	return os.Open(path)
}

func verifyDeposits() *cobra.Command {
	var earlier string
	cmd := withDeposits(&cobra.Command{
		Use:   "verify",
		Short: "Check every stored row, derive every address again and report differences",
		Long: "Checks the seals of all rows and that none is missing, and derives every stored address of the configured\n" +
			"wallets again from its source. With --export, it also checks that every record of an earlier export is\n" +
			"unchanged in the database. Differences end the command with 1.",
		Args: NoArgs,
	}, func(cmd *cobra.Command, _ []string, service *deposits.Service) error {
		result := verifyJSON{Differences: []string{}}
		report := func(format string, args ...any) {
			result.Differences = append(result.Differences, fmt.Sprintf(format, args...))
		}
		var err error
		result.Checked, result.Skipped, err = service.Verify(cmd.Context(), func(x deposits.Difference) {
			report("%s", x)
		})
		if err != nil {
			return err
		}
		if earlier != "" {
			file, err := openInput(cmd, earlier)
			if err != nil {
				return err
			}
			defer func() { _ = file.Close() }()
			result.Compared, err = service.Compare(cmd.Context(), file, func(line int) {
				report("record %d of the export is not in the database, or was changed", line)
			})
			if err != nil {
				report("%s", err)
			}
		}
		if err := printVerified(cmd, result); err != nil {
			return err
		}
		if n := len(result.Differences); n > 0 {
			return fmt.Errorf("%d differences in %d addresses", n, result.Checked)
		}
		return nil
	})
	cmd.Flags().StringVar(&earlier, "export", "", "file of an earlier causeway deposits export")
	OutputFlag(cmd.Flags())
	return cmd
}

// verifyJSON is the result of causeway deposits verify.
type verifyJSON struct {
	Checked     int      `json:"checked"`
	Compared    int      `json:"compared,omitempty"` // records of an export
	Skipped     []string `json:"skipped,omitempty"`  // wallets that are not configured
	Differences []string `json:"differences"`
}

func printVerified(cmd *cobra.Command, result verifyJSON) error {
	out := cmd.OutOrStdout()
	if WantsJSON(cmd) {
		return PrintJSON(out, result)
	}
	if len(result.Skipped) > 0 {
		cmd.PrintErrf("Seals checked, but addresses not derived, because not configured: %s\n",
			strings.Join(result.Skipped, ", "))
	}
	for _, difference := range result.Differences {
		_, _ = fmt.Fprintln(out, difference)
	}
	if len(result.Differences) > 0 {
		return nil
	}
	_, err := fmt.Fprintf(out, "%d addresses verified.\n", result.Checked)
	if err == nil && result.Compared > 0 {
		_, err = fmt.Fprintf(out, "%d records of the export compared.\n", result.Compared)
	}
	return err
}

func exportDeposits() *cobra.Command {
	return withDeposits(&cobra.Command{
		Use:   "export",
		Short: "Write all assignments as a hash chain per wallet, one JSON object a line",
		Long: `Verifies all rows, and writes all assignments, ordered by wallet and index. Each record has the hash of the
record before it, so that a later change of the database shows: keep exports elsewhere, and compare with
causeway deposits verify --export FILE. The last line has the number of records. Set the gap limit of wallet
software above the last index of a wallet.`,
		Example: "  causeway deposits export > deposits-2026-11-21.jsonl",
		Args:    NoArgs,
	}, func(cmd *cobra.Command, _ []string, service *deposits.Service) error {
		out := bufio.NewWriter(cmd.OutOrStdout())
		lines := json.NewEncoder(out)
		n, err := service.Export(cmd.Context(), func(r deposits.Record) error { return lines.Encode(r) })
		if err == nil {
			err = lines.Encode(deposits.End{Records: n})
		}
		return errors.Join(err, out.Flush())
	})
}

func resumeWallet() *cobra.Command {
	var next int64
	cmd := withDeposits(&cobra.Command{
		Use:   "resume WALLET",
		Short: "Let a stopped wallet assign addresses again, in all processes within a minute",
		Long: `Verifies all rows, and resumes a wallet that was stopped because a row was changed. After the restore of an
older database, --next skips the indexes that were used since: give the last index of the newest export plus
one, or more. The next index is never lowered.`,
		Example: "  causeway deposits resume BTC\n  causeway deposits resume BTC --next 1200",
		Args:    cobra.ExactArgs(1),
	}, func(cmd *cobra.Command, args []string, service *deposits.Service) error {
		s, err := service.Resume(cmd.Context(), args[0], next)
		if err != nil {
			return err
		}
		w := newWalletJSON(s)
		return PrintResult(cmd, w, "Wallet %s is %s; its next index is %d.", s.Wallet, w.State, s.Next)
	})
	cmd.Flags().Int64Var(&next, "next", 0, "lowest next index")
	OutputFlag(cmd.Flags())
	return cmd
}

func sealDeposits() *cobra.Command {
	var previous string
	cmd := withDeposits(&cobra.Command{
		Use:   "seal",
		Short: "Seal the rows of a database of an earlier version, or with a new privacy.hash_key",
		Long: `Derives all addresses again, and seals all rows with privacy.hash_key, once, after the upgrade from a version
without seals: compare with an export first. To change privacy.hash_key, stop all processes, set the new key,
name a file with the old one, and start them again. If any row is wrong, nothing is changed.`,
		Example: "  causeway deposits seal\n  causeway deposits seal --previous-key-file old.key",
		Args:    NoArgs,
	}, func(cmd *cobra.Command, _ []string, service *deposits.Service) error {
		n, err := service.Seal(cmd.Context())
		if err != nil {
			return err
		}
		return PrintResult(cmd, map[string]any{"sealed": n}, "%d rows sealed.", n)
	}, &previous)
	cmd.Flags().StringVar(&previous, "previous-key-file", "", "file with the previous privacy.hash_key")
	OutputFlag(cmd.Flags())
	return cmd
}
