package cli

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"causeway/adapters/storage"
	"causeway/cmd/causeway/app"
	"causeway/config"
	"causeway/core/deposits"
	"causeway/core/transactions"
	"causeway/ports"
)

// withChains adds the flags --config and -o to a command, and lets it run with the networks whose blocks
// the installation reads. The command takes no lease: a running process goes on reading.
func withChains(
	cmd *cobra.Command, run func(cmd *cobra.Command, args []string, service *transactions.Service) error,
) *cobra.Command {
	cmd.Flags().String("config", "", "YAML file of settings")
	OutputFlag(cmd.Flags())
	return withDatabase(cmd, func(cfg config.Config) error {
		if len(cfg.Deposits.Chains) == 0 {
			return errors.New("no network is read: set deposits.chains; see docs/deposits.md")
		}
		return cfg.Deposits.Check()
	}, func(cmd *cobra.Command, args []string, cfg config.Config, store *storage.Store) error {
		service, err := newChainService(cfg, store, app.NewEnvironment(nil))
		if err != nil {
			return err
		}
		return run(cmd, args, service)
	})
}

func newChainService(
	cfg config.Config, store *storage.Store, env app.Environment,
) (*transactions.Service, error) {
	catalog, err := cfg.LoadCatalog()
	if err != nil {
		return nil, err
	}
	owners, err := newDepositService(cfg, store, deposits.Events{}, cfg.Privacy.HashKey)
	if err != nil {
		return nil, err
	}
	backends, err := app.ConnectChains(cfg, catalog, env)
	if err != nil {
		return nil, err
	}
	return transactions.New(transactions.Config{
		Chains: catalog.Chains, Backends: backends, Store: store.Transactions(), Owners: owners, Clock: env.Clock,
	})
}

// chainJSON is a network in JSON output.
type chainJSON struct {
	Network    string    `json:"network"`
	Newest     int64     `json:"newest_block"`
	Read       int64     `json:"read_block"`
	ReadTime   time.Time `json:"read_block_time,omitzero"`
	Verified   int64     `json:"verified_block"`
	Unread     int64     `json:"unread_blocks"`
	Unverified int64     `json:"unverified_blocks"`
	Holder     string    `json:"holder,omitempty"`
	Backends   []string  `json:"back_ends"`
	Problem    string    `json:"problem,omitempty"`
}

func depositChains() *cobra.Command {
	cmd := withChains(&cobra.Command{
		Use:   "chains",
		Short: "Show how far the blocks of each network are read",
		Long: "Shows, for each network of deposits.chains, the newest block that its back ends showed, the last block\n" +
			"that was read, the last block that was read again and verified, the process that reads, and why deposits\n" +
			"are late. It reads the database and calls no back end; causeway doctor chains does.",
		Args: NoArgs,
	}, func(cmd *cobra.Command, _ []string, service *transactions.Service) error {
		all, err := service.Status(cmd.Context())
		if err != nil {
			return err
		}
		documents := []chainJSON{}
		for _, s := range all {
			c := chainJSON{
				Network: s.Network, Newest: s.Head, Read: s.Tip.Height, ReadTime: s.TipTime, Verified: s.Verified,
				Unread: s.Unread, Unverified: s.Unverified, Holder: s.Holder, Problem: s.Problem,
				Backends: Column(s.Backends, func(b transactions.Backend) string { return b.Name }),
			}
			if s.Holder == "" {
				c.Problem = "no process has read it yet"
			}
			documents = append(documents, c)
		}
		return printView(cmd, documents, chainView)
	})
	WideFlag(cmd.Flags())
	return cmd
}

var chainView = NewView("NETWORK,NEWEST,READ,OF,VERIFIED,HOLDER,PROBLEM", func(t *Table, c chainJSON) {
	t.Row(c.Network, c.Newest, c.Read, c.ReadTime, c.Verified, c.Holder, c.Problem)
})

// printView prints a value as JSON, or as a table.
func printView(cmd *cobra.Command, value any, view View) error {
	data, err := json.Marshal(value)
	if err != nil {
		return err
	}
	return Print(cmd, data, view)
}

// unassignedJSON is a transfer without a user in JSON output. The operator needs the address, the memo
// and the hash to find the sender, so they are not masked.
type unassignedJSON struct {
	Seen     time.Time `json:"seen_at"`
	Network  string    `json:"network"`
	Currency string    `json:"currency"`
	Amount   string    `json:"amount"`
	Reason   string    `json:"reason"`
	Address  string    `json:"address"`
	Memo     string    `json:"memo,omitempty"`
	Hash     string    `json:"hash"`
	Index    int64     `json:"index"`
	Block    int64     `json:"block"`
}

func unassignedDeposits() *cobra.Command {
	var (
		network string
		limit   int
	)
	cmd := withChains(&cobra.Command{
		Use:   "unassigned",
		Short: "List the newest transfers that were credited to nobody",
		Long: `Lists transfers to addresses of the installation that have no user: to a shared address without a memo, or
with one that no user has, and to addresses of a pool that no user has. Anyone can send such transfers, so the list
has a limit. Like causeway deposits export, the command shows whole addresses and memos: protect its output.`,
		Example: "  causeway deposits unassigned\n  causeway deposits unassigned --network XRP --limit 20 -o json",
		Args:    NoArgs,
	}, func(cmd *cobra.Command, _ []string, service *transactions.Service) error {
		const most = 1000
		if limit < 1 || limit > most {
			return UsageError("--limit is %d; accepted: 1 to %d", limit, most)
		}
		all, err := service.Unassigned(cmd.Context(), strings.ToUpper(network), limit)
		if err != nil {
			return err
		}
		documents := []unassignedJSON{}
		for _, u := range all {
			documents = append(documents, unassignedJSON{
				Seen: u.Seen.Truncate(time.Second), Network: u.Network, Currency: u.Currency,
				Amount: u.Units.Shift(-u.Decimals).String(), Reason: string(u.Reason), Address: u.Address.Reveal(),
				Memo: u.Memo.Reveal(), Hash: u.Hash, Index: u.Index, Block: u.Block.Height,
			})
		}
		return printView(cmd, documents, unassignedView)
	})
	cmd.Flags().StringVar(&network, "network", "", "network, such as XRP (default: all)")
	cmd.Flags().IntVar(&limit, "limit", 100, "most transfers, 1 to 1000")
	WideFlag(cmd.Flags())
	return cmd
}

var unassignedView = NewView("SEEN,NETWORK,AMOUNT,CURRENCY,REASON,ADDRESS,MEMO,BLOCK,HASH",
	func(t *Table, u unassignedJSON) {
		t.Row(u.Seen, u.Network, u.Amount, u.Currency, u.Reason, u.Address, u.Memo, u.Block, u.Hash)
	})

func rescanChain() *cobra.Command {
	var from int64
	cmd := withChains(&cobra.Command{
		Use:   "rescan NETWORK --from HEIGHT",
		Short: "Read the blocks of a network again, and add the deposits that are missing",
		Long: `Reads the blocks of a network again from every back end, from the last block that was read down to a height,
also blocks before the first one that Causeway read. Transfers to addresses of users that are not stored become pending
transactions, and the process that reads the network completes them. Nothing is counted twice: the command may be
interrupted and repeated, and processes may run meanwhile.`,
		Example: "  causeway deposits rescan BSC --from 45120000",
		Args:    cobra.ExactArgs(1),
	}, func(cmd *cobra.Command, args []string, service *transactions.Service) error {
		network, last := strings.ToUpper(args[0]), time.Now()
		progress := func(height int64) {
			const interval = 5 * time.Second
			if time.Since(last) >= interval {
				last = time.Now()
				cmd.PrintErrf("%s: block %d; %d to go\n", network, height, height-from)
			}
		}
		found, err := service.Rescan(cmd.Context(), network, from, progress)
		if err != nil && found > 0 {
			return fmt.Errorf("%w (%d transactions were added; repeat the command)", err, found)
		}
		if err != nil {
			return err
		}
		return PrintResult(cmd, map[string]any{"network": network, "from": from, "added": found},
			"%s is read again from block %d on: %d transactions were added.", network, from, found)
	})
	cmd.Flags().Int64Var(&from, "from", 0, "height of the lowest block")
	_ = cmd.MarkFlagRequired("from")
	return cmd
}

func resumeChain() *cobra.Command {
	return withChains(&cobra.Command{
		Use:   "resume-chain NETWORK",
		Short: "Let a stopped network be read again, from its newest block on",
		Long: `Lets a network be read again that was stopped, because it replaced more blocks than are stored. The blocks that
are still stored are undone: their transactions are pending until a block has them again. Wait until causeway
deposits chains shows a block that was read, and rescan from the block that the command names: this finds the
transfers of the blocks that came instead. Compare earlier ones with the network.`,
		Example: "  causeway deposits resume-chain BSC\n  causeway deposits rescan BSC --from 45120000",
		Args:    cobra.ExactArgs(1),
	}, func(cmd *cobra.Command, args []string, service *transactions.Service) error {
		network := strings.ToUpper(args[0])
		lowest, err := service.Resume(cmd.Context(), network)
		switch {
		case errors.Is(err, ports.ErrLeaseLost):
			return errors.New("another process changed the network meanwhile; try again")
		case err != nil:
			return err
		}
		return PrintResult(cmd, map[string]any{"network": network, "rescan_from": lowest},
			"%s is read from its newest block on. Once a block was read, run causeway deposits rescan %s --from %d.",
			network, network, lowest)
	})
}
