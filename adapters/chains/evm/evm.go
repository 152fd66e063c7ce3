// Package evm reads blocks of Ethereum and its relatives from a node, or a service with nodes, by the
// Ethereum JSON-RPC API.
//
// API: POST {url}. A block takes two requests, eth_getBlockByNumber with its transactions and
// eth_getBlockReceipts by its hash. Package evm does not use eth_getLogs: its index lags at the head of
// the chain, and it then returns fewer logs without an error.
//
// The native transfer of a transaction has the index 0. A transfer of a token is a log of the receipt,
// and its index is 1 + the position of the log in the receipt. The logIndex of the API counts through
// the block, and changes if the network puts the transaction into another block.
package evm

import (
	"context"
	"encoding/json"
	"errors"
	"math/big"
	"net/http"
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
const Name = "evm"

// Descriptor describes back ends with the Ethereum JSON-RPC API.
var Descriptor = backend.Descriptor{
	Name: Name, Title: "Ethereum JSON-RPC",
	Networks: []string{"ETH", "BSC", "MATIC", "ARBITRUM", "OPTIMISM", "BASE", "AVAXC"},
	Wallet:   "EVM",
	New:      newClient,
	Evidence: evidence,
}

// client implements ports.Chain.
type client struct {
	*upstream.Client

	chain core.Chain
	// contracts are the contracts of tokens by their lower-case form, as the catalog spells them.
	contracts map[address]string
}

func newClient(c *upstream.Client, chain core.Chain) ports.Chain {
	contracts := map[address]string{}
	for _, a := range chain.Assets {
		if a.Contract != "" {
			contracts[address(strings.ToLower(a.Contract))] = a.Contract
		}
	}
	return &client{c, chain, contracts}
}

// Check implements ports.Chain.
func (c *client) Check(ctx context.Context) error {
	id, err := call[quantity](ctx, c, "eth_chainId")
	switch {
	case err != nil:
		return err
	case id == nil: // says nothing about the network
		return backend.Undecided(c.Client, "eth_chainId", "there is no chain ID")
	case id.value.String() != c.chain.ID:
		return ports.ErrOtherNetwork
	}
	return nil
}

// Tip implements ports.Chain. A node that has no final block, or does not know the tag, is no error.
func (c *client) Tip(ctx context.Context) (core.Tip, error) {
	latest, err := c.header(ctx, "latest")
	if err != nil {
		return core.Tip{}, err
	}
	tip := core.Tip{BlockID: latest.id(), Time: latest.time()}
	if !c.chain.Finality {
		return tip, nil
	}
	final, err := c.header(ctx, "finalized")
	failure, failed := errors.AsType[*upstream.Failure](err)
	switch {
	case err == nil:
		tip.Final = final.id()
	case !errors.Is(err, ports.ErrNoBlock) && (!failed || failure.Outcome != upstream.Undecided):
		return core.Tip{}, err
	}
	return tip, nil
}

// header returns a block without its transactions.
func (c *client) header(ctx context.Context, tag string) (header, error) {
	h, err := call[header](ctx, c, "eth_getBlockByNumber", tag, false)
	if err != nil {
		return header{}, err
	}
	if h == nil || h.Hash == "" {
		return header{}, ports.ErrNoBlock
	}
	return *h, nil
}

// Block implements ports.Chain. The receipts are requested by the hash of the block, so that they are
// of the same block after a reorganization.
func (c *client) Block(ctx context.Context, height int64) (core.Block, error) {
	b, err := call[block](ctx, c, "eth_getBlockByNumber", "0x"+strconv.FormatInt(height, 16), true)
	if err != nil {
		return core.Block{}, err
	}
	if b == nil || b.Hash == "" {
		return core.Block{}, ports.ErrNoBlock
	}
	if b.id().Height != height || b.Parent == "" || b.Transactions == nil {
		return core.Block{}, ports.ErrIncomplete
	}
	receipts, err := call[[]receipt](ctx, c, "eth_getBlockReceipts", b.Hash)
	if err != nil {
		return core.Block{}, err
	}
	if receipts == nil {
		return core.Block{}, ports.ErrNoBlock
	}
	if len(*receipts) != len(b.Transactions) {
		return core.Block{}, ports.ErrIncomplete
	}
	out := core.Block{BlockID: b.id(), Parent: string(b.Parent), Time: b.time()}
	for i, r := range *receipts {
		tx := b.Transactions[i]
		if tx.Hash == "" || tx.Value == nil || r.Block != b.Hash || r.Hash != tx.Hash || r.Logs == nil ||
			r.Status == nil && r.Root == "" {
			return core.Block{}, ports.ErrIncomplete
		}
		out.Transfers = c.appendTransfers(out.Transfers, tx, r)
	}
	return out, nil
}

// appendTransfers appends the transfers of a transaction. A receipt from before 2017 has a root instead
// of a status: it does not say whether the transaction succeeded, so that its native transfer is not
// known. Its logs are: a transaction that failed has none.
func (c *client) appendTransfers(to []core.Transfer, tx transaction, r receipt) []core.Transfer {
	if r.Status != nil && *r.Status != 1 {
		return to
	}
	if r.Status != nil && tx.To != "" && tx.Value.value.Sign() > 0 {
		to = append(to, core.Transfer{
			Hash: string(tx.Hash), Address: core.Private(tx.To), Units: tx.Value.decimal(),
		})
	}
	for i, l := range r.Logs {
		contract, known := c.contracts[l.Address]
		if !known || l.Removed {
			continue
		}
		if receiver, units, ok := l.transfer(); ok {
			to = append(to, core.Transfer{
				Hash: string(tx.Hash), Index: int64(i) + 1, Contract: contract, Address: core.Private(receiver), Units: units,
			})
		}
	}
	return to
}

// call sends a request and decodes its result, which is nil for null.
func call[T any](ctx context.Context, c *client, method string, params ...any) (*T, error) {
	if params == nil {
		params = []any{}
	}
	const id = 1 // a response belongs to its HTTP request
	body, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": id, "method": method, "params": params})
	if err != nil {
		return nil, err
	}
	var answer struct {
		Version string `json:"jsonrpc"`
		ID      int    `json:"id"`
		Result  *T     `json:"result"`
		Error   *struct {
			Code int64 `json:"code"`
		} `json:"error"`
	}
	request := upstream.Request{Op: method, Method: http.MethodPost, Body: body}
	err = c.Do(ctx, request, func(r upstream.Response) error {
		answer.Result, answer.Error = nil, nil
		if err := r.Decode(&answer); err != nil {
			return err
		}
		switch {
		case answer.Error != nil:
			return failure(answer.Error.Code)
		case answer.Version != "2.0" || answer.ID != id:
			return upstream.Fail(upstream.Malformed, "not a response of JSON-RPC 2.0")
		}
		return nil
	})
	return answer.Result, err
}

// failure judges the code of an error, which comes with the status 200. Its text is not read: services
// word it differently, and it may contain the URL.
func failure(code int64) error {
	switch code {
	case -32001, -39001: // resource not found, unknown block
		return ports.ErrNoBlock
	case -32005, 429: // limit exceeded
		return upstream.Fail(upstream.Throttled, "too many requests")
	case -32603: // internal error
		return upstream.Fail(upstream.Unavailable, "internal error of the node")
	default:
		return upstream.Fail(upstream.Undecided, "JSON-RPC error "+strconv.FormatInt(code, 10))
	}
}

// header is what the API calls a block, without its transactions.
type header struct {
	Number    number `json:"number"`
	Hash      hash   `json:"hash"`
	Parent    hash   `json:"parentHash"`
	Timestamp number `json:"timestamp"` // Unix seconds
}

func (h header) id() core.BlockID {
	return core.BlockID{Height: int64(h.Number), Hash: string(h.Hash)}
}

func (h header) time() time.Time { return time.Unix(int64(h.Timestamp), 0).UTC() }

type block struct {
	header

	Transactions []transaction `json:"transactions"`
}

type transaction struct {
	Hash  hash      `json:"hash"`
	To    address   `json:"to"` // empty: it creates a contract
	Value *quantity `json:"value"`
}

type receipt struct {
	Block  hash    `json:"blockHash"`
	Hash   hash    `json:"transactionHash"`
	Status *number `json:"status"` // 1: it succeeded
	Root   hash    `json:"root"`   // instead of the status, before 2017
	Logs   []event `json:"logs"`
}

// event is a log.
type event struct {
	Address address  `json:"address"`
	Topics  []string `json:"topics"`
	Data    string   `json:"data"`
	Removed bool     `json:"removed"`
}

// transferTopic is the hash of Transfer(address,address,uint256), for ERC-20 and for ERC-721. The latter
// has the number of the token as a fourth topic, and no data.
const transferTopic = "0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef"

// transfer reads a transfer of an ERC-20 token. It is false for other logs, and for transfers of nothing.
func (e event) transfer() (receiver address, units decimal.Decimal, ok bool) {
	if len(e.Topics) != 3 || !strings.EqualFold(e.Topics[0], transferTopic) {
		return "", decimal.Decimal{}, false
	}
	var to hash
	var data hash // 32 bytes, as a hash
	if to.UnmarshalText([]byte(e.Topics[2])) != nil || data.UnmarshalText([]byte(e.Data)) != nil {
		return "", decimal.Decimal{}, false
	}
	value, _ := new(big.Int).SetString(string(data[2:]), 16)
	return address("0x" + to[len(to)-40:]), decimal.NewFromBigInt(value, 0), value.Sign() > 0
}
