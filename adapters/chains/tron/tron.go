// Package tron reads blocks of TRON from a node, or a service with nodes, by the HTTP API of the node.
//
// API: POST {url}/wallet/…. A block takes two requests, getblockbynum and gettransactioninfobyblocknum.
// Package tron never uses the Ethereum-compatible endpoint of a node: there a transfer of a worthless
// TRC-10 token looks like one of TRX.
//
// The native transfer of a transaction has the index 0, and a transfer of a TRC-20 token 1 + the position
// of its log. TRX that a contract sends has 1,000,000 + the position of its internal transaction, which
// no log reaches.
package tron

import (
	"context"
	"encoding/hex"
	"encoding/json"
	"errors"
	"math/big"
	"net/http"
	"strings"
	"time"

	"github.com/btcsuite/btcd/btcutil/base58"
	"github.com/shopspring/decimal"

	"causeway/adapters/chains/backend"
	"causeway/adapters/upstream"
	"causeway/core"
	"causeway/ports"
)

const (
	// Name of the kind of back end.
	Name = "tron"

	keyHeader     = "TRON-PRO-API-KEY" // of TronGrid
	version       = 0x41               // first byte of an address
	firstInternal = 1_000_000          // index
	success       = "SUCCESS"
)

// Descriptor describes back ends with the HTTP API of TRON's nodes.
var Descriptor = backend.Descriptor{
	Name: Name, Title: "HTTP API of TRON's nodes", Networks: []string{"TRX"}, KeyHeader: keyHeader, New: newClient,
	Evidence: evidence,
}

// client implements ports.Chain.
type client struct {
	*upstream.Client

	chain     core.Chain
	contracts map[account]string // as the catalog spells them
}

func newClient(c *upstream.Client, chain core.Chain) ports.Chain {
	contracts := map[account]string{}
	for _, a := range chain.Assets {
		if bytes, prefix, err := base58.CheckDecode(a.Contract); err == nil && prefix == version {
			contracts[account(hex.EncodeToString(bytes))] = a.Contract
		}
	}
	return &client{c, chain, contracts}
}

// Check implements ports.Chain. The first block tells the network.
func (c *client) Check(ctx context.Context) error {
	first, err := call[block](ctx, c, "getblockbynum", "wallet", map[string]any{"num": 0})
	switch {
	case err != nil:
		return err
	case first.ID == "": // says nothing about the network
		return backend.Undecided(c.Client, "getblockbynum", "there is no first block")
	case string(first.ID) != c.chain.ID:
		return ports.ErrOtherNetwork
	}
	return nil
}

// Tip implements ports.Chain. A service that does not serve /walletsolidity is no error.
func (c *client) Tip(ctx context.Context) (core.Tip, error) {
	newest, err := c.newest(ctx, "wallet")
	if err != nil {
		return core.Tip{}, err
	}
	tip := core.Tip{BlockID: newest.id(), Time: newest.time()}
	if !c.chain.Finality {
		return tip, nil
	}
	final, err := c.newest(ctx, "walletsolidity")
	failure, failed := errors.AsType[*upstream.Failure](err)
	switch {
	case err == nil:
		tip.Final = final.id()
	case !errors.Is(err, ports.ErrNoBlock) && (!failed || failure.Status != http.StatusNotFound):
		return core.Tip{}, err
	}
	return tip, nil
}

// newest returns the newest block, or the newest final one, without its transactions.
func (c *client) newest(ctx context.Context, folder string) (block, error) {
	b, err := call[block](ctx, c, "getblock", folder, map[string]any{"detail": false})
	switch {
	case err != nil:
		return block{}, err
	case b.ID == "":
		return block{}, ports.ErrNoBlock
	case b.header().Time <= 0:
		return block{}, ports.ErrIncomplete
	}
	return b, nil
}

// Block implements ports.Chain. Both responses are by height: after a reorganization the time or the
// transactions of one differ from the other's.
func (c *client) Block(ctx context.Context, height int64) (core.Block, error) {
	b, err := call[block](ctx, c, "getblockbynum", "wallet", map[string]any{"num": height})
	if err != nil {
		return core.Block{}, err
	}
	if b.ID == "" {
		return core.Block{}, ports.ErrNoBlock
	}
	if b.header().Height != height || b.header().Parent == "" || b.header().Time <= 0 {
		return core.Block{}, ports.ErrIncomplete
	}
	infos, err := call[[]info](ctx, c, "gettransactioninfobyblocknum", "wallet", map[string]any{"num": height})
	if err != nil {
		return core.Block{}, err
	}
	if len(infos) != len(b.Transactions) {
		return core.Block{}, ports.ErrIncomplete
	}
	out := core.Block{BlockID: b.id(), Parent: string(b.header().Parent), Time: b.time()}
	for i, tx := range b.Transactions {
		result := infos[i]
		if tx.ID == "" || tx.ID != result.ID || result.Height != height || result.Time != b.header().Time ||
			len(tx.Results) != 1 || len(tx.Data.Contracts) != 1 {
			return core.Block{}, ports.ErrIncomplete
		}
		if tx.Results[0].Contract != success {
			continue
		}
		var ok bool
		if out.Transfers, ok = tx.Data.Contracts[0].appendTransfer(out.Transfers, tx.ID); !ok {
			return core.Block{}, ports.ErrIncomplete
		}
		if result.Result != "FAILED" && result.Receipt.Result == success {
			out.Transfers = result.appendTransfers(out.Transfers, c.contracts)
		}
	}
	return out, nil
}

// call sends a request and decodes its response. Addresses are hexadecimal.
func call[T any](ctx context.Context, c *client, op, folder string, params map[string]any) (out T, err error) {
	body, err := json.Marshal(params)
	if err != nil {
		return out, err
	}
	request := upstream.Request{Op: op, Method: http.MethodPost, Path: "/" + folder + "/" + op, Body: body}
	err = c.Do(ctx, request, func(r upstream.Response) error {
		if err := r.Err(); err != nil {
			return err
		}
		if err := failure(r); err != nil {
			return err
		}
		var answer T
		err := r.JSON(&answer)
		out = answer
		return err
	})
	return out, err
}

// failure judges an error, which has the status 200, and an empty object in place of a list. Its text is
// not passed on: it may contain anything.
func failure(r upstream.Response) error {
	const longest = 4 << 10 // errors are short
	var answer map[string]json.RawMessage
	if len(r.Body) > longest || r.JSON(&answer) != nil {
		return nil
	}
	text, failed := answer["Error"]
	switch {
	case len(answer) == 0:
		return ports.ErrNoBlock
	case strings.Contains(string(text), "lack of computing resources"):
		return upstream.Fail(upstream.Throttled, "too many requests")
	case failed:
		return upstream.Fail(upstream.Undecided, "the node returned an error")
	}
	return nil
}

type block struct {
	ID     backend.Hash `json:"blockID"`
	Header struct {
		Data header `json:"raw_data"`
	} `json:"block_header"`
	Transactions []transaction `json:"transactions"` // left out if there are none
}

type header struct {
	Height int64        `json:"number"` // left out if it is 0
	Parent backend.Hash `json:"parentHash"`
	Time   int64        `json:"timestamp"` // Unix milliseconds
}

func (b block) header() header { return b.Header.Data }

func (b block) id() core.BlockID { return core.BlockID{Height: b.header().Height, Hash: string(b.ID)} }

func (b block) time() time.Time { return time.UnixMilli(b.header().Time).UTC() }

type transaction struct {
	ID      backend.Hash `json:"txID"`
	Results []struct {
		Contract string `json:"contractRet"` // SUCCESS; old blocks do not say
	} `json:"ret"`
	Data struct {
		Contracts []contract `json:"contract"` // always one
	} `json:"raw_data"`
}

// contract is what a transaction does. TransferContract sends TRX, all other types do not:
// TransferAssetContract sends a TRC-10 token.
type contract struct {
	Type      string `json:"type"`
	Parameter struct {
		Value json.RawMessage `json:"value"` // depends on the type
	} `json:"parameter"`
}

type transferContract struct {
	To     full  `json:"to_address"`
	Amount int64 `json:"amount"` // in sun, 10^-6 TRX
}

// appendTransfer appends the native transfer. It is not ok if a part is missing.
func (c contract) appendTransfer(to []core.Transfer, tx backend.Hash) (all []core.Transfer, ok bool) {
	var value transferContract
	switch {
	case c.Type == "":
		return nil, false
	case c.Type != "TransferContract":
		return to, true
	case upstream.Decode(c.Parameter.Value, &value) != nil || value.To == "" || value.Amount <= 0:
		return nil, false
	}
	return append(to, core.Transfer{
		Hash: string(tx), Address: value.To.account().text(), Units: decimal.NewFromInt(value.Amount),
	}), true
}

// info is what a transaction did.
type info struct {
	ID      backend.Hash `json:"id"`
	Height  int64        `json:"blockNumber"`
	Time    int64        `json:"blockTimeStamp"`
	Result  string       `json:"result"` // FAILED, or left out
	Receipt struct {
		Result string `json:"result"` // of a smart contract
	} `json:"receipt"`
	Logs     []event    `json:"log"`
	Internal []internal `json:"internal_transactions"`
}

// appendTransfers appends the transfers of tokens, and of TRX by contracts.
func (i info) appendTransfers(to []core.Transfer, contracts map[account]string) []core.Transfer {
	for n, l := range i.Logs {
		name, known := contracts[l.Address]
		if !known {
			continue
		}
		if receiver, units, ok := l.transfer(); ok {
			to = append(to, core.Transfer{
				Hash: string(i.ID), Index: int64(n) + 1, Contract: name, Address: receiver.text(), Units: units,
			})
		}
	}
	for n, t := range i.Internal {
		if units := t.units(); units.IsPositive() && t.To != "" {
			to = append(to, core.Transfer{
				Hash: string(i.ID), Index: firstInternal + int64(n), Address: t.To.account().text(), Units: units,
			})
		}
	}
	return to
}

// internal is an internal transaction: an operation of a contract.
type internal struct {
	To     full `json:"transferTo_address"`
	Values []struct {
		Amount int64  `json:"callValue"`
		Token  string `json:"tokenId"` // a TRC-10 token
	} `json:"callValueInfo"`
	Note     string `json:"note"` // hexadecimal name of the operation
	Rejected bool   `json:"rejected"`
}

// units returns how much TRX was sent. Other operations, such as the delegation of energy, have a value
// that no address receives.
func (i internal) units() (sum decimal.Decimal) {
	const call, suicide = "63616c6c", "73756963696465"
	if i.Rejected || i.Note != call && i.Note != suicide {
		return sum
	}
	for _, v := range i.Values {
		if v.Token == "" && v.Amount > 0 {
			sum = sum.Add(decimal.NewFromInt(v.Amount))
		}
	}
	return sum
}

// event is a log.
type event struct {
	Address account  `json:"address"`
	Topics  []string `json:"topics"` // without 0x
	Data    string   `json:"data"`
}

// transferTopic is the hash of Transfer(address,address,uint256).
const transferTopic = "ddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef"

// transfer reads a transfer of a TRC-20 token. It is false for other logs, and for transfers of nothing.
func (e event) transfer() (receiver account, units decimal.Decimal, ok bool) {
	if len(e.Topics) != 3 || e.Topics[0] != transferTopic {
		return "", decimal.Decimal{}, false
	}
	var to, data backend.Hash // 32 bytes each
	if to.UnmarshalText([]byte(e.Topics[2])) != nil || data.UnmarshalText([]byte(e.Data)) != nil ||
		to == "" || data == "" {
		return "", decimal.Decimal{}, false
	}
	value, _ := new(big.Int).SetString(string(data), 16)
	return account(to[len(to)-2*accountBytes:]), decimal.NewFromBigInt(value, 0), value.Sign() > 0
}
