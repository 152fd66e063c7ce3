package control

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"causeway/core"
	"causeway/simulator/chain"
	"causeway/simulator/input"
	"causeway/simulator/world"
)

// shownBlocks is how many of the newest blocks of a chain are listed.
const shownBlocks = 20

// ChainPath is the input of an operation about a chain of a world.
type ChainPath struct {
	WorldPath

	Network string `path:"network" doc:"Code of the network" example:"BSC"`
}

// Payee is a receiver with what it gets.
type Payee struct {
	To        string `json:"to,omitempty" maxLength:"200" doc:"Address that receives it; or profile_id"`
	ProfileID string `json:"profile_id,omitempty" maxLength:"200" doc:"User whose deposit address receives it, which is assigned if there is none; or to" example:"user-1"`
	Memo      string `json:"memo,omitempty" maxLength:"200" doc:"Memo or tag; absent for a profile_id: the memo of the deposit address"`
	Amount    string `json:"amount" maxLength:"100" doc:"Amount in units of the currency" example:"10.5"`
	Delivered string `json:"delivered,omitempty" maxLength:"100" doc:"On XRP, what arrives of a partial payment; absent: the amount"`
}

type sendInput struct {
	ChainPath

	Body struct {
		Payee

		Currency string  `json:"currency" doc:"Code of the currency" example:"USDT"`
		Account  string  `json:"account,omitempty" maxLength:"200" doc:"Account of the API key that profile_id belongs to; absent: requests without a key"`
		Outputs  []Payee `json:"outputs,omitempty" maxItems:"1000" doc:"Further receivers in the same transaction"`
		Contract string  `json:"contract,omitempty" enum:"fake" doc:"fake: a token with the symbol of the currency and another contract"`
		Failed   bool    `json:"failed,omitempty" doc:"Whether the transaction fails, but is in the block all the same"`
	}
}

type mineInput struct {
	ChainPath

	Body struct {
		Blocks int64 `json:"blocks,omitempty" doc:"Number of blocks; 1 if it is absent" example:"1"`
	}
}

type reorganizeInput struct {
	ChainPath

	Body struct {
		Depth int64 `json:"depth" doc:"Number of blocks that are replaced" example:"2"`
		Drop  bool  `json:"drop,omitempty" doc:"Whether the transfers of the replaced blocks are lost. A later reorganization that drops nothing brings them back"`
	}
}

// transferBody is a transfer that was sent, and what became of it.
type transferBody struct {
	Hash          string `json:"hash" doc:"Hash of the transaction"`
	Output        int    `json:"output" doc:"Position among the transfers of the transaction, from 0" example:"0"`
	Currency      string `json:"currency" doc:"Code of the currency" example:"USDT"`
	To            string `json:"to" doc:"Address that receives it"`
	Memo          string `json:"memo,omitempty" doc:"Memo or tag"`
	Amount        string `json:"amount" doc:"Amount that arrives, in units of the currency" example:"10.5"`
	Contract      string `json:"contract,omitempty" doc:"fake: it is another token with the symbol of the currency"`
	Failed        bool   `json:"failed,omitempty" doc:"Whether the transaction failed"`
	Height        int64  `json:"height,omitempty" doc:"Height of its block; absent: it is in none"`
	BlockHash     string `json:"block_hash,omitempty" doc:"Hash of its block"`
	Confirmations int64  `json:"confirmations" doc:"Number of blocks from its block to the newest one" example:"0"`
	Dropped       bool   `json:"dropped,omitempty" doc:"Whether a reorganization dropped it"`
}

type blockBody struct {
	Height       int64     `json:"height" doc:"Height of the block"`
	Hash         string    `json:"hash" doc:"Hash of the block"`
	Time         time.Time `json:"time" doc:"Time of the block" example:"2026-11-16T12:00:00Z"`
	Transactions int       `json:"transactions" doc:"Number of transactions, unrelated ones included" example:"3"`
	Sent         []string  `json:"sent" doc:"Hashes of the transactions that were sent by this API"`
}

type chainBody struct {
	Network       string         `json:"network" doc:"Code of the network" example:"BSC"`
	Height        int64          `json:"height" doc:"Height of the newest block"`
	Hash          string         `json:"hash" doc:"Hash of the newest block"`
	Time          time.Time      `json:"time" doc:"Time of the newest block" example:"2026-11-16T12:00:00Z"`
	FinalHeight   int64          `json:"final_height,omitempty" doc:"Height of the newest final block; absent: the network has no finality"`
	Confirmations int64          `json:"confirmations" doc:"Number of confirmations that complete a transfer" example:"15"`
	Currencies    []string       `json:"currencies" doc:"Currencies that can be sent" example:"USDT"`
	BlockTime     input.Duration `json:"block_time" doc:"How often the clock adds a block while a transfer is on its way"`
	NextBlock     time.Time      `json:"next_block,omitzero" doc:"When the clock adds the next block; absent: no transfer is on its way"`
	Blocks        []blockBody    `json:"blocks" doc:"The newest blocks, newest first"`
	Transfers     []transferBody `json:"transfers" doc:"All transfers that were sent by this API, in order"`
}

// readBody is the height of a chain, and what the service has read of it.
type readBody struct {
	Height     int64  `json:"height" doc:"Height of the newest block"`
	ReadHeight *int64 `json:"read_height,omitempty" doc:"Height of the newest block that the service has read; absent: this process reads none"`
	Problem    string `json:"problem,omitempty" doc:"Why the service has not read more"`
}

func (a *api) registerChains() {
	tags := []string{"Chains"}
	registerInWorld(a, huma.Operation{
		OperationID: "list-chains", Method: http.MethodGet, Path: "/chains", Tags: tags, Summary: "List the blockchains",
		Description: "Returns the chain of every network with its newest blocks, and all transfers that were sent, from " +
			"which a test can compute the right balances: the sum of the transfers to an address that are in a block, " +
			"did not fail and are not fake.",
	}, "Chains", func(_ context.Context, w *world.World, _ *WorldPath) ([]chainBody, error) {
		out := []chainBody{}
		for _, c := range w.Chains().All() {
			out = append(out, newChainBody(c, w.Now()))
		}
		return out, nil
	})
	registerChange(a, huma.Operation{
		OperationID: "send-transfer", Method: http.MethodPost, Path: "/chains/{network}/transfers", Tags: tags,
		Summary: "Send a transfer",
		Description: "The transfer is in the next block. From now on the clock adds blocks until the transfer has its " +
			"confirmations. Returns the transfers of the transaction.",
		DefaultStatus: http.StatusCreated,
	}, "Transfer sent", a.send)
	registerChange(a, huma.Operation{
		OperationID: "mine-blocks", Method: http.MethodPost, Path: "/chains/{network}/mine", Tags: tags,
		Summary: "Add blocks",
		Description: "Adds blocks at the present time. The service reads once before the call returns, also under " +
			"faults.",
	}, "Blocks added", func(ctx context.Context, w *world.World, in *mineInput) (readBody, error) {
		return a.changeChain(ctx, w, in.Network, func(c *chain.Chain) error {
			if in.Body.Blocks == 0 {
				in.Body.Blocks = 1
			}
			return c.Mine(in.Body.Blocks, w.Now())
		})
	})
	registerChange(a, huma.Operation{
		OperationID: "reorganize-chain", Method: http.MethodPost, Path: "/chains/{network}/reorganize", Tags: tags,
		Summary: "Reorganize a chain",
		Description: "Replaces the newest blocks by a new branch of one block more. The last new block has the transfers " +
			"of the replaced ones, at another position. The service reads once before the call returns, also under faults.",
	}, "Chain reorganized", func(ctx context.Context, w *world.World, in *reorganizeInput) (readBody, error) {
		return a.changeChain(ctx, w, in.Network, func(c *chain.Chain) error {
			return c.Reorganize(in.Body.Depth, in.Body.Drop, w.Now())
		})
	})
}

// chainOf returns a chain that is about to change. The service begins to read it before its first change, as it reads
// a real network from its present block on.
func (a *api) chainOf(ctx context.Context, w *world.World, network string) (*chain.Chain, error) {
	c, err := w.Chains().Find(strings.ToUpper(network))
	if err == nil && a.Synced != nil && !slices.Contains(w.Chains().Active(), c.Network) {
		a.Synced(ctx, w, c.Network)
	}
	return c, err
}

// changeChain changes a chain and lets the service read it.
func (a *api) changeChain(
	ctx context.Context, w *world.World, network string, change func(*chain.Chain) error,
) (out readBody, err error) {
	c, err := a.chainOf(ctx, w, network)
	if err == nil {
		err = change(c)
	}
	if err != nil {
		return out, err
	}
	if a.Synced != nil {
		height, problem := a.Synced(ctx, w, c.Network)
		out.ReadHeight, out.Problem = &height, problem
	}
	out.Height = c.Height(w.Now())
	return out, nil
}

func (a *api) send(ctx context.Context, w *world.World, in *sendInput) ([]transferBody, error) {
	c, err := a.chainOf(ctx, w, in.Network)
	if err != nil {
		return nil, err
	}
	p := chain.Payment{Currency: strings.ToUpper(in.Body.Currency), Fake: in.Body.Contract != "", Failed: in.Body.Failed}
	for i, to := range append([]Payee{in.Body.Payee}, in.Body.Outputs...) {
		prefix := ""
		if i > 0 {
			prefix = fmt.Sprintf("outputs.%d.", i-1)
		}
		payee := chain.Payee{To: to.To, Memo: to.Memo, Amount: to.Amount, Delivered: to.Delivered}
		switch {
		case (to.To == "") == (to.ProfileID == ""):
			return nil, core.InvalidField(prefix+"to", "or profile_id is needed, not both")
		case to.To != "":
		case a.DepositAddress == nil:
			return nil, core.InvalidField(prefix+"profile_id", "is given, but this process gives out no addresses; accepted: to")
		default:
			address, memo, err := a.DepositAddress(ctx, w, in.Body.Account, to.ProfileID, p.Currency, c.Network)
			if err != nil {
				return nil, err
			}
			if payee.To = address; payee.Memo == "" {
				payee.Memo = memo
			}
		}
		p.Payees = append(p.Payees, payee)
	}
	t, err := c.Pay(p, w.Now())
	if err != nil {
		return nil, err
	}
	return appendTransfers(nil, c, chain.State{Transaction: t}), nil
}

// appendTransfers appends the transfers of a payment.
func appendTransfers(list []transferBody, c *chain.Chain, s chain.State) []transferBody {
	for i, o := range s.Outputs {
		one := transferBody{
			Hash: c.Text(s.Hash), Output: i, Currency: s.Asset.Currency, To: o.To, Memo: o.Memo,
			Amount: o.Delivered.Shift(-s.Asset.Decimals).String(), Failed: s.Failed, Height: s.Height,
			Confirmations: s.Confirmations, Dropped: s.Dropped,
		}
		if s.Fake {
			one.Contract = "fake"
		}
		if s.Height > 0 {
			one.BlockHash = c.Text(s.Block)
		}
		list = append(list, one)
	}
	return list
}

func newChainBody(c *chain.Chain, now time.Time) chainBody {
	out := chainBody{
		Network: c.Network, Height: c.Height(now), Confirmations: c.Depth(), BlockTime: input.Duration(c.BlockTime()),
		NextBlock: c.Next(now), Currencies: []string{}, Blocks: []blockBody{}, Transfers: []transferBody{},
	}
	for _, asset := range c.Assets {
		out.Currencies = append(out.Currencies, asset.Currency)
	}
	if c.Finality {
		out.FinalHeight = out.Height - c.Depth() + 1
	}
	for height := out.Height; height > out.Height-shownBlocks; height-- {
		if b, ok := c.Block(height, now); ok {
			out.Blocks = append(out.Blocks, newBlockBody(c, b))
		}
	}
	out.Hash, out.Time = out.Blocks[0].Hash, out.Blocks[0].Time
	for _, s := range c.Payments(now) {
		out.Transfers = appendTransfers(out.Transfers, c, s)
	}
	return out
}

func newBlockBody(c *chain.Chain, b chain.Block) blockBody {
	out := blockBody{
		Height: b.Height, Hash: c.Text(b.Hash), Time: b.Time, Transactions: len(b.Transactions), Sent: []string{},
	}
	for _, t := range b.Transactions {
		if t.Paid {
			out.Sent = append(out.Sent, c.Text(t.Hash))
		}
	}
	return out
}
