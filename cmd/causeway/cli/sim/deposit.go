package sim

import (
	"cmp"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"causeway/cmd/causeway/cli"
	"causeway/simulator/control"
	"causeway/simulator/world"
)

// chainBody has the members of a chain that its table shows, and that a deposit needs.
type chainBody struct {
	Network       string
	Height        int64
	Time          time.Time
	FinalHeight   int64 `json:"final_height"`
	Confirmations int64
	Currencies    []string
	NextBlock     time.Time `json:"next_block"`
	Transfers     []transferBody
}

type transferBody struct {
	Hash          string `json:"hash"`
	To            string `json:"to"`
	Confirmations int64  `json:"confirmations"`
}

// readBody is the height of a chain after a change.
type readBody struct {
	Height     int64
	ReadHeight *int64 `json:"read_height"`
	Problem    string
}

type (
	mineBody struct {
		Blocks int64 `json:"blocks"`
	}
	reorganizeBody struct {
		Depth int64 `json:"depth"`
		Drop  bool  `json:"drop"`
	}
)

var (
	chainView = cli.NewView("NETWORK,HEIGHT,TIME,FINAL,CONFIRMATIONS,TRANSFERS,NEXT BLOCK,CURRENCIES",
		func(t *cli.Table, c chainBody) {
			t.Row(c.Network, c.Height, c.Time, c.FinalHeight, c.Confirmations, len(c.Transfers), c.NextBlock, c.Currencies)
		}).Optional("NEXT BLOCK", "TIME", "FINAL", "CONFIRMATIONS", "TRANSFERS")
	readView = cli.NewView("HEIGHT,READ,PROBLEM", func(t *cli.Table, r readBody) {
		t.Row(r.Height, r.ReadHeight, r.Problem)
	})
)

// chainGroup are the commands about blockchains.
var chainGroup = group{"chain", "List, mine and reorganize the blockchains of a world", []call{
	{use: "list", short: "List the blockchains", request: "GET /worlds/{world}/chains", view: chainView},
	{
		use: "mine NETWORK [BLOCKS]", short: "Add blocks", args: cobra.RangeArgs(1, 2),
		example: "  causeway sim chain mine BSC 15",
		request: "POST /worlds/{world}/chains/{}/mine", body: members[mineBody]("blocks"), view: readView,
	},
	{
		use: "reorganize NETWORK DEPTH [drop=true]", short: "Replace the newest blocks by a new branch",
		args: cobra.RangeArgs(2, 3),
		long: "Replaces the newest blocks by one block more. The last new block has the transfers of the replaced\n" +
			"ones, unless they are dropped.",
		example: "  causeway sim chain reorganize BSC 3\n  causeway sim chain reorganize BSC 3 drop=true",
		request: "POST /worlds/{world}/chains/{}/reorganize", body: members[reorganizeBody]("depth"), view: readView,
	},
}}

// transfer is the body of a deposit.
type transfer struct {
	To        string `json:"to,omitempty"`
	ProfileID string `json:"profile_id,omitempty"`
	Memo      string `json:"memo,omitempty"`
	Currency  string `json:"currency"`
	Amount    string `json:"amount"`
}

const pollInterval = 500 * time.Millisecond

func (s *sim) deposit() *cobra.Command {
	var (
		body    transfer
		network string
		mine    bool
	)
	cmd := &cobra.Command{
		Use: "deposit", Short: "Send a transfer to a deposit address and show how it is confirmed", Args: cli.NoArgs,
		Long: "Sends a transfer to the deposit address of a profile, or to another address, and shows how its\n" +
			"confirmations come in. The clock of the world adds the blocks; if it stands still, or with --mine, the\n" +
			"command adds them.",
		Example: "  causeway sim deposit --currency USDT --network BSC --amount 10 --profile user-1\n" +
			"  causeway sim deposit --currency BTC --amount 0.01 --profile user-1 --mine",
		RunE: func(cmd *cobra.Command, _ []string) error {
			if body.ProfileID == "" && body.To == "" {
				return cli.UsageError("--profile or --to is required: who receives the transfer")
			}
			chain, err := s.chainFor(cmd, body.Currency, network)
			if err != nil {
				return err
			}
			return s.pay(cmd, chain, body, mine)
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&body.Currency, "currency", "", "code of the currency")
	flags.StringVar(&network, "network", "", "code of the network; may be absent if the currency has one network")
	flags.StringVar(&body.Amount, "amount", "", "amount in units of the currency, such as 0.01")
	flags.StringVar(&body.ProfileID, "profile", "", "profile_id of the user")
	flags.StringVar(&body.To, "to", "", "address, instead of a profile")
	flags.StringVar(&body.Memo, "memo", "", "memo or tag")
	flags.BoolVar(&mine, "mine", false, "add the blocks at once instead of waiting for the clock")
	for flag, field := range map[string]string{
		"currency": "currency", "amount": "amount", "profile": "profile_id", "to": "to", "memo": "memo",
	} {
		cli.SetField(cmd, flag, field)
	}
	_ = cmd.MarkFlagRequired("currency") // the flags exist
	_ = cmd.MarkFlagRequired("amount")
	cmd.MarkFlagsMutuallyExclusive("profile", "to")
	return cmd
}

// chainFor returns the chain of a network, or the only one of a currency.
func (s *sim) chainFor(cmd *cobra.Command, currency, network string) (chainBody, error) {
	var chains []chainBody
	data, err := s.get(cmd.Context(), s.worldPath("/chains"), nil)
	if err == nil {
		err = json.Unmarshal(data, &chains)
	}
	if err != nil {
		return chainBody{}, err
	}
	found := slices.DeleteFunc(chains, func(c chainBody) bool {
		return network != "" && !strings.EqualFold(c.Network, network) ||
			!slices.Contains(c.Currencies, strings.ToUpper(currency))
	})
	switch len(found) {
	case 0:
		return chainBody{}, cli.UsageError("no chain of this sandbox has %s on %s; see causeway sim chain list", currency,
			cmp.Or(network, "any network"))
	case 1:
		return found[0], nil
	}
	return chainBody{}, cli.UsageError("%s has several networks; give one of them with --network: %s", currency,
		strings.Join(cli.Column(found, func(c chainBody) string { return c.Network }), ", "))
}

// pay sends a transfer and prints its confirmations until it has all of them and the service has seen the block after.
func (s *sim) pay(cmd *cobra.Command, chain chainBody, body transfer, mine bool) error {
	var (
		sent  []transferBody
		clock world.ClockState
	)
	if err := s.call(cmd, http.MethodPost, "/chains/"+chain.Network+"/transfers", body, &sent); err != nil {
		return err
	}
	if err := s.call(cmd, http.MethodGet, "/clock", nil, &clock); err != nil {
		return err
	}
	say := func(format string, args ...any) {
		if !cli.WantsJSON(cmd) {
			_, _ = fmt.Fprintf(cmd.OutOrStdout(), format+"\n", args...)
		}
	}
	say("Sent %s %s to %s on %s: transaction %s", body.Amount, strings.ToUpper(body.Currency), sent[0].To, chain.Network,
		sent[0].Hash)
	last := int64(-1)
	for {
		now, err := s.chainFor(cmd, body.Currency, chain.Network)
		if err != nil {
			return err
		}
		i := slices.IndexFunc(now.Transfers, func(t transferBody) bool { return t.Hash == sent[0].Hash })
		if i < 0 {
			return fmt.Errorf("the world was reset meanwhile; send the transfer again")
		}
		if reached := min(now.Transfers[i].Confirmations, chain.Confirmations); reached != last {
			say("block %d: %d of %d confirmations", now.Height, reached, chain.Confirmations)
			last = reached
		}
		if now.Transfers[i].Confirmations > chain.Confirmations {
			if cli.WantsJSON(cmd) {
				return cli.PrintJSON(cmd.OutOrStdout(), now.Transfers[i])
			}
			return nil
		}
		if err := s.nextBlock(cmd, chain.Network, mine || clock.Frozen); err != nil {
			return err
		}
	}
}

// nextBlock adds a block, or waits a moment.
func (s *sim) nextBlock(cmd *cobra.Command, network string, mine bool) error {
	if mine {
		var read readBody
		err := s.call(cmd, http.MethodPost, "/chains/"+network+"/mine", mineBody{1}, &read)
		if err == nil && read.Problem != "" {
			cmd.PrintErrln("The service has not read the block:", read.Problem)
		}
		return err
	}
	timer := time.NewTimer(pollInterval)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-cmd.Context().Done():
		return cmd.Context().Err()
	}
}

// call calls the control API for the world and decodes the data of the response.
func (s *sim) call(cmd *cobra.Command, method, path string, body, into any) error {
	data, err := s.Data(cmd.Context(), cli.Call{
		Wording: cli.NewWording(cmd, nil), Method: method, Path: control.Prefix + s.worldPath(path), Body: body,
	})
	if err != nil {
		return err
	}
	return json.Unmarshal(data, into)
}
