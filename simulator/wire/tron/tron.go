// Package tron simulates nodes with TRON's HTTP API: blocks with their transactions, and what the transactions did.
// Blocks have unrelated transactions too: failed ones, transfers of TRC-10 tokens, and contracts that delegate energy.
//
// API: github:tronprotocol/documentation-en (8f3209e, 2026-07-21), docs/api/http. A missing block is {}.
package tron

import (
	"encoding/hex"
	"fmt"
	"net/http"

	"github.com/btcsuite/btcd/btcutil/base58"

	"causeway/simulator/chain"
	"causeway/simulator/wire/format"
)

const (
	newestPath = "/wallet/getblock"
	finalPath  = "/walletsolidity/getblock"
	blockPath  = "/wallet/getblockbynum"
	infoPath   = "/wallet/gettransactioninfobyblocknum"

	transferTopic = "ddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef"
	firstTime     = 1529891469000 // of the first block, in milliseconds
)

// Descriptors are the back ends of all networks.
var Descriptors = format.Nodes("tron", []string{"TRX"}, respond,
	format.Operation{Name: "getblock", Path: "/wallet*/getblock", Member: "blockID", Chain: format.TipFaults},
	format.Operation{Name: "getblockbynum", Path: blockPath, Member: "blockID", Chain: format.BlockFaults},
	format.Operation{
		Name: "gettransactioninfobyblocknum", Path: infoPath, Member: "*.blockNumber", Chain: format.BlockFaults,
	},
)

// node is a chain as a node shows it.
type node struct{ format.Node }

func respond(r format.Node) format.Reply {
	if r.Method != http.MethodPost {
		return format.Answer(http.StatusMethodNotAllowed, failure("HTTP method is not supported"))
	}
	n := node{r}
	q := struct {
		Num    int64 `json:"num"`
		Detail bool  `json:"detail"`
	}{}
	if !n.ReadJSON(&q) {
		return format.Answer(http.StatusOK, failure("class org.tron.json.JSONException : invalid"))
	}
	switch n.URL.Path {
	case newestPath:
		return format.Answer(http.StatusOK, n.document(n.Tip(), q.Detail))
	case finalPath:
		return format.Answer(http.StatusOK, n.document(n.Tip()-n.Depth()+1, q.Detail))
	case blockPath:
		return format.Answer(http.StatusOK, n.document(q.Num, true))
	case infoPath:
		if q.Num <= 0 {
			return format.Answer(http.StatusOK, map[string]any{})
		}
		return format.Answer(http.StatusOK, n.infos(q.Num))
	}
	return format.Answer(http.StatusNotFound, failure("this API is unavailable due to config"))
}

func failure(text string) map[string]any { return map[string]any{"Error": text} }

// document returns a block, with its transactions or without. The first block has only the ID of the network.
func (n node) document(height int64, whole bool) map[string]any {
	raw := map[string]any{
		"txTrieRoot": derived(chain.Hash{}, "root"), "witness_address": address(chain.Hash{}, "witness"), "version": 31,
	}
	out := map[string]any{"block_header": map[string]any{
		"raw_data": raw, "witness_signature": derived(chain.Hash{}, "signature"),
	}}
	if height == 0 {
		out["blockID"], raw["timestamp"], raw["parentHash"] = n.ID, int64(firstTime), fmt.Sprintf("%064x", 0)
		return out
	}
	b, ok := n.At(height)
	if !ok {
		return map[string]any{}
	}
	out["blockID"], raw["number"], raw["parentHash"] = n.Text(b.Hash), b.Height, n.Text(b.Parent)
	raw["timestamp"], raw["txTrieRoot"] = b.Time.UnixMilli(), derived(b.Hash, "root")
	var list []any
	for _, t := range n.transactions(b) {
		list = append(list, t.document)
	}
	if whole && len(list) > 0 {
		out["transactions"] = list
	}
	return out
}

// infos returns what the transactions of a block did.
func (n node) infos(height int64) []any {
	out := []any{}
	b, ok := n.At(height)
	if !ok {
		return out
	}
	for _, t := range n.transactions(b) {
		t.info["blockNumber"], t.info["blockTimeStamp"] = b.Height, b.Time.UnixMilli()
		out = append(out, t.info)
	}
	return out
}

// transaction is a transaction with what it did.
type transaction struct{ document, info map[string]any }

// transactions returns the transactions of a block. A node whose blocks are incomplete lacks payments of TRX here, and
// the logs of other payments.
func (n node) transactions(b chain.Block) (out []transaction) {
	for _, t := range b.Transactions {
		missing := n.Lacks(t)
		if missing && t.Asset.Contract == "" {
			continue
		}
		made := newTransaction(t, n.Text(t.Hash), b.Time.UnixMilli())
		if missing {
			delete(made.info, "log")
		}
		out = append(out, made)
	}
	return out
}

// newTransaction returns a transaction of TRX or a token, or one of neither for an unrelated one of no value.
func newTransaction(t chain.Transaction, id string, time int64) transaction {
	owner, first := address(t.Hash, "owner"), t.Outputs[0]
	kind, result := "TransferContract", "SUCCESS"
	value := map[string]any{"owner_address": owner, "to_address": receiver(t, 0), "amount": first.Units.BigInt()}
	info := map[string]any{"id": id, "contractResult": []string{""}, "receipt": map[string]any{"net_usage": 268}}
	if t.Failed {
		result, info["result"] = "REVERT", "FAILED"
	}
	switch unrelated := t.Hash[5] % 4; {
	case t.Asset.Contract != "" || first.Units.IsZero():
		contract := hexOf(t.Asset.Contract)
		if t.Fake || contract == "" {
			contract = address(chain.Hash{}, "fake "+t.Asset.Contract)
		}
		kind = "TriggerSmartContract"
		value = map[string]any{"owner_address": owner, "contract_address": contract, "data": "a9059cbb"}
		info["contract_address"] = contract
		info["receipt"] = map[string]any{"energy_usage_total": 29650, "net_usage": 345, "result": result}
		if logs := logsOf(t, owner, contract); len(logs) > 0 {
			info["log"] = logs
		}
		if !t.Paid {
			info["internal_transactions"] = operations(t, contract)
		}
	case !t.Paid && unrelated == 0: // a token that anyone can create
		kind, value["asset_name"] = "TransferAssetContract", hex.EncodeToString([]byte("1002000"))
	}
	document := map[string]any{
		"txID": id, "signature": []string{derived(t.Hash, "signature")}, "ret": []any{map[string]any{"contractRet": result}},
		"raw_data_hex": derived(t.Hash, "raw"), "raw_data": map[string]any{
			"contract": []any{map[string]any{
				"type": kind, "parameter": map[string]any{"value": value, "type_url": "type.googleapis.com/protocol." + kind},
			}},
			"ref_block_bytes": "a358", "ref_block_hash": derived(t.Hash, "ref")[:16],
			"expiration": time + 60_000, "timestamp": time,
		},
	}
	return transaction{document, info}
}

// logsOf returns the logs of a transaction of a token.
func logsOf(t chain.Transaction, owner, contract string) (out []any) {
	if t.Failed || t.Asset.Contract == "" {
		return nil
	}
	for i, o := range t.Outputs {
		out = append(out, map[string]any{
			"address": contract[2:], "topics": []string{transferTopic, word(owner[2:]), word(receiver(t, i)[2:])},
			"data": word(o.Units.BigInt().Text(16)),
		})
	}
	return out
}

// operations returns internal transactions of a contract: one that delegates energy, and one that was rejected.
func operations(t chain.Transaction, contract string) []any {
	operation := func(note string, value int64) map[string]any {
		return map[string]any{
			"hash": derived(t.Hash, note), "caller_address": contract, "transferTo_address": receiver(t, 0),
			"callValueInfo": []any{map[string]any{"callValue": value}}, "note": hex.EncodeToString([]byte(note)),
		}
	}
	rejected := operation("call", 5_000_000)
	rejected["rejected"] = true
	return []any{operation("delegateResourceOfEnergy", 405_000_000), rejected}
}

// receiver returns the address of an output.
func receiver(t chain.Transaction, output int) string {
	if to := hexOf(t.Outputs[output].To); to != "" {
		return to
	}
	return address(t.Hash, fmt.Sprintf("to %d", output))
}

// hexOf returns an address of users as the API writes it; empty for another text.
func hexOf(text string) string {
	account, version, err := base58.CheckDecode(text)
	if err != nil {
		return ""
	}
	return hex.EncodeToString(append([]byte{version}, account...))
}

// address returns an address that a hash decides.
func address(from chain.Hash, kind string) string { return "41" + derived(from, kind)[:40] }

// derived returns 32 bytes that a hash decides.
func derived(from chain.Hash, kind string) string {
	digest := from.Derive(kind)
	return hex.EncodeToString(digest[:])
}

// word returns 32 bytes.
func word(digits string) string { return fmt.Sprintf("%064s", digits) }
