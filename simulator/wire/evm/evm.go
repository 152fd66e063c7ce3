// Package evm simulates nodes with the Ethereum JSON-RPC API, one back end for each network: the chain
// ID, blocks with their transactions, and receipts. Blocks have unrelated transactions too: failed ones,
// some of no value, and transfers of tokens that are unique (ERC-721).
//
// API: https://github.com/ethereum/execution-apis (033ca6e, 2026-08-07). A missing block is null.
package evm

import (
	"encoding/hex"
	"encoding/json"
	"net/http"
	"strconv"
	"strings"

	"causeway/core"
	"causeway/simulator/chain"
	"causeway/simulator/faults"
	"causeway/simulator/wire/format"
)

// Descriptors are the back ends of all networks.
var Descriptors = format.Nodes("evm", []string{"ETH", "BSC", "MATIC", "ARBITRUM", "OPTIMISM", "BASE", "AVAXC"}, respond,
	format.Operation{Name: chainID, RPC: true, Member: "result", Chain: []faults.Kind{faults.OtherNetwork}},
	format.Operation{Name: blockNumber, RPC: true, Member: "result", Chain: format.TipFaults},
	format.Operation{Name: blockByNumber, RPC: true, Member: "result.hash", Chain: format.BlockFaults},
	format.Operation{Name: blockByHash, RPC: true, Member: "result.hash", Chain: format.BlockFaults},
	format.Operation{Name: blockReceipts, RPC: true, Member: "result.*.logs", Chain: format.BlockFaults},
)

// The methods.
const (
	chainID       = "eth_chainId"
	blockNumber   = "eth_blockNumber"
	blockByNumber = "eth_getBlockByNumber"
	blockByHash   = "eth_getBlockByHash"
	blockReceipts = "eth_getBlockReceipts"
)

// Codes of errors.
const (
	parseError     = -32700
	unknownMethod  = -32601
	invalidParams  = -32602
	invalidRequest = -32600
)

type request struct {
	Version string            `json:"jsonrpc"`
	ID      json.RawMessage   `json:"id"`
	Method  string            `json:"method"`
	Params  []json.RawMessage `json:"params"`
}

// node is a chain as a node shows it.
type node struct{ format.Node }

func respond(n format.Node) format.Reply {
	if n.Method != http.MethodPost {
		return format.Text(http.StatusMethodNotAllowed, "method not allowed\n")
	}
	q := request{ID: json.RawMessage("null")}
	var result any
	if !n.ReadJSON(&q) {
		return answer(q.ID, "error", failure(parseError, "parse error"))
	}
	if q.Version != "2.0" || q.ID == nil {
		return answer(json.RawMessage("null"), "error", failure(invalidRequest, "invalid request"))
	}
	switch q.Method {
	case chainID:
		result = quantity(number(n.ID))
	case blockNumber:
		result = quantity(n.Tip())
	case blockByNumber, blockByHash, blockReceipts:
		b, found, ok := node{n}.block(q)
		if !ok {
			return answer(q.ID, "error", failure(invalidParams, "invalid argument 0"))
		}
		if found && q.Method == blockReceipts {
			result = node{n}.receipts(b)
		} else if found {
			result = node{n}.document(b, len(q.Params) > 1 && string(q.Params[1]) == "true")
		}
	default:
		return answer(q.ID, "error", failure(unknownMethod, "the method "+q.Method+" does not exist/is not available"))
	}
	return answer(q.ID, "result", result)
}

func answer(id json.RawMessage, member string, value any) format.Reply {
	return format.Answer(http.StatusOK, map[string]any{"jsonrpc": "2.0", "id": id, member: value})
}

func failure(code int, message string) map[string]any {
	return map[string]any{"code": code, "message": message}
}

// block returns the block of a request. It is not found if the node does not have it, and not ok if the parameter is
// invalid.
func (n node) block(q request) (b chain.Block, found, ok bool) {
	var text string
	if len(q.Params) == 0 || json.Unmarshal(q.Params[0], &text) != nil {
		return chain.Block{}, false, false
	}
	digits, isHex := strings.CutPrefix(text, "0x")
	var hash chain.Hash
	isHash := isHex && len(digits) == hex.EncodedLen(len(hash))
	height, err := strconv.ParseInt(digits, 16, 64)
	switch {
	case isHash && q.Method != blockByNumber:
		if _, err := hex.Decode(hash[:], []byte(digits)); err != nil {
			return chain.Block{}, false, false
		}
		b, found = n.Find(hash, n.Now)
		return b, found && b.Height <= n.Tip(), true
	case q.Method == blockByHash:
		return chain.Block{}, false, false
	case text == "latest":
		height = n.Tip()
	case text == "finalized" && n.Finality:
		height = n.Tip() - n.Depth() + 1
	case !isHex || err != nil:
		return chain.Block{}, false, false
	}
	b, found = n.At(height)
	return b, found, true
}

// transactions returns the transactions of a block. A node whose blocks are incomplete lacks payments of the coin here,
// and the logs of other payments.
func (n node) transactions(b chain.Block) (out []transaction) {
	logs := 0
	for _, t := range b.Transactions {
		missing := n.Lacks(t)
		if missing && t.Asset.Contract == "" {
			continue
		}
		made := newTransaction(n.Chain, b, len(out), logs, t)
		if logs += len(made.logs); missing {
			made.logs = []map[string]any{}
		}
		out = append(out, made)
	}
	return out
}

// document returns a block, with its whole transactions or with their hashes.
func (n node) document(b chain.Block, whole bool) map[string]any {
	list := []any{}
	var used int64
	var all bloom
	for _, t := range n.transactions(b) {
		used += t.gas
		all.addLogs(t.logs)
		if whole {
			list = append(list, t.document)
		} else {
			list = append(list, t.document["hash"])
		}
	}
	root := func(kind string) string { return n.Text(b.Hash.Derive(kind)) }
	const gasLimit, blockBytes = 0x23f3e20, 620
	return map[string]any{
		"number": quantity(b.Height), "hash": n.Text(b.Hash), "parentHash": n.Text(b.Parent),
		"timestamp": quantity(b.Time.Unix()), "transactions": list, "logsBloom": all.text(), "uncles": []any{},
		"transactionsRoot": root("transactions"), "receiptsRoot": root("receipts"), "stateRoot": root("state"),
		"mixHash": root("mix"), "sha3Uncles": noUncles, "nonce": "0x0000000000000000", "extraData": "0x",
		"miner": address(b.Hash, "miner"), "difficulty": "0x0", "baseFeePerGas": quantity(gasPrice),
		"gasLimit": quantity(gasLimit), "gasUsed": quantity(used), "size": quantity(blockBytes + used/100),
	}
}

// receipts returns the receipts of a block.
func (n node) receipts(b chain.Block) []any {
	out := []any{}
	var used int64
	for _, t := range n.transactions(b) {
		used += t.gas
		var filter bloom
		filter.addLogs(t.logs)
		out = append(out, map[string]any{
			"blockHash": t.document["blockHash"], "blockNumber": t.document["blockNumber"],
			"transactionHash": t.document["hash"], "transactionIndex": t.document["transactionIndex"],
			"from": t.document["from"], "to": t.document["to"], "type": t.document["type"], "contractAddress": nil,
			"status": t.status, "logs": t.logs, "logsBloom": filter.text(), "gasUsed": quantity(t.gas),
			"cumulativeGasUsed": quantity(used), "effectiveGasPrice": quantity(gasPrice),
		})
	}
	return out
}

// fakeContract returns the contract of a token that has only the symbol of an asset.
func fakeContract(a core.Asset) string { return address(chain.Hash{}, "fake "+a.Contract) }
