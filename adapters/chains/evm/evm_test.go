package evm_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/shopspring/decimal"

	"causeway/adapters/chains/backend/backendtest"
	"causeway/adapters/chains/evm"
	"causeway/core"
	"causeway/ports"
)

const (
	usdt  = "0x55d398326f99059fF775485246999027B3197955" // on BSC
	ours  = "0x5aaeb6053f3e94c9b9a09f33669435e7ef1beaed"
	topic = "0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef"

	tip = 16 // height in bsc.json
)

func bsc() core.Chain {
	return core.Chain{Network: "BSC", ID: "56", Finality: true, Assets: []core.Asset{
		{Currency: "BNB", Decimals: 18}, {Currency: "USDT", Contract: usdt, Decimals: 18},
	}}
}

// node answers like a node whose newest blocks are in a fixture.
type node struct {
	ChainID string `json:"chain_id"`
	Final   string `json:"final"` // height
	Blocks  []struct {
		Block    json.RawMessage `json:"block"`
		Receipts json.RawMessage `json:"receipts"`
	} `json:"blocks"`
}

// result returns the result of a request.
func (n *node) result(method string, params []any) string {
	if method == "eth_chainId" {
		return strconv.Quote(n.ChainID)
	}
	wanted := params[0]
	if wanted == "finalized" {
		wanted = n.Final
	}
	for i, b := range n.Blocks {
		var id struct{ Number, Hash string }
		if err := json.Unmarshal(b.Block, &id); err != nil {
			panic(err)
		}
		switch isLast := i == len(n.Blocks)-1; {
		case method == "eth_getBlockReceipts" && wanted == id.Hash:
			return string(b.Receipts)
		case method == "eth_getBlockByNumber" && (wanted == id.Number || wanted == "latest" && isLast):
			return string(b.Block)
		}
	}
	return "null"
}

func (n *node) respond(r *http.Request) (method string, status int, response string, err error) {
	var q struct {
		Version string `json:"jsonrpc"`
		ID      int
		Method  string
		Params  []any
	}
	body, err := io.ReadAll(r.Body)
	if err = errors.Join(err, json.Unmarshal(body, &q)); err != nil || q.Version != "2.0" || q.Params == nil {
		return "", 0, "", fmt.Errorf("bad request %s: %w", body, err)
	}
	response = fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"result":%s}`, q.ID, n.result(q.Method, q.Params))
	return q.Method, http.StatusOK, response, nil
}

var kind = backendtest.Kind{
	Text: "evm:https://node.example/v3/planted", Method: http.MethodPost, URL: "https://node.example/v3/planted$",
	Chain: bsc(), Fixture: "bsc.json", Tip: tip, Address: ours,
	Read: backendtest.Servers((*node).respond),
}

func id(height int64, digit string) core.BlockID {
	return core.BlockID{Height: height, Hash: "0x" + strings.Repeat(digit, 64)}
}

func units(text string) decimal.Decimal { return decimal.RequireFromString(text) }

func tx(digit string) string { return "0x" + strings.Repeat(digit, 64) }

// transfers of the block at the tip of bsc.json.
func transfers() []core.Transfer {
	return []core.Transfer{
		{Hash: tx("1"), Address: ours, Units: units("1000000000000000000")},
		{Hash: tx("2"), Index: 1, Contract: usdt, Address: ours, Units: units("2500000000000000000")},
		{Hash: tx("2"), Index: 3, Contract: usdt, Address: ours, Units: units("1")},
	}
}

// TestContract runs the suite with blocks that were recorded, and with made ones.
func TestContract(t *testing.T) {
	const (
		dao    = "0xBB9bc244D798123fDe783fCc1C72d3Bb8C189413" // a token of 2016
		parent = "0x1c40cb1eae4d15a808b06f18145f4585fd6d45244b332853bd695e62e6990454"
	)
	kind.Contract(t, "5", map[string]backendtest.Blocks{
		"bsc.json": {Chain: bsc(), Blocks: []core.Block{
			{BlockID: id(tip-1, "a"), Parent: tx("9"), Time: time.Unix(0x6a000000, 0).UTC()},
			{BlockID: id(tip, "b"), Parent: tx("a"), Time: time.Unix(0x6a000003, 0).UTC(), Transfers: transfers()},
		}, Final: id(tip-1, "a")},
		// The tip has a transfer of 2 wei, which the recorded node also calls final.
		"execution-apis.json": {Chain: core.Chain{Network: "ETH", ID: "3503995874084926", Finality: true}, Blocks: []core.Block{{
			BlockID: core.BlockID{Height: 54, Hash: "0xd226371d0b1551adb03fb52b71f08e3e11247fe9b1af994768af8cdaa8e7dcd7"},
			Parent:  parent, Time: time.Unix(540, 0).UTC(), Transfers: []core.Transfer{{
				Hash:    "0x42bbb5422de0069316bbe68f4cb8fc31ac577b1dd0fee07ee3584fe9822fd0cb",
				Address: "0x7dcd17433742f4c0ca53122ab541d0ba67fc27df", Units: units("2"),
			}},
		}}, Final: core.BlockID{Height: 54, Hash: "0xd226371d0b1551adb03fb52b71f08e3e11247fe9b1af994768af8cdaa8e7dcd7"}},
		// The receipts are from before 2017: the transfer of ETH may have failed, the token's did not.
		"mainnet.json": {Chain: core.Chain{Network: "ETH", ID: "1", Assets: []core.Asset{{Currency: "DAO", Contract: dao}}}, Blocks: []core.Block{
			{
				BlockID: core.BlockID{Height: 1755634, Hash: "0xa06fc36a7144c4bbb1f7ab13b541144414fa7808c119e8a4635e392ea544c178"},
				Parent:  "0x112aa801c14d16d9b929fd8e1e639a29d79e467334054a111c2f860e462e3ff4",
				Time:    time.Date(2016, 6, 23, 8, 12, 37, 0, time.UTC),
			},
			{
				BlockID: core.BlockID{Height: 1755635, Hash: "0x1dec87ec1ba8e65b7773bb6f62249468948a28a427efd3d896a2ff7d7c591a67"},
				Parent:  "0xa06fc36a7144c4bbb1f7ab13b541144414fa7808c119e8a4635e392ea544c178",
				Time:    time.Date(2016, 6, 23, 8, 12, 42, 0, time.UTC),
				Transfers: []core.Transfer{{
					Hash: "0x2e3dcd051a91d3a694f6b8de2ac4b5fe7acdba55f58bcf8471ff00d4a430074d", Index: 1, Contract: dao,
					Address: "0x8b3b3b624c3c0397d3da8fd861512393d51dcbac", Units: units("5000000000000000000"),
				}},
			},
		}},
	})
}

func traps() []backendtest.Trap {
	const (
		block, receipts = "eth_getBlockByNumber", "eth_getBlockReceipts"

		usdtLog = `"address": "0x55d398326f99059ff775485246999027b3197955"`
		zeros   = "000000000000000000000000"
	)
	all := transfers()
	result := func(text string) string { return `{"jsonrpc":"2.0","id":1,"result":` + text + `}` }
	failure := func(code int) string {
		return fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"error":{"code":%d,"message":"planted"}}`, code)
	}
	const value = "0x00000000000000000000000000000000000000000000000022b1c8c1227a0000"
	most := "0x" + strings.Repeat("f", 64)
	trap := backendtest.NewTrap
	return []backendtest.Trap{
		trap("missing block is null", block, "", result("null"), nil, ports.ErrNoBlock),
		trap("missing block is null", block, "", result("{}"), nil, ports.ErrNoBlock),
		trap("missing block is null", block, "", failure(-39001), nil, ports.ErrNoBlock),
		trap("missing block is null", receipts, "", result("null"), nil, ports.ErrNoBlock),
		trap("no transactions are an empty list", block, `"transactions"`, `"other"`, nil, ports.ErrIncomplete),
		trap("no transactions are an empty list", receipts, "", result("[]"), nil, ports.ErrIncomplete),
		trap("receipts by hash", receipts, `"blockHash": "`+tx("b"), `"blockHash": "`+tx("c"), nil, ports.ErrIncomplete),
		trap("receipts by hash", receipts, `"transactionHash": "`+tx("1"), `"transactionHash": "`+tx("2"), nil, ports.ErrIncomplete),
		trap("receipts by hash", block, `"number": "0x10"`, `"number": "0x11"`, nil, ports.ErrIncomplete),
		trap("one receipt per transaction", block, `"transactions": [`, `"transactions": [{"hash":"`+tx("7")+`","to":null,"value":"0x0"},`, nil, ports.ErrIncomplete),
		trap("one receipt per transaction", receipts, `"result":[`, `"result":[{"blockHash":"`+tx("b")+`","logs":[]},`, nil, ports.ErrIncomplete),
		trap("one receipt per transaction", receipts, `"logs": []`, `"logs": null`, nil, ports.ErrIncomplete),
		trap("one receipt per transaction", receipts, `"status": "0x1"`, `"status": null`, nil, ports.ErrIncomplete),
		trap("one receipt per transaction", block, `"value": "0xde0b6b3a7640000"`, `"amount": "0x1"`, nil, ports.ErrIncomplete),
		trap("native transfer", block, `"value": "0xde0b6b3a7640000"`, `"value": "0x0"`, backendtest.Without(all, 0), nil),
		trap("native transfer", block, `"to": "`+ours, `"to": null, "input": "`+ours, backendtest.Without(all, 0), nil),
		trap("native transfer", receipts, `"status": "0x1"`, `"status": "0x0"`, backendtest.Without(all, 0), nil),
		trap("receipt with root", receipts, `"status": "0x1"`, `"root": "`+tx("5")+`"`, backendtest.Without(all, 0), nil),
		trap("allowed contracts", receipts, usdtLog, `"address": "0x55d398326f99059ff775485246999027b3197956"`, backendtest.Without(all, 1), nil),
		trap("allowed contracts", receipts, usdtLog, `"address": "0x`+strings.ToUpper(usdt[2:])+`"`, all, nil),
		trap("Transfer has three topics", receipts, `"topics": [`, `"topics": ["`+topic+`",`, backendtest.Without(all, 1), nil),
		trap("Transfer has three topics", receipts, topic, strings.Replace(topic, "dd", "de", 1), backendtest.Without(all, 1), nil),
		trap("Transfer has 32 bytes of data", receipts, `"data": "`+value, `"data": "`+value+value[2:], backendtest.Without(all, 1), nil),
		trap("Transfer has 32 bytes of data", receipts, `"data": "`+value, `"data": "0x`, backendtest.Without(all, 1), nil),
		trap("receiver in the last 20 bytes", receipts, zeros+ours[2:], strings.Repeat("1", 24)+ours[2:], all, nil),
		trap("index in the receipt", receipts, `"logIndex": "0x6"`, `"logIndex": "0x77"`, all, nil),
		trap("nothing is sent", receipts, value, "0x"+strings.Repeat("0", 64), backendtest.Without(all, 1), nil),
		trap("exact amounts", receipts, value, most, backendtest.With(all, 1, func(t *core.Transfer) {
			t.Units = units("115792089237316195423570985008687907853269984665640564039457584007913129639935")
		}), nil),
		trap("exact amounts", block, `"value": "0xde0b6b3a7640000"`, `"value": 1000000000000000000`, nil, nil),
		trap("exact amounts", block, `"value": "0xde0b6b3a7640000"`, `"value": "1000000000000000000"`, nil, nil),
		trap("errors have status 200", block, "", failure(-32603), nil, nil),
		trap("errors have status 200", receipts, "", failure(-32601), nil, nil),
		trap("limits", receipts, "", failure(-32005), nil, nil),
		trap("limits", receipts, "", `{"Error":"lack of computing resources"}`, nil, nil),
		trap("answers that are not JSON-RPC", block, "", "<html>planted</html>", nil, nil),
		trap("answers that are not JSON-RPC", block, "", strings.Replace(result("null"), `"id":1`, `"id":2`, 1), nil, nil),
		trap("answers that are not JSON-RPC", receipts, `"result":[`, `"result":[[`, nil, nil),
	}
}

func TestTraps(t *testing.T) { kind.Traps(t, traps()) }

// TestClient_Requests checks which requests a block and the tip take, and that they may be large.
func TestClient_Requests(t *testing.T) {
	kind.Requests(t, []string{"eth_getBlockByNumber", "eth_getBlockReceipts"},
		[]string{"eth_getBlockByNumber ok", "eth_getBlockReceipts ok"})
}

// TestClient_Check checks that a back end is of another network only if it says so.
func TestClient_Check(t *testing.T) {
	result := func(id string) string { return `{"jsonrpc":"2.0","id":1,"result":` + id + `}` }
	kind.Check(t, map[string]error{result(`"0x38"`): nil, result(`"0x61"`): ports.ErrOtherNetwork},
		result("null"), result("56"), `{"jsonrpc":"2.0","id":1,"error":{"code":-32000,"message":"planted"}}`, "<html>", "")
}

// TestClient_Tip checks the final block.
func TestClient_Tip(t *testing.T) {
	t.Parallel()
	final := func(response string) backendtest.Edit {
		asked := 0
		return func(_, _ string) (int, string) {
			if asked++; asked == 1 {
				return 0, ""
			}
			return http.StatusOK, response
		}
	}
	for name, c := range map[string]struct {
		edit    backendtest.Edit
		chain   func(*core.Chain)
		final   core.BlockID
		unknown bool
	}{
		"final block":         {final: id(tip-1, "a")},
		"unknown tag":         {edit: final(`{"jsonrpc":"2.0","id":1,"error":{"code":-32000,"message":"planted"}}`)},
		"no final block yet":  {edit: final(`{"jsonrpc":"2.0","id":1,"result":null}`)},
		"invalid parameter":   {edit: final(`{"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"planted"}}`)},
		"without finality":    {edit: final("planted"), chain: func(c *core.Chain) { c.Finality = false }},
		"too many requests":   {edit: final(`{"jsonrpc":"2.0","id":1,"error":{"code":-32005,"message":"planted"}}`), unknown: true},
		"not JSON":            {edit: final("planted"), unknown: true},
		"height beyond limit": {edit: final(`{"jsonrpc":"2.0","id":1,"result":{"hash":"` + tx("a") + `","number":"0x10000000000000000"}}`), unknown: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			k := kind
			if c.chain != nil {
				c.chain(&k.Chain)
			}
			backend, _ := k.Open(t, c.edit)
			got, err := backend.Tip(t.Context())
			if c.unknown != (core.CodeOf(err) == core.Unavailable) || got.Final != c.final || err == nil && got.Height != tip {
				t.Errorf("got %+v, %v, want the final block %+v", got, err, c.final)
			}
		})
	}
}

func TestEvidence(t *testing.T) {
	backendtest.Evidence(t, evm.Descriptor.Evidence, traps(), "finalized", "requests", "check")
}

// BenchmarkClient_Block reads a block with 3,000 transfers.
func BenchmarkClient_Block(b *testing.B) {
	n := backendtest.ReadFixture[node](b, kind.Fixture)
	var receipts []json.RawMessage
	if err := json.Unmarshal(n.Blocks[1].Receipts, &receipts); err != nil {
		b.Fatal(err)
	}
	log := []byte(`{"address": "` + usdt + `","topics":["` + topic + `","` + tx("0") + `","` + tx("1") + `"],"data":"` + tx("1") + `"}`)
	logs := append([]byte(`"logs": [`), bytes.Repeat(append(log, ','), 2999)...)
	n.Blocks[1].Receipts = bytes.Replace(n.Blocks[1].Receipts, []byte(`"logs": []`), append(append(logs, log...), ']'), 1)
	chain, _ := kind.Connect(b, backendtest.Respond(n.respond, nil), kind.Chain)
	b.ReportAllocs()
	for b.Loop() {
		if got, err := chain.Block(b.Context(), tip); err != nil || len(got.Transfers) < 3000 {
			b.Fatal(len(got.Transfers), err)
		}
	}
}
