// Package blockbook reads blocks of Bitcoin and its relatives from Blockbook, by version 2 of its REST API.
//
// API: GET {url}/api/v2/block/{height}, then further pages by the hash of the block, with at most 1,000
// transactions each. The index of a transfer is the position of its output in the transaction.
//
// The first transaction of a block, the coinbase, is left out: its outputs cannot be spent for 100
// blocks, more than complete a deposit, and a reorganization destroys them for good.
package blockbook

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/shopspring/decimal"

	"causeway/adapters/chains/backend"
	"causeway/adapters/upstream"
	"causeway/core"
	"causeway/ports"
)

// Name of the kind of back end.
const Name = "blockbook"

// Descriptor describes back ends with version 2 of Blockbook's REST API.
var Descriptor = backend.Descriptor{
	Name: Name, Title: "Blockbook REST API, version 2",
	Networks: []string{"BTC", "LTC", "DOGE", "BCH", "DASH"},
	New: func(c *upstream.Client, chain core.Chain) ports.Chain {
		return &client{c, backend.Hash(strings.ToLower(chain.ID))}
	},
	Evidence: evidence,
}

// client implements ports.Chain.
type client struct {
	*upstream.Client

	id backend.Hash // of a block that no other network has
}

// Check implements ports.Chain. The block must be on the main chain: by hash, Blockbook also returns
// blocks of forks.
func (c *client) Check(ctx context.Context) error {
	b, err := c.page(ctx, string(c.id), 1)
	var main index
	if err == nil && b.Hash == c.id {
		main, err = get[index](ctx, c, "block-index", "/api/v2/block-index/"+strconv.FormatInt(b.Height, 10), nil)
	}
	switch {
	case err == nil && b.Hash != c.id:
		return backend.Undecided(c.Client, "block", "it is not the one that was requested")
	case err == nil && main.Hash == c.id:
		return nil
	case err != nil && !errors.Is(err, ports.ErrNoBlock):
		return err
	}
	s, err := get[status](ctx, c, "status", "/api/", nil)
	switch {
	case err != nil:
		return err
	case !s.Blockbook.InSync: // it may lack the block because it has not read it yet
		return backend.Undecided(c.Client, "status", "it is not in sync with its node")
	}
	return ports.ErrOtherNetwork
}

// Tip implements ports.Chain.
func (c *client) Tip(ctx context.Context) (core.Tip, error) {
	best, err := get[index](ctx, c, "block-index", "/api/v2/block-index/", nil)
	if err != nil {
		return core.Tip{}, err
	}
	if best.Hash == "" {
		return core.Tip{}, ports.ErrNoBlock
	}
	b, err := c.page(ctx, string(best.Hash), 1)
	if err != nil {
		return core.Tip{}, err
	}
	if b.Hash != best.Hash || b.Time <= 0 {
		return core.Tip{}, ports.ErrIncomplete
	}
	return core.Tip{BlockID: b.id(), Time: b.time()}, nil
}

// Block implements ports.Chain. Pages after the first one are requested by the hash of the block, so
// that they are of the same block after a reorganization.
func (c *client) Block(ctx context.Context, height int64) (core.Block, error) {
	first, err := c.page(ctx, strconv.FormatInt(height, 10), 1)
	if err != nil {
		return core.Block{}, err
	}
	if first.Height != height || first.Hash == "" || first.Parent == "" || first.Time <= 0 {
		return core.Block{}, ports.ErrIncomplete
	}
	out := core.Block{BlockID: first.id(), Parent: string(first.Parent), Time: first.time()}
	count := 0
	for b, number := first, 1; ; {
		if !b.continues(first, number) {
			return core.Block{}, ports.ErrIncomplete
		}
		for i, tx := range b.Transactions {
			coinbase := number == 1 && i == 0
			if tx.ID == "" || tx.Block != first.Hash || tx.Height != height || coinbase && !tx.fromNowhere() {
				return core.Block{}, ports.ErrIncomplete
			}
			if coinbase {
				continue
			}
			var ok bool
			if out.Transfers, ok = tx.appendTransfers(out.Transfers); !ok {
				return core.Block{}, ports.ErrIncomplete
			}
		}
		count += len(b.Transactions)
		if number++; number > first.Pages {
			break
		}
		if b, err = c.page(ctx, string(first.Hash), number); err != nil {
			return core.Block{}, err
		}
	}
	if count != first.Count {
		return core.Block{}, ports.ErrIncomplete
	}
	return out, nil
}

// page returns a page of a block, by its height or its hash.
func (c *client) page(ctx context.Context, id string, number int) (block, error) {
	return get[block](ctx, c, "block", "/api/v2/block/"+id, url.Values{"page": {strconv.Itoa(number)}})
}

// get sends a request and decodes the response.
func get[T any](ctx context.Context, c *client, op, path string, query url.Values) (out T, err error) {
	err = c.Get(ctx, op, path, query, func(r upstream.Response) error {
		if r.Status == http.StatusBadRequest && missing(r) {
			return ports.ErrNoBlock
		}
		var answer T
		err := r.Decode(&answer)
		out = answer
		return err
	})
	return out, err
}

// missing reports whether a response says that there is no such block. A longer text means that the
// node behind Blockbook failed.
func missing(r upstream.Response) bool {
	var answer struct {
		Error string `json:"error"`
	}
	return r.JSON(&answer) == nil &&
		slices.Contains([]string{"Block not found", "Block not found, Block not found"}, answer.Error)
}

type status struct {
	Blockbook struct {
		InSync bool `json:"inSync"`
	} `json:"blockbook"`
}

type index struct {
	Hash backend.Hash `json:"blockHash"`
}

// block is a page of a block.
type block struct {
	Page         int           `json:"page"`
	Pages        int           `json:"totalPages"`
	Hash         backend.Hash  `json:"hash"`
	Parent       backend.Hash  `json:"previousBlockHash"`
	Height       int64         `json:"height"`
	Time         int64         `json:"time"` // Unix seconds
	Count        int           `json:"txCount"`
	Transactions []transaction `json:"txs"`
}

func (b block) id() core.BlockID { return core.BlockID{Height: b.Height, Hash: string(b.Hash)} }

func (b block) time() time.Time { return time.Unix(b.Time, 0).UTC() }

// continues reports whether the page has a number, and is of the same block as the first page. A page
// beyond the last one would be the last one again.
func (b block) continues(first block, number int) bool {
	return b.Page == number && b.Hash == first.Hash && b.Height == first.Height && b.Count == first.Count &&
		b.Pages == first.Pages && len(b.Transactions) > 0
}

type transaction struct {
	ID      backend.Hash `json:"txid"`
	Block   backend.Hash `json:"blockHash"`
	Height  int64        `json:"blockHeight"`
	Inputs  []party      `json:"vin"`
	Outputs []output     `json:"vout"`
}

// fromNowhere reports whether no input has an address, as in a coinbase.
func (t transaction) fromNowhere() bool {
	return !slices.ContainsFunc(t.Inputs, func(p party) bool { return p.IsAddress })
}

// appendTransfers appends the transfers of the transaction. It is not ok if a part is missing.
func (t transaction) appendTransfers(to []core.Transfer) (all []core.Transfer, ok bool) {
	if len(t.Outputs) == 0 {
		return nil, false
	}
	for i, o := range t.Outputs {
		if o.Index != int64(i) {
			return nil, false
		}
		if !o.IsAddress || len(o.Addresses) != 1 {
			continue
		}
		units, ok := o.units()
		if !ok {
			return nil, false
		}
		if units.IsPositive() {
			to = append(to, core.Transfer{
				Hash: string(t.ID), Index: o.Index, Address: core.Private(o.Addresses[0]), Units: units,
			})
		}
	}
	return to, true
}

// party is an input, or whom an output pays.
type party struct {
	Addresses []string `json:"addresses"` // of an output that is no address: a text such as OP_RETURN
	IsAddress bool     `json:"isAddress"`
}

type output struct {
	party

	Index int64  `json:"n"`
	Value string `json:"value"` // smallest units
}

// units parses the value, which has digits only.
func (o output) units() (decimal.Decimal, bool) {
	const most = 20
	if o.Value == "" || len(o.Value) > most || strings.Trim(o.Value, "0123456789") != "" {
		return decimal.Decimal{}, false
	}
	units, err := decimal.NewFromString(o.Value)
	return units, err == nil
}
